/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in its work a thread was at a moment: in which system call, page fault, piece of work, at
 * which lock.
 */
#ifndef LKST_ANALYZE_WHY_PLACE_H
#define LKST_ANALYZE_WHY_PLACE_H

#include "analyze/why/stretch.h"

/* Each by the moment that shows it; LKST_NOWHERE: not in one, or not known. */
struct lkst_place {
	u32 call;    /* the system call's entry or, if that is before the window, its exit */
	u32 fault;   /* the page fault's beginning */
	u32 lock;    /* the beginning of waiting for a lock of the kernel */
	u32 reclaim; /* the beginning of looking for memory */
	u32 work;    /* the beginning of a piece of work, for a kernel worker */
	u32 ending;  /* the thread's own end */
};

/* Thread @tid before moment @i. */
void lkst_place_find(const struct lkst_excerpt *w, s32 tid, u32 i, struct lkst_place *ret_place);

#endif
