/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether what the state model says of a part of a trace is nothing else than what it says of the whole: each fact is
 * the same, or a less specific one, or none. lib/less.c declares which facts are less specific than which.
 */
#ifndef LKST_TESTS_LESS_H
#define LKST_TESTS_LESS_H

#include "analyze/model/model.h"

/* All that the model has reported of a trace. */
struct told;

/* Runs a pass over the trace in @dir. */
struct told *told_new(const char *dir);
void told_free(struct told *t);

struct less {
	u64 wrong;	/* facts of the part that contradict the whole, or say more */
	char text[512]; /* the first of them */
	/* Of the time in which threads of programs were blocked: all, and where the call is known. */
	u64 blocked_ns, in_call_ns, part_in_call_ns;
};

/* Compares @part with @whole. */
void less_compare(const struct told *whole, const struct told *part, struct less *ret_less);

#endif
