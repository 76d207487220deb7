/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How sure the differences of rows are: by how much what is compared varies within each of both, and by how much most
 * rows of both differ.
 */
#include "analyze/diff/diff_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compare.h"

/* ---- within a recording ---------------------------------------------------------------------- */

/* Adds up stretches from number @first on, @nr of them. False: nothing can be said of them. */
static bool significance_add_up(const struct lkst_diff *d, const struct lkst_diff_row *r, unsigned int i,
				u32 first, u32 nr, bool is_time, struct lkst_diff_parts *parts)
{
	const struct lkst_diff_stretch *stretches = r->of[i] ? r->of[i]->stretches : NULL;
	double value = 0, weight = 0, covered = 0;
	u32 k;

	for (k = first; k < first + nr; k++) {
		if (stretches)
			value += is_time ? (double)stretches[k].ns : stretches[k].nr;
		weight += d->weights[i][k];
		covered += (double)d->sides[i]->covered[k];
	}
	/* What is mostly a gap says little, and what has no operation has no time for each. */
	if (!(weight > 0) || covered < 0.5 * (double)d->sides[i]->step_ns * nr)
		return false;
	parts->values[parts->nr] = value;
	parts->weights[parts->nr++] = weight;
	return true;
}

void lkst_diff_parts(const struct lkst_diff *d, const struct lkst_diff_row *r, unsigned int i,
		     bool is_time, struct lkst_diff_parts *ret_parts)
{
	double most = fmax(1, fmax(lkst_diff_count_of(r, 0), lkst_diff_count_of(r, 1)));
	double rates[LKST_DIFF_STRETCHES_MAX];
	u32 nr = d->sides[i]->nr_stretches, at_once = (u32)fmax(1, ceil(nr / most)), k;

	ret_parts->nr = 0;
	for (k = 0; k + at_once <= nr; k += at_once)
		if (significance_add_up(d, r, i, k, at_once, is_time, ret_parts))
			rates[ret_parts->nr - 1] = ret_parts->values[ret_parts->nr - 1] /
						   ret_parts->weights[ret_parts->nr - 1];
	ret_parts->inflation = lkst_serial_inflation(rates, ret_parts->nr);
}

/* The places of the lengths of a key in one side, and by how much more they vary than as many independent ones. */
struct significance_places {
	double nr, mean, variance, inflation;
};

/*
 * By how much the means of stretches vary more than their occurrences explain. What few stretches show of that says
 * little of it: it is as much as it may be by them, at the most as if all of a stretch were the same and counted as
 * one.
 */
static void measure_places(const struct lkst_diff_side *s, const struct lkst_diff_key *k,
			   struct significance_places *p)
{
	double pairs = 0, between = 0, effect, means[LKST_DIFF_STRETCHES_MAX];
	u32 i, nr_used = 0;

	*p = (struct significance_places){ .inflation = 1 };
	for (i = 0; i < s->nr_stretches; i++) {
		p->nr += k->stretches[i].nr;
		pairs += (double)k->stretches[i].nr * k->stretches[i].nr;
		p->mean += (double)k->stretches[i].places;
	}
	if (!(p->nr > 0))
		return;
	p->mean /= p->nr;
	p->variance = fmax(0, k->squares / p->nr - p->mean * p->mean);
	for (i = 0; i < s->nr_stretches; i++) {
		const struct lkst_diff_stretch *one = &k->stretches[i];

		if (!one->nr)
			continue;
		means[nr_used] = (double)one->places / one->nr - p->mean;
		between += means[nr_used] * means[nr_used] * one->nr;
		nr_used++;
	}
	if (!(p->variance > 0))
		return;
	effect = pairs / p->nr;
	if (nr_used > 1)
		effect = fmin(effect, between / p->variance / lkst_chi_squared_low(nr_used - 1));
	p->inflation = 1 + fmax(0, effect - 1) * lkst_serial_inflation(means, nr_used);
}

/* False: there are none in one of both, or it is not known when they were. */
static bool measure_both(const struct lkst_diff *d, const struct lkst_diff_row *r, struct significance_places p[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!r->of[i] || !r->of[i]->lengths.count || !r->of[i]->stretches)
			return false;
		measure_places(d->sides[i], r->of[i], &p[i]);
	}
	return p[0].nr > 0 && p[1].nr > 0;
}

double lkst_diff_inflation(const struct lkst_diff *d, const struct lkst_diff_row *r)
{
	struct significance_places p[2];

	if (!measure_both(d, r, p))
		return 1;
	return (p[0].inflation / p[0].nr + p[1].inflation / p[1].nr) / (1 / p[0].nr + 1 / p[1].nr);
}

/* ---- what is compared of a row --------------------------------------------------------------- */

/* By how much both differ in what a test compares, as a share of it, and how much that varies within each of both. */
struct significance_change {
	double share, variance;
	bool is_known;
};

struct significance_row {
	struct significance_change of[LKST_NR_DIFF_TESTS];
};

/*
 * What varies so much within both is not tested: nothing that it can differ by would be significant, and each test
 * makes it harder for the others. ("Independent filtering increases detection power for high-throughput experiments",
 * Bourgon and others, 2010.)
 */
static const double variance_max = 0.25 * 0.25;

/* Buckets of lengths are so far apart, as a share of the length. */
static const double place_share = 0.693147180559945309 / LKST_HISTOGRAM_ROW;

static int test_length(const struct lkst_diff *d, struct lkst_diff_row *r,
		       struct significance_change *change)
{
	struct significance_places p[2];
	struct lkst_rank_test test;
	int got;

	if (!r->of[0] || !r->of[1])
		return 0;
	got = lkst_rank_test_hists(&r->of[0]->lengths, &r->of[1]->lengths, lkst_diff_inflation(d, r), &test);
	if (got <= 0)
		return got;
	r->greater = test.greater;
	/* Where it is not known when they were, it is not known how much they depend on each other. */
	change->is_known = measure_both(d, r, p);
	if (!change->is_known)
		return 0;
	r->p[LKST_DIFF_IN_LENGTH] = test.p;
	change->share = (p[1].mean - p[0].mean) * place_share;
	change->variance = (p[0].inflation * p[0].variance / p[0].nr + p[1].inflation * p[1].variance / p[1].nr) *
			   place_share * place_share;
	return 0;
}

/* The mean of rates, and the variance of that mean. */
static double mean_of_parts(const struct lkst_diff_parts *parts, double *ret_variance)
{
	double mean = 0, squares = 0;
	u32 k;

	for (k = 0; k < parts->nr; k++)
		mean += parts->values[k] / parts->nr;
	for (k = 0; k < parts->nr; k++)
		squares += (parts->values[k] - mean) * (parts->values[k] - mean);
	*ret_variance = squares / (parts->nr - 1) / parts->nr * parts->inflation;
	return mean;
}

static int test_rate(const struct lkst_diff *d, struct lkst_diff_row *r, enum lkst_diff_test by,
		     struct significance_change *change)
{
	struct lkst_rank_test test;
	struct lkst_diff_parts parts[2];
	double means[2], variances[2], usual;
	unsigned int i;
	u32 k;
	int got;

	for (i = 0; i < 2; i++) {
		if (r->of[i] && !r->of[i]->stretches)
			return 0;
		lkst_diff_parts(d, r, i, by == LKST_DIFF_IN_TIME, &parts[i]);
		for (k = 0; k < parts[i].nr; k++)
			parts[i].values[k] /= parts[i].weights[k];
		if (parts[i].nr < 2)
			return 0;
		means[i] = mean_of_parts(&parts[i], &variances[i]);
	}
	usual = (means[0] + means[1]) / 2;
	/* What is not there at all in one is not by what recordings of the same differ by. */
	if (means[0] > 0 && means[1] > 0)
		*change = (struct significance_change){ .share = (means[1] - means[0]) / usual,
							.variance = (variances[0] + variances[1]) / (usual * usual),
							.is_known = true };
	got = lkst_rank_test_values(parts[0].values, parts[0].nr, parts[1].values, parts[1].nr,
				    (parts[0].inflation + parts[1].inflation) / 2, &test);
	if (got > 0)
		r->p[by] = test.p;
	return got < 0 ? got : 0;
}

/* What waits for work is as long blocked as it is there, and what LKST itself does is no part of what is recorded. */
static bool is_of_no_load(const struct lkst_diff_row *r, enum lkst_diff_test by)
{
	return !strncmp(r->name, "state:lkst:", strlen("state:lkst:")) ||
	       (by == LKST_DIFF_IN_TIME && r->kind == LKST_DIFF_state && strstr(r->name, ":blocked:kernel"));
}

static int test_row(const struct lkst_diff *d, struct lkst_diff_row *r, struct significance_row *s)
{
	int err = test_length(d, r, &s->of[LKST_DIFF_IN_LENGTH])
			  ?: test_rate(d, r, LKST_DIFF_IN_TIME, &s->of[LKST_DIFF_IN_TIME])
			  ?: test_rate(d, r, LKST_DIFF_IN_COUNT, &s->of[LKST_DIFF_IN_COUNT]);
	unsigned int k;

	for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
		if (is_of_no_load(r, k) || (s->of[k].is_known && s->of[k].variance > variance_max))
			r->p[k] = LKST_DIFF_NOT_TESTED;
	return err;
}

/* ---- between recordings ---------------------------------------------------------------------- */

/*
 * Two recordings of one load differ by more than what varies within each: memory lies elsewhere, a processor is faster,
 * the machine has other work. One recording a side does not show that of a row, but most rows are of what has not
 * changed: by how much these differ, more than they vary within, is what any row may differ by. (A model of random
 * effects, DerSimonian and Laird, "Meta-analysis in clinical trials", 1986; by the median, as in Devlin and Roeder,
 * "Genomic control for association studies", 1999, since some rows have changed.) Only the better half of the rows, by
 * what varies within, says how much that is. Rows are not all alike in this, so Student's distribution is taken, whose
 * tails are heavier: with so many degrees of freedom four loads keep to the level (bench/diff-pairs).
 */
enum {
	ROWS_LEAST = 12, /* of which a median says something */
	FREEDOM = 6,
};
static const double median_of_squares = 0.454936; /* of a normal variable of variance 1 */

/* How long a thread sleeps is what it asked for, on a fast machine and on a slow one. */
static bool is_length_of_sleep(const struct lkst_diff_row *r, enum lkst_diff_test by)
{
	return by == LKST_DIFF_IN_LENGTH && ((r->kind == LKST_DIFF_state && strstr(r->name, ":blocked:sleep")) ||
					     (r->kind == LKST_DIFF_syscall && strstr(r->name, "nanosleep")));
}

static bool is_tested(const struct lkst_diff_row *r, const struct significance_change *c, enum lkst_diff_test by)
{
	return r->p[by] <= 1 && c->is_known && !is_length_of_sleep(r, by);
}

static int compare_variances(const void *a, const void *b)
{
	const struct significance_change *x = a, *y = b;

	return lkst_compare_doubles(&x->variance, &y->variance);
}

/* The median of the squares of the @nr changes, each by its variance and @usual squared. */
static double median_with(const struct significance_change *changes, u32 nr, double usual, double *room)
{
	u32 i;

	for (i = 0; i < nr; i++)
		room[i] = changes[i].share * changes[i].share / (changes[i].variance + usual * usual);
	qsort(room, nr, sizeof(*room), lkst_compare_doubles);
	return room[nr / 2];
}

/* The standard deviation of what rows differ by beyond what varies within. @nr: ROWS_LEAST at least. */
static double usual_change(struct significance_change *changes, u32 nr, double *room)
{
	double low = 0, high = 4, middle;
	unsigned int turn;

	qsort(changes, nr, sizeof(*changes), compare_variances);
	nr = nr / 2 > ROWS_LEAST ? nr / 2 : ROWS_LEAST;
	if (median_with(changes, nr, 0, room) <= median_of_squares)
		return 0;
	/* The greater it is, the less is the median. */
	for (turn = 0; turn < 40; turn++) {
		middle = (low + high) / 2;
		if (median_with(changes, nr, middle, room) > median_of_squares)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* What most rows differ by in one test; negative: they are too few. -ENOMEM. */
static int find_usual_change(struct lkst_diff *d, const struct significance_row *rows, enum lkst_diff_test by)
{
	_cleanup_free_ struct significance_change *changes = calloc((size_t)d->nr_rows + 1, sizeof(*changes));
	_cleanup_free_ double *room = calloc((size_t)d->nr_rows + 1, sizeof(*room));
	u32 i, nr = 0;

	if (!changes || !room)
		return -ENOMEM;
	for (i = 0; i < d->nr_rows; i++)
		if (is_tested(&d->rows[i], &rows[i].of[by], by) && rows[i].of[by].variance > 0)
			changes[nr++] = rows[i].of[by];
	d->usual_change[by] = nr < ROWS_LEAST ? -1 : usual_change(changes, nr, room);
	return 0;
}

/*
 * Time is how many there are by how long they are, and no surer than that, whatever most rows share. Where too few rows
 * say it of a test, it is as in the others.
 */
static void complete_usual_changes(double usual[LKST_NR_DIFF_TESTS])
{
	double length = fmax(0, usual[LKST_DIFF_IN_LENGTH]), count = fmax(0, usual[LKST_DIFF_IN_COUNT]), most = -1;
	unsigned int k;

	if (usual[LKST_DIFF_IN_LENGTH] >= 0 || usual[LKST_DIFF_IN_COUNT] >= 0)
		usual[LKST_DIFF_IN_TIME] = fmax(usual[LKST_DIFF_IN_TIME], hypot(length, count));
	for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
		most = fmax(most, usual[k]);
	for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
		usual[k] = usual[k] < 0 ? most : usual[k];
}

static void allow_usual_change(struct lkst_diff *d, const struct significance_row *rows, enum lkst_diff_test by)
{
	double usual = d->usual_change[by];
	u32 i;

	for (i = 0; i < d->nr_rows && usual >= 0; i++) {
		const struct significance_change *c = &rows[i].of[by];
		struct lkst_diff_row *r = &d->rows[i];

		if (is_tested(r, c, by) && c->variance + usual > 0)
			r->usual_p[by] = lkst_student_p(fabs(c->share) / sqrt(c->variance + usual * usual), FREEDOM);
		r->p[by] = fmax(r->p[by], r->usual_p[by]);
	}
}

/* ---- all rows -------------------------------------------------------------------------------- */

static bool has_changed(double a, double b, double least)
{
	return fabs(b - a) >= least * fmax(a, b) && fabs(b - a) > 0;
}

static void diff_mark(struct lkst_diff *d, struct lkst_diff_row *r)
{
	double least = d->options.least, mean[2] = { 0, 0 };
	bool has[LKST_NR_DIFF_TESTS];
	unsigned int i;

	for (i = 0; i < 2; i++)
		mean[i] = r->of[i] ? lkst_hist_mean(&r->of[i]->lengths) : 0;
	has[LKST_DIFF_IN_LENGTH] = has_changed(mean[0], mean[1], least);
	has[LKST_DIFF_IN_TIME] = has_changed(r->time[0], r->time[1], least);
	has[LKST_DIFF_IN_COUNT] = has_changed(r->count[0], r->count[1], least);
	for (i = 0; i < LKST_NR_DIFF_TESTS; i++)
		r->is_significant[i] = r->p[i] <= d->options.level && has[i];
	d->nr_significant += lkst_diff_is_significant(r);
}

/* All tests of all rows are one family: whoever reads the rows looks at each. */
static int adjust_all(struct lkst_diff *d)
{
	_cleanup_free_ double *p = calloc((size_t)d->nr_rows * LKST_NR_DIFF_TESTS + 1, sizeof(*p));
	u32 i, nr = 0;
	unsigned int k;
	int err;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < d->nr_rows; i++)
		for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
			if (d->rows[i].p[k] <= 1)
				p[nr++] = d->rows[i].p[k];
	err = lkst_rank_adjust(p, nr);
	d->nr_tests = nr;
	for (i = nr = 0; i < d->nr_rows && !err; i++) {
		for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
			if (d->rows[i].p[k] <= 1)
				d->rows[i].p[k] = p[nr++];
		diff_mark(d, &d->rows[i]);
	}
	return err;
}

int lkst_diff_test_all(struct lkst_diff *d)
{
	_cleanup_free_ struct significance_row *rows = calloc((size_t)d->nr_rows + 1, sizeof(*rows));
	unsigned int k;
	u32 i;
	int err = 0;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < d->nr_rows && !err; i++)
		if (!d->rows[i].missing)
			err = test_row(d, &d->rows[i], &rows[i]);
	for (k = 0; k < LKST_NR_DIFF_TESTS && !err; k++)
		err = find_usual_change(d, rows, k);
	if (err)
		return err;
	complete_usual_changes(d->usual_change);
	for (k = 0; k < LKST_NR_DIFF_TESTS; k++)
		allow_usual_change(d, rows, k);
	return adjust_all(d);
}
