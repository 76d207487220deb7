/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose the pages of physical memory are: which process has allocated each page that is not yet freed, as a pass over a
 * trace goes on. A page that is freed without having been allocated in the trace was there before it, whosever.
 */
#ifndef LKST_ANALYZE_MAPS_PAGE_OWNERS_H
#define LKST_ANALYZE_MAPS_PAGE_OWNERS_H

#include "analyze/engine/feed.h"
#include "base/cleanup.h"
#include "trace/known/threads.h"

enum {
	LKST_PAGE_BLOCK = 512, /* pages of a block: 2 MiB where a page has 4 KiB */
	LKST_PAGE_BLOCKS_MAX =
		65536, /* that are followed: 128 GiB. Pages of further ones are counted, no more */
	LKST_PAGE_OWNERS_MAX = 65000, /* processes that are distinguished; the others are one */
	LKST_PAGE_OWNER_BEFORE =
		0, /* the first in the list: whoever had it before the trace began */
};

struct lkst_page_owner {
	s32 pid;		    /* -1: not known; the others after LKST_PAGE_OWNERS_MAX */
	u64 nr_allocated, nr_freed; /* pages; freed are its own, by whomever */
	u64 nr_before;		    /* those that it had when the trace began, as far as is known */
	u64 nr_now, nr_most;	    /* of all of them */
	/* Of pages that are freed, how long they lived in all; those of before, since the trace began. */
	double lived_ns;
};

/* Pages of one block have got another owner: @delta more are its. @since_begin: it was so when the trace began. */
typedef int lkst_page_change_call(void *ctx, u64 ns, u64 block, u32 owner, s32 delta,
				  bool since_begin);

struct lkst_page_owners;

/*
 * Subscribes to @f, which must stay, as must @threads, which is fed before. @call gets all changes; NULL: nobody does.
 * 1, 0: the trace can have no such events, or -ENOMEM. *@ret_owners is for lkst_page_owners_free() in any case.
 */
int lkst_page_owners_new(struct lkst_feed *f, const struct lkst_threads *threads,
			 lkst_page_change_call *call, void *ctx,
			 struct lkst_page_owners **ret_owners);
void lkst_page_owners_free(struct lkst_page_owners *o);
LKST_GUARD(lkst_page_owners_free, struct lkst_page_owners)

/* The owners so far. */
const struct lkst_page_owner *lkst_page_owners_list(const struct lkst_page_owners *o, u32 *ret_nr);

/* Pages that were not followed, since they lie in too many blocks. */
u64 lkst_page_owners_nr_further(const struct lkst_page_owners *o);

/* Adds to @ages_ns, an item for each owner, how old its pages are at @ns, all together. */
void lkst_page_owners_ages(const struct lkst_page_owners *o, u64 ns, double *ages_ns);

#endif
