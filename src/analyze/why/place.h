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
	/*
	 * The system call's entry or, if that is before the window, its exit; where neither was recorded, the
	 * switch or waking that says in which call the thread is.
	 */
	u32 call;
	u32 behind; /* the switch that says that the thread may be on its way out of its call; then `call` is nowhere */
	u32 fault;   /* the page fault's beginning */
	u32 lock;    /* the beginning of waiting for a lock of the kernel */
	u32 blocker; /* what the switch is preceded by: for which lock of the kernel the thread leaves its CPU */
	u32 reclaim; /* the beginning of looking for memory */
	u32 cgroup_reclaim; /* the same for that of a cgroup */
	u32 work;    /* the beginning of a piece of work, for a kernel worker */
	u32 ending;  /* the thread's own end */
};

/* Thread @tid before moment @i. */
void lkst_place_find(const struct lkst_excerpt *w, s32 tid, u32 i, struct lkst_place *ret_place);

#endif
