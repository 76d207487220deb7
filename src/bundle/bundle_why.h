/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of a bundle's moment, in words. */
#ifndef LKST_BUNDLE_BUNDLE_WHY_H
#define LKST_BUNDLE_BUNDLE_WHY_H

#include "bundle/moment.h"

/*
 * The account as `lkst why` prints it: where the waiting went and what has not ended; what the moment's thread did up
 * to the moment; and the longest system call, wait for a disk, wait and time without a CPU. Where there is none, it
 * says so. It takes two passes over the trace.
 */
int lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
			 struct lkst_bundle_text *ret_text);

#endif
