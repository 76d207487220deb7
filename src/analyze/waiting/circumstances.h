/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Under which circumstances threads wait, along a pass: at which address a page fault was, and of which file that is;
 * as the limit of a cgroup held a request back, or a writer is held back for what it has made dirty; while packets were
 * sent again, or a file system was frozen.
 */
#ifndef LKST_ANALYZE_WAITING_CIRCUMSTANCES_H
#define LKST_ANALYZE_WAITING_CIRCUMSTANCES_H

#include "analyze/model/model.h"
#include "analyze/waiting/about.h"
#include "base/map.h"
#include "trace/known/symbols.h"

/* What a wait in a page fault is about that is for no file. */
#define LKST_ABOUT_OWN_MEMORY "its own memory"

struct lkst_past;

/* A file system that was frozen: ioctl(2) FIFREEZE. */
struct lkst_circumstances_ice {
	u64 from_ns, to_ns; /* to_ns 0: it is frozen now */
	u32 about;	    /* the directory or file by which that was done, an about */
	u32 life;	    /* who did */
};

/*
 * What addresses of processes are memory of, along a pass: a file, or nothing but memory, as mmap(2) shows it. What
 * was mapped before the trace is not known. All zero is where it begins.
 */
struct lkst_mapped_memory {
	struct lkst_map heads; /* by process: its newest place, plus 1 */
	struct lkst_mapped_place *list;
	u32 nr;
	int error;
};

/* All zero, but for what is borrowed, is where it begins. */
struct lkst_circumstances {
	struct lkst_symbols *symbols; /* borrowed; NULL: functions are not known */
	struct lkst_abouts *abouts;   /* borrowed */

	/* Private. */
	struct lkst_model *model;
	struct lkst_mapped_memory mapped;
	struct lkst_circumstances_thread *threads; /* by life */
	u32 nr_threads;
	struct lkst_map requests; /* by their address: when the limit let them pass, 0: at once */
	struct lkst_map resent;	  /* by address and port: when a packet was last sent there again */
	u64 throttle_code;	  /* the function that lets requests pass, as far as one has been met */
	u64 other_code;		  /* one that is not */
	u8 *acts;		  /* by system call */
	struct lkst_circumstances_ice *ice;
	u32 nr_ice;
	int error;
};

/* Has the pass of @f and @model keep them up to date. Before its own states are asked for. 1, or a negative errno. */
int lkst_circumstances_subscribe(struct lkst_circumstances *c, struct lkst_feed *f, struct lkst_model *model);
void lkst_circumstances_fini(struct lkst_circumstances *c);

/* The file system that was frozen when @p began to wait for a lock of a file in it; NULL: none was. */
const struct lkst_circumstances_ice *lkst_circumstances_freeze(const struct lkst_circumstances *c,
							       const struct lkst_past *p);

/* Adds to @p, a wait that is over now, what is known of it. */
void lkst_circumstances_take(struct lkst_circumstances *c, const struct lkst_interval *i, struct lkst_past *p);

#endif
