/* SPDX-License-Identifier: GPL-2.0-only */
/* Saying why system calls failed: the table of the analysis, with lines of source, or the same in sentences. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/probe.h"
#include "analyze/analyses/analysis.h"
#include "base/cleanup.h"
#include "cmd/probe/errors.h"
#include "probe/debuginfo/function_source.h"
#include "probe/resolve/function_call.h"

enum {
	SOURCE_ROOM = 512,
	CHAIN_ROOM = 2048,
	FUNCTIONS_MAX = 64, /* of a chain */
};

static const struct lkst_column columns[] = {
	{ "call", NULL, LKST_COLUMN_TEXT, "the system call" },
	{ "error", NULL, LKST_COLUMN_TEXT, "what it failed with" },
	{ "count", NULL, LKST_COLUMN_COUNT, "how often it failed that way" },
	{ "functions", NULL, LKST_COLUMN_TEXT,
	  "those that returned the error, from the outermost to the first; none: no probe was there" },
	{ "first", NULL, LKST_COLUMN_TEXT, "the one that returned it first" },
	{ "source", NULL, LKST_COLUMN_TEXT, "where that is; none: no debug information" },
	{ "time", NULL, LKST_COLUMN_TIME, "when such a call began" },
	{ "tid", NULL, LKST_COLUMN_TID, "the thread that made it" },
	{ "comm", NULL, LKST_COLUMN_TEXT, "its name" },
	{ "arguments", NULL, LKST_COLUMN_TEXT, "what it was made with" },
	{ "first_arguments", NULL, LKST_COLUMN_TEXT,
	  "what the function that returned the error first was called with; none: not known" },
};
/* By their places above. */
enum { CALL, ERROR, COUNT, FUNCTIONS, FIRST, SOURCE, TIME, TID, COMM, ARGUMENTS, FIRST_ARGUMENTS };

struct answering {
	const struct lkst_errors_options *o;
	struct lkst_image *image; /* NULL: no source is known */
	struct lkst_table t;
};

/* ---- the table -------------------------------------------------------------------------------- */

/* What the analysis calls the first is first, and its chain goes outwards; here it is the other way round. */
static void errors_answer_put_functions(const char *first, const char *chain, char text[CHAIN_ROOM])
{
	const char *names[FUNCTIONS_MAX] = {}, *at = chain;
	size_t used = 0, nr = 0;

	while (*at && nr < FUNCTIONS_MAX) {
		names[nr++] = at;
		at += strcspn(at, ",");
		at += *at == ',';
	}
	text[0] = 0;
	while (nr-- && used < CHAIN_ROOM)
		used += (size_t)snprintf(text + used, CHAIN_ROOM - used, "%.*s,",
					 (int)strcspn(names[nr], ","), names[nr]);
	if (used < CHAIN_ROOM)
		snprintf(text + used, CHAIN_ROOM - used, "%s", first);
}

/* "..." comes before the first of a chain that was cut. */
static const char *bare_name(const char *first)
{
	const char *comma = strchr(first, ',');

	return comma ? comma + 1 : first;
}

static void put_chain(struct answering *a, const struct lkst_table *from, size_t row)
{
	const struct lkst_cell *first = lkst_table_cell_of(from, row, "first"),
			       *chain = lkst_table_cell_of(from, row, "chain");
	char functions[CHAIN_ROOM], source[SOURCE_ROOM];

	if (!first->is_set) {
		lkst_table_none(&a->t);
		lkst_table_none(&a->t);
		lkst_table_none(&a->t);
		return;
	}
	errors_answer_put_functions(first->text, chain->is_set ? chain->text : "", functions);
	lkst_table_str(&a->t, functions);
	lkst_table_str(&a->t, bare_name(first->text));
	if (a->image &&
	    !lkst_function_source(a->image, bare_name(first->text), source, sizeof(source)))
		lkst_table_str(&a->t, source);
	else
		lkst_table_none(&a->t);
}

/* The registers that the analysis has, by the names of the function's parameters. */
static void put_first_arguments(struct answering *a, const struct lkst_table *from, size_t row)
{
	const struct lkst_cell *registers = lkst_table_cell_of(from, row, "registers"),
			       *first = lkst_table_cell_of(from, row, "first");
	u64 values[LKST_ERRORS_ARGS] = {};
	char text[SOURCE_ROOM];
	const char *at = registers->is_set ? registers->text : "";
	char *end;
	u32 i;

	for (i = 0; i < LKST_ERRORS_ARGS; i++, at = end)
		values[i] = strtoull(at, &end, 16);
	if (registers->is_set && first->is_set && a->image &&
	    !lkst_function_call_text(a->image, bare_name(first->text), values, LKST_ERRORS_ARGS,
				     text, sizeof(text)))
		lkst_table_str(&a->t, text);
	else
		lkst_table_none(&a->t);
}

static void errors_answer_put_row(struct answering *a, const struct lkst_table *from, size_t row)
{
	lkst_table_row(&a->t);
	lkst_table_str(&a->t, lkst_table_cell_of(from, row, "key")->text);
	lkst_table_str(&a->t, lkst_table_cell_of(from, row, "error")->text);
	lkst_table_u64(&a->t, lkst_table_cell_of(from, row, "count")->u64);
	put_chain(a, from, row);
	lkst_table_u64(&a->t, lkst_table_cell_of(from, row, "time")->u64);
	lkst_table_s64(&a->t, lkst_table_cell_of(from, row, "tid")->s64);
	lkst_table_str(&a->t, lkst_table_cell_of(from, row, "comm")->text);
	lkst_table_str(&a->t, lkst_table_cell_of(from, row, "arguments")->text);
	put_first_arguments(a, from, row);
}

/* ---- sentences -------------------------------------------------------------------------------- */

/* A cell as a person reads it. */
static void errors_answer_say(struct lkst_answer *to, const struct answering *a, size_t row, unsigned int column)
{
	char *p = lkst_out_room(to->out);

	_Static_assert((int)LKST_OUT_ROOM >= (int)LKST_CELL_ROOM, "a cell fits");
	lkst_out_advance(to->out, lkst_put_cell(p, &to->printer, &a->t.columns[column],
						lkst_table_cell(&a->t, row, column)));
}

/* "do_sys_openat2 > do_filp_open > path_openat". */
static void say_functions(struct lkst_answer *to, const char *functions)
{
	const char *at = functions;

	lkst_out_str(to->out, "    ");
	while (*at) {
		size_t length = strcspn(at, ",");
		size_t shown = length < LKST_KEY_TEXT ? length : LKST_KEY_TEXT;

		lkst_out_advance(to->out, lkst_out_escaped(to->out, lkst_out_room(to->out), at, shown, ""));
		at += length;
		if (*at++ != ',')
			break;
		lkst_out_str(to->out, " > ");
	}
	lkst_out_str(to->out, "\n");
}

static void say_row(struct lkst_answer *to, const struct answering *a, size_t row)
{
	const struct lkst_cell *functions = lkst_table_cell(&a->t, row, FUNCTIONS);
	const u64 count = lkst_table_cell(&a->t, row, COUNT)->u64;

	errors_answer_say(to, a, row, CALL);
	lkst_out_str(to->out, " failed with ");
	errors_answer_say(to, a, row, ERROR);
	if (count == 1)
		lkst_out_str(to->out, ", once: ");
	else
		lkst_out_printf(to->out, ", %llu times: ", (unsigned long long)count);
	if (functions->is_set) {
		errors_answer_say(to, a, row, FIRST);
		lkst_out_str(to->out, " said so first");
	} else {
		lkst_out_str(to->out, "no function that is watched said so");
	}
	if (lkst_table_cell(&a->t, row, SOURCE)->is_set) {
		lkst_out_str(to->out, ", ");
		errors_answer_say(to, a, row, SOURCE);
	}
	lkst_out_str(to->out, "\n");
	if (functions->is_set)
		say_functions(to, functions->text);
	lkst_out_str(to->out, "    ");
	errors_answer_say(to, a, row, TIME);
	lkst_out_str(to->out, ", thread ");
	errors_answer_say(to, a, row, TID);
	lkst_out_str(to->out, " (");
	errors_answer_say(to, a, row, COMM);
	lkst_out_str(to->out, "): ");
	errors_answer_say(to, a, row, ARGUMENTS);
	lkst_out_str(to->out, "\n");
	if (!lkst_table_cell(&a->t, row, FIRST_ARGUMENTS)->is_set)
		return;
	lkst_out_str(to->out, "    ");
	errors_answer_say(to, a, row, FIRST);
	lkst_out_str(to->out, " was called with ");
	errors_answer_say(to, a, row, FIRST_ARGUMENTS);
	lkst_out_str(to->out, "\n");
}

static void errors_answer(struct lkst_answer *to, const struct answering *a)
{
	size_t row;

	if (to->format == LKST_TABLE_JSON) {
		lkst_json_array(&to->json, NULL);
		lkst_answer_table(to, &a->t);
		lkst_json_end(&to->json);
		return;
	}
	if (to->format == LKST_TABLE_CSV) {
		lkst_answer_table(to, &a->t);
		return;
	}
	for (row = 0; row < a->t.nr_rows; row++)
		say_row(to, a, row);
	if (!a->t.nr_rows)
		lkst_out_str(to->out, "no system call failed\n");
}

/* ---- asking ----------------------------------------------------------------------------------- */

static void errors_answer_print_notes(const struct lkst_table *from)
{
	char left_out[LKST_TABLE_LEFT_OUT_TEXT];
	unsigned int i;

	if (lkst_table_left_out_text(from, left_out, sizeof(left_out)))
		lkst_print_message(stderr, "lkst: left out: %s.", left_out);
	for (i = 0; i < from->notes.nr; i++)
		lkst_print_message(stderr, "lkst: %s", from->notes.text[i]);
}

static int errors_answer_print(struct lkst_err *e, struct answering *a, const struct lkst_table *from)
{
	struct lkst_answer to;
	size_t row;
	int err;

	for (row = 0; row < from->nr_rows; row++)
		errors_answer_put_row(a, from, row);
	err = a->t.error ? lkst_err_sys(e, a->t.error, "answering") : 0;
	err = err ?: lkst_answer_begin(e, &a->o->form, &to);
	if (err)
		return err;
	errors_answer(&to, a);
	err = lkst_answer_end(&to, 0);
	if (!a->o->quiet)
		errors_answer_print_notes(from);
	return err;
}

static int errors_answer_ask(struct lkst_err *e, struct answering *a, struct lkst_trace *t,
			     const struct lkst_errors_watched *watched)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *s = NULL;
	const struct lkst_analysis *const analyses[] = { &lkst_analysis_errors };
	const struct lkst_analysis_options options = { .which.key = a->o->call,
						       .to_ns = UINT64_MAX,
						       .roots = watched->roots,
						       .nr_roots = watched->nr_roots };
	const struct lkst_tables *tables;
	int err = lkst_analysis_run_new(e, t, &options, analyses, 1, &s)
			  ?: lkst_analysis_run_pass(e, s);

	if (err)
		return err;
	tables = lkst_analysis_run_tables(s, 0);
	return tables->nr ? errors_answer_print(e, a, tables->items[0]) : 0;
}

int lkst_errors_answer(struct lkst_err *e, const struct lkst_errors_options *o, const char *dir,
		       const struct lkst_errors_watched *watched)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	const struct lkst_image_options image = { .module = o->module };
	struct answering a = { .o = o };
	char path[PATH_MAX], *paths[] = { path };
	int err;

	snprintf(path, sizeof(path), "%s", dir);
	err = lkst_cmd_open_trace(e, paths, 1, &t);
	if (err)
		return err;
	lkst_table_init_of(&a.t, "errors", "Errors of system calls", columns);
	/* Sources are known or not; that does not make the answer wrong. */
	if (lkst_image_open(NULL, &image, &a.image))
		a.image = NULL;
	err = errors_answer_ask(e, &a, t, watched);
	lkst_image_close(a.image);
	lkst_table_fini(&a.t);
	return err;
}
