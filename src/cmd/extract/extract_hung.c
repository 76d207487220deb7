/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of `lkst why --hung` about a trace that was just made. That they cannot be had is no error: the trace is. */
#include "cmd/extract/extract_hung.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/read/why_hung.h"

/* The table of what hangs in trace @dir; NULL: it is not known. */
static const struct lkst_table *extract_hung_ask(const char *dir, struct lkst_trace **ret_trace,
						 struct lkst_shown_tables *shown)
{
	const struct lkst_why_hung_options usual = { .least_ns = LKST_HUNG_STANDARD_NS };
	struct lkst_err ignored;

	if (lkst_trace_open(&ignored, dir, ret_trace) ||
	    lkst_why_hung_tables(&ignored, &usual, *ret_trace, shown) || !shown->nr)
		return NULL;
	return shown->items[0].table;
}

void lkst_extract_print_hung(const char *dir)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_(lkst_trace_closep) struct lkst_trace *trace = NULL;
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_table *t = out ? extract_hung_ask(dir, &trace, &shown) : NULL;
	struct lkst_table_printer p;

	if (!t || !t->nr_rows)
		return;
	fflush(stdout);
	lkst_out_init(out, STDOUT_FILENO);
	lkst_table_printer_init(&p, out, LKST_TABLE_TEXT, lkst_trace_catalog(trace)->clock_offset_ns);
	lkst_table_print(&p, t);
	lkst_table_printer_end(&p);
	lkst_out_flush(out);
}

void lkst_extract_put_hung(struct lkst_json *j, const char *dir)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *trace = NULL;
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_table *t = extract_hung_ask(dir, &trace, &shown);
	size_t row;

	if (!t)
		return;
	lkst_json_array(j, "hung");
	for (row = 0; row < t->nr_rows; row++) {
		lkst_json_object(j, NULL);
		lkst_json_str(j, "text", lkst_table_cell_of(t, row, "text")->text);
		lkst_json_str(j, "kind", lkst_table_cell_of(t, row, "kind")->text);
		lkst_json_str(j, "comm", lkst_table_cell_of(t, row, "comm")->text);
		lkst_json_u64(j, "tid", lkst_table_cell_of(t, row, "tid")->u64);
		lkst_json_u64(j, "count", lkst_table_cell_of(t, row, "count")->u64);
		lkst_json_u64(j, "longest_ns", lkst_table_cell_of(t, row, "longest")->u64);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}
