/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the records that a query wants: in order of time by a merge of the streams, of those alone that can have some;
 * or, where the order does not matter, stream by stream.
 */
#include "sql/records/row_scan.h"

#include <errno.h>
#include <stdlib.h>

#include "sql/records/groups.h"
#include "trace/known/threads_before.h"

enum { LOOKS = 1 << 16 }; /* records between two looks at whether to stop */

struct lkst_sql_scan {
	struct lkst_sql *sql;
	struct lkst_sql_wanted wanted;
	struct lkst_record record;
	u64 nr_read;
	u64 nr_gaps; /* met in any order */

	/* In order of time. */
	struct lkst_merge *merge;
	struct lkst_threads *threads; /* NULL: nobody asks for names */
	struct lkst_code_view code;   /* no mappings: nobody asks for names of user code */
	bool is_fed;		      /* the threads know the record */
	bool has_names;		      /* they knew all that was before the time */

	/* In any order. */
	unsigned int stream, block; /* the next ones */
	struct lkst_block bytes;    /* what is read */
	struct lkst_block_cursor at;
	bool is_any, is_counted, is_grouped;
	u64 nr_counted; /* rows that are not given out yet */

	/* By groups. */
	struct lkst_sql_groups *groups;
	bool is_one_each; /* a row of each is enough */
};

/*
 * Names come from the records of any stream, or, where those before the time are known, of those that are kept for
 * them; the state of the machine has been read then, and would set them back.
 */
static bool wants_stream(const void *ctx, const struct lkst_stream_info *stream)
{
	const struct lkst_sql_scan *scan = ctx;

	if (scan->threads && !scan->has_names)
		return true;
	if (scan->threads && stream->buffer)
		return stream->buffer != LKST_BUFFER_STATE;
	return lkst_sql_wants_stream(scan->sql, &scan->wanted, stream);
}

/* What is known of threads and of their code. */
static int row_scan_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_sql_scan *scan = ctx;

	return lkst_threads_feed(scan->threads, r)
		       ?: (scan->code.mappings ? lkst_mappings_feed(scan->code.mappings, r) : 0);
}

static int begin_code(struct lkst_sql_scan *scan)
{
	scan->code = (struct lkst_code_view){ lkst_mappings_new(), scan->sql->namer };
	return scan->code.mappings ? lkst_mappings_load(NULL, scan->code.mappings, scan->sql->trace) : -ENOMEM;
}

/* Where a query begins late, the names come from the streams that are kept for them. */
static int begin_names(struct lkst_sql_scan *scan, bool has_code)
{
	struct lkst_trace *t = scan->sql->trace;
	s64 from_ns = scan->wanted.ns.from;

	scan->threads = lkst_threads_new();
	scan->is_fed = true;
	if (!scan->threads || (has_code && begin_code(scan)))
		return -ENOMEM;
	if (from_ns <= (s64)scan->sql->begin_ns || lkst_sql_wants_state(scan->sql, &scan->wanted) ||
	    !lkst_trace_keeps_names(t))
		return 0;
	scan->has_names = true;
	return lkst_feed_before(NULL, t, (u64)from_ns, row_scan_take_in, scan);
}

static int begin_in_order(struct lkst_sql_scan *scan, int how)
{
	const struct lkst_sql_span *ns = &scan->wanted.ns;
	bool has_names = how & LKST_SQL_NAMES;
	int err = has_names ? begin_names(scan, how & LKST_SQL_CODE) : 0;
	bool reads_all = ns->from < 0 || (has_names && !scan->has_names);

	if (err)
		return err;
	if (ns->from > ns->to || ns->to < 0)
		return 0;
	return lkst_merge_new_of(NULL, scan->sql->trace, reads_all ? 0 : (u64)ns->from, (u64)ns->to,
				 wants_stream, scan, &scan->merge);
}

static bool wants_none(const void *ctx, const struct lkst_stream_info *stream)
{
	return false;
}

/* What the numbers of blocks do not show, when all have been read in any order: a merge of no streams knows of it. */
static int note_unnumbered(struct lkst_sql_scan *scan)
{
	struct lkst_trace *t = scan->sql->trace;
	bool has_bad = false;
	unsigned int i;
	int err;

	for (i = 0; i < lkst_trace_nr_streams(t); i++)
		has_bad |= lkst_trace_stream(t, i)->nr_bad_blocks &&
			   wants_stream(scan, lkst_trace_stream(t, i));
	if (has_bad && !scan->nr_gaps)
		scan->nr_gaps = 1;
	err = lkst_merge_new_of(NULL, t, 0, UINT64_MAX, wants_none, NULL, &scan->merge);
	if (!err)
		lkst_merge_next(scan->merge, &scan->record);
	return err;
}

/* Counts all rows; they are given out group by group. */
static int begin_groups(struct lkst_sql_scan *scan, int how)
{
	int err = lkst_sql_groups_new(scan->sql, &scan->wanted,
				      (unsigned int)how >> LKST_SQL_HOW_BY & 7,
				      (unsigned int)how >> LKST_SQL_HOW_ORDER, &scan->groups,
				      &scan->nr_gaps);

	scan->is_grouped = true;
	scan->is_one_each = how & LKST_SQL_ONE_EACH;
	return err ?: note_unnumbered(scan);
}

/* Scans of one query may meet the same ones. */
static void row_scan_note_gaps(struct lkst_sql_scan *scan)
{
	struct lkst_gap gap;

	while (scan->merge && lkst_merge_gap(scan->merge, &gap) > 0)
		scan->nr_gaps += !gap.is_pause;
	if (scan->nr_gaps > scan->sql->front->nr_gaps)
		scan->sql->front->nr_gaps = scan->nr_gaps;
}

void lkst_sql_scan_free(struct lkst_sql_scan *scan)
{
	if (!scan)
		return;
	row_scan_note_gaps(scan);
	lkst_merge_free(scan->merge);
	lkst_threads_free(scan->threads);
	lkst_mappings_free(scan->code.mappings);
	lkst_sql_groups_free(scan->groups);
	free(scan);
}

int lkst_sql_scan_new(struct lkst_sql *s, const struct lkst_sql_wanted *wanted, int how,
		      struct lkst_sql_scan **ret_scan)
{
	struct lkst_sql_scan *scan = calloc(1, sizeof(*scan));
	int err = 0;

	if (!scan)
		return -ENOMEM;
	scan->sql = s;
	scan->wanted = *wanted;
	if (wanted->ns.from <= wanted->ns.to && wanted->ns.to >= 0 && !wanted->no_host)
		lkst_sql_ask(s, wanted->events, wanted->ns.from < 0 ? 0 : (u64)wanted->ns.from, (u64)wanted->ns.to);
	scan->is_any = how & LKST_SQL_ANY;
	scan->is_counted = how & LKST_SQL_COUNTED;
	if (how & LKST_SQL_GROUPED)
		err = begin_groups(scan, how);
	else if (!(how & LKST_SQL_ANY))
		err = begin_in_order(scan, how);
	if (err) {
		lkst_sql_scan_free(scan);
		return err;
	}
	*ret_scan = scan;
	return 0;
}

const struct lkst_threads *lkst_sql_scan_threads(const struct lkst_sql_scan *scan)
{
	return scan->threads;
}

struct lkst_address_names lkst_sql_scan_addresses(const struct lkst_sql_scan *scan)
{
	return (struct lkst_address_names){ lkst_sql_symbols(scan->sql), &scan->code, scan->threads };
}

/* ---- in order of time ------------------------------------------------------------------------ */

static int next_in_order(struct lkst_sql_scan *scan, const struct lkst_record **ret_record)
{
	const struct lkst_sql_wanted *w = &scan->wanted;
	struct lkst_record *r = &scan->record;

	while (scan->merge && lkst_merge_next(scan->merge, r) > 0) {
		if (++scan->nr_read % LOOKS == 0 && lkst_sql_is_stopped(scan->sql))
			return -EINTR;
		if (lkst_sql_is_wanted(w, r)) {
			scan->is_fed = false;
			*ret_record = r;
			return 0;
		}
		if (scan->threads && row_scan_take_in(scan, r))
			return -ENOMEM;
	}
	return 0;
}

/* ---- in any order ---------------------------------------------------------------------------- */

/* Notes what is missing before block @next of the same stream. */
static void row_scan_note_missing(struct lkst_sql_scan *scan, const struct lkst_block *next)
{
	struct lkst_block_missing missing = lkst_block_missing(&scan->bytes, next);

	if (scan->bytes.bytes && scan->block && (missing.blocks || missing.events))
		scan->nr_gaps++;
}

/* Goes to the next block that can have wanted records. False: there is none. */
static bool row_scan_next_block(struct lkst_sql_scan *scan)
{
	struct lkst_trace *t = scan->sql->trace;

	for (; scan->stream < lkst_trace_nr_streams(t); scan->stream++, scan->block = 0) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, scan->stream);
		const struct lkst_block *block;

		if (scan->block >= info->nr_blocks || !wants_stream(scan, info))
			continue;
		block = lkst_trace_block(t, scan->stream, scan->block);
		row_scan_note_missing(scan, block);
		scan->bytes = *block;
		scan->block++;
		lkst_block_cursor_init(&scan->at, &scan->bytes);
		return true;
	}
	return false;
}

/* The next wanted record of the block: 1, or 0. */
static int next_in_block(struct lkst_sql_scan *scan)
{
	int r;

	if (!scan->at.block)
		return 0;
	while ((r = lkst_block_next(NULL, &scan->at, scan->sql->catalog, &scan->record)) > 0)
		if (lkst_sql_is_wanted(&scan->wanted, &scan->record))
			return 1;
	if (r < 0) {
		scan->nr_gaps++;
		scan->at.block = NULL;
	}
	return 0;
}

static int next_in_any_order(struct lkst_sql_scan *scan, const struct lkst_record **ret_record)
{
	while (!next_in_block(scan)) {
		if (lkst_sql_is_stopped(scan->sql))
			return -EINTR;
		if (!row_scan_next_block(scan))
			return note_unnumbered(scan);
	}
	*ret_record = &scan->record;
	return 0;
}

/* Counts the records of whole blocks at a time. */
static int next_counted(struct lkst_sql_scan *scan, const struct lkst_record **ret_record)
{
	while (!scan->nr_counted) {
		if (lkst_sql_is_stopped(scan->sql))
			return -EINTR;
		if (!row_scan_next_block(scan))
			return note_unnumbered(scan);
		while (next_in_block(scan))
			scan->nr_counted++;
	}
	scan->nr_counted--;
	scan->record.bytes = NULL;
	*ret_record = &scan->record;
	return 0;
}

/* A row of a group has what they have in common, and nothing else. */
static int next_of_group(struct lkst_sql_scan *scan, const struct lkst_record **ret_record)
{
	struct lkst_sql_group group;
	int r;

	if (!scan->nr_counted) {
		r = lkst_sql_groups_next(scan->groups, &group);
		if (r <= 0)
			return r;
		scan->record =
			(struct lkst_record){ .event = scan->sql->catalog->classes[group.event],
					      .tid = group.tid,
					      .cpu = group.cpu };
		scan->nr_counted = scan->is_one_each ? 1 : group.nr;
	}
	scan->nr_counted--;
	*ret_record = &scan->record;
	return 0;
}

int lkst_sql_scan_next(struct lkst_sql_scan *scan, const struct lkst_record **ret_record)
{
	*ret_record = NULL;
	if (scan->is_grouped)
		return next_of_group(scan, ret_record);
	if (scan->is_counted)
		return next_counted(scan, ret_record);
	if (scan->is_any)
		return next_in_any_order(scan, ret_record);
	/* With the names as they were before the record. */
	if (!scan->is_fed && scan->threads && row_scan_take_in(scan, &scan->record))
		return -ENOMEM;
	scan->is_fed = true;
	return next_in_order(scan, ret_record);
}
