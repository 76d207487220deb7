/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst check: verifies every block of a trace and prints the ledger. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/state.h"
#include "analyze/ledger/ledger.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/read/check_counters.h"
#include "cmd/readers/traces.h"
#include "trace/read/ends.h"
#include "trace/read/reader.h"

enum { ROW_SHOWN = 256 };

struct check_options {
	bool counts;
	bool json;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct check_options, counts, .name = "counts", .letter = 'c',
		    .help = "how many records of each event there are"),
	LKST_OPTION(FLAG, struct check_options, json, .name = "json",
		    .help = "one JSON object, for programs"),
	{},
};

/* What one pass over a trace found. */
struct check_findings {
	u64 count[LKST_ID_MAX + 1]; /* records by id */
	u64 bytes[LKST_ID_MAX + 1]; /* of them, alignment not counted */
	u64 records;
	struct lkst_ledger ledger;
	u64 losses; /* lines of the ledger that say that records are missing */
	u64 cuts;   /* lines that say that they are there, but strings in them were cut */
	u64 marks;  /* lines that say that marks of programs are missing */
	u64 bad_blocks, missing_blocks, lost_events, blocks;
	u64 begin_ns, end_ns; /* of records that are not state */
};

/* An event that was recorded only in part, because a maskset says so. */
static void print_condition(struct lkst_out *out, const struct lkst_record *r)
{
	const struct lkst_field_class *maskset = lkst_class_field(r->event, "maskset");
	char text[4 * ROW_SHOWN + 1];
	const u8 *row;
	u32 length;

	if (!maskset || r->event->nr_fields < 2)
		return;
	row = lkst_record_field(r, 1, &length);
	*lkst_put_escaped(text, (const char *)row, length < ROW_SHOWN ? length : ROW_SHOWN, "") = 0;
	lkst_out_printf(out, "maskset %" PRIu64 " records only %s\n", lkst_record_int(r, maskset),
			text);
}

/* Whether the record says that others are missing. */
static bool is_loss(const struct lkst_record *r)
{
	const struct lkst_field_class *cause;

	switch (r->event->index) {
	case LKST_EV_state_loss:
		cause = lkst_class_field(r->event, "cause");
		return cause && lkst_record_int(r, cause) != LKST_LOSS_TRUNCATED;
	case LKST_EV_state_overwritten:
	case LKST_EV_state_torn:
	case LKST_EV_state_shed:
	case LKST_EV_state_skipped:
		return true;
	default:
		return false;
	}
}

static bool is_cut(const struct lkst_record *r)
{
	return r->event->index == LKST_EV_state_loss && !is_loss(r);
}

/* @out: text, NULL: there is none. */
static int check_take_gaps(struct lkst_merge *m, struct lkst_out *out, struct check_findings *f)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_gap(m, &gap) > 0)
		err = lkst_ledger_add_gap(&f->ledger, out, &gap);
	return err;
}

static int check_take(const struct lkst_record *r, struct lkst_out *out, struct check_findings *f)
{
	f->count[r->event->id]++;
	f->bytes[r->event->id] += r->size;
	f->records++;
	f->losses += is_loss(r);
	f->cuts += is_cut(r);
	f->marks += r->event->index == LKST_EV_state_marks;
	if (r->event->group != LKST_GROUP_STATE) {
		f->begin_ns = f->end_ns ? f->begin_ns : r->ns;
		f->end_ns = r->ns;
		return 0;
	}
	if (out && r->event->index == LKST_EV_state_condition)
		print_condition(out, r);
	return lkst_ledger_add_record(&f->ledger, out, r);
}

static int check_walk(struct lkst_err *e, struct lkst_trace *t, struct lkst_out *out, struct check_findings *f,
		      struct lkst_counters_check *counters, struct lkst_threads_check *threads)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	int err;

	err = lkst_merge_new(e, t, 0, UINT64_MAX, &m);
	if (err)
		return err;
	while (!err && lkst_merge_next(m, &r) > 0) {
		lkst_counters_check_feed(counters, &r);
		lkst_threads_check_feed(threads, &r);
		err = check_take(&r, out, f) ?: check_take_gaps(m, out, f);
	}
	if (!err)
		err = check_take_gaps(m, out, f);
	lkst_threads_check_finish(threads);
	return err ? lkst_err_sys(e, err, "checking a trace") : 0;
}

static const struct lkst_column stream_columns[] = {
	{ "stream", "stream", LKST_COLUMN_TEXT, "the file" },
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU that it is of" },
	{ "buffer", "buffer", LKST_COLUMN_COUNT, "the number of the buffer" },
	{ "blocks", "blocks", LKST_COLUMN_COUNT, "how many it has" },
	{ "missing", "missing", LKST_COLUMN_COUNT, "blocks that are not there" },
	{ "damaged", "damaged", LKST_COLUMN_COUNT, "blocks that make no sense" },
	{ "lost", "lost events", LKST_COLUMN_COUNT, "as the blocks say" },
};

/* The streams as a table, or as rows of JSON. */
static void print_streams(struct lkst_answer *a, const struct lkst_trace *t)
{
	_cleanup_(lkst_table_fini) struct lkst_table table = {};
	unsigned int i;

	lkst_table_init_of(&table, "streams", "", stream_columns);
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *s = lkst_trace_stream(t, i);

		lkst_table_row(&table);
		lkst_table_str(&table, s->file);
		lkst_table_s64(&table, s->cpu);
		lkst_table_u64(&table, s->buffer);
		lkst_table_u64(&table, s->nr_blocks);
		lkst_table_u64(&table, s->nr_missing_blocks);
		lkst_table_u64(&table, s->nr_bad_blocks);
		lkst_table_u64(&table, s->nr_lost_events);
	}
	lkst_answer_table(a, &table);
}

static void sum_streams(const struct lkst_trace *t, struct check_findings *f)
{
	unsigned int i;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *s = lkst_trace_stream(t, i);

		f->blocks += s->nr_blocks;
		f->bad_blocks += s->nr_bad_blocks;
		f->missing_blocks += s->nr_missing_blocks;
		f->lost_events += s->nr_lost_events;
	}
}

static const struct lkst_column count_columns[] = {
	{ "records", "records", LKST_COLUMN_COUNT, "how many" },
	{ "bytes", "bytes", LKST_COLUMN_RATIO, "of each, on average" },
	{ "event", "event", LKST_COLUMN_TEXT, "of what" },
};

static void print_counts(struct lkst_answer *a, const struct lkst_catalog *c,
			 const struct check_findings *f)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	unsigned int id;

	lkst_table_init_of(&t, "counts", "", count_columns);
	for (id = 0; id <= LKST_ID_MAX; id++) {
		if (!f->count[id])
			continue;
		lkst_table_row(&t);
		lkst_table_u64(&t, f->count[id]);
		lkst_table_double(&t, (double)f->bytes[id] / f->count[id]);
		lkst_table_str(&t, c->classes[id]->name);
	}
	lkst_answer_table(a, &t);
}

static bool is_damaged(const struct lkst_trace *t, const struct check_findings *f)
{
	enum lkst_trace_ending ending = lkst_trace_ending(t);

	return f->bad_blocks || f->missing_blocks || f->ledger.gaps_met ||
	       lkst_trace_is_partial(t) || lkst_trace_lacks_part(t) ||
	       ending == LKST_TRACE_UNFINISHED || ending == LKST_TRACE_DISK_FULL;
}

/* A word for each, for programs. */
static const char *const ending_names[] = {
	[LKST_TRACE_COMPLETE] = "complete",	[LKST_TRACE_DISK_FULL] = "disk-full",
	[LKST_TRACE_UNFINISHED] = "unfinished", [LKST_TRACE_UNPROVEN] = "unproven",
	[LKST_TRACE_GOES_ON] = "goes-on",
};

static void check_put_counts(struct lkst_json *j, const struct lkst_catalog *c, const struct check_findings *f)
{
	unsigned int id;

	lkst_json_object(j, "counts");
	for (id = 0; id <= LKST_ID_MAX; id++)
		if (f->count[id])
			lkst_json_u64(j, c->classes[id]->name, f->count[id]);
	lkst_json_end(j);
}

static const char *verdict_of(const struct lkst_trace *t, const struct check_findings *f,
			      const struct lkst_counters_check *counters,
			      const struct lkst_threads_check *threads)
{
	if (is_damaged(t, f))
		return "damaged or incomplete";
	if (f->losses)
		return "whole, but not everything was recorded: see the ledger above";
	if (lkst_check_is_missing(counters, threads))
		return "whole, but the kernel counted more: see its counters above";
	if (f->marks)
		return "whole, but marks of programs are missing: see the ledger above";
	if (f->cuts)
		return "whole, but strings were cut: see the ledger above";
	return "all good";
}

static void check_put_findings(struct lkst_answer *a, const struct lkst_trace *t,
			       const struct check_findings *f, const struct lkst_counters_check *counters,
			       const struct lkst_threads_check *threads)
{
	struct lkst_json *j = &a->json;

	lkst_json_object(j, NULL);
	lkst_json_u64(j, "records", f->records);
	lkst_json_u64(j, "blocks", f->blocks);
	lkst_json_u64(j, "bad_blocks", f->bad_blocks);
	lkst_json_u64(j, "missing_blocks", f->missing_blocks);
	lkst_json_u64(j, "lost_events", f->lost_events);
	lkst_json_u64(j, "gaps", f->ledger.gaps_met);
	lkst_json_u64(j, "ledger_lines", f->ledger.lines_met);
	lkst_json_u64(j, "losses", f->losses);
	lkst_json_bool(j, "is_partial", lkst_trace_is_partial(t));
	lkst_json_bool(j, "has_hashed_addresses", lkst_trace_catalog(t)->has_hashed_addresses);
	lkst_json_bool(j, "lacks_part", lkst_trace_lacks_part(t));
	lkst_json_str(j, "ending", ending_names[lkst_trace_ending(t)]);
	check_put_counts(j, lkst_trace_catalog(t), f);
	lkst_check_put_counters(j, counters);
	lkst_check_put_threads(j, threads);
	lkst_json_u64(j, "begin_ns", f->begin_ns);
	lkst_json_u64(j, "end_ns", f->end_ns);
	lkst_json_str(j, "verdict", verdict_of(t, f, counters, threads));
	lkst_json_array(j, "streams");
	print_streams(a, t);
	lkst_json_end(j);
	lkst_ledger_put(j, &f->ledger);
	lkst_check_put_sums(a, counters);
	lkst_json_end(j);
}

static void print_verdict(struct lkst_out *out, const struct lkst_trace *t,
			  const struct check_findings *f, const struct lkst_counters_check *counters,
			  const struct lkst_threads_check *threads)
{
	if (lkst_trace_catalog(t)->has_hashed_addresses)
		lkst_out_printf(
			out, "addresses: those of the kernel are hashes; equal ones are equal\n");
	if (lkst_trace_lacks_part(t))
		lkst_out_printf(out, "parts: %s\n", lkst_trace_lacks_part_text());
	if (lkst_trace_ending(t) != LKST_TRACE_COMPLETE)
		lkst_out_printf(out, "end: %s\n", lkst_trace_ending_text(lkst_trace_ending(t)));
	lkst_out_printf(out, "%" PRIu64 " records in %" PRIu64 " blocks: %s\n", f->records,
			f->blocks, verdict_of(t, f, counters, threads));
}

static void print_findings(struct lkst_answer *a, const struct check_options *o,
			   const struct lkst_trace *t, const struct check_findings *f,
			   const struct lkst_counters_check *counters,
			   const struct lkst_threads_check *threads)
{
	if (a->format == LKST_TABLE_JSON) {
		check_put_findings(a, t, f, counters, threads);
		return;
	}
	if (o->counts)
		print_counts(a, lkst_trace_catalog(t), f);
	lkst_check_print_counters(a, counters, f->begin_ns, f->end_ns);
	lkst_check_print_threads(a->out, threads);
	print_verdict(a->out, t, f, counters, threads);
}

/* 1: it is damaged, or something is missing. */
static int read_check(struct lkst_answer *a, const struct check_options *o, struct lkst_trace *t,
		      struct check_findings *f)
{
	_cleanup_(lkst_counters_check_freep) struct lkst_counters_check *counters = NULL;
	_cleanup_(lkst_threads_check_freep) struct lkst_threads_check *threads = NULL;
	int err;

	err = lkst_counters_check_new(a->e, t, &counters)
		      ?: lkst_threads_check_new(a->e, t, &threads);
	if (err)
		return err;
	if (a->format == LKST_TABLE_TEXT)
		print_streams(a, t);
	err = check_walk(a->e, t, a->format == LKST_TABLE_TEXT ? a->out : NULL, f, counters, threads);
	if (err)
		return err;
	if (a->format == LKST_TABLE_TEXT)
		lkst_ledger_print_users(&f->ledger, a->out);
	sum_streams(t, f);
	print_findings(a, o, t, f, counters, threads);
	return is_damaged(t, f) ? 1 : 0;
}

static int check_trace(struct lkst_answer *a, const struct check_options *o, struct lkst_trace *t)
{
	_cleanup_free_ struct check_findings *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return lkst_err_sys(a->e, -ENOMEM, "checking a trace");
	err = read_check(a, o, t, f);
	lkst_ledger_fini(&f->ledger);
	return err;
}

/* Each host's by itself, those of several below its name. 1: one of them is damaged. */
static int check_reading(struct lkst_answer *a, const struct check_options *o, const struct lkst_reading *r)
{
	unsigned int i;
	int err = 0, damaged = 0;

	if (r->nr > 1 && o->json)
		return lkst_err_set(a->e, -EINVAL, "--json is of one host: name its trace alone");
	for (i = 0; i < r->nr && err >= 0; i++) {
		if (r->nr > 1) {
			lkst_out_str(a->out, i ? "\n" : "");
			lkst_out_message(a->out, "%s:", r->list[i].name);
		}
		err = check_trace(a, o, r->list[i].trace);
		damaged |= err > 0;
	}
	return err < 0 ? err : damaged;
}

static int check_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct check_options *o = options;
	const struct lkst_answer_form form = { .json = o->json };
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	struct lkst_answer a;
	int err;

	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	if (err)
		return err;
	err = lkst_answer_begin(e, &form, &a) ?: check_reading(&a, o, &reading);
	return lkst_answer_end(&a, err);
}

const struct lkst_cmd lkst_cmd_check = {
	.name = "check",
	.summary = "verify every block of a trace, and list what was lost",
	.args = "TRACE...",
	.help = "Reads every block and record of TRACE, a directory or a file, and checks that they make\n"
		"sense and go as far as the trace's end marks say. Prints what is missing and why. The exit\n"
		"status is 1 if a block is damaged or missing, if TRACE has no end although it should\n"
		"(its recorder was killed, or the disk was full), or if the copying that made it was\n"
		"broken off. The parts of one recording, or the directory that they are in, are read as\n"
		"one; it is 1 as well if a part after one that says that the recording goes on is missing. Traces\n"
		"of several hosts are checked one after the other.",
	.options = rows,
	.options_size = sizeof(struct check_options),
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = check_run,
};
