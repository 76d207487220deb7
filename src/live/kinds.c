/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of events, their cost and their value. */
#include "live/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/glob.h"

/*
 * What is given up first, when recording costs more than it may: the first row that matches tells
 * the value. Details of what is seen anyhow go first, what else explains a delay goes last, and
 * what a trace cannot be read without, or is rare and telling, does not go.
 */
static const struct {
	const char *glob;
	u8 value;
} values[] = {
	{ "sched:sched_switch", LKST_KIND_PRECIOUS },
	{ "sched:sched_process_*", LKST_KIND_PRECIOUS },
	{ "sched:task_*", LKST_KIND_PRECIOUS },
	{ "signal:*", LKST_KIND_PRECIOUS },
	{ "memory:mark_victim", LKST_KIND_PRECIOUS },
	{ "other:*", LKST_KIND_PRECIOUS },
	{ "recorder:*", LKST_KIND_PRECIOUS },
	{ "state:*", LKST_KIND_PRECIOUS },
	{ "lock:*", 10 },
	{ "memory:k*", 20 },
	{ "memory:mm_page_*", 20 },
	{ "memory:folio_*", 20 },
	{ "irq:softirq_raise", 20 },
	{ "timer:*_expire_*", 40 },
	{ "timer:*", 20 },
	{ "irq:local_timer_*", 30 },
	{ "irq:reschedule_*", 30 },
	{ "irq:call_function_*", 30 },
	{ "workqueue:*", 30 },
	{ "memory:*", 40 },
	{ "net:*", 40 },
	{ "irq:*", 50 },
	{ "tracepoint:*", 50 },
	{ "exception:*", 50 },
	{ "block:*", 60 },
	{ "ipc:*", 60 },
	{ "syscall:*", 70 },
	{ "sched:sched_migrate_task", 70 },
	{ "sched:*", 80 },
};

enum {
	/*
	 * From the hook to our program and back, ns. A program that does nothing took 23 to 36 ns at
	 * a tracepoint on two machines (doc/figures.md). The others are from its relation to kprobes
	 * (row I16: a half) and to a return probe, which is two; and of a tracepoint by name, for
	 * which the kernel builds its own record first.
	 */
	TP_NS = 28,
	KPROBE_NS = 60,
	KRETPROBE_NS = 120,
	BY_NAME_NS = 120,
	/* What a program does beyond a record of fixed size (doc/figures.md). */
	RECORD_NS = 40, /* where it was not measured */
	SYSCALL_ENTRY_NS = 4,
	SYSCALL_ARG_NS = 2,
	SYSCALL_EXIT_NS = 14,
	STRING_NS = 60,
};

static struct lkst_unit_cost unit_cost(const struct lkst_event_class *c, u32 record_ns)
{
	struct lkst_unit_cost cost = { .hook_ns = TP_NS,
				       .handler_ns = record_ns ? record_ns : RECORD_NS };
	unsigned int i;

	for (i = 0; i < c->nr_fields; i++)
		if (c->fields[i].type == LKST_CLASS_STRING)
			cost.handler_ns += STRING_NS;
	if (c->syscall >= 0)
		cost.handler_ns += strstr(c->name, "syscall_exit_")
					   ? SYSCALL_EXIT_NS
					   : SYSCALL_ENTRY_NS + SYSCALL_ARG_NS * c->nr_fields;
	else if (c->index < 0)
		cost.hook_ns = BY_NAME_NS;
	else if (lkst_events[c->index].nr_hooks &&
		 lkst_events[c->index].hooks[0].kind == LKST_HOOK_KPROBE)
		cost.hook_ns = KPROBE_NS;
	else if (lkst_events[c->index].nr_hooks &&
		 lkst_events[c->index].hooks[0].kind == LKST_HOOK_KRETPROBE)
		cost.hook_ns = KRETPROBE_NS;
	return cost;
}

static u8 value_of(const struct lkst_event_class *c)
{
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (lkst_glob_matches(values[i].glob, lkst_group_names[c->group], c->name, NULL))
			return values[i].value;
	return LKST_KIND_PRECIOUS;
}

/*
 * If @name is one half of a pair by its word @from, makes the other's, with @to in its place, and
 * what both are called without.
 */
static bool swap_word(const char *name, const char *from, const char *to, bool is_inside,
		      char other[LKST_NAME_MAX], char both[LKST_NAME_MAX])
{
	const char *at = strstr(name, from);

	if (!at || (!is_inside && at[strlen(from)]))
		return false;
	snprintf(other, LKST_NAME_MAX, "%.*s%s%s", (int)(at - name), name, to, at + strlen(from));
	/* "syscall_entry_read" is of "syscall:read", "softirq_entry" of "softirq". */
	snprintf(both, LKST_NAME_MAX, "%.*s%s%s", (int)(at - name), name, is_inside ? ":" : "",
		 at + strlen(from));
	return true;
}

/* The other half of @c, and what both are called; NULL: it has none. */
static const struct lkst_event_class *other_half(const struct lkst_catalog *catalog,
						 const struct lkst_event_class *c,
						 char both[LKST_NAME_MAX])
{
	static const struct {
		const char *words[2];
		bool is_inside;
	} pairs[] = {
		{ { "_entry_", "_exit_" }, true },
		{ { "_entry", "_exit" }, false },
		{ { "_begin", "_end" }, false },
		{ { "_start", "_end" }, false },
	};
	char other[LKST_NAME_MAX];
	size_t i, half;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (half = 0; half < 2; half++) {
			const struct lkst_event_class *found;

			if (!swap_word(c->name, pairs[i].words[half], pairs[i].words[!half],
				       pairs[i].is_inside, other, both))
				continue;
			found = lkst_catalog_find(catalog, other);
			if (found)
				return found;
		}
	return NULL;
}

int lkst_kinds_list(struct lkst_err *e, const struct lkst_catalog *c, u32 record_ns,
		    struct lkst_kind_desc **ret_kinds, unsigned int *ret_nr)
{
	struct lkst_kind_desc *kinds = calloc(c->nr_classes + 1, sizeof(*kinds));
	unsigned int nr = 0, id;

	if (!kinds)
		return lkst_err_sys(e, -ENOMEM, "listing kinds of events");
	for (id = 0; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *one = c->classes[id], *other;
		struct lkst_kind_desc *k = &kinds[nr];
		char both[LKST_NAME_MAX];

		if (!one)
			continue;
		other = other_half(c, one, both);
		if (other && other->id < id)
			continue; /* it was listed with the other half */
		k->id[0] = id;
		k->unit = unit_cost(one, record_ns);
		k->value = value_of(one);
		snprintf(k->name, sizeof(k->name), "%.*s", LKST_KIND_NAME - 1,
			 other ? both : one->name);
		if (other) {
			struct lkst_unit_cost unit = unit_cost(other, record_ns);

			k->id[1] = other->id;
			k->unit.hook_ns = (k->unit.hook_ns + unit.hook_ns) / 2;
			k->unit.handler_ns = (k->unit.handler_ns + unit.handler_ns) / 2;
		}
		nr++;
	}
	*ret_kinds = kinds;
	*ret_nr = nr;
	return 0;
}
