/* SPDX-License-Identifier: GPL-2.0-only */
/* What `lkst check` prints of the comparison with the kernel's own counters. */
#ifndef LKST_CMD_CHECK_COUNTERS_H
#define LKST_CMD_CHECK_COUNTERS_H

#include "analyze/counters/compare_counters.h"
#include "analyze/counters/compare_threads.h"
#include "cmd/frame/answer.h"

/*
 * A table of the kinds, a line for each counter that shows missing records, and which part of the time of the trace's
 * records, @begin_ns to @end_ns, was not compared.
 */
void lkst_check_print_counters(struct lkst_answer *a, const struct lkst_counters_check *c,
			       u64 begin_ns, u64 end_ns);

/* All counters, for programs: an array "counters". */
void lkst_check_put_counters(struct lkst_json *j, const struct lkst_counters_check *c);

/*
 * For programs, what the text has of them: an object "compared", with "why_not" (null, or why nothing was compared),
 * the time, "from_ns" and "to_ns", and "sums", a row for each kind.
 */
void lkst_check_put_sums(struct lkst_answer *a, const struct lkst_counters_check *c);

/* Whether records are missing by some counter. */
bool lkst_check_is_missing(const struct lkst_counters_check *c,
			   const struct lkst_threads_check *threads);

/* The threads of which switches are missing, and how many were looked at; all of those, for programs: "threads". */
void lkst_check_print_threads(struct lkst_out *out, const struct lkst_threads_check *c);
void lkst_check_put_threads(struct lkst_json *j, const struct lkst_threads_check *c);

#endif
