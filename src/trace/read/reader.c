/* SPDX-License-Identifier: GPL-2.0-only */
/* An opened trace: its streams, put in order, and what can be asked of it. */
#include "trace/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "trace/format/block_walk.h"
#include "trace/format/metadata.h"
#include "trace/read/ends.h"
#include "trace/read/holes.h"
#include "trace/read/trace.h"

enum {
	STREAMS_MAX = 32768, /* a process may have 65530 mappings */
};

/* ---- the streams -------------------------------------------------------------------- */

/* Adds @s, which is the trace's from then on, or closed. */
static int take_stream(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s)
{
	struct lkst_stream **added =
		t->nr_streams < STREAMS_MAX ? lkst_vec_add(t->streams, t->nr_streams) : NULL;
	int err = 0;

	if (added) {
		*added = s;
		return 0;
	}
	if (t->nr_streams == STREAMS_MAX)
		err = lkst_err_set(e, -EFBIG, "there are more than %u streams", STREAMS_MAX);
	else
		err = lkst_err_sys(e, -ENOMEM, "%s", s->file);
	lkst_stream_close(s);
	return err;
}

int lkst_trace_add_stream(struct lkst_err *e, struct lkst_trace *t, const char *name,
			  struct lkst_stream_bytes *bytes)
{
	struct lkst_stream *s;
	int err;

	err = lkst_stream_open(e, name, bytes, t->catalog, &s);
	return err ? err : take_stream(e, t, s);
}

static int take_catalog(struct lkst_err *e, struct lkst_trace *t, const char *first,
			const char *name, struct lkst_catalog *c)
{
	bool is_same;

	if (!t->catalog) {
		t->catalog = c;
		return 0;
	}
	is_same = !memcmp(c->uuid, t->catalog->uuid, sizeof(c->uuid));
	lkst_catalog_free(c);
	return is_same ? 0
		       : lkst_err_set(
				 e, -EINVAL,
				 "%s and %s are of different recordings: name the parts of one",
				 first, name);
}

int lkst_trace_add_part(struct lkst_err *e, struct lkst_trace *t, const char *first,
			const char *name, const char *metadata, size_t length, bool is_partial)
{
	struct lkst_trace_part *part = lkst_vec_add(t->parts, t->nr_parts);
	struct lkst_catalog *c;
	int err;

	if (part)
		*part = (struct lkst_trace_part){ malloc(length + 1), length, is_partial };
	if (!part || !part->metadata)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	memcpy(part->metadata, metadata, length);
	part->metadata[length] = 0;
	t->is_partial |= is_partial;
	err = lkst_metadata_parse(e, metadata, length, &c);
	return err ? err : take_catalog(e, t, first, name, c);
}

int lkst_trace_add_missing(struct lkst_err *e, struct lkst_trace *t, u64 instance)
{
	struct lkst_stream *s;
	int err;

	err = lkst_stream_open_missing(e, instance, &s);
	return err ? err : take_stream(e, t, s);
}

static int reader_by_cpu(const void *a, const void *b)
{
	const struct lkst_stream *x = *(struct lkst_stream *const *)a;
	const struct lkst_stream *y = *(struct lkst_stream *const *)b;

	if (x->info.cpu != y->info.cpu)
		return x->info.cpu < y->info.cpu ? -1 : 1;
	if (x->info.buffer != y->info.buffer)
		return x->info.buffer < y->info.buffer ? -1 : 1;
	if (x->info.instance != y->info.instance)
		return x->info.instance < y->info.instance ? -1 : 1;
	return strcmp(x->file, y->file);
}

static void reader_find_range(struct lkst_trace *t)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++) {
		const struct lkst_stream *s = t->streams[i];

		if (!s->has_records || s->info.buffer == LKST_BUFFER_STATE)
			continue;
		if (!any || s->begin_ns < t->begin_ns)
			t->begin_ns = s->begin_ns;
		if (!any || s->end_ns > t->end_ns)
			t->end_ns = s->end_ns;
		any = true;
	}
}

int lkst_trace_order(struct lkst_err *e, struct lkst_trace *t)
{
	int err = lkst_ends_find(e, t);

	if (t->nr_streams)
		qsort(t->streams, t->nr_streams, sizeof(*t->streams), reader_by_cpu);
	reader_find_range(t);
	err = err ?: lkst_holes_find(e, t) ?: lkst_ends_add_holes(e, t);
	lkst_holes_unite(&t->holes);
	return err;
}

struct lkst_trace *lkst_trace_hold(struct lkst_trace *t)
{
	t->nr_others++;
	return t;
}

void lkst_trace_close(struct lkst_trace *t)
{
	unsigned int i;

	if (!t || (t->nr_others && t->nr_others--))
		return;
	for (i = 0; i < t->nr_streams; i++)
		lkst_stream_close(t->streams[i]);
	free(t->streams);
	for (i = 0; i < t->nr_parts; i++)
		free(t->parts[i].metadata);
	free(t->parts);
	lkst_holes_fini(&t->holes);
	lkst_ends_fini(&t->ends);
	lkst_catalog_free(t->catalog);
	if (t->kept)
		t->free_kept(t->kept);
	free(t);
}

void lkst_trace_keep(struct lkst_trace *t, void *kept, void (*free_kept)(void *kept))
{
	if (t->kept)
		t->free_kept(t->kept);
	t->kept = kept;
	t->free_kept = free_kept;
}

void *lkst_trace_kept(const struct lkst_trace *t)
{
	return t->kept;
}

const struct lkst_catalog *lkst_trace_catalog(const struct lkst_trace *t)
{
	return t->catalog;
}

void lkst_trace_set_clock_offset(struct lkst_trace *t, u64 offset_ns)
{
	t->catalog->clock_offset_ns = offset_ns;
}

bool lkst_trace_is_partial(const struct lkst_trace *t)
{
	return t->is_partial;
}

void lkst_trace_range(const struct lkst_trace *t, u64 *ret_begin_ns, u64 *ret_end_ns)
{
	*ret_begin_ns = t->begin_ns;
	*ret_end_ns = t->end_ns;
}

unsigned int lkst_trace_nr_streams(const struct lkst_trace *t)
{
	return t->nr_streams;
}

const struct lkst_stream_info *lkst_trace_stream(const struct lkst_trace *t, unsigned int i)
{
	return &t->streams[i]->info;
}

const struct lkst_block *lkst_trace_block(const struct lkst_trace *t, unsigned int stream,
					  unsigned int block)
{
	struct lkst_stream *s = t->streams[stream];

	/* A caller that walks all blocks must not have the whole file in memory. */
	lkst_stream_pass(s, &s->passed, lkst_stream_offset(s, block));
	lkst_stream_block(s, block, &s->block);
	return &s->block;
}

/* ---- the files ---------------------------------------------------------------------- */

static int give_file(struct lkst_err *e, const struct lkst_trace *t, lkst_trace_file *each,
		     void *ctx, unsigned int part, const char *name, const void *bytes,
		     size_t length)
{
	char path[LKST_STREAM_NAME_MAX + 16];

	if (t->nr_parts > 1)
		snprintf(path, sizeof(path), "%u/%s", part + 1, name);
	else
		snprintf(path, sizeof(path), "%s", name);
	return each(e, ctx, &(struct lkst_memory_file){ path, bytes, length });
}

static int give_stream(struct lkst_err *e, const struct lkst_trace *t, lkst_trace_file *each,
		       void *ctx, const struct lkst_stream *s)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < s->files.nr_segments && !err; i++) {
		const struct lkst_segment *file = &s->files.segments[i];
		/* All that is of empty files has no bytes at all. */
		const u8 *bytes = s->files.bytes ? s->files.bytes + file->start : NULL;

		err = give_file(e, t, each, ctx, file->part, s->file, bytes, file->length);
	}
	return err;
}

int lkst_trace_each_file(struct lkst_err *e, const struct lkst_trace *t, lkst_trace_file *each,
			 void *ctx)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < t->nr_parts && !err; i++) {
		const struct lkst_trace_part *part = &t->parts[i];

		err = give_file(e, t, each, ctx, i, "metadata", part->metadata, part->length);
		if (!err && part->is_partial)
			err = give_file(e, t, each, ctx, i, LKST_PARTIAL, "", 0);
	}
	for (i = 0; i < t->nr_streams && !err; i++)
		err = give_stream(e, t, each, ctx, t->streams[i]);
	return err;
}

/* ---- check ------------------------------------------------------------------------ */

struct check {
	const struct lkst_stream *stream;
	lkst_trace_report *report;
	void *arg;
	u64 nr;
};

static void report_bad(void *arg, u64 offset, u64 bytes, const char *text)
{
	struct check *check = arg;

	check->nr++;
	check->report(check->arg, &check->stream->info, offset, bytes, text);
}

static void check_records(struct check *check, const struct lkst_catalog *catalog)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	size_t passed = 0;
	u32 i;
	int r;

	for (i = 0; i < check->stream->info.nr_blocks; i++) {
		lkst_stream_pass(check->stream, &passed, lkst_stream_offset(check->stream, i));
		lkst_stream_block(check->stream, i, &block);
		lkst_block_cursor_init(&cursor, &block);
		while ((r = lkst_block_step(&cursor, catalog, &record)) > 0)
			;
		if (r < 0)
			report_bad(check, lkst_stream_offset(check->stream, i) + cursor.offset,
				   block.content - cursor.offset,
				   lkst_block_fault_text((enum lkst_block_fault) - r));
	}
}

u64 lkst_trace_check(const struct lkst_trace *t, lkst_trace_report *report, void *arg)
{
	struct check check = { .report = report, .arg = arg };
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++) {
		check.stream = t->streams[i];
		if (!check.stream->files.nr_segments)
			continue;
		lkst_stream_report_bad(check.stream, t->catalog->uuid, report_bad, &check);
		check_records(&check, t->catalog);
	}
	return check.nr;
}
