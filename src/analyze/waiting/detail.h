/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the waits of one row have in common, beside who ended them: the file or address that most of their time was
 * about, and what kept them.
 */
#ifndef LKST_ANALYZE_WAITING_DETAIL_H
#define LKST_ANALYZE_WAITING_DETAIL_H

#include "analyze/waiting/past.h"

enum {
	LKST_DETAIL_CPUS = 64,	  /* CPUs that are looked at */
	LKST_DETAIL_SLOTS = 1024, /* parts of the trace */
};

struct lkst_detail {
	const char *about;  /* of most of the time; NULL: not known, or of several things */
	u64 all_ns;	    /* of all waits */
	u64 about_ns;	    /* of those about that */
	u64 timed_out_ns;   /* of those that ended as the call's own time was over */
	u64 held_ns;	    /* of those for which a cgroup's limit had held the request back */
	u64 dirty_ns;	    /* of those of writers that were held back */
	u64 resent_ns;	    /* of those in which TCP has sent again */
	u64 refault_ns;	    /* of those for pages that had been in memory before */
	u64 icy_ns;	    /* of those for a file system that was frozen, and the last freeze that was so */
	const struct lkst_circumstances_ice *freezer;
	u64 disk_ns;	    /* of those that a disk has ended */
	u64 signalled_ns;   /* of those in the handler of a signal */
	/* READY, of waits of 1 ms and more: how long; of that another CPU was idle, or a real-time thread ran. */
	u64 long_ns, idle_ns, urgent_ns;
	u32 nr_long;
	u64 crashed_ns; /* of those that ended as who was waited for had crashed, and the last that did */
	const struct lkst_thread_life *crashed;
	s32 cpu; /* READY: the CPU that most of the time was waited for; -1: there is none */

	/* Private. */
	struct lkst_map by_about;
	u64 cpu_ns[LKST_DETAIL_CPUS];
	u64 busy[LKST_DETAIL_SLOTS / 64]; /* READY: parts of the trace in which somebody waited, a bit each */
};

/* All zero before. Adds wait @p of @h. 0 or -ENOMEM. */
int lkst_detail_add(struct lkst_detail *d, const struct lkst_pasts *h, const struct lkst_past *p);

/* After that: finds what most of the time was about. */
void lkst_detail_finish(struct lkst_detail *d, const struct lkst_pasts *h);
void lkst_detail_fini(struct lkst_detail *d);

/* READY: in how much of the trace, in percent, some thread waited. A burst of many threads is over soon. */
unsigned int lkst_detail_spread(const struct lkst_detail *d);

#endif
