/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print --last: where to begin, so that the last records are printed without reading all of them. */
#ifndef LKST_CMD_READ_PRINT_LAST_H
#define LKST_CMD_READ_PRINT_LAST_H

#include "cmd/readers/printing.h"

/* What is printed: up to @max of the wanted records between two times, after the first @skip of them. */
struct lkst_print_part {
	u64 from_ns, to_ns;
	u64 skip, max; /* UINT64_MAX: all others */
	u64 nr;	       /* wanted ones so far */
};

static inline bool lkst_print_part_is_over(const struct lkst_print_part *part)
{
	return part->nr >= part->skip && part->nr - part->skip >= part->max;
}

/* The wanted records of one trace, counted as they come. */
struct lkst_print_count {
	struct lkst_trace *trace;
	u64 from_ns;
	bool has_names; /* what was before from_ns is known */
	struct lkst_threads *threads;
	struct lkst_select *select;
	u64 nr, nr_state; /* of them, records of state, which have no place in time */
};

/*
 * Times are those of @trace. @is_whole: the records are counted, as far as they are wanted, from the trace's beginning
 * on. lkst_print_count_end() is to be called in any case.
 */
int lkst_print_count_begin(struct lkst_err *e, const struct lkst_printing_options *options,
			   struct lkst_trace *trace, u64 from_ns, u64 to_ns, bool is_whole,
			   struct lkst_print_count *ret_count);
int lkst_print_count_record(struct lkst_err *e, struct lkst_print_count *c, const struct lkst_record *r);
void lkst_print_count_end(struct lkst_print_count *c);

/* Whether which records of @t are wanted is known only to who has read it from its beginning. */
bool lkst_print_count_needs_all(const struct lkst_printing_options *options, const struct lkst_trace *t);

/* Counts the wanted records between the times of @part. */
typedef int lkst_print_count_part(struct lkst_err *e, const void *ctx, const struct lkst_print_part *part,
				  u64 *ret_nr, u64 *ret_nr_state);

/*
 * Makes @part, of a trace or traces from @begin_ns to @end_ns, begin at or before the last @nr wanted records, and
 * skip those before them: looks back from its end in longer and longer steps, or @at_once to its beginning. Where it
 * does not skip any, the part is as long as it was.
 */
int lkst_print_find_last(struct lkst_err *e, struct lkst_print_part *part, u64 begin_ns, u64 end_ns, u64 nr,
			 bool at_once, lkst_print_count_part *count, const void *ctx);

#endif
