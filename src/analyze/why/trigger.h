/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was behind a wake-up: the thread that woke, or, if it came from an interrupt, the timer, disk
 * request or packet that it was about, and the thread to follow from there, if there is one.
 */
#ifndef LKST_ANALYZE_WHY_TRIGGER_H
#define LKST_ANALYZE_WHY_TRIGGER_H

#include "analyze/why/stretch.h"

enum lkst_trigger_kind {
	LKST_TRIGGER_UNKNOWN,
	LKST_TRIGGER_THREAD,  /* a thread did it itself */
	LKST_TRIGGER_TIMER,   /* a timer's or high-resolution timer's function */
	LKST_TRIGGER_DISK,    /* the end of a disk's request */
	LKST_TRIGGER_PACKET,  /* the reception of a packet */
	LKST_TRIGGER_DEVICE,  /* another device's interrupt */
	LKST_TRIGGER_SOFTIRQ, /* a soft interrupt, nothing more being known */
	LKST_TRIGGER_CPU,     /* an interrupt between CPUs */
	LKST_NR_TRIGGERS,
};

struct lkst_trigger {
	u8 kind; /* enum lkst_trigger_kind */
	u32 waking;
	/* What it came from: the timer's run, request's end, packet's reception, interrupt's entry. */
	u32 from;
	/* Where that came from: the timer's start, request's issue, packet's sending. */
	u32 origin;
	u32 queued; /* a request's way into the scheduler of its disk, if it had one */
	u32 raised; /* the soft interrupt's request, by a thread that ended a disk's request */
	/* The thread that explains it, up to when; 0: none. */
	s32 tid;
	u64 until_ns;
};

/* How many records of a kind a search goes through before it gives up. */
enum {
	LKST_TRIGGER_SEARCH = 1 << 20,
	LKST_TRIGGER_SEARCH_OF_MANY = 1 << 8, /* where there are thousands of searches */
};

/*
 * @victim is the thread that moment @waking wakes. LKST_NOWHERE: unknown. What is further back than
 * @search_max records of its kind is not found.
 */
void lkst_trigger_find(const struct lkst_window *w, u32 waking, s32 victim, u32 search_max,
		       struct lkst_trigger *ret_trigger);

/* Requests of the same disk that were before that of @trigger and ended while it waited. */
u32 lkst_trigger_ahead(const struct lkst_window *w, const struct lkst_trigger *trigger);

/*
 * The interrupt, soft interrupt, timer or tasklet in which moment @i happened, the innermost, by its
 * entry; LKST_NOWHERE: none, a thread did it.
 */
u32 lkst_trigger_context(const struct lkst_window *w, u32 i);

/* The word for a kind: "thread", "timer", ... */
const char *lkst_trigger_word(enum lkst_trigger_kind kind);

#endif
