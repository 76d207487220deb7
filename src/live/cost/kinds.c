/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of events, their cost and their value. */
#include "live/cost/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "trace/format/half.h"

static bool is_in_program(const struct lkst_event_class *c)
{
	return c->group == LKST_GROUP_PROBE && c->nr_fields &&
	       c->fields[0].meaning != LKST_MEANING_CODE;
}

static bool is_at_return(const struct lkst_event_class *c)
{
	return c->nr_fields && !strcmp(c->fields[0].name, LKST_PROBE_FIELD_RET_IP);
}

static bool kinds_is_emulated(const struct lkst_event_class *c, const struct lkst_costs *costs)
{
	return costs->is_emulated[c->id / 32] & 1U << c->id % 32;
}

static enum lkst_hook_type program_hook_type(const struct lkst_event_class *c,
					     const struct lkst_costs *costs)
{
	if (is_at_return(c))
		return LKST_HOOK_TYPE_URETPROBE;
	return kinds_is_emulated(c, costs) ? LKST_HOOK_TYPE_UPROBE_EMULATED : LKST_HOOK_TYPE_UPROBE;
}

static enum lkst_hook_type hook_type(const struct lkst_event_class *c,
				     const struct lkst_costs *costs)
{
	if (c->syscall >= 0)
		return LKST_HOOK_TYPE_SYSCALL;
	if (is_in_program(c))
		return program_hook_type(c, costs);
	if (c->group == LKST_GROUP_PROBE)
		return is_at_return(c) ? LKST_HOOK_TYPE_KRETPROBE : LKST_HOOK_TYPE_KPROBE;
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

/* What it takes to run an instruction in a single step rather than to emulate it. */
static u32 stepping_ns(const struct lkst_costs *costs)
{
	u32 stepped = costs->hook_ns[LKST_HOOK_TYPE_UPROBE];
	u32 emulated = costs->hook_ns[LKST_HOOK_TYPE_UPROBE_EMULATED];

	return stepped > emulated ? stepped - emulated : 0;
}

static struct lkst_unit_cost unit_cost(const struct lkst_event_class *c,
				       const struct lkst_costs *costs)
{
	struct lkst_unit_cost cost = { .hook_ns = costs->hook_ns[hook_type(c, costs)],
				       .handler_ns = c->syscall >= 0 ? costs->syscall_ns
								     : costs->record_ns };
	unsigned int i;

	/* Their hooks run for stacks: most of what they cost, whether a record follows or not. */
	if (c->index == LKST_EV_sample)
		cost.handler_ns += costs->stack_ns;
	if (c->index == LKST_EV_off_cpu)
		cost.hook_ns += costs->stack_ns;
	/* A return was measured where the entry's instruction is emulated. */
	if (is_in_program(c) && is_at_return(c) && !kinds_is_emulated(c, costs))
		cost.hook_ns += stepping_ns(costs);
	/* A path is read at entry; in the exit record its place is usually empty. */
	for (i = 0; i < c->nr_fields && !(c->syscall >= 0 && c->half == LKST_HALF_EXIT); i++)
		if (c->fields[i].type == LKST_CLASS_STRING)
			cost.handler_ns += costs->string_ns;
	return cost;
}

static u8 kinds_value_of(const struct lkst_event_class *c)
{
	return c->index >= 0 ? lkst_event_value(c->index) : lkst_group_values[c->group];
}

static void kinds_set_name(struct lkst_kind_desc *k, const struct lkst_event_class *one,
			   const struct lkst_event_class *other)
{
	char both[LKST_NAME_MAX];

	if (other)
		lkst_half_common_name(one->name, other->name, both, sizeof(both));
	snprintf(k->name, sizeof(k->name), "%.*s", LKST_KIND_NAME - 1, other ? both : one->name);
}

void lkst_kind_describe(const struct lkst_event_class *event, const struct lkst_costs *costs,
			struct lkst_kind_desc *ret_kind)
{
	*ret_kind = (struct lkst_kind_desc){ .id = { event->id },
					     .unit = unit_cost(event, costs),
					     .value = kinds_value_of(event) };
	kinds_set_name(ret_kind, event, NULL);
}

void lkst_kind_describe_watch(const struct lkst_event_class *event, const struct lkst_costs *costs,
			      struct lkst_kind_desc *ret_kind)
{
	lkst_kind_describe(event, costs, ret_kind);
	ret_kind->unit.hook_ns = costs->hook_ns[LKST_HOOK_TYPE_UPROBE];
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

		if (!one || (one->other_half && one->other_half < id))
			continue; /* it was listed with its other half */
		other = c->classes[one->other_half];
		k->id[0] = id;
		k->unit = unit_cost(one, costs);
		k->value = kinds_value_of(one);
		kinds_set_name(k, one, other);
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
