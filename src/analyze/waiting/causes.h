/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace is asked first: who was kept waiting, for what, and because of whom. The waits of all threads are added
 * up (tree.h), and what is no harm is left out: waiting for work, for a time of the program's own, for a child. What is
 * left is ordered, the greatest harm first, and said in one sentence each.
 */
#ifndef LKST_ANALYZE_WAITING_CAUSES_H
#define LKST_ANALYZE_WAITING_CAUSES_H

#include "analyze/engine/labels.h"
#include "analyze/waiting/evidence.h"
#include "analyze/waiting/taken.h"
#include "analyze/waiting/tree.h"
#include "trace/known/symbols.h"

/* What stands above them, after "## ", in a text that has more than them. */
#define LKST_CAUSES_HEADING "where the waiting went"

enum {
	LKST_CAUSES_MAX = 10, /* that are told */
	LKST_CAUSE_TEXT = 640,
};

struct lkst_found_cause {
	char comm[16];	    /* who was kept waiting, or failed */
	const char *what;   /* of which kind it is, one word */
	char text[LKST_CAUSE_TEXT]; /* the sentence */
	u64 total_ns;	    /* that was lost; of failures, from the first to the last */
	u64 count;
	u64 longest_ns;
	s16 call;	    /* in which they waited, a row of lkst_syscalls[]; -1: in none */
	s32 tid;	    /* the example: the longest; -1: there is none */
	u64 at_ns;	    /* when it began */
	double score;
};

struct lkst_causes {
	struct lkst_found_cause list[LKST_CAUSES_MAX];
	unsigned int nr;
	u64 nr_more; /* that were less */
	bool is_full; /* not all was followed: there was too much */
};

/* What else is known of what is found, and names it. All is borrowed. */
struct lkst_cause_names {
	struct lkst_symbols *symbols;
	const struct lkst_labels *labels;
	const struct lkst_model *model;
	const struct lkst_evidence *evidence;
	const struct lkst_taken *taken; /* by interrupts; NULL: that is not looked for */
	struct lkst_whose *scope; /* whose waiting is told */
};

/* Finds them in @h, which is complete. 0 or -ENOMEM. */
int lkst_causes_find(const struct lkst_pasts *h, const struct lkst_cause_names *names, struct lkst_causes *ret_causes);

/*
 * Adds all waiting of the scope of @names to @t, harm or not: the times that threads were ready, blocked and stopped.
 * Roots are of kind enum lkst_harm. 0 or -ENOMEM.
 */
int lkst_causes_add_all(const struct lkst_pasts *h, const struct lkst_cause_names *names, struct lkst_tree *t);

#endif
