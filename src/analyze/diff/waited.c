/* SPDX-License-Identifier: GPL-2.0-only */
/* The findings of both, by who waited and for what. */
#include "analyze/diff/waited.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/size.h"

enum { AS_MUCH_PERCENT = 150 }; /* the greater of the two is no more than this of the other */

static const struct lkst_column columns[] = {
	{ "change", "change", LKST_COLUMN_TEXT, "only in A, only in B, more in B, less in B, or as much in both" },
	{ NULL, "where the waiting went", LKST_COLUMN_TEXT, "who was kept waiting, for what, and because of whom" },
	{ "text", NULL, LKST_COLUMN_TEXT, "the same, as it is of the one that has more of it" },
	{ "kind", NULL, LKST_COLUMN_TEXT, "what it waited for, as of `lkst why`" },
	{ "comm", NULL, LKST_COLUMN_TEXT, "the name of the threads that waited" },
	{ "change_ns", NULL, LKST_COLUMN_NUMBER, "time in B less time in A" },
	{ "time_a", NULL, LKST_COLUMN_DURATION, "lost per second or operation in A" },
	{ "time_b", NULL, LKST_COLUMN_DURATION, "lost per second or operation in B" },
	{ "count_a", NULL, LKST_COLUMN_RATIO, "how often per second or operation in A" },
	{ "count_b", NULL, LKST_COLUMN_RATIO, "how often per second or operation in B" },
};

/* The findings of one side. */
struct waited_findings {
	struct lkst_analysis_run *run;
	const struct lkst_table *table;
	bool *is_taken; /* by row: it is told with one of the other side */
};

static void findings_fini(struct waited_findings *f)
{
	lkst_analysis_run_free(f->run);
	free(f->is_taken);
}

static int waited_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_diff_side *s, const char *comm,
		       struct waited_findings *f)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_waiting };
	const struct lkst_analysis_options options = { .from_ns = s->from_ns, .to_ns = s->to_ns, .which.comm = comm };
	int err = lkst_analysis_run_new(e, t, &options, asked, 1, &f->run) ?: lkst_analysis_run_pass(e, f->run);

	if (err)
		return err;
	f->table = lkst_tables_find(lkst_analysis_run_tables(f->run, 0), "waiting");
	f->is_taken = f->table ? calloc(f->table->nr_rows + 1, sizeof(*f->is_taken)) : NULL;
	return f->is_taken ? 0 : lkst_err_sys(e, -ENOMEM, "comparing what was waited for");
}

static const struct lkst_cell *waited_cell_of(const struct waited_findings *f, size_t row, const char *name)
{
	return lkst_table_cell_of(f->table, row, name);
}

static bool is_alike(const struct waited_findings *a, size_t row_a, const struct waited_findings *b, size_t row_b)
{
	return !strcmp(waited_cell_of(a, row_a, "comm")->text, waited_cell_of(b, row_b, "comm")->text) &&
	       !strcmp(waited_cell_of(a, row_a, "kind")->text, waited_cell_of(b, row_b, "kind")->text);
}

/* The row of @b that is about the same as row @row of @a and is not taken, the first; -1: none. */
static s64 partner_of(const struct waited_findings *a, size_t row, const struct waited_findings *b)
{
	size_t i;

	for (i = 0; i < b->table->nr_rows; i++)
		if (!b->is_taken[i] && is_alike(a, row, b, i))
			return (s64)i;
	return -1;
}

/* A row of both sides, or of one, the other's number being -1; times and counts are per unit. */
struct waited_pair {
	s64 rows[2];
	double time[2], count[2];
};

static struct waited_pair pair_of(const struct lkst_diff *d, const struct waited_findings f[2], s64 row_a, s64 row_b)
{
	struct waited_pair p = { .rows = { row_a, row_b } };
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (p.rows[i] >= 0) {
			p.time[i] = (double)waited_cell_of(&f[i], (size_t)p.rows[i], "total")->u64 / d->units[i];
			p.count[i] = (double)waited_cell_of(&f[i], (size_t)p.rows[i], "count")->u64 / d->units[i];
		}
	return p;
}

static bool is_of_both(const struct waited_pair *p)
{
	return p->rows[0] >= 0 && p->rows[1] >= 0;
}

static bool is_as_much(const struct waited_pair *p)
{
	return is_of_both(p) &&
	       100 * fmax(p->time[0], p->time[1]) <= AS_MUCH_PERCENT * fmin(p->time[0], p->time[1]);
}

static const char *change_word(const struct waited_pair *p)
{
	if (!is_of_both(p))
		return p->rows[0] < 0 ? "only in B" : "only in A";
	return is_as_much(p) ? "as much in both" : p->time[1] > p->time[0] ? "more in B" : "less in B";
}

static void waited_put_sentence(struct lkst_table *t, const struct lkst_diff *d, const char *text,
				const struct waited_pair *p)
{
	char of[2][LKST_DURATION_TEXT];
	unsigned int i;

	for (i = 0; i < 2; i++)
		lkst_duration_format((u64)fmin(p->time[i] + 0.5, 9e18), of[i]);
	if (is_of_both(p))
		lkst_table_printf(t, "%s. Per %s: %s in A, %s in B", text, d->options.per ?: "second", of[0], of[1]);
	else
		lkst_table_str(t, text);
	lkst_table_str(t, text);
}

static void waited_put(struct lkst_table *t, const struct lkst_diff *d, const struct waited_findings f[2],
		       const struct waited_pair *p)
{
	const unsigned int most = p->rows[0] < 0 || (is_of_both(p) && p->time[1] >= p->time[0]);
	const size_t row = (size_t)p->rows[most];
	unsigned int i;

	lkst_table_row(t);
	lkst_table_str(t, change_word(p));
	waited_put_sentence(t, d, waited_cell_of(&f[most], row, "text")->text, p);
	lkst_table_str(t, waited_cell_of(&f[most], row, "kind")->text);
	lkst_table_str(t, waited_cell_of(&f[most], row, "comm")->text);
	lkst_table_s64(t, (s64)fmax(fmin(p->time[1] - p->time[0], 9e18), -9e18));
	for (i = 0; i < 2; i++)
		lkst_table_u64(t, (u64)fmin(p->time[i] + 0.5, 9e18));
	for (i = 0; i < 2; i++)
		lkst_table_double(t, p->count[i]);
}

/* The greatest harm in B first, then what is of A alone. */
static void waited_put_all(struct lkst_table *t, const struct lkst_diff *d, struct waited_findings f[2], bool has_all)
{
	u64 nr_hidden = 0;
	struct waited_pair p;
	size_t i;

	for (i = 0; i < f[1].table->nr_rows; i++) {
		p = pair_of(d, f, partner_of(&f[1], i, &f[0]), (s64)i);
		if (is_of_both(&p))
			f[0].is_taken[p.rows[0]] = true;
		if (!has_all && is_as_much(&p))
			nr_hidden++;
		else
			waited_put(t, d, f, &p);
	}
	for (i = 0; i < f[0].table->nr_rows; i++)
		if (!f[0].is_taken[i]) {
			p = pair_of(d, f, (s64)i, -1);
			waited_put(t, d, f, &p);
		}
	if (nr_hidden == 1)
		lkst_notes_add(&t->notes, "1 that is about as much in both is not shown; --all shows it.");
	else if (nr_hidden)
		lkst_notes_add(&t->notes, "%llu that are about as much in both are not shown; --all shows them.",
			       (unsigned long long)nr_hidden);
	if (!t->nr_rows)
		lkst_notes_add(&t->notes, "Nothing %sstands out in one and not in the other.",
			       nr_hidden ? "else " : "");
	else
		lkst_notes_add(&t->notes, "This is not tested: one wait more may be an accident.");
}

int lkst_diff_waited(struct lkst_err *e, const struct lkst_diff *d, struct lkst_trace *const traces[2],
		      const char *comm, bool has_all, struct lkst_table *t)
{
	struct waited_findings f[2] = {};
	int err;

	lkst_table_init_of(t, "waiting", "Where the waiting went, as far as it changed", columns);
	t->kind = LKST_TABLE_SENTENCES;
	err = waited_find(e, traces[0], d->sides[0], comm, &f[0])
		      ?: waited_find(e, traces[1], d->sides[1], comm, &f[1]);
	if (!err) {
		waited_put_all(t, d, f, has_all);
		err = t->error ? lkst_err_sys(e, t->error, "comparing what was waited for") : 0;
	}
	findings_fini(&f[0]);
	findings_fini(&f[1]);
	return err;
}
