/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed from one trace, or window of a trace, to another: rows of what happened in both, with the differences in
 * time and in count, how sure they are, and the largest first.
 */
#ifndef LKST_ANALYZE_DIFF_DIFF_H
#define LKST_ANALYZE_DIFF_DIFF_H

#include "analyze/diff/statistics.h"
#include "analyze/diff/side.h"
#include "base/suggest.h"

enum {
	LKST_DIFF_NAME = LKST_KEY_TEXT + 16,
	LKST_DIFF_NOT_TESTED = 2, /* in place of a probability */
};

/*
 * What a row is compared by, each by a rank test and by what most rows differ by. Time is that of all occurrences of a
 * row; it and their number are tested over stretches of time, since occurrences that are close to each other are likely
 * to depend on each other. There are no more stretches in a test than the row has occurrences: several become one,
 * since a single long wait is no sixteen short ones.
 */
enum lkst_diff_test {
	LKST_DIFF_IN_LENGTH, /* how long occurrences are, over all of them */
	LKST_DIFF_IN_TIME,   /* time per second, or per operation, over stretches */
	LKST_DIFF_IN_COUNT,  /* how many per second, or per operation, over stretches */
	LKST_NR_DIFF_TESTS,
};

struct lkst_diff_row {
	u8 kind;
	char name[LKST_DIFF_NAME];	   /* "syscall:fsync" */
	const struct lkst_diff_key *of[2]; /* NULL: it did not happen there */
	double count[2], time[2];	   /* per unit: occurrences, and ns */
	double greater; /* of pairs, the share in which the second is longer; -1: not known */
	double p[LKST_NR_DIFF_TESTS]; /* after Holm's correction for all tests; above 1: not tested */
	/* How likely it differs as much where nothing changed, by what most rows differ by; 0: that is not known. */
	double usual_p[LKST_NR_DIFF_TESTS];
	bool is_significant[LKST_NR_DIFF_TESTS];
	const char *missing; /* why it cannot be compared, a sentence; NULL: it can */
	double lost[2];	     /* of its occurrences, the share that gaps have cut */
};

struct lkst_diff_options {
	double level; /* at which a difference is significant: the chance that any row is marked by accident */
	double least; /* a share: rows are not marked where nothing changed by as much */
	const char *
		per; /* a row's name: times and counts are by its occurrences, and not by seconds; NULL: seconds */
};

struct lkst_diff {
	struct lkst_diff_options options;
	struct lkst_diff_side *sides[2];
	struct lkst_diff_row *rows; /* by the time that changed, the largest first */
	u32 nr_rows;
	u32 nr_significant, nr_missing, nr_tests;
	double usual_change[LKST_NR_DIFF_TESTS]; /* that most rows show, as a share; negative: not known */
	double units[2];    /* what was divided by: seconds, or operations */
	double *weights[2]; /* the same, of each stretch */
	char **texts;	    /* that rows have in `missing` */
	u32 nr_texts;
};

/*
 * Compares @a with @b, which it takes over, also on failure. -ENOENT: one has no time that is covered, or no occurrence
 * of `per`, or has not all of them, because they were left out for a while to keep to the cost limit.
 */
int lkst_diff_new(struct lkst_err *e, struct lkst_diff_side *a, struct lkst_diff_side *b,
		  const struct lkst_diff_options *options, struct lkst_diff **ret_diff);
void lkst_diff_free(struct lkst_diff *d);
LKST_GUARD(lkst_diff_free, struct lkst_diff)

static inline bool lkst_diff_is_significant(const struct lkst_diff_row *r)
{
	return r->is_significant[LKST_DIFF_IN_LENGTH] || r->is_significant[LKST_DIFF_IN_TIME] ||
	       r->is_significant[LKST_DIFF_IN_COUNT];
}

/*
 * How much more the lengths of @r vary than those of as many independent occurrences would, 1 or more: by how much
 * those of a stretch of time are like each other, and unlike those of others, and those of one like those of the one
 * before it. (The design effect of Kish, "Survey Sampling", 1965, with stretches as clusters.)
 */
double lkst_diff_inflation(const struct lkst_diff *d, const struct lkst_diff_row *r);

/* The row called @name; NULL: there is none. */
const struct lkst_diff_row *lkst_diff_find(const struct lkst_diff *d, const char *name);

/* The names of rows that are near @name, as a clause for a message: lkst_suggest_text(). */
const char *lkst_diff_suggest(const struct lkst_diff *d, const char *name,
			      char text[LKST_SUGGEST_TEXT]);

/* Parts of the time of side @i of @r, for tests of time (@is_time) or of counts. */
struct lkst_diff_parts {
	double values[LKST_DIFF_STRETCHES_MAX], weights[LKST_DIFF_STRETCHES_MAX];
	u32 nr;
	double inflation; /* since parts depend on those before them: lkst_serial_inflation() */
};
void lkst_diff_parts(const struct lkst_diff *d, const struct lkst_diff_row *r, unsigned int i,
		     bool is_time, struct lkst_diff_parts *ret_parts);

/*
 * Two occurrences that show what changed: a slow one of the side where they are slower, and one of the other at the
 * same place among its own: at that of p50, p95 and p99 which changed the mean the most.
 */
struct lkst_diff_pair {
	const struct lkst_diff_example *slow, *fast; /* NULL: there is none */
	unsigned int slow_side;
	const char *place; /* "p95" */
};
void lkst_diff_examples(const struct lkst_diff_row *r, struct lkst_diff_pair *ret_pair);

/* Whether occurrences of @kind are a thread's, so that lkst_why_explain() explains them. */
static inline bool lkst_diff_has_thread(unsigned int kind)
{
	return kind == LKST_DIFF_state || kind == LKST_DIFF_fault || kind == LKST_DIFF_syscall ||
	       kind == LKST_DIFF_lockwait;
}

#endif
