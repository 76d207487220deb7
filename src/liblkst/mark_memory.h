/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of this process's marks: made at its first mark, and again after a fork. */
#ifndef LKST_LIBLKST_MARK_MEMORY_H
#define LKST_LIBLKST_MARK_MEMORY_H

#include "liblkst/mark_format.h"

/*
 * What this process has, in a page that is zero after a fork (MADV_WIPEONFORK): a child must not write to the rings
 * of its parent.
 */
struct lkst_mark_process {
	u32 state; /* enum lkst_mark_state */
	u32 generation; /* of the memory: differs from all that it and its ancestors had before; 0: none */
	struct lkst_mark_header *header;
};
extern struct lkst_mark_process *const lkst_mark_process;

/* What this thread has; it is valid if its generation is that of the process. */
struct lkst_mark_self {
	u32 generation;
	s32 tid;
	struct lkst_mark_thread *area; /* NULL: it got none */
	u32 lost;		       /* records since then */
	u32 is_busy;		       /* it is looking for one: a signal handler must not */
};
extern __thread struct lkst_mark_self lkst_mark_self __attribute__((tls_model("initial-exec")));

/*
 * The area of this thread, where that is not known: makes the memory if there is none, and takes an area. NULL: there
 * is none to be had, no recording wants marks, or another thread is making the memory just now; the record is counted.
 */
struct lkst_mark_thread *lkst_mark_take_area(void);

/* The text of event number @i of the process. */
static inline struct lkst_mark_text *lkst_mark_text(struct lkst_mark_header *h, u32 i)
{
	return (struct lkst_mark_text *)((u8 *)h + lkst_mark_text_at(i));
}

static inline struct lkst_mark_thread *lkst_mark_area(struct lkst_mark_header *h, u32 i)
{
	return (struct lkst_mark_thread *)((u8 *)h + lkst_mark_area_at(i));
}

#endif
