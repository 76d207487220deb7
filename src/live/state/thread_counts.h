/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often each thread has been switched away from, by the kernel's own count (the sum that
 * /proc/PID/task/TID/status has): so `lkst check` finds threads of which switches, or all records, never appear.
 */
#ifndef LKST_LIVE_STATE_THREAD_COUNTS_H
#define LKST_LIVE_STATE_THREAD_COUNTS_H

#include "live/session/session.h"
#include "trace/write/writer.h"

enum {
	LKST_THREAD_COUNTS_MAX = 1024, /* of a reading */
	LKST_THREAD_COUNTS_PAIR = 160, /* bytes that both readings of a thread may take in a trace */
};

struct lkst_thread_count {
	u64 switches, from_ns, to_ns; /* what it was at some moment between the two */
	s32 tid;
	u32 start; /* when it began, in units of 2^20 ns: another thread of the same number began at another time */
	u32 after_least, after_most; /* see live/drain/after.h */
	comm16 name;
};

/* One reading. All zero is empty. */
struct lkst_thread_counts {
	struct lkst_thread_count *list; /* by number; room for LKST_THREAD_COUNTS_MAX, NULL: none was made */
	u32 nr, left_out;
	u64 from_ns, to_ns; /* when it began and ended */
	u64 changed_ns;	    /* what is recorded was changed last then */
	u64 cost_ns;	    /* of CPU time */
	u32 recorded_to;    /* the buffer that all switches are recorded to since from_ns, as a bit; 0: they are not */
};

/*
 * Reads them again: those that the kernel lists first, at most LKST_THREAD_COUNTS_MAX and for 4 ms of CPU time.
 * left_out: about how many were left out. -errno with @e set.
 */
int lkst_thread_counts_read(struct lkst_err *e, const struct lkst_session *s,
			    struct lkst_thread_counts *c);
void lkst_thread_counts_fini(struct lkst_thread_counts *c);

/* Thread @tid of a reading, or NULL. */
struct lkst_thread_count *lkst_thread_counts_find(const struct lkst_thread_counts *c, s32 tid);

/*
 * Writes to the state stream of @w the first and the last reading of each thread that was switched away from between
 * two of the @nr readings at @list, which are in order of time; of @max threads at most. Only readings count that were
 * made after what is recorded was last changed, in a trace of @buffers (a bit each, 0: all). If nothing can be
 * compared it writes why.
 */
int lkst_thread_counts_write(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			     const struct lkst_thread_counts *list, u32 nr, u32 max, u32 buffers);

/* Writes that threads cannot be compared, because of @why. */
int lkst_thread_counts_write_why_not(struct lkst_err *e, const struct lkst_session *s,
				     struct lkst_writer *w, const char *why);

#endif
