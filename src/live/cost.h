/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What recording costs: how often each kind of event occurs, by counting what the blocks at hand hold
 * of the last second, times what one costs (rows I14, I15). Nothing is counted while recording.
 */
#ifndef LKST_LIVE_COST_H
#define LKST_LIVE_COST_H

#include "live/kinds.h"
#include "live/session.h"

struct lkst_cost_row {
	char name[LKST_KIND_NAME];
	struct lkst_unit_cost unit;
	double per_second;
	double us_per_second; /* CPU time of all CPUs */
};

struct lkst_cost {
	struct lkst_cost_row *rows; /* kinds that occurred, the dearest first */
	unsigned int nr_rows;
	double us_per_second; /* of all */
	double busiest_share; /* of the time of the CPU where it costs most: 0.01 is 1 % */
	u32 busiest_cpu;
};

/* @record_ns as in lkst_kinds_list(). Free it with lkst_cost_free(). */
int lkst_cost_count(struct lkst_err *e, const struct lkst_session *s, u32 record_ns,
		    struct lkst_cost *ret_cost);
void lkst_cost_free(struct lkst_cost *c);

#endif
