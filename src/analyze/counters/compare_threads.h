/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the switches of threads with what the kernel itself has counted of each (state_counter of kind
 * LKST_COUNTER_THREAD): a machine may hide that some threads ran. A trace has two readings of a thread; several parts
 * have two each, and the time between parts is not compared.
 */
#ifndef LKST_ANALYZE_COUNTERS_COMPARE_THREADS_H
#define LKST_ANALYZE_COUNTERS_COMPARE_THREADS_H

#include "abi/events.h"
#include "base/cleanup.h"
#include "trace/read/reader.h"

struct lkst_thread_row {
	s32 tid;
	comm16 comm;
	u64 kernel;	 /* how often it was switched away from between the readings */
	u64 least, most; /* records of that in the time between the readings, and in that of the readings too */
	u64 missing;
};

struct lkst_threads_check;

/* Finds the readings in @t. */
int lkst_threads_check_new(struct lkst_err *e, struct lkst_trace *t,
			   struct lkst_threads_check **ret_check);
void lkst_threads_check_free(struct lkst_threads_check *c);
LKST_GUARD(lkst_threads_check_free, struct lkst_threads_check)

/* Counts @r. To be called with each record of the trace. */
void lkst_threads_check_feed(struct lkst_threads_check *c, const struct lkst_record *r);

/* Compares, when all records were fed. The rows: threads that miss most come first. */
void lkst_threads_check_finish(struct lkst_threads_check *c);
unsigned int lkst_threads_check_nr(const struct lkst_threads_check *c);
const struct lkst_thread_row *lkst_threads_check_row(const struct lkst_threads_check *c,
						     unsigned int i);

/* How many threads were not read, nearly. */
u64 lkst_threads_check_left_out(const struct lkst_threads_check *c);

/* Why nothing can be compared, in the trace or in some part of it; NULL: all is. As long as @c. */
const char *lkst_threads_check_why_not(const struct lkst_threads_check *c);

#endif
