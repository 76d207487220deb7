/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording with a cost limit begins with: the kinds that are never left out, and of the others as many as have
 * room, the most valuable first. How often their programs run is counted before recording begins.
 */
#ifndef LKST_LIVE_COST_FIRST_KINDS_H
#define LKST_LIVE_COST_FIRST_KINDS_H

#include <stdbool.h>

#include "abi/budget.h"

/*
 * Marks in begins_out those of @kinds, and puts what they would have cost into their ppm, that are to be left out from
 * the beginning, so that what recording the rest takes of each of @nr_cpus CPUs is at most four fifths of @limit_ppm,
 * where that of all were more than the limit. @runs, of each CPU, were counted for @ns; of the events only those with
 * a flag in @is_wanted would have been recorded. No kind that is precious or cheap is marked.
 */
void lkst_first_kinds_choose(struct lkst_kind *kinds, u32 nr_kinds, const bool *is_wanted,
			     const struct lkst_idle *runs, u32 nr_cpus, u64 ns, u32 limit_ppm);

#endif
