/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why an analysis could not measure an occurrence that it has seen in part. Each reason is counted
 * and shown below the analysis's first table, "Left out: 3 across a gap in the trace."
 */
#ifndef LKST_ANALYZE_ENGINE_LEFT_OUT_H
#define LKST_ANALYZE_ENGINE_LEFT_OUT_H

/* Reason, its name for programs, and the words after a number. */
#define LKST_LEFT_OUT_REASONS(R)                                                                   \
	R(GAP, "gap", "across a gap in the trace")                                                 \
	R(LIMIT, "limit", "across a time in which the cost limit left such events out")            \
	R(NO_BEGIN, "no_begin", "without a begin in the trace")                                    \
	R(NO_END, "no_end", "whose end was not recorded")                                          \
	R(NOT_OVER, "not_over", "not over when the trace ended")                                   \
	R(FULL, "full", "beyond what can be followed at a time")                                   \
	R(CLOCK, "clock", "by a clock whose time is not in the trace")                             \
	R(SLACK, "slack", "that ran within a slack whose size is not in the trace")                \
	R(FAILED, "failed", "that failed")                                                         \
	R(MERGED, "merged", "that became part of another")                                         \
	R(NO_WAKE, "no_wake", "whose wake-up was not recorded")                                    \
	R(NO_QUEUE, "no_queue", "handed in without a queue, or queued before the trace")           \
	R(NO_SWITCH, "no_switch", "that did not give up the CPU")                                  \
	R(NO_CPU, "no_cpu", "on a CPU whose number is not known")                                  \
	R(NO_THREAD, "no_thread", "of a thread that is not known")                                 \
	R(IDLE, "idle", "in which the CPU was, or may have been, idle")

enum lkst_left_out {
#define R(reason, name, text) LKST_LEFT_OUT_##reason,
	LKST_LEFT_OUT_REASONS(R)
#undef R
		LKST_NR_LEFT_OUT,
};

/* How many, by reason. */
struct lkst_left_out_counts {
	unsigned long long nr[LKST_NR_LEFT_OUT];
};

struct lkst_table;

/* Puts the counts below @t. */
void lkst_left_out_put(const struct lkst_left_out_counts *c, struct lkst_table *t);

#endif
