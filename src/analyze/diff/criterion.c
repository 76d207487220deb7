/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that are not to be: their grammar, and whether a comparison shows them. */
#include "analyze/diff/criterion.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/diff/statistics.h"
#include "base/size.h"

enum {
	PARTS_LEAST = 8,
	DURATION_MAX = 64, /* characters of one */
	MILLION = 1000000,
};

static const struct {
	const char *name;
	enum lkst_criterion_of of;
	double q;
} statistics[] = {
	{ "count", LKST_CRITERION_COUNT, 0 },	     { "total", LKST_CRITERION_TOTAL, 0 },
	{ "mean", LKST_CRITERION_MEAN, 0 },	     { "p50", LKST_CRITERION_QUANTILE, 0.5 },
	{ "p95", LKST_CRITERION_QUANTILE, 0.95 },    { "p99", LKST_CRITERION_QUANTILE, 0.99 },
	{ "p99.9", LKST_CRITERION_QUANTILE, 0.999 }, { "max", LKST_CRITERION_MAX, 0 },
};
enum { NR_STATISTICS = sizeof(statistics) / sizeof(statistics[0]) };

#define K(name) " " #name
#define KINDS LKST_DIFF_KINDS(K)

/* ---- the grammar ----------------------------------------------------------------------------- */

/* A text as it is read: words between blanks. */
struct criterion_words {
	struct lkst_err *e;
	const char *text, *at; /* the word that was read last */
	size_t length;
};

/* The next word; at the end, an empty one. */
static void next_word(struct criterion_words *w)
{
	w->at += w->length;
	w->at += strspn(w->at, " \t");
	w->length = strcspn(w->at, " \t");
}

static bool criterion_is_word(const struct criterion_words *w, const char *word)
{
	return strlen(word) == w->length && !memcmp(w->at, word, w->length);
}

/* Marks what is wrong, @skip bytes from the beginning of the last word. */
static int criterion_mark(struct criterion_words *w, size_t skip)
{
	return lkst_err_mark(w->e, -EINVAL, w->text, strlen(w->text),
			     (size_t)(w->at - w->text) + skip);
}

static int parse_statistic(struct criterion_words *w, struct lkst_criterion *c)
{
	unsigned int i;

	next_word(w);
	for (i = 0; i < NR_STATISTICS; i++)
		if (criterion_is_word(w, statistics[i].name)) {
			c->of = statistics[i].of;
			c->q = statistics[i].q;
			return 0;
		}
	lkst_err_set(
		w->e, -EINVAL,
		"a criterion begins with count, total, mean, p50, p95, p99, p99.9 or max, as in "
		"'p99 of syscall:fsync +20%%'");
	return criterion_mark(w, 0);
}

/* Whether the last word is KIND:KEY, of a kind that there is. */
static bool criterion_is_key(const struct criterion_words *w)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_DIFF_KINDS; i++) {
		size_t length = strlen(lkst_diff_kind_names[i]);

		if (w->length > length + 1 && w->at[length] == ':' &&
		    !memcmp(w->at, lkst_diff_kind_names[i], length))
			return true;
	}
	return false;
}

static int criterion_parse_key(struct criterion_words *w, struct lkst_criterion *c)
{
	next_word(w);
	if (!criterion_is_word(w, "of")) {
		lkst_err_set(w->e, -EINVAL, "\"of\" follows, and then the name of a row");
		return criterion_mark(w, 0);
	}
	next_word(w);
	if (!criterion_is_key(w)) {
		lkst_err_set(w->e, -EINVAL, "a row is called KIND:KEY, and the kinds are" KINDS);
		return criterion_mark(w, 0);
	}
	if (w->length >= sizeof(c->key)) {
		lkst_err_set(w->e, -EINVAL, "no row has such a long name");
		return criterion_mark(w, sizeof(c->key) - 1);
	}
	memcpy(c->key, w->at, w->length);
	return 0;
}

static int parse_percent(struct criterion_words *w, struct lkst_criterion *c)
{
	const char *at = w->at + 1;
	u64 millionths;

	c->is_percent = true;
	if (lkst_decimal_parse(&at, MILLION, &millionths) || at != w->at + w->length - 1) {
		lkst_err_set(w->e, -EINVAL, "a number stands before %%, as in +20%%");
		return criterion_mark(w, 1);
	}
	c->share = (double)millionths / (100.0 * MILLION);
	if (!c->is_less || c->share <= 1)
		return 0;
	lkst_err_set(w->e, -EINVAL, "nothing becomes less by more than 100 %%");
	return criterion_mark(w, 1);
}

static int parse_duration(struct criterion_words *w, struct lkst_criterion *c)
{
	char text[DURATION_MAX] = "";

	if (c->of == LKST_CRITERION_COUNT) {
		lkst_err_set(w->e, -EINVAL, "a count changes by a share, as +20%%, not by a time");
		return criterion_mark(w, 0);
	}
	if (w->length < sizeof(text))
		memcpy(text, w->at + 1, w->length - 1);
	if (!lkst_duration_parse(NULL, text, &c->ns))
		return 0;
	lkst_err_set(w->e, -EINVAL, "a change is a share or a duration, as +20%% or +200us");
	return criterion_mark(w, 1);
}

static int parse_change(struct criterion_words *w, struct lkst_criterion *c)
{
	int err;

	next_word(w);
	if (*w->at != '+' && *w->at != '-') {
		lkst_err_set(w->e, -EINVAL,
			     "what is too much of a change follows, as +20%%, -20%% or +200us");
		return criterion_mark(w, 0);
	}
	c->is_less = *w->at == '-';
	err = w->at[w->length - 1] == '%' ? parse_percent(w, c) : parse_duration(w, c);
	if (err)
		return err;
	next_word(w);
	if (!w->length)
		return 0;
	lkst_err_set(w->e, -EINVAL,
		     "a criterion ends with the change; another one is another --fail-if");
	return criterion_mark(w, 0);
}

int lkst_criterion_parse(struct lkst_err *e, const char *text, struct lkst_criterion *ret_criterion)
{
	struct criterion_words w = { .e = e, .text = text, .at = text };
	struct lkst_criterion c = {};
	int err = parse_statistic(&w, &c) ?: criterion_parse_key(&w, &c) ?: parse_change(&w, &c);

	if (!err)
		*ret_criterion = c;
	return err;
}

/* ---- judging --------------------------------------------------------------------------------- */

static double criterion_value_of(const struct lkst_criterion *c, const struct lkst_diff_row *r,
				 unsigned int i)
{
	const struct lkst_hist *h = r->of[i] ? &r->of[i]->lengths : NULL;

	switch (c->of) {
	case LKST_CRITERION_COUNT:
		return r->count[i];
	case LKST_CRITERION_TOTAL:
		return r->time[i];
	case LKST_CRITERION_MEAN:
		return h ? lkst_hist_mean(h) : 0;
	case LKST_CRITERION_QUANTILE:
		return h ? (double)lkst_hist_quantile(h, c->q) : 0;
	default:
		return h ? (double)h->max : 0;
	}
}

static bool is_rate(const struct lkst_criterion *c)
{
	return c->of == LKST_CRITERION_COUNT || c->of == LKST_CRITERION_TOTAL;
}

static enum lkst_diff_test test_of(const struct lkst_criterion *c)
{
	return c->of == LKST_CRITERION_COUNT ? LKST_DIFF_IN_COUNT
	       : c->of == LKST_CRITERION_TOTAL ? LKST_DIFF_IN_TIME
					       : LKST_DIFF_IN_LENGTH;
}

static int judge_rate(const struct lkst_diff *d, const struct lkst_criterion *c,
		      const struct lkst_diff_row *r, struct lkst_verdict *v)
{
	struct lkst_diff_parts parts[2];
	struct lkst_resample_parts given[2];
	struct lkst_resampled result;
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		if (r->of[i] && !r->of[i]->stretches) {
			v->why = "there are too many rows to know when each of them happened";
			return 0;
		}
		lkst_diff_parts(d, r, i, c->of == LKST_CRITERION_TOTAL, &parts[i]);
		given[i] = (struct lkst_resample_parts){ parts[i].values, parts[i].weights,
							 parts[i].nr };
		if (parts[i].nr < PARTS_LEAST)
			v->why = "too few occurrences, or too little time";
	}
	if (v->why)
		return 0;
	err = lkst_resample_parts(&given[0], &given[1],
				  (parts[0].inflation + parts[1].inflation) / 2, &result);
	v->p = c->is_less ? result.less : result.more;
	return err;
}

static int judge_lengths(const struct lkst_diff *d, const struct lkst_criterion *c,
			 const struct lkst_diff_row *r, struct lkst_verdict *v)
{
	const struct lkst_hist *a = &r->of[0]->lengths, *b = &r->of[1]->lengths;
	double inflation = lkst_diff_inflation(d, r);
	struct lkst_resampled result;
	int err;

	if (a->count < LKST_CRITERION_LEAST || b->count < LKST_CRITERION_LEAST) {
		v->why = "too few occurrences";
		return 0;
	}
	if (c->of == LKST_CRITERION_MAX) {
		v->p = c->is_less ? lkst_beyond_p(b, a, inflation) : lkst_beyond_p(a, b, inflation);
		return 0;
	}
	err = lkst_resample_hists(a, b, c->of == LKST_CRITERION_QUANTILE ? c->q : -1, inflation,
				  &result);
	v->p = c->is_less ? result.less : result.more;
	return err;
}

/* Whether the values alone meet it: a change that is there at all, and is large enough. */
static bool is_met(const struct lkst_criterion *c, const double values[2])
{
	double change = c->is_less ? values[0] - values[1] : values[1] - values[0];

	return change > 0 && change >= (c->is_percent ? c->share * values[0] : (double)c->ns);
}

int lkst_criterion_judge(const struct lkst_diff *d, const struct lkst_criterion *c, unsigned int nr,
			 struct lkst_verdict *ret_verdict)
{
	const struct lkst_diff_row *r = lkst_diff_find(d, c->key);
	struct lkst_verdict v = { .p = 1 };
	unsigned int i;
	int err;

	if (!r) {
		v.is_unknown = true;
		v.why = "neither has such a row";
	} else if (r->missing) {
		v.why = r->missing;
	} else if (!is_rate(c) && (!r->of[0] || !r->of[1] || !r->of[0]->lengths.count ||
				   !r->of[1]->lengths.count)) {
		v.why = "only one of them has such a row, so only its count and its total can be judged";
	} else {
		v.has_values = true;
		for (i = 0; i < 2; i++)
			v.values[i] = criterion_value_of(c, r, i);
		v.is_met = is_met(c, v.values);
		err = is_rate(c) ? judge_rate(d, c, r, &v) : judge_lengths(d, c, r, &v);
		if (err)
			return err;
		/* As much as that may be what two recordings of the same differ by. */
		v.p = fmax(v.p, r->usual_p[test_of(c)]);
		v.is_sure = !v.why && v.p <= d->options.level / nr;
	}
	*ret_verdict = v;
	return 0;
}
