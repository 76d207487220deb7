/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks traces made of text an analysis, and looks at the tables that it answers with.
 */
#ifndef LKST_TESTS_ANALYSES_H
#define LKST_TESTS_ANALYSES_H

#include "analyze/analyses/analysis.h"
#include "lib/make_trace.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static struct lkst_trace *trace;
static struct lkst_analysis_run *study;
static char dir[64];
static char listed[4096]; /* rows of a list, "key tid start value cpu" each, then '|' */

static const char *const calls[] = { "read",   "write",	  "openat",	 "mmap",
				     "munmap", "madvise", "sched_yield", "brk" };

/* All events, and some system calls. */
static inline struct lkst_catalog *make_full_catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 100;
	struct lkst_err e;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++, id += 2) {
		const struct lkst_syscall *row = lkst_syscall_find(false, calls[i]);

		if (!row || lkst_catalog_add_syscall(&e, c, id, id + 1,
						     (unsigned int)(row - lkst_syscalls)))
			abort();
	}
	return c;
}

static inline int take_rows(void *arg, const struct lkst_table *t)
{
	size_t row, used = strlen(listed);

	for (row = 0; row < t->nr_rows; row++)
		used += (size_t)snprintf(listed + used, sizeof(listed) - used,
					 "%s %d %llu %llu %d|", lkst_table_cell(t, row, 0)->text,
					 (int)lkst_table_cell(t, row, 1)->s64,
					 (unsigned long long)lkst_table_cell(t, row, 2)->u64,
					 (unsigned long long)lkst_table_cell(t, row, 3)->u64,
					 (int)lkst_table_cell(t, row, 4)->s64);
	return 0;
}

static inline void finish(void)
{
	lkst_analysis_run_free(study);
	study = NULL;
	if (trace)
		lkst_trace_close(trace);
	trace = NULL;
	if (dir[0])
		make_scratch_remove(dir);
	dir[0] = 0;
}

/* Asks @catalog's trace of @lines the analysis @name; finish() is called before the next. */
static inline void ask_of(struct lkst_catalog *catalog, const char *lines, const char *name,
			  struct lkst_analysis_options options)
{
	const struct lkst_analysis *a = lkst_analysis_find(name);
	struct make_trace *m;
	struct lkst_err e = {};
	int err;

	finish();
	listed[0] = 0;
	make_scratch(dir);
	m = make_begin(dir, catalog, 4096);
	if (!a)
		fprintf(stderr, "there is no analysis \"%s\"\n", name);
	err = make_text(m, lines);
	if (err)
		fprintf(stderr, "%s\n", m->err.text);
	if (make_end(m) || err || !a)
		abort();
	options.to_ns = options.to_ns ? options.to_ns : UINT64_MAX;
	if (lkst_trace_open(&e, dir, &trace) ||
	    lkst_analysis_run_new(&e, trace, &options, &a, 1, &study) ||
	    lkst_analysis_run_pass(&e, study)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
}

static inline void ask(const char *lines, const char *name)
{
	ask_of(make_full_catalog(), lines, name, (struct lkst_analysis_options){ 0 });
}

static inline const char *list(const char *lines, const char *name)
{
	ask_of(make_full_catalog(), lines, name,
	       (struct lkst_analysis_options){ .list = take_rows });
	return listed;
}

static inline const struct lkst_table *table(const char *name)
{
	const struct lkst_tables *set = lkst_analysis_run_tables(study, 0);
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->items[i]->name, name))
			return set->items[i];
	return NULL;
}

/* The value in column @column of the row whose first column is @key; -1: there is none. */
static inline long long value(const char *name, const char *key, const char *column)
{
	const struct lkst_table *t = table(name);
	int c = t ? lkst_table_column(t, column) : -1;
	const struct lkst_cell *cell;
	size_t row;

	for (row = 0; c >= 0 && row < t->nr_rows; row++) {
		cell = lkst_table_cell(t, row, 0);
		if (t->columns[0].type == LKST_COLUMN_TEXT ? strcmp(cell->text, key)
							   : cell->s64 != atoll(key))
			continue;
		cell = lkst_table_cell(t, row, (unsigned int)c);
		if (!cell->is_set)
			return -1;
		return lkst_column_storage(t->columns[c].type) == LKST_CELL_DOUBLE
			       ? (long long)(cell->number * 100)
			       : (long long)cell->u64;
	}
	return -1;
}

/* How many @table, or the list if that is NULL, leaves out for the reason called @reason. */
static inline long long nr_left_out(const char *name, const char *reason)
{
	const struct lkst_table *t = name ? table(name) : lkst_analysis_run_list(study);
	unsigned int i;

	for (i = 0; t && i < t->nr_left_out; i++)
		if (!strcmp(t->left_out[i].name, reason))
			return (long long)t->left_out[i].count;
	return t && t->has_left_out ? 0 : -1;
}

static inline bool has_note(const char *name, const char *text)
{
	const struct lkst_table *t = name ? table(name) : lkst_analysis_run_list(study);
	unsigned int i;

	for (i = 0; t && i < t->notes.nr; i++)
		if (strstr(t->notes.text[i], text))
			return true;
	return false;
}

#endif
