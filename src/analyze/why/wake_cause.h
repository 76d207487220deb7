/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What caused a wake-up: the thread that woke, or, if it came from an interrupt, the timer, disk
 * request or packet that it was about, and the thread to follow from there, if there is one.
 */
#ifndef LKST_ANALYZE_WHY_WAKE_CAUSE_H
#define LKST_ANALYZE_WHY_WAKE_CAUSE_H

#include "analyze/why/stretch.h"

enum lkst_wake_cause_kind {
	LKST_WAKE_CAUSE_UNKNOWN,
	LKST_WAKE_CAUSE_THREAD,	 /* a thread did it itself */
	LKST_WAKE_CAUSE_TIMER,	 /* a timer's or high-resolution timer's function */
	LKST_WAKE_CAUSE_DISK,	 /* the end of a disk's request */
	LKST_WAKE_CAUSE_PACKET,	 /* the reception of a packet */
	LKST_WAKE_CAUSE_DEVICE,	 /* another device's interrupt */
	LKST_WAKE_CAUSE_SOFTIRQ, /* a softirq, nothing more being known */
	LKST_WAKE_CAUSE_CPU,	 /* an interrupt between CPUs */
	/* Which one was not recorded: */
	LKST_WAKE_CAUSE_SOME_SOFTIRQ,
	LKST_WAKE_CAUSE_INTERRUPT,
	LKST_NR_TRIGGERS,
};

struct lkst_wake_cause {
	u8 kind; /* enum lkst_wake_cause_kind */
	u32 waking;
	/* What it came from: the timer's run, request's end, packet's reception, interrupt's entry. */
	u32 from;
	/* Where that came from: the timer's start, request's issue, packet's sending. */
	u32 origin;
	u32 queued; /* a request's way into the scheduler of its disk, if it had one */
	u32 raised; /* where a thread that ended a disk's request raised the softirq */
	/* The thread that explains it, up to when; 0: none. */
	s32 tid;
	u64 until_ns;
};

/* How many records of a kind a search goes through before it gives up. */
enum {
	LKST_WAKE_CAUSE_SEARCH = 1 << 20,
	LKST_WAKE_CAUSE_SEARCH_OF_MANY = 1 << 8, /* where there are thousands of searches */
};

/*
 * @victim is the thread that moment @waking wakes. LKST_NOWHERE: unknown. Records further back than
 * @search_max of their kind are not found.
 */
void lkst_wake_cause_find(const struct lkst_excerpt *w, u32 waking, s32 victim, u32 search_max,
			  struct lkst_wake_cause *ret_trigger);

/* Requests of the same disk that were before that of @trigger and ended while it waited; -1: not known. */
s64 lkst_wake_cause_ahead(const struct lkst_excerpt *w, const struct lkst_wake_cause *trigger);

/*
 * The interrupt, softirq, timer or tasklet in which moment @i happened, the innermost, by its
 * entry; LKST_NOWHERE: none, a thread did it.
 */
u32 lkst_wake_cause_context(const struct lkst_excerpt *w, u32 i);

/* Whether moment @i is a thread's own; false also where that is not known, since interrupts were left out. */
bool lkst_wake_cause_is_threads(const struct lkst_excerpt *w, u32 i);

/* The word for a kind: "thread", "timer", ... */
const char *lkst_wake_cause_word(enum lkst_wake_cause_kind kind);

#endif
