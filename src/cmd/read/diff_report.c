/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables, examples and JSON of `lkst diff`. */
#include "cmd/read/diff_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/waited.h"
#include "analyze/why/why.h"
#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/readers/code_naming.h"
#include "print/account_text.h"

enum {
	EXCERPT_RECORDS = 1 << 18, /* some 20 MiB */
};

static const char letters[] = "AB";

/* ---- rows ------------------------------------------------------------------------------------ */

/* Columns of a value of both, in text only if they have a title. */
#define BOTH(name, type, title_a, title_b, help)                                                   \
	{ name "_a", title_a, LKST_COLUMN_##type, help " in A" },                                  \
	{                                                                                          \
		name "_b", title_b, LKST_COLUMN_##type, help " in B"                               \
	}

static const struct lkst_column columns[] = {
	{ "key", "what", LKST_COLUMN_TEXT, "what is compared, as KIND:KEY" },
	{ "change_ns", NULL, LKST_COLUMN_NUMBER, "time in B less time in A" },
	{ NULL, "change", LKST_COLUMN_TEXT, "time in B less time in A" },
	BOTH("time", DURATION, "time A", "time B",
	     "time of all that there were, per second or operation,"),
	BOTH("count", RATIO, "count A", "count B", "how many there were, per second or operation,"),
	BOTH("mean", DURATION, "mean A", "mean B", "mean length"),
	BOTH("p50", DURATION, NULL, NULL, "half were no longer"),
	BOTH("p95", DURATION, NULL, NULL, "95 % were no longer"),
	BOTH("p99", DURATION, "p99 A", "p99 B", "99 % were no longer"),
	BOTH("p99_9", DURATION, NULL, NULL, "99.9 % were no longer"),
	BOTH("max", DURATION, NULL, NULL, "the longest"),
	{ "longer", "longer", LKST_COLUMN_PERCENT,
	  "of all pairs, those of which the one of B is the longer; equal ones count half" },
	{ "p_length", NULL, LKST_COLUMN_RATIO, "how likely lengths differ so by accident" },
	{ "p_time", NULL, LKST_COLUMN_RATIO, "how likely times differ so by accident" },
	{ "p_count", NULL, LKST_COLUMN_RATIO, "how likely counts differ so by accident" },
	{ NULL, "p", LKST_COLUMN_TEXT, "the least of them" },
	{ "differs", "differs", LKST_COLUMN_TEXT,
	  "what differs significantly: length, time, count" },
	{ "significant", NULL, LKST_COLUMN_FLAG, "whether anything does" },
	BOTH("lost", PERCENT, NULL, NULL, "share that gaps have cut"),
	{ "not_comparable", "not comparable", LKST_COLUMN_TEXT, "why it was not compared" },
};

static void put_change(struct lkst_table *t, double ns)
{
	char text[LKST_DURATION_TEXT];
	double rounded = round(ns);

	lkst_table_s64(t, rounded >= 9e18    ? INT64_MAX
			  : rounded <= -9e18 ? INT64_MIN
					     : (s64)rounded);
	lkst_duration_format(fabs(rounded) >= 9e18 ? INT64_MAX : (u64)fabs(rounded), text);
	lkst_table_printf(t, "%s%s", rounded < 0 ? "-" : "+", text);
}

static void put_ns(struct lkst_table *t, double ns)
{
	lkst_table_u64(t, ns >= 1.8e19 ? UINT64_MAX : (u64)(ns + 0.5));
}

static void put_lengths(struct lkst_table *t, const struct lkst_diff_row *r)
{
	static const double places[] = { 0.5, 0.95, 0.99, 0.999, 1 };
	unsigned int i, k;

	for (i = 0; i <= sizeof(places) / sizeof(places[0]); i++)
		for (k = 0; k < 2; k++) {
			const struct lkst_hist *h = r->of[k] ? &r->of[k]->lengths : NULL;

			if (!h || !h->count)
				lkst_table_none(t);
			else if (!i)
				lkst_table_u64(t, lkst_hist_rounded_mean(h));
			else
				lkst_table_u64(t, places[i - 1] < 1
							  ? lkst_hist_quantile(h, places[i - 1])
							  : h->max);
		}
}

/* For programs; above 1 it is not known. */
static void put_p(struct lkst_table *t, double p)
{
	if (p > 1)
		lkst_table_none(t);
	else
		lkst_table_double(t, p);
}

/* For people. */
static void put_p_text(struct lkst_table *t, double p)
{
	if (p > 1)
		lkst_table_none(t);
	else if (p < 0.001)
		lkst_table_str(t, "< 0.001");
	else
		lkst_table_printf(t, "%.3f", p);
}

static void put_significance(struct lkst_table *t, const struct lkst_diff_row *r)
{
	static const char *const names[] = {
		[LKST_DIFF_IN_LENGTH] = "length",
		[LKST_DIFF_IN_TIME] = "time",
		[LKST_DIFF_IN_COUNT] = "count",
	};
	char text[32] = "";
	double p = LKST_DIFF_NOT_TESTED;
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < LKST_NR_DIFF_TESTS; i++) {
		put_p(t, r->p[i]);
		p = fmin(p, r->p[i]);
		if (r->is_significant[i])
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "", names[i]);
	}
	put_p_text(t, p);
	lkst_table_str(t, text);
	lkst_table_bool(t, lkst_diff_is_significant(r));
}

static void diff_report_put_row(struct lkst_table *t, const struct lkst_diff_row *r)
{
	unsigned int i;

	lkst_table_row(t);
	lkst_table_str(t, r->name);
	put_change(t, r->time[1] - r->time[0]);
	for (i = 0; i < 2; i++)
		put_ns(t, r->time[i]);
	for (i = 0; i < 2; i++)
		lkst_table_double(t, r->count[i]);
	put_lengths(t, r);
	if (r->greater < 0)
		lkst_table_none(t);
	else
		lkst_table_double(t, 100 * r->greater);
	put_significance(t, r);
	for (i = 0; i < 2; i++)
		lkst_table_double(t, 100 * r->lost[i]);
	if (r->missing)
		lkst_table_str(t, r->missing);
	else
		lkst_table_none(t);
}

static void diff_report_note_limited(const struct lkst_diff *d, struct lkst_notes *notes)
{
	bool all[LKST_EVENT_SPACE];
	char text[LKST_LIMITED_TEXT];
	unsigned int i;

	memset(all, true, sizeof(all));
	for (i = 0; i < 2; i++) {
		const struct lkst_diff_side *s = d->sides[i];

		if (lkst_limited_is(s->limited, all, s->from_ns, s->to_ns, text))
			lkst_notes_add(notes,
				       "Not all of %c was recorded, to keep to the cost limit: %s. Rows that rest on "
				       "it are not compared.",
				       letters[i], text);
	}
}

/* By how much rows differ that have not changed: what one pair of recordings cannot show is said. */
static void note_usual_change(const struct lkst_diff *d, struct lkst_notes *notes)
{
	const double *usual = d->usual_change;

	if (usual[LKST_DIFF_IN_TIME] >= 0)
		lkst_notes_add(notes,
			       "Most rows differ by some %.0f %% in length, %.0f %% in time and %.0f %% in count, "
			       "as two recordings of the same do. What differs by not much more than that is not "
			       "called significant.",
			       100 * usual[LKST_DIFF_IN_LENGTH], 100 * usual[LKST_DIFF_IN_TIME],
			       100 * usual[LKST_DIFF_IN_COUNT]);
}

/* Text shows the significant ones, those that cannot be compared, or all; programs get all. */
static int diff_report_make_rows(const struct lkst_diff_report *r, struct lkst_table *t)
{
	const struct lkst_diff *d = r->diff;
	char title[2 * LKST_ERR_LINE];
	u32 i, nr_hidden = 0;

	snprintf(title, sizeof(title), "A: %.150s, B: %.150s; times and counts per %s", r->names[0],
		 r->names[1], d->options.per ?: "second");
	lkst_table_init_of(t, "diff", title, columns);
	for (i = 0; i < d->nr_rows; i++) {
		if (r->format == LKST_TABLE_TEXT && !r->has_all && !d->rows[i].missing &&
		    !lkst_diff_is_significant(&d->rows[i]))
			nr_hidden++;
		else
			diff_report_put_row(t, &d->rows[i]);
	}
	lkst_notes_add(&t->notes,
		       "%u of %u rows differ significantly, by %u tests at the level of %g %%.",
		       d->nr_significant, d->nr_rows, d->nr_tests, 100 * d->options.level);
	note_usual_change(d, &t->notes);
	if (nr_hidden)
		lkst_notes_add(&t->notes, "%u that do not are not shown; --all shows them.",
			       nr_hidden);
	if (d->nr_missing)
		lkst_notes_add(&t->notes, "%u could not be compared.", d->nr_missing);
	diff_report_note_limited(d, &t->notes);
	for (i = 0; i < 2; i++) {
		const struct lkst_diff_side *s = d->sides[i];

		if (s->covered_ns < s->to_ns - s->from_ns)
			lkst_notes_add(
				&t->notes,
				"Of %c, %.1f %% of the time is in gaps and belongs to no row.",
				letters[i],
				100 - 100 * (double)s->covered_ns /
						(double)(s->to_ns - s->from_ns));
	}
	return t->error;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static const struct lkst_column verdict_columns[] = {
	{ "criterion", "criterion", LKST_COLUMN_TEXT, "what was given" },
	{ "value_a", NULL, LKST_COLUMN_RATIO, "its value in A, ns or how many" },
	{ "value_b", NULL, LKST_COLUMN_RATIO, "its value in B" },
	{ NULL, "A", LKST_COLUMN_TEXT, "its value in A" },
	{ NULL, "B", LKST_COLUMN_TEXT, "its value in B" },
	{ "change", "change", LKST_COLUMN_PERCENT, "of what it was" },
	{ "p", NULL, LKST_COLUMN_RATIO, "how likely it changes so by accident" },
	{ NULL, "p", LKST_COLUMN_TEXT, "the same" },
	{ "met", NULL, LKST_COLUMN_FLAG, "whether the values meet it" },
	{ "failed", NULL, LKST_COLUMN_FLAG, "whether they do, and significantly" },
	{ "verdict", "verdict", LKST_COLUMN_TEXT, "in words" },
};

static void diff_report_put_value(struct lkst_table *t, const struct lkst_criterion *c, double value)
{
	char text[LKST_DURATION_TEXT];

	if (c->of == LKST_CRITERION_COUNT) {
		lkst_table_printf(t, "%.4g", value);
		return;
	}
	lkst_duration_format((u64)fmin(value + 0.5, 9e18), text);
	lkst_table_str(t, text);
}

static void diff_report_put_values(struct lkst_table *t, const struct lkst_criterion *c,
				   const struct lkst_verdict *v)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		lkst_table_double(t, v->values[i]);
	for (i = 0; i < 2; i++)
		diff_report_put_value(t, c, v->values[i]);
	if (v->values[0] > 0)
		lkst_table_double(t, 100 * (v->values[1] / v->values[0] - 1));
	else
		lkst_table_none(t);
	put_p(t, v->p);
	put_p_text(t, v->p);
}

/* What may have been meant is shown here, where the criterion is, in each form of output. */
static void put_not_judged(struct lkst_table *t, const struct lkst_diff *d,
			   const struct lkst_criterion *c, const struct lkst_verdict *v)
{
	char near[LKST_SUGGEST_TEXT] = "";

	if (v->is_unknown)
		lkst_diff_suggest(d, c->key, near);
	lkst_table_printf(t, "not judged: %s%s", v->why,
			  !v->is_unknown || near[0] ? near : "; --all shows what there is");
}

static void put_verdict(struct lkst_table *t, const struct lkst_diff *d, const char *text,
			const struct lkst_criterion *c, const struct lkst_verdict *v)
{
	unsigned int i;

	lkst_table_row(t);
	lkst_table_str(t, text);
	if (v->has_values)
		diff_report_put_values(t, c, v);
	for (i = 0; !v->has_values && i < 7; i++)
		lkst_table_none(t);
	lkst_table_bool(t, v->is_met);
	lkst_table_bool(t, v->is_met && v->is_sure);
	if (v->why)
		put_not_judged(t, d, c, v);
	else
		lkst_table_str(t, !v->is_met   ? "not met"
				  : v->is_sure ? "failed"
					       : "met, but not significant");
}

static int make_verdicts(const struct lkst_diff_report *r, struct lkst_table *t)
{
	unsigned int i;

	lkst_table_init_of(t, "criteria", "Criteria", verdict_columns);
	for (i = 0; i < r->nr_criteria; i++)
		put_verdict(t, r->diff, r->criterion_texts[i], &r->criteria[i], &r->verdicts[i]);
	return t->error;
}

/* ---- examples -------------------------------------------------------------------------------- */

/* A typical occurrence of a row, explained. */
struct diff_report_why {
	const struct lkst_diff_row *row;
	unsigned int side;
	bool is_slow;
	const char *place;
	struct lkst_code_namer namer;
	struct lkst_excerpt *excerpt;
	struct lkst_account *account;
};

static void why_fini(struct diff_report_why *w)
{
	lkst_account_free(w->account);
	lkst_excerpt_free(w->excerpt);
	lkst_code_naming_end(&w->namer);
}

/* Explains @x. That nothing is known of its thread is no failure: then there is no account. */
static int diff_report_explain(struct lkst_err *e, const struct lkst_diff_report *r,
			       const struct lkst_diff_example *x, struct diff_report_why *w)
{
	struct lkst_excerpt_options options = { .max = EXCERPT_RECORDS };
	u64 from_ns = x->start_ns, to_ns = x->start_ns + x->ns;
	int err = lkst_code_naming_begin(e, r->traces[w->side], &w->namer);

	options.namer = w->namer;
	if (!err)
		err = lkst_excerpt_new(e, r->traces[w->side],
				       from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0,
				       to_ns + LKST_WHY_TAIL_NS, &options, &w->excerpt);
	if (err)
		return err;
	err = lkst_why_explain(e, w->excerpt, x->tid, from_ns, to_ns, LKST_WHY_DEPTH, &w->account);
	return err == -ENOENT ? 0 : err;
}

static void diff_report_set_up(const struct lkst_diff_report *r, const struct diff_report_why *w, struct lkst_out *out,
			       struct lkst_view_config *ret_config)
{
	u64 end_ns;

	*ret_config = (struct lkst_view_config){ .out = out,
						 .catalog = lkst_trace_catalog(r->traces[w->side]),
						 .threads = w->excerpt->threads,
						 .symbols = w->excerpt->symbols,
						 .time = LKST_VIEW_DAY };
	lkst_trace_range(r->traces[w->side], &ret_config->begin_ns, &end_ns);
}

/* @j NULL: as text. */
static int diff_report_print_one(struct lkst_err *e, const struct lkst_diff_report *r, struct diff_report_why *w,
				 const struct lkst_diff_example *x, struct lkst_out *out, struct lkst_json *j)
{
	struct lkst_view_config config;
	int err = diff_report_explain(e, r, x, w);

	if (err || !w->account)
		return err;
	diff_report_set_up(r, w, out, &config);
	if (!j) {
		lkst_out_str(out, "\n");
		lkst_out_message(out, "%s, a typical %s one: at %s of %c", w->row->name,
				 w->is_slow ? "slow" : "fast", w->place, letters[w->side]);
		return lkst_view_account_text(&config, w->account, false);
	}
	lkst_json_object(j, w->is_slow ? "slow" : "fast");
	lkst_json_text(j, "side", &letters[w->side], 1);
	lkst_json_str(j, "place", w->place);
	lkst_json_s64(j, "tid", x->tid);
	lkst_json_u64(j, "from_ns", x->start_ns);
	lkst_json_u64(j, "duration_ns", x->ns);
	err = lkst_view_account_json_in(&config, w->account, j, "account");
	lkst_json_end(j);
	return err;
}

static int print_both(struct lkst_err *e, const struct lkst_diff_report *r,
		      const struct lkst_diff_row *row, struct lkst_out *out, struct lkst_json *j)
{
	struct lkst_diff_pair pair;
	unsigned int i;
	int err = 0;

	lkst_diff_examples(row, &pair);
	if (j) {
		lkst_json_break(j);
		lkst_json_object(j, NULL);
		lkst_json_str(j, "key", row->name);
	}
	for (i = 0; i < 2 && !err; i++) {
		const struct lkst_diff_example *x = i ? pair.fast : pair.slow;
		_cleanup_(why_fini) struct diff_report_why w = { .row = row,
						     .side = i ? !pair.slow_side : pair.slow_side,
						     .is_slow = !i,
						     .place = pair.place };

		if (x)
			err = diff_report_print_one(e, r, &w, x, out, j);
	}
	if (j)
		lkst_json_end(j);
	return err;
}

/* The first of the significant rows that a thread spends its time in. */
static int print_whys(struct lkst_err *e, const struct lkst_diff_report *r, struct lkst_out *out,
		      struct lkst_json *j)
{
	u64 nr = 0;
	u32 i;
	int err = 0;

	for (i = 0; i < r->diff->nr_rows && nr < r->max_whys && !err; i++) {
		const struct lkst_diff_row *row = &r->diff->rows[i];

		if (!lkst_diff_is_significant(row) || !lkst_diff_has_thread(row->kind))
			continue;
		err = print_both(e, r, row, out, j);
		nr++;
	}
	return err;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void put_sides(const struct lkst_diff_report *r, struct lkst_json *j)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct lkst_diff_side *s = r->diff->sides[i];

		lkst_json_object(j, i ? "b" : "a");
		lkst_json_str(j, "name", r->names[i]);
		lkst_json_u64(j, "from_ns", s->from_ns);
		lkst_json_u64(j, "to_ns", s->to_ns);
		lkst_json_u64(j, "covered_ns", s->covered_ns);
		lkst_json_double(j, "divided_by", r->diff->units[i]);
		lkst_json_end(j);
	}
	lkst_json_str(j, "per", r->diff->options.per ?: "second");
}

static void put_json_rows(struct lkst_json *j, const char *name, const struct lkst_table *t)
{
	size_t i;

	lkst_json_break(j);
	lkst_json_array(j, name);
	for (i = 0; i < t->nr_rows; i++) {
		lkst_json_break(j);
		lkst_table_json_row(j, t, i);
	}
	lkst_json_end(j);
}

/* What is printed of both. */
struct tables {
	struct lkst_table rows, verdicts, waiting;
};

static void diff_report_put_notes(struct lkst_json *j, const struct lkst_notes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->nr; i++)
		lkst_json_str(j, NULL, notes->text[i]);
}

static int diff_report_print_json(struct lkst_err *e, const struct lkst_diff_report *r, struct lkst_out *out,
				  const struct tables *t)
{
	struct lkst_json j;
	int err;

	lkst_json_init(&j, out);
	lkst_json_object(&j, NULL);
	put_sides(r, &j);
	put_json_rows(&j, "rows", &t->rows);
	put_json_rows(&j, "criteria", &t->verdicts);
	put_json_rows(&j, "waiting", &t->waiting);
	lkst_json_array(&j, "why");
	err = print_whys(e, r, out, &j);
	lkst_json_end(&j);
	lkst_json_array(&j, "notes");
	diff_report_put_notes(&j, &t->rows.notes);
	lkst_json_end(&j);
	lkst_json_end(&j);
	return err;
}

/* CSV has one table, of one kind of rows, and that of the criteria, if there are any. */
static int diff_report_print_tables(struct lkst_err *e, const struct lkst_diff_report *r, struct lkst_out *out,
				    const struct tables *t)
{
	struct lkst_table_printer p;
	unsigned int i;

	lkst_table_printer_init(&p, out, r->format, 0);
	p.max_rows = r->max_rows;
	lkst_table_print(&p, &t->rows);
	/* CSV has no place for the lines below a table. */
	for (i = 0; r->format == LKST_TABLE_CSV && i < t->rows.notes.nr; i++)
		lkst_print_message(stderr, "note: %s", t->rows.notes.text[i]);
	p.max_rows = 0;
	if (r->format == LKST_TABLE_TEXT)
		lkst_table_print(&p, &t->waiting);
	if (r->nr_criteria)
		lkst_table_print(&p, &t->verdicts);
	lkst_table_printer_end(&p);
	return r->format == LKST_TABLE_TEXT ? print_whys(e, r, out, NULL) : 0;
}

int lkst_diff_report_print(struct lkst_err *e, const struct lkst_diff_report *r,
			   struct lkst_out *out)
{
	struct tables t = {};
	int err = diff_report_make_rows(r, &t.rows) ?: make_verdicts(r, &t.verdicts);

	if (err)
		err = lkst_err_sys(e, err, "comparing");
	else
		err = lkst_diff_waited(e, r->diff, r->traces, r->comm, r->has_all, &t.waiting);
	if (!err)
		err = r->format == LKST_TABLE_JSON ? diff_report_print_json(e, r, out, &t)
						   : diff_report_print_tables(e, r, out, &t);
	lkst_table_fini(&t.rows);
	lkst_table_fini(&t.verdicts);
	lkst_table_fini(&t.waiting);
	return err;
}
