/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each thread did in a stretch of time, and who ran on each CPU, as the state model reports it,
 * kept in memory to be looked up by thread and by CPU.
 */
#ifndef LKST_ANALYZE_WHY_STATE_INTERVALS_H
#define LKST_ANALYZE_WHY_STATE_INTERVALS_H

#include "analyze/why/places.h"
#include "base/cleanup.h"
#include "result/notes.h"
#include "trace/read/reader.h"

struct lkst_state_interval {
	u64 from_ns, to_ns;
	s32 tid;       /* 0: a CPU was idle, `run` is RUNNING */
	s16 cpu;       /* as in struct lkst_interval */
	u8 run;	       /* enum lkst_run */
	bool is_first; /* the thread was not there before */
	bool is_open;  /* the state went on when the records, or the stretch, ended */
};

struct lkst_state_intervals {
	struct lkst_state_interval *list; /* in order of their ends */
	u32 nr;
	u64 from_ns;		 /* what is held; later than asked if there was too much */
	struct lkst_notes notes; /* events that `lkst why` reads and no maskset recorded */

	/* Private. */
	u32 room, max;
	struct lkst_places by_thread, by_cpu;
};

/*
 * Makes a pass over what @t has from @from_ns to @to_ns and nothing before. If that is more than
 * @max intervals, the oldest are left out.
 */
int lkst_state_intervals_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			     u32 max, struct lkst_state_intervals **ret_intervals);
void lkst_state_intervals_free(struct lkst_state_intervals *s);
LKST_GUARD(lkst_state_intervals_free, struct lkst_state_intervals)

/* Places in list[] of those of thread @tid, in order of time. */
struct lkst_places_list lkst_state_intervals_of(const struct lkst_state_intervals *s, s32 tid);

/* The same of those that ran on @cpu, idleness included. Where none is, it is not known who did. */
struct lkst_places_list lkst_state_intervals_on(const struct lkst_state_intervals *s, u32 cpu);

/* How many of @list end at @ns or before. */
u32 lkst_state_intervals_before_ns(const struct lkst_state_intervals *s,
				   struct lkst_places_list list, u64 ns);

#endif
