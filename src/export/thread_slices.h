/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What threads did along the time, as the state model says it, cut where they enter and leave system calls. Of a
 * thread, slices follow each other without holes: where nothing is known, as in a gap, they say so.
 */
#ifndef LKST_EXPORT_THREAD_SLICES_H
#define LKST_EXPORT_THREAD_SLICES_H

#include "analyze/model/model.h"

struct lkst_thread_slice {
	const struct lkst_thread_life *life;
	u64 from_ns, to_ns;
	u8 run;	  /* enum lkst_run */
	u8 ready; /* enum lkst_ready, if READY */
	u8 cause; /* enum lkst_cause, if BLOCKED */
	s32 cpu;  /* as of an interval */
	/* The system call that it is in. */
	bool in_call;
	bool ends_call; /* the call ends with the slice, with `ret` */
	s16 row;	/* in lkst_syscalls[], -1: none */
	s32 nr;		/* -1: not known */
	u64 call_ns;	/* when it was entered, 0: not known; with `life`, which call it is */
	s64 ret;
	const struct lkst_waker *waker; /* READY: who woke it; NULL: nobody, or not known */
};

/* Whether it is one of those after the first LKST_LIVES_MAX, whose number many threads have. */
static inline bool lkst_thread_life_is_shared(const struct lkst_thread_life *life)
{
	return life->nr >= LKST_LIVES_MAX;
}

typedef int lkst_thread_slice_call(void *ctx, const struct lkst_thread_slice *slice);

struct lkst_thread_slices;

/*
 * Subscribes to @model, and calls @call with the slices of all threads; of a thread they come in order of time. A
 * negative errno ends the pass. Idle threads have none. *@ret_slices must stay until the pass is over. Threads that
 * share the number of their life are in no system call.
 *
 * A return may be the first that is known of a thread again, after a slice that is in the call and does not end it.
 * @returned, which may be NULL, is called then: with a slice that takes no time, and ends the call.
 */
int lkst_thread_slices_new(struct lkst_err *e, struct lkst_model *model,
			   lkst_thread_slice_call *call, lkst_thread_slice_call *returned,
			   void *ctx, struct lkst_thread_slices **ret_slices);
void lkst_thread_slices_free(struct lkst_thread_slices *s);
LKST_GUARD(lkst_thread_slices_free, struct lkst_thread_slices)

enum { LKST_CALL_TEXT = 64 }; /* of a call's name, with its NUL */

/* "openat", "system call 500", of a slice that is in one. Returns @text. */
const char *lkst_thread_slice_call_name(const struct lkst_thread_slice *slice,
					char text[LKST_CALL_TEXT]);

#endif
