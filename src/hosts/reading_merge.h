/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of a reading in one order of time: a merge above the merge that each host has. */
#ifndef LKST_HOSTS_READING_MERGE_H
#define LKST_HOSTS_READING_MERGE_H

#include "hosts/reading.h"

struct lkst_reading_merge;

/*
 * One pass over the records of all hosts from @from_ns to @to_ns, common times, both included. @reads_all: from the
 * beginning on, for those who must know what was before.
 */
int lkst_reading_merge_new(struct lkst_err *e, const struct lkst_reading *r, u64 from_ns, u64 to_ns,
			   bool reads_all, struct lkst_reading_merge **ret_merge);
void lkst_reading_merge_free(struct lkst_reading_merge *t);
LKST_GUARD(lkst_reading_merge_free, struct lkst_reading_merge)

/*
 * The next record and the number of its host: 1, or 0 at the end. Its time is the host's own. Those of equal times come
 * by their hosts' numbers. The records of the hosts' state come first.
 */
int lkst_reading_merge_next(struct lkst_reading_merge *t, unsigned int *ret_host,
			    struct lkst_record *ret_record);

/* The next of the gaps that the pass has met in the trace of @host, as lkst_merge_gap() has it. */
int lkst_reading_merge_gap(struct lkst_reading_merge *t, unsigned int host, struct lkst_gap *ret_gap);

#endif
