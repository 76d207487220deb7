/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU did while a thread that it was taken from could have run: others ran there, or none did. */
#ifndef LKST_ANALYZE_ANALYSES_MEANWHILE_H
#define LKST_ANALYZE_ANALYSES_MEANWHILE_H

#include "analyze/model/model.h"

struct lkst_cpu_sums {
	u64 busy_ns, idle_ns, unknown_ns;
};

struct lkst_left_cpu;

/* All zero: nothing yet. */
struct lkst_meanwhile {
	struct lkst_cpu_sums *cpus;
	struct lkst_left_cpu *left; /* by life, the last time */
	u32 nr_cpus, nr_left;
};

void lkst_meanwhile_fini(struct lkst_meanwhile *m);

/* Takes in what a CPU did, as the state model reports it, all of it in order. 0 or -ENOMEM. */
int lkst_meanwhile_add(struct lkst_meanwhile *m, const struct lkst_cpu_interval *i);

/*
 * What the CPU that @i's thread left when it became ready, @i->cpu, did until @i ended, with what @state says that it
 * does now. False: @i did not begin so, or it is on another CPU's queue.
 */
bool lkst_meanwhile_find(const struct lkst_meanwhile *m, const struct lkst_model *state, const struct lkst_interval *i,
			 struct lkst_cpu_sums *ret_sums);

#endif
