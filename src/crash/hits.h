/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding our pages in dumps: every page is looked at, and those that begin with one of our
 * signatures and have a plausible header are listed. Pages are not kept; they are read again.
 */
#ifndef LKST_CRASH_HITS_H
#define LKST_CRASH_HITS_H

#include "crash/dump.h"

enum lkst_hit_kind {
	LKST_HIT_STATE, /* a state page (abi/state.h) */
	LKST_HIT_NOTE,	/* a note (abi/note.h) */
	LKST_HIT_MARK,	/* of a program that marks (liblkst/mark_format.h), but for its blocks, which are such */
	LKST_HIT_BLOCK, /* the first page of a block */
};

struct lkst_hit {
	u8 id[16]; /* that all pages of a recording have (lkst_control.memory_id) or of a program, and no others */
	u64 a, b; /* a block's stream instance and number; a note's kind and time; a program's page's index; else 0 */
	u64 page; /* where it lies */
	u32 part;
	u16 dump;
	u16 kind; /* enum lkst_hit_kind */
};

struct lkst_hits {
	struct lkst_hit *items; /* in order of id, kind, a, b */
	size_t nr;
	u64 nr_pages;	   /* looked at */
	u64 nr_unreadable; /* of them */
	u64 nr_skipped;	   /* not looked at, since the search was ended */
};

/*
 * Called now and then while work goes on. False ends a search: what was found by then counts. Other
 * work goes on to its end.
 */
typedef bool lkst_hits_progress(void *arg, u64 done, u64 total);

/*
 * Searches @nr_dumps dumps with as many threads as there are CPUs, at most eight. @progress may be
 * NULL.
 */
int lkst_hits_search(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		     lkst_hits_progress *progress, void *arg, struct lkst_hits *ret_finds);
void lkst_hits_free(struct lkst_hits *f);

#endif
