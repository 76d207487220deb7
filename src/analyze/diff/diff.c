/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two sides: pairs their keys, divides by what is to be divided by, tests, and sorts. */
#include "analyze/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "base/time.h"
#include "base/vec.h"

static const double lost_max =
	0.05; /* of occurrences that gaps have cut, or of time, for a row to be compared */

/* ---- rows ------------------------------------------------------------------------------------ */

static void name_row(const struct lkst_diff_key *k, char name[LKST_DIFF_NAME])
{
	snprintf(name, LKST_DIFF_NAME, "%s:%s", lkst_diff_kind_names[k->kind], k->text);
}

/*
 * Locks that have no name are called by their address, "mutex:0xffff8881...". One that only @s has is another one each
 * time that something is made, so all of these are compared as one: "mutex:0x*".
 */
static void hide_addresses(struct lkst_diff_side *s, const struct lkst_diff_side *other)
{
	u32 i, k = 0;

	for (i = 0; i < s->nr_keys; i++) {
		struct lkst_diff_key *key = &s->keys[i];
		char *address = strstr(key->text, "0x");

		while (k < other->nr_keys && lkst_diff_key_compare(&other->keys[k], key) < 0)
			k++;
		if ((key->kind == LKST_DIFF_lockwait || key->kind == LKST_DIFF_lockhold) &&
		    address && (k == other->nr_keys || lkst_diff_key_compare(&other->keys[k], key)))
			/* The order is kept until the sides are united. */
			address[2] = '*';
	}
	for (i = 0; i < s->nr_keys; i++) {
		char *address = strstr(s->keys[i].text, "0x*");

		if (address)
			address[3] = 0;
	}
}

static int add_row(struct lkst_diff *d, const struct lkst_diff_key *a,
		   const struct lkst_diff_key *b)
{
	struct lkst_diff_row *r = lkst_vec_add(d->rows, d->nr_rows);

	if (!r)
		return -ENOMEM;
	r->kind = (a ?: b)->kind;
	r->of[0] = a;
	r->of[1] = b;
	name_row(a ?: b, r->name);
	return 0;
}

static int pair_keys(struct lkst_diff *d)
{
	const struct lkst_diff_side *a = d->sides[0], *b = d->sides[1];
	u32 i = 0, k = 0;
	int err = 0, order;

	while (!err && (i < a->nr_keys || k < b->nr_keys)) {
		order = i == a->nr_keys	  ? 1
			: k == b->nr_keys ? -1
					  : lkst_diff_key_compare(&a->keys[i], &b->keys[k]);
		err = add_row(d, order <= 0 ? &a->keys[i] : NULL, order >= 0 ? &b->keys[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	return err;
}

const struct lkst_diff_row *lkst_diff_find(const struct lkst_diff *d, const char *name)
{
	u32 i;

	for (i = 0; i < d->nr_rows; i++)
		if (!strcmp(d->rows[i].name, name))
			return &d->rows[i];
	return NULL;
}

const char *lkst_diff_suggest(const struct lkst_diff *d, const char *name,
			      char text[LKST_SUGGEST_TEXT])
{
	struct lkst_suggest near = { .word = name };
	u32 i;

	for (i = 0; i < d->nr_rows; i++)
		lkst_suggest_offer(&near, d->rows[i].name);
	return lkst_suggest_text(&near, text);
}

/* ---- what is divided by ---------------------------------------------------------------------- */

/* Seconds that were recorded. */
static void weigh_by_time(struct lkst_diff *d, unsigned int i)
{
	const struct lkst_diff_side *s = d->sides[i];
	u32 k;

	d->units[i] = (double)s->covered_ns / (double)LKST_NS_PER_S;
	for (k = 0; k < s->nr_stretches; k++)
		d->weights[i][k] = (double)s->covered[k] / (double)LKST_NS_PER_S;
}

/* Occurrences of @key. */
static void weigh_by_key(struct lkst_diff *d, unsigned int i, const struct lkst_diff_key *key)
{
	u32 k;

	d->units[i] = key ? (double)key->lengths.count : 0;
	for (k = 0; k < d->sides[i]->nr_stretches; k++)
		d->weights[i][k] = key && key->stretches ? key->stretches[k].nr : 0;
}

static const char *const words[] = { "first", "second" };

/* Where some of them were left out, all that is divided by their number is too much. */
static int check_per(struct lkst_err *e, const struct lkst_diff *d, const struct lkst_diff_row *per)
{
	char text[LKST_LIMITED_TEXT];
	unsigned int i;

	for (i = 0; per && i < 2; i++)
		if (lkst_diff_side_is_limited(d->sides[i], per->kind, (per->of[0] ?: per->of[1])->text, text))
			return lkst_err_set(e, -ENOENT,
					    "the %s has not all of %s to divide by, to keep to the cost limit: %s",
					    words[i], d->options.per, text);
	return 0;
}

static int diff_weigh(struct lkst_err *e, struct lkst_diff *d)
{
	const struct lkst_diff_row *per = d->options.per ? lkst_diff_find(d, d->options.per) : NULL;
	unsigned int i;
	int err = check_per(e, d, per);

	for (i = 0; i < 2 && !err; i++) {
		d->weights[i] = calloc(LKST_DIFF_STRETCHES_MAX, sizeof(*d->weights[i]));
		if (!d->weights[i])
			return lkst_err_sys(e, -ENOMEM, "comparing");
		if (d->options.per)
			weigh_by_key(d, i, per ? per->of[i] : NULL);
		else
			weigh_by_time(d, i);
		if (!(d->units[i] > 0))
			return d->options.per
				       ? lkst_err_set(
						 e, -ENOENT,
						 "the %s has no %s to divide by; `lkst diff --all` without "
						 "--per lists what there is",
						 words[i], d->options.per)
				       : lkst_err_set(
						 e, -ENOENT,
						 "all of the %s is in gaps: records are missing at every "
						 "time, so nothing can be compared",
						 words[i]);
	}
	return err;
}

/* ---- what is missing --------------------------------------------------------------------------- */

/*
 * Whether gaps have taken too much of @r from side @i. What is left of a state that a gap has cut counts, so there it
 * is the length of the gaps that matters, too.
 */
static bool has_lost(const struct lkst_diff *d, const struct lkst_diff_row *r, unsigned int i)
{
	const struct lkst_diff_side *s = d->sides[i];
	double gaps_ns = (double)(s->to_ns - s->from_ns - s->covered_ns);

	return r->lost[i] > lost_max &&
	       (r->kind != LKST_DIFF_state || gaps_ns > lost_max * (double)(s->to_ns - s->from_ns));
}

/* A copy of @text that stays as long as @d; NULL: no memory. */
static const char *diff_keep_text(struct lkst_diff *d, const char *text)
{
	char **kept;
	u32 i;

	for (i = 0; i < d->nr_texts; i++)
		if (!strcmp(d->texts[i], text))
			return d->texts[i];
	kept = lkst_vec_add(d->texts, d->nr_texts);
	if (!kept)
		return NULL;
	*kept = strdup(text);
	if (!*kept)
		d->nr_texts--;
	return *kept;
}

/* That the cost limit left out some of what the row is of in one of both, if it did. 0 or -ENOMEM. */
static int diff_find_limited(struct lkst_diff *d, struct lkst_diff_row *r)
{
	const char *key = (r->of[0] ?: r->of[1])->text;
	char text[LKST_LIMITED_TEXT], sentence[LKST_LIMITED_TEXT + 64];
	unsigned int i;

	for (i = 0; i < 2 && !r->missing; i++) {
		if (!lkst_diff_side_is_limited(d->sides[i], r->kind, key, text))
			continue;
		snprintf(sentence, sizeof(sentence), "In the %s, %s (the cost limit).", words[i], text);
		r->missing = diff_keep_text(d, sentence);
		if (!r->missing)
			return -ENOMEM;
	}
	return 0;
}

/* Why the row cannot be compared: losses, or a trace that was recorded without it, unlike the other. */
static const char *why_missing(const struct lkst_diff *d, const struct lkst_diff_row *r)
{
	static const char cut[] = "Gaps have cut more than 5 % of its occurrences.";
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const char *here = d->sides[i]->missing[r->kind],
			   *there = d->sides[!i]->missing[r->kind];

		if (here && !(lkst_diff_count_of(r, i) > 0) && (!there || strcmp(here, there)))
			return here;
		if (has_lost(d, r, i))
			return cut;
	}
	return NULL;
}

static int compare_row(struct lkst_diff *d, struct lkst_diff_row *r)
{
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		const struct lkst_diff_key *k = r->of[i];
		double nr = lkst_diff_count_of(r, i), lost = k ? (double)k->nr_lost : 0;

		r->count[i] = nr / d->units[i];
		r->time[i] = k ? lkst_diff_time(k) / d->units[i] : 0;
		r->lost[i] = lost > 0 ? lost / (lost + nr) : 0;
	}
	for (i = 0; i < LKST_NR_DIFF_TESTS; i++)
		r->p[i] = LKST_DIFF_NOT_TESTED;
	r->greater = -1;
	err = diff_find_limited(d, r);
	if (!err && !r->missing)
		r->missing = why_missing(d, r);
	d->nr_missing += r->missing != NULL;
	return err;
}

/* ---- making one ------------------------------------------------------------------------------ */

static int diff_compare_changes(const void *a, const void *b)
{
	const struct lkst_diff_row *x = a, *y = b;
	double by_x = fabs(x->time[1] - x->time[0]), by_y = fabs(y->time[1] - y->time[0]);

	return by_x < by_y ? 1 : by_x > by_y ? -1 : strcmp(x->name, y->name);
}

void lkst_diff_free(struct lkst_diff *d)
{
	unsigned int i;

	if (!d)
		return;
	for (i = 0; i < 2; i++) {
		lkst_diff_side_free(d->sides[i]);
		free(d->weights[i]);
	}
	for (i = 0; i < d->nr_texts; i++)
		free(d->texts[i]);
	free(d->texts);
	free(d->rows);
	free(d);
}

static int compare_all(struct lkst_err *e, struct lkst_diff *d)
{
	u32 i;
	int err;

	hide_addresses(d->sides[0], d->sides[1]);
	hide_addresses(d->sides[1], d->sides[0]);
	err = lkst_diff_side_unite(d->sides[0]) ?: lkst_diff_side_unite(d->sides[1]) ?: pair_keys(d);
	if (err)
		return lkst_err_sys(e, err, "comparing");
	err = diff_weigh(e, d);
	if (err)
		return err;
	for (i = 0; i < d->nr_rows && !err; i++)
		err = compare_row(d, &d->rows[i]);
	err = err ?: lkst_diff_test_all(d);
	if (err)
		return lkst_err_sys(e, err, "comparing");
	if (d->nr_rows)
		qsort(d->rows, d->nr_rows, sizeof(*d->rows), diff_compare_changes);
	return 0;
}

int lkst_diff_new(struct lkst_err *e, struct lkst_diff_side *a, struct lkst_diff_side *b,
		  const struct lkst_diff_options *options, struct lkst_diff **ret_diff)
{
	_cleanup_(lkst_diff_freep) struct lkst_diff *d = calloc(1, sizeof(*d));
	int err;

	if (!d) {
		lkst_diff_side_free(a);
		lkst_diff_side_free(b);
		return lkst_err_sys(e, -ENOMEM, "comparing");
	}
	d->options = *options;
	d->sides[0] = a;
	d->sides[1] = b;
	err = compare_all(e, d);
	if (!err)
		*ret_diff = lkst_take(d);
	return err;
}

/* ---- examples -------------------------------------------------------------------------------- */

void lkst_diff_examples(const struct lkst_diff_row *r, struct lkst_diff_pair *ret_pair)
{
	static const struct {
		double q;
		const char *name;
	} places[] = { { 0.5, "p50" }, { 0.95, "p95" }, { 0.99, "p99" } };
	struct lkst_diff_pair pair = {};
	u64 at[2] = { 0, 0 }, ns[2];
	double most = -1, change;
	unsigned int i, k;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (k = 0; k < 2; k++)
			ns[k] = r->of[k] ? lkst_hist_quantile(&r->of[k]->lengths, places[i].q) : 0;
		change = fabs((double)ns[1] - (double)ns[0]) * (1 - places[i].q);
		if (change <= most)
			continue;
		most = change;
		pair.place = places[i].name;
		memcpy(at, ns, sizeof(at));
	}
	pair.slow_side = at[1] >= at[0];
	k = pair.slow_side;
	if (r->of[k])
		pair.slow = lkst_diff_example_near(r->of[k], at[k]);
	if (r->of[!k])
		pair.fast = lkst_diff_example_near(r->of[!k], at[!k]);
	*ret_pair = pair;
}
