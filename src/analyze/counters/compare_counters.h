/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the records of a trace with the kernel's own counters, as they were when the trace was begun and when it
 * was closed (state_counter). Reading a counter takes time, so the number of records to expect lies between two
 * bounds, and only a number outside of them shows that records are missing.
 */
#ifndef LKST_ANALYZE_COUNTERS_COMPARE_COUNTERS_H
#define LKST_ANALYZE_COUNTERS_COMPARE_COUNTERS_H

#include "abi/events.h"
#include "base/cleanup.h"
#include "trace/read/reader.h"

enum lkst_counters_verdict {
	LKST_COUNTERS_COMPLETE,
	LKST_COUNTERS_MISSING,	  /* the kernel counted more than there are records */
	LKST_COUNTERS_MORE,	  /* there are more records than the kernel counted */
	LKST_COUNTERS_UNRECORDED, /* it was not recorded all the time, or not of all threads */
	LKST_COUNTERS_OTHER,	  /* the kernel counts something else there than is recorded */
	LKST_COUNTERS_NO_EVENT,	  /* there is no event that records it */
	LKST_NR_COUNTERS_VERDICTS,
};
extern const char *const lkst_counters_verdict_names[];
extern const char *const lkst_counter_names[]; /* by enum lkst_counter */

/* One counter, or all of a kind. */
struct lkst_counters_row {
	u8 kind;    /* enum lkst_counter */
	s16 cpu;    /* -1: of all */
	s32 number; /* as state_counter has it */
	const char *name;
	u64 kernel;	 /* how much it has risen */
	u64 least, most; /* records in the time between the readings, and in that of the readings too */
	u64 missing, surplus;
	u64 missing_from_ns, missing_to_ns; /* if there are readings between: the two around all of it; else 0 */
	u8 verdict; /* enum lkst_counters_verdict */
};

struct lkst_counters_check;

/*
 * Finds the readings of each counter in @t. Readings are left out to which the counter's records do
 * not reach back.
 */
int lkst_counters_check_new(struct lkst_err *e, struct lkst_trace *t,
			    struct lkst_counters_check **ret_check);
void lkst_counters_check_free(struct lkst_counters_check *c);
LKST_GUARD(lkst_counters_check_free, struct lkst_counters_check)

/* Counts @r. To be called with each record of the trace. */
void lkst_counters_check_feed(struct lkst_counters_check *c, const struct lkst_record *r);

/* The rows, by kind, CPU and number; their sums by kind, without kinds of which there is nothing. */
unsigned int lkst_counters_check_nr(const struct lkst_counters_check *c);
struct lkst_counters_row lkst_counters_check_row(const struct lkst_counters_check *c, unsigned int i);
bool lkst_counters_check_sum(const struct lkst_counters_check *c, enum lkst_counter kind,
			     struct lkst_counters_row *ret_row);

/* Why nothing can be compared, or NULL. */
const char *lkst_counters_check_why_not(const struct lkst_counters_check *c);

/* The time that is compared: between the first and the last reading at which anything was recorded. */
void lkst_counters_check_range(const struct lkst_counters_check *c, u64 *ret_from_ns, u64 *ret_to_ns);

#endif
