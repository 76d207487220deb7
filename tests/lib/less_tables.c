/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/less_tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	KEY_MAX = 512,
	ANALYSES_MAX = 64,
};

/* A value that an analysis has measured. */
struct value {
	const struct lkst_tally *tally;
	u64 value, start_ns;
	s32 tid;
};

struct less_answers {
	struct lkst_trace *trace;
	struct lkst_analysis_run *run;
	struct value *values;
	u32 nr_values;
	const struct lkst_analysis *list[ANALYSES_MAX];
	unsigned int nr;
};

static int on_value(void *arg, const struct lkst_tally *t, u32 key, u64 value, u64 start_ns, s32 tid)
{
	struct less_answers *a = arg;
	struct value *v = lkst_vec_add(a->values, a->nr_values);

	if (!v)
		return -12;
	*v = (struct value){ t, value, start_ns, tid };
	return 0;
}

struct less_answers *less_answers_new(const char *dir)
{
	struct less_answers *a = calloc(1, sizeof(*a));
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX, .each = on_value, .each_arg = a };
	struct lkst_err e = {};
	unsigned int i;

	for (i = 0; a && lkst_analyses[i]; i++)
		if (!lkst_analyses[i]->is_of_named && a->nr < ANALYSES_MAX)
			a->list[a->nr++] = lkst_analyses[i];
	if (!a || lkst_trace_open(&e, dir, &a->trace) ||
	    lkst_analysis_run_new(&e, a->trace, &options, a->list, a->nr, &a->run) ||
	    lkst_analysis_run_pass(&e, a->run)) {
		fprintf(stderr, "less_answers_new: %s\n", e.text);
		abort();
	}
	return a;
}

void less_answers_free(struct less_answers *a)
{
	lkst_analysis_run_free(a->run);
	lkst_trace_close(a->trace);
	free(a->values);
	free(a);
}

static void __attribute__((format(printf, 2, 3))) find(struct less_tables *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!l->wrong++)
		vsnprintf(l->text, sizeof(l->text), format, args);
	va_end(args);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What a row is about: its words, and whom. What is said of that, and sentences, are no part of it. */
static bool is_key(const struct lkst_column *c)
{
	static const char *const said[] = { "note", "chart", "text", "blocked_on", "container", "args" };
	size_t i;

	for (i = 0; c->name && i < sizeof(said) / sizeof(said[0]); i++)
		if (!strcmp(c->name, said[i]))
			return false;
	return c->type == LKST_COLUMN_TEXT || c->type == LKST_COLUMN_TID || c->type == LKST_COLUMN_PID ||
	       c->type == LKST_COLUMN_CPU || c->type == LKST_COLUMN_ADDRESS;
}

static void key_of(const struct lkst_table *t, size_t row, char key[KEY_MAX])
{
	unsigned int i, used = 0;

	key[0] = 0;
	for (i = 0; i < t->nr_columns && used < KEY_MAX - 1; i++) {
		const struct lkst_cell *cell = lkst_table_cell(t, row, i);

		if (!is_key(&t->columns[i]) && !(t->kind == LKST_TABLE_HISTOGRAM && !i))
			continue;
		if (!cell->is_set)
			used += (unsigned int)snprintf(key + used, KEY_MAX - used, "- ");
		else if (t->columns[i].type == LKST_COLUMN_TEXT)
			used += (unsigned int)snprintf(key + used, KEY_MAX - used, "%s ", cell->text);
		else
			used += (unsigned int)snprintf(key + used, KEY_MAX - used, "%lld ", (long long)cell->s64);
	}
}

/* What is not known in full is counted under words of its own, as more than in the whole. */
static bool is_unknown(const char *key)
{
	static const char *const words[] = { "unknown", "<interrupt>", "<some_softirq>", "<vector>", "?" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(key, words[i]))
			return true;
	return false;
}

static double number(const struct lkst_table *t, const struct lkst_cell *cell, unsigned int column)
{
	switch (lkst_column_storage(t->columns[column].type)) {
	case LKST_CELL_DOUBLE:
		return cell->number;
	case LKST_CELL_S64:
		return (double)cell->s64;
	default:
		return (double)cell->u64;
	}
}

static bool is_number(const struct lkst_column *c)
{
	return !is_key(c) && c->type != LKST_COLUMN_TEXT && c->type != LKST_COLUMN_TIME &&
	       c->type != LKST_COLUMN_CLOCK && c->type != LKST_COLUMN_FLAG;
}

static void compare_cell(const struct lkst_table *whole, size_t w, const struct lkst_table *part, size_t p,
			 unsigned int column, const char *key, struct less_tables *l)
{
	const struct lkst_cell *x = lkst_table_cell(part, p, column), *y = lkst_table_cell(whole, w, column);
	const double a = number(part, x, column), b = number(whole, y, column);
	const bool is_most = x->is_at_most, is_least = (x->is_at_least || part->is_at_least) && !is_most;

	if (!x->is_set)
		return;
	if (y->is_set && a == b)
		l->same++;
	else if (y->is_set && ((is_least && a <= b) || (is_most && a >= b)))
		l->bounds++;
	else
		find(l, "%s: %s%s is %.15g%s, whole %.15g", part->name, key, part->columns[column].name, a,
		     is_least ? " at least" : is_most ? " at most" : "", b);
}

static void compare_row(const struct lkst_table *whole, const struct lkst_table *part, size_t row,
			struct less_tables *l)
{
	char key[KEY_MAX], other[KEY_MAX];
	unsigned int i;
	size_t w;

	key_of(part, row, key);
	/* How many records there are is no number of the machine's. */
	if (is_unknown(key) || (!strcmp(part->name, "summary") && !strcmp(key, "events ")))
		return;
	for (w = 0; w < whole->nr_rows; w++) {
		key_of(whole, w, other);
		if (!strcmp(key, other))
			break;
	}
	if (w == whole->nr_rows) {
		find(l, "%s: %sis not in the whole", part->name, key);
		return;
	}
	for (i = 0; i < part->nr_columns; i++)
		if (is_number(&part->columns[i]))
			compare_cell(whole, w, part, row, i, key, l);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Rows that are the first of more: what they say are facts of the model, which less.h compares, and values, as below.
 */
static bool is_ranking(const struct lkst_table *t)
{
	const size_t length = strlen(t->name);

	return !strcmp(t->name, "findings") || !strcmp(t->name, "waiting") ||
	       (length > 6 && !strcmp(t->name + length - 6, "_worst"));
}

static void compare_table(const struct lkst_table *whole, const struct lkst_table *part, struct less_tables *l)
{
	size_t row;

	for (row = 0; row < part->nr_rows; row++)
		compare_row(whole, part, row, l);
}

/* How many there are of something at a moment may be more. */
static bool is_value_of(const struct value *p, const struct value *w)
{
	if (p->tally->config.type == LKST_COLUMN_COUNT)
		return p->start_ns == w->start_ns && p->value <= w->value;
	return p->start_ns == w->start_ns && p->tid == w->tid && p->value == w->value;
}

/* Each value of the part is one of the whole. */
static void compare_values(const struct less_answers *whole, const struct less_answers *part, unsigned int analysis,
			   struct less_tables *l)
{
	const struct lkst_tally *x = lkst_analysis_run_tally(part->run, analysis),
				*y = lkst_analysis_run_tally(whole->run, analysis);
	u32 i, k;

	for (i = 0; x && i < part->nr_values; i++) {
		if (part->values[i].tally != x)
			continue;
		for (k = 0; k < whole->nr_values; k++)
			if (whole->values[k].tally == y && is_value_of(&part->values[i], &whole->values[k]))
				break;
		if (k == whole->nr_values)
			find(l, "%s: a value %llu of thread %d from %llu on is not in the whole",
			     part->list[analysis]->name, (unsigned long long)part->values[i].value,
			     part->values[i].tid, (unsigned long long)part->values[i].start_ns);
	}
}

void less_tables_compare(const struct less_answers *whole, const struct less_answers *part, struct less_tables *l)
{
	const struct lkst_tables *x, *y;
	const struct lkst_table *w;
	unsigned int i, k;

	for (i = 0; i < part->nr; i++) {
		x = lkst_analysis_run_tables(part->run, i);
		y = lkst_analysis_run_tables(whole->run, i);
		for (k = 0; k < x->nr; k++) {
			w = lkst_tables_find(y, x->items[k]->name);
			if (w && !is_ranking(x->items[k]))
				compare_table(w, x->items[k], l);
			else if (!w && x->items[k]->nr_rows && strcmp(x->items[k]->name, "limited"))
				find(l, "%s: the whole has no such table", x->items[k]->name);
		}
		compare_values(whole, part, i, l);
	}
}
