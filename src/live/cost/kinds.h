/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of events: an event, or an entry and its exit, which are worth little without each other.
 * What recording one costs, and which are left out first when it costs too much.
 */
#ifndef LKST_LIVE_COST_KINDS_H
#define LKST_LIVE_COST_KINDS_H

#include "abi/budget.h"
#include "trace/format/catalog.h"

/* What an event costs, ns: a run of its program that records nothing, and what recording adds. */
struct lkst_unit_cost {
	u32 hook_ns, handler_ns;
};

struct lkst_kind_desc {
	char name[LKST_KIND_NAME];
	u16 id[2];		    /* in the trace's catalogue; the second is 0 if there is none */
	struct lkst_unit_cost unit; /* the mean of the two */
	u8 value;		    /* LKST_KIND_PRECIOUS: never left out */
};

/* Lists the kinds of @c by unit costs @costs, in memory that the caller frees. */
int lkst_kinds_list(struct lkst_err *e, const struct lkst_catalog *c,
		    const struct lkst_costs *costs, struct lkst_kind_desc **ret_kinds,
		    unsigned int *ret_nr);

/* What the event @event is as a kind by itself: without another half. */
void lkst_kind_describe(const struct lkst_event_class *event, const struct lkst_costs *costs,
			struct lkst_kind_desc *ret_kind);

/*
 * The same of memory that is watched. That is not measured: an access is an exception of the CPU, and counts as a probe
 * in a program does that is run in a single step, which is two of them.
 */
void lkst_kind_describe_watch(const struct lkst_event_class *event, const struct lkst_costs *costs,
			      struct lkst_kind_desc *ret_kind);

#endif
