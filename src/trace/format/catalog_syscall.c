/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two events of a system call: how their records are laid out, and what their fields mean.
 * abi/syscalls.h has the rule.
 */
#include "trace/format/catalog_syscall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/syscalls.h"
#include "trace/format/half.h"

static const char string_suffix[] = "_str";

#ifdef __aarch64__
static const bool is_here_arm64 = true;
#else
static const bool is_here_arm64 = false;
#endif

bool lkst_machine_is_arm64(const char *machine)
{
	return machine[0] ? !strcmp(machine, "aarch64") : is_here_arm64;
}

/* The flags of open(2) are not everywhere the same bits. */
static u8 meaning_on(const char *machine, u8 meaning)
{
	return lkst_machine_is_arm64(machine) && meaning == LKST_SYS_open_flags ? LKST_SYS_open_flags_arm64 : meaning;
}

/* What is known of an argument, by its name. */
static void describe_argument(struct lkst_field_class *f, const struct lkst_syscall_arg *args,
			      unsigned int nr, const char *machine)
{
	bool is_integer = f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT;
	unsigned int i;

	for (i = 0; i < nr && is_integer; i++)
		if (!strcmp(f->name, args[i].name))
			f->sys_meaning = meaning_on(machine, args[i].meaning);
}

void lkst_catalog_describe_syscall(struct lkst_event_class *event, const char *machine)
{
	const char *call = lkst_class_call(event);
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	const struct lkst_syscall *row;
	unsigned int nr = 0;
	u16 i;

	for (i = 0; i < event->nr_fields; i++)
		event->fields[i].sys_meaning = 0;
	if (!call)
		return;
	event->group = LKST_GROUP_SYSCALL;
	row = lkst_syscall_find(event->is_compat, call);
	if (!row)
		return;
	event->syscall = (s16)(row - lkst_syscalls);
	if (event->half == LKST_HALF_ENTRY)
		nr = lkst_syscall_args(row, args);
	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];

		if (event->half == LKST_HALF_ENTRY)
			describe_argument(f, args, nr, machine);
		else if (!strcmp(f->name, "ret") && f->size == 8)
			f->sys_meaning = row->result;
	}
}

static int catalog_syscall_set_name(struct lkst_err *e, struct lkst_event_class *event,
				    const struct lkst_syscall *row, enum lkst_half half)
{
	struct lkst_call_name name = { half, row->is_compat, row->name };
	int n = lkst_call_name_format(event->name, sizeof(event->name), &name);

	if (n < 0 || (size_t)n >= sizeof(event->name))
		return lkst_err_set(e, -EINVAL, "the name of system call %s is too long",
				    row->name);
	return 0;
}

/* Adds a field for the string of each argument that has one. */
static void catalog_syscall_add_strings(struct lkst_event_class *event, const struct lkst_syscall_arg *args,
					unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct lkst_field_class *f = &event->fields[event->nr_fields];

		if (args[i].meaning != LKST_SYS_path)
			continue;
		*f = (struct lkst_field_class){ .type = LKST_CLASS_STRING, .base = 10 };
		snprintf(f->name, sizeof(f->name), "%s%s", args[i].name, string_suffix);
		event->nr_fields++;
	}
}

int lkst_syscall_entry_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event)
{
	const struct lkst_syscall *s = &lkst_syscalls[row];
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int i, nr = lkst_syscall_args(s, args);
	struct lkst_field_class *fields = event->fields;

	for (i = 0; i < nr; i++) {
		fields[i] = (struct lkst_field_class){ .size = args[i].size, .base = args[i].base };
		fields[i].type = args[i].is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT;
		memcpy(fields[i].name, args[i].name, sizeof(args[i].name));
	}
	event->nr_fields = (u16)nr;
	catalog_syscall_add_strings(event, args, nr);
	return catalog_syscall_set_name(e, event, s, LKST_HALF_ENTRY);
}

int lkst_syscall_exit_class(struct lkst_err *e, unsigned int row, struct lkst_event_class *event)
{
	const struct lkst_syscall *s = &lkst_syscalls[row];
	const struct lkst_sys_meaning_desc *result = &lkst_sys_meanings[s->result];
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int nr = lkst_syscall_args(s, args);

	event->nr_fields = 1;
	event->fields[0] =
		(struct lkst_field_class){ .name = "ret", .size = 8, .base = result->base };
	event->fields[0].type = result->is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT;
	catalog_syscall_add_strings(event, args, nr);
	return catalog_syscall_set_name(e, event, s, LKST_HALF_EXIT);
}
