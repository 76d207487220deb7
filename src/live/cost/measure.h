/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hooks and records cost on this machine, measured while a recording starts: two processes exchange messages
 * (live/cost/exchange.h) without a hook in their way, with hooks that record nothing, and with hooks that record.
 */
#ifndef LKST_LIVE_COST_MEASURE_H
#define LKST_LIVE_COST_MEASURE_H

#include "abi/budget.h"
#include "live/kernel/plan.h"
#include "live/rings/memory.h"
#include "live/rings/rings.h"

struct bpf_object;

/* Before @object is loaded: chooses the programs that are needed to measure what @plan makes use of. */
void lkst_measure_choose(struct bpf_object *object, const struct lkst_plan *plan);

/* What measuring takes at most, but for what the machine does besides, and where it has to be done again. */
#define LKST_MEASURE_NS (30 * 1000000ULL)

/*
 * After it is loaded, before a hook is attached: measures, in the rings @r, which are empty before and after.
 * What cannot be measured here is worked out from what can.
 */
int lkst_measure_costs(struct lkst_err *e, const struct bpf_object *object,
		       const struct lkst_plan *plan, const struct lkst_memory *memory,
		       struct lkst_rings *r, struct lkst_costs *ret_costs);

#endif
