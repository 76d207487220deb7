/* SPDX-License-Identifier: GPL-2.0-only */
/* Which build of the kernel programs suits a kernel, and which of them: found by what it has, never by its version. */
#include "live/programs/floor.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/budget.h"
#include "abi/control.h"
#include "abi/events.h"
#include "abi/program.h"
#include "base/cleanup.h"
#include "live/hooks/hooks.h"
#include "live/kernel/kernel_types.h"
/* It has the types of these. */
#include "floor.skel.h"

static bool floor_has_helper(const struct lkst_kernel *k, int helper)
{
	return lkst_kernel_has_enum_value(k, "bpf_func_id", helper);
}

/*
 * bpf_loop() is the youngest of what all programs of the first build take (Linux 5.17), and a kernel that has it has
 * the others. Linux 5.18 added the argument of sched_switch.
 */
bool lkst_floor_is_needed(const struct lkst_kernel *k)
{
	return !floor_has_helper(k, BPF_FUNC_loop) ||
	       lkst_kernel_check_tracepoint(NULL, k, "sched_switch", lkst_events[LKST_EV_sched_switch].hooks[0].proto);
}

/* x86 keeps stores in order by itself (bpf/record.h). */
bool lkst_floor_is_unordered(const struct lkst_kernel *k)
{
#ifdef __x86_64__
	return false;
#else
	return lkst_floor_is_needed(k);
#endif
}

const void *lkst_floor_elf(size_t *ret_size)
{
	return floor_bpf__elf_bytes(ret_size);
}

/* True if the program itself (none of its functions does) calls a helper that the kernel does not have. */
static bool calls_unknown(const struct lkst_kernel *k, const struct bpf_program *program)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t i;

	for (i = 0; i < bpf_program__insn_cnt(program); i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg && !floor_has_helper(k, insns[i].imm))
			return true;
	return false;
}

/* Links of perf events, which give a program a number (its cookie). They are of Linux 5.15, b89fbfbb854c. */
static bool has_perf_links(const struct lkst_kernel *k)
{
	return lkst_kernel_has_enum_value(k, "bpf_link_type", BPF_LINK_TYPE_PERF_EVENT);
}

bool lkst_floor_has_functions(const struct lkst_kernel *k)
{
#ifdef __x86_64__
	return true;
#else
	/* What keeps an event of a function without them (live/hooks) has missed some in a guest. */
	return has_perf_links(k);
#endif
}

static bool is_by_name(const struct bpf_program *program)
{
	return !strcmp(bpf_program__name(program), LKST_ANY_TRACEPOINT) ||
	       !strcmp(bpf_program__name(program), LKST_ANY_PROBE);
}

static bool floor_lacks(const struct lkst_kernel *k, const struct bpf_program *program)
{
	/* Linux 5.14, 79a7f8bdb159. */
	if (bpf_program__type(program) == BPF_PROG_TYPE_SYSCALL &&
	    !lkst_kernel_has_enum_value(k, "bpf_prog_type", BPF_PROG_TYPE_SYSCALL))
		return true;
	if (bpf_program__type(program) == BPF_PROG_TYPE_KPROBE && !lkst_floor_has_functions(k))
		return true;
	/* It asks for its tracepoint's number. */
	if (is_by_name(program) && !has_perf_links(k))
		return true;
	/* Before Linux 5.12 (3d06f34aa89e) no such list may call d_path(). /proc has what it would. */
	return calls_unknown(k, program) || !strcmp(bpf_program__name(program), "iter__open_files");
}

/* The index of the event that @program records; LKST_NR_EVENTS: it is a command, which says so itself. */
static unsigned int event_of(const struct bpf_program *program)
{
	char name[LKST_HOOK_NAME_MAX];
	unsigned int i, h;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		for (h = 0; h < lkst_events[i].nr_hooks; h++) {
			const struct lkst_hook_desc *row = &lkst_events[i].hooks[h];

			lkst_hook_name(lkst_hook_kind(row), row->target, name);
			if (!strcmp(name, bpf_program__name(program)))
				return i;
		}
	}
	return LKST_NR_EVENTS;
}

void lkst_floor_leave_out(const struct lkst_kernel *k, struct bpf_object *object, struct lkst_notes *notes)
{
	bool is_named[LKST_NR_EVENTS] = {};
	struct bpf_program *program;
	char names[2048] = "";
	unsigned int event;
	size_t used;

	bpf_object__for_each_program(program, object)
	{
		if (!bpf_program__autoload(program) || !floor_lacks(k, program))
			continue;
		bpf_program__set_autoload(program, false);
		event = event_of(program);
		if (event == LKST_NR_EVENTS || is_named[event])
			continue;
		is_named[event] = true;
		used = strlen(names);
		snprintf(names + used, sizeof(names) - used, ", %s", lkst_events[event].name);
	}
	if (names[0] && notes)
		lkst_notes_add(notes, "This kernel is too old to record these events: %s.", names + strlen(", "));
}

/* ---- handlers --------------------------------------------------------------------------------- */

enum { NO_SUCH_HELPER = 0x4c4b5354 };

static void replace_in(struct bpf_insn *insns, size_t nr)
{
	static const struct bpf_insn refused = { .code = BPF_JMP | BPF_CALL, .imm = NO_SUCH_HELPER };
	size_t i;

	for (i = 0; i < nr; i++)
		if (BPF_CLASS(insns[i].code) == BPF_STX && BPF_MODE(insns[i].code) == BPF_ATOMIC &&
		    insns[i].imm != BPF_ADD)
			insns[i] = refused;
}

void lkst_floor_replace_atomics(void *elf, size_t size)
{
	const Elf64_Ehdr *header = elf;
	const Elf64_Shdr *sections, *section;

	if (size < sizeof(*header) || header->e_shentsize != sizeof(*sections) || header->e_shoff > size ||
	    header->e_shnum > (size - header->e_shoff) / sizeof(*sections))
		return;
	sections = (const void *)((char *)elf + header->e_shoff);
	for (section = sections; section < sections + header->e_shnum; section++)
		if (section->sh_flags & SHF_EXECINSTR && section->sh_offset <= size &&
		    section->sh_size <= size - section->sh_offset)
			replace_in((void *)((char *)elf + section->sh_offset),
				   section->sh_size / sizeof(struct bpf_insn));
}

bool lkst_floor_lets_handle(enum lkst_hook_kind kind, const char *target)
{
	return kind == LKST_HOOK_PERF ||
	       ((kind == LKST_HOOK_TP || kind == LKST_HOOK_TP_TOO) && strcmp(target, "nmi_handler"));
}

int lkst_floor_explain_handler(struct lkst_err *e, int err)
{
	static const char before[] = "invalid func unknown#";
	const char *said = err == -EACCES && e ? strstr(e->text, before) : NULL;
	int helper = said ? atoi(said + strlen(before)) : 0;

	if (helper == NO_SUCH_HELPER)
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old for the handler: it changes a word in one step and "
				    "uses what was there, as Linux 5.12 can, on arm64 5.18");
	if (helper == BPF_FUNC_get_current_task_btf)
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old for the handler: it reads the stack of the thread "
				    "that runs, as Linux 5.11 can");
	if (helper)
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old for the handler: it lacks helper %d, which that calls",
				    helper);
	return err;
}

int lkst_floor_explain_probe(struct lkst_err *e, int err)
{
	_cleanup_(lkst_kernel_closep) struct lkst_kernel *k = NULL;

	if (!err || lkst_kernel_open(NULL, NULL, &k) || has_perf_links(k))
		return err;
	return lkst_err_set(e, -ENOTSUP, "this kernel is too old for probes: they require what Linux 5.15 has");
}
