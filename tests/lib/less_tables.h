/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the tables that the analyses make of a part of a trace are true of the whole: each number is the same, or is
 * marked as a bound and is one, or is not there.
 */
#ifndef LKST_TESTS_LESS_TABLES_H
#define LKST_TESTS_LESS_TABLES_H

#include "analyze/analyses/analysis.h"

/* What all analyses say of a trace. */
struct less_answers;

/* Asks all analyses that need no more than the trace in @dir. */
struct less_answers *less_answers_new(const char *dir);
void less_answers_free(struct less_answers *a);

struct less_tables {
	u64 wrong;	/* numbers of the part that are not true of the whole */
	char text[512]; /* the first of them */
	u64 same, bounds; /* numbers that are equal to the whole's; that are bounds */
};

/* Compares @part with @whole, and adds to *@l. */
void less_tables_compare(const struct less_answers *whole, const struct less_answers *part, struct less_tables *l);

#endif
