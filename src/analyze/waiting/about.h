/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What waits are about, by name: the file, socket or address of the call, the semaphores or the queue, as far as the
 * trace shows it. Each name has a number, so that a wait keeps no more than that.
 */
#ifndef LKST_ANALYZE_WAITING_ABOUT_H
#define LKST_ANALYZE_WAITING_ABOUT_H

#include "analyze/model/model.h"
#include "base/map.h"
#include "trace/known/descriptors.h"
#include "trace/known/symbols.h"

/* All zero is where it begins. */
struct lkst_abouts {
	const struct lkst_descriptors *descriptors; /* of the same pass, borrowed; NULL: files are not known */

	/* Private. */
	struct lkst_map by_text; /* by the text's hash */
	char **texts;
	u32 nr;
	int error;
};

void lkst_abouts_fini(struct lkst_abouts *a);

/* The number of @text; 0: there is no room. */
u32 lkst_about_add(struct lkst_abouts *a, const char *text);

/* What number @about is, any bytes; NULL: 0, nothing. Good until lkst_abouts_fini(). */
const char *lkst_about_text(const struct lkst_abouts *a, u32 about);

/* What call @call is about, which thread @life is in now; 0: that is not known. */
u32 lkst_about_call(struct lkst_abouts *a, const struct lkst_thread_life *life, const struct lkst_syscall_now *call);

/* What descriptor @fd of @life refers to now; 0: that is not known. */
u32 lkst_about_fd(struct lkst_abouts *a, const struct lkst_thread_life *life, s32 fd);

/*
 * What the timer of the kernel with function @code does, where that says why somebody waits: "TCP sent a delayed
 * acknowledgement". NULL: it does not, or @symbols, which may be NULL, does not know it.
 */
const char *lkst_about_timer(struct lkst_symbols *symbols, u64 code);

#endif
