/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What threads did, put aside as it comes, in order of time and all threads mixed, to be read thread by thread: for
 * formats that have a thread's slices in one place. It is in a file without a name, in $TMPDIR or /var/tmp; in memory
 * are the last few of each thread, half a KiB.
 */
#ifndef LKST_EXPORT_THREAD_SPOOL_H
#define LKST_EXPORT_THREAD_SPOOL_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

/* What a thread did for `ns`: `what` is for the caller to say. */
struct lkst_spooled {
	u64 ns;
	u64 what;
};

struct lkst_thread_spool;

/* Where the file is. */
const char *lkst_thread_spool_dir(void);

int lkst_thread_spool_new(struct lkst_err *e, struct lkst_thread_spool **ret_spool);
void lkst_thread_spool_free(struct lkst_thread_spool *s);
LKST_GUARD(lkst_thread_spool_free, struct lkst_thread_spool)

/* Adds what thread number @thread did next; numbers are small. 0 or a negative errno. */
int lkst_thread_spool_add(struct lkst_thread_spool *s, u32 thread, struct lkst_spooled item);

/* Nothing more comes: writes what is still in memory. 0 or a negative errno. */
int lkst_thread_spool_finish(struct lkst_thread_spool *s);

/*
 * After that: calls @each with the items of a thread in the order in which they were added. Ends with
 * the first error.
 */
typedef int lkst_spooled_call(void *ctx, const struct lkst_spooled *item);
int lkst_thread_spool_each(const struct lkst_thread_spool *s, u32 thread, lkst_spooled_call *each,
			   void *ctx);

/* Threads have numbers below this. */
u32 lkst_thread_spool_nr(const struct lkst_thread_spool *s);

#endif
