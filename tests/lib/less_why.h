/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether what `lkst why` says of a part of a trace is nothing else than what it says of the whole: each fact, by its
 * key, is the same, or a less specific one, or none.
 */
#ifndef LKST_TESTS_LESS_WHY_H
#define LKST_TESTS_LESS_WHY_H

#include "analyze/why/why.h"

struct less_why {
	u64 wrong;	/* facts of the part that contradict the whole, or say more */
	char text[256]; /* the first of them */
	u64 facts,
		part_facts; /* of the waits that both tell one by one: the call, what woke, and who */
};

/* An account of @tid in the trace in @dir. NULL: it has nothing of the thread. */
struct lkst_account *less_why_explain(const char *dir, s32 tid, u64 from_ns, u64 to_ns);

/* Compares @part with @whole, and adds to *@l. */
void less_why_compare(const struct lkst_account *whole, const struct lkst_account *part,
		      struct less_why *l);

#endif
