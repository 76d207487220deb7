/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of events, their cost and their value. */
#include "live/load/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/glob.h"
#include "trace/mask.h"

/*
 * What is left out first when recording costs more than it may: the first row that matches gives
 * the value. Details of what other events show anyway are left out first, the rest of what explains
 * a delay last. Events that a trace cannot be read without, or that are rare and telling, are kept.
 */
static const struct {
	const char *glob;
	u8 value;
} values[] = {
	{ "sched:sched_switch", LKST_KIND_PRECIOUS },
	{ "sched:sched_waking", LKST_KIND_PRECIOUS },
	{ "sched:sched_process_wait", LKST_KIND_PRECIOUS },
	{ "sched:sched_wakeup_new", LKST_KIND_PRECIOUS },
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
	{ "sched:*", 70 },
	{ "syscall:*", 80 },
};

static enum lkst_hook_type hook_type(const struct lkst_event_class *c)
{
	if (c->syscall >= 0)
		return LKST_HOOK_TYPE_SYSCALL;
	if (c->index < 0)
		return LKST_HOOK_TYPE_BY_NAME;
	if (!lkst_events[c->index].nr_hooks)
		return LKST_HOOK_TYPE_TRACEPOINT;
	switch (lkst_events[c->index].hooks[0].kind) {
	case LKST_HOOK_KPROBE:
		return LKST_HOOK_TYPE_KPROBE;
	case LKST_HOOK_KRETPROBE:
		return LKST_HOOK_TYPE_KRETPROBE;
	default:
		return LKST_HOOK_TYPE_TRACEPOINT;
	}
}

static struct lkst_unit_cost unit_cost(const struct lkst_event_class *c,
				       const struct lkst_costs *costs)
{
	struct lkst_unit_cost cost = { .hook_ns = costs->hook_ns[hook_type(c)],
				       .handler_ns = c->syscall >= 0 ? costs->syscall_ns
								     : costs->record_ns };
	unsigned int i;

	/* A path is read at entry; in the exit record its place is usually empty. */
	for (i = 0; i < c->nr_fields && !(c->syscall >= 0 && strstr(c->name, "syscall_exit_")); i++)
		if (c->fields[i].type == LKST_CLASS_STRING)
			cost.handler_ns += costs->string_ns;
	return cost;
}

static u8 value_of(const struct lkst_event_class *c)
{
	size_t i;

	/* Events that every maskset has are never left out. */
	if (lkst_mask_has_always(c->index))
		return LKST_KIND_PRECIOUS;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (lkst_glob_matches(values[i].glob, lkst_group_names[c->group], c->name, NULL))
			return values[i].value;
	return LKST_KIND_PRECIOUS;
}

/*
 * If @name is one half of a pair by its word @from, makes the name of the other half, with @to in its
 * place, and the name of the pair, without either word.
 */
static bool swap_word(const char *name, const char *from, const char *to, bool is_inside,
		      char other[LKST_NAME_MAX], char both[LKST_NAME_MAX])
{
	const char *at = strstr(name, from);

	if (!at || (!is_inside && at[strlen(from)]))
		return false;
	snprintf(other, LKST_NAME_MAX, "%.*s%s%s", (int)(at - name), name, to, at + strlen(from));
	/* "syscall_entry_read" belongs to "syscall:read", "softirq_entry" to "softirq". */
	snprintf(both, LKST_NAME_MAX, "%.*s%s%s", (int)(at - name), name, is_inside ? ":" : "",
		 at + strlen(from));
	return true;
}

/* The other half of @c, and the name of the pair; NULL: it has none. */
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

int lkst_kinds_list(struct lkst_err *e, const struct lkst_catalog *c,
		    const struct lkst_costs *costs, struct lkst_kind_desc **ret_kinds,
		    unsigned int *ret_nr)
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
		k->unit = unit_cost(one, costs);
		k->value = value_of(one);
		snprintf(k->name, sizeof(k->name), "%.*s", LKST_KIND_NAME - 1,
			 other ? both : one->name);
		if (other) {
			struct lkst_unit_cost unit = unit_cost(other, costs);

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
