/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace directory, opened for reading. */
#include "trace/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "trace/block_walk.h"
#include "trace/metadata.h"
#include "trace/metadata_layout.h"
#include "trace/trace.h"

enum {
	STREAMS_MAX = 32768, /* a process may have 65530 mappings */
};

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int read_metadata(struct lkst_err *e, int dir_fd, struct lkst_catalog **ret_catalog)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int code = lkst_read_file(e, dir_fd, "metadata", LKST_METADATA_MAX, &text, &length);

	return code ? code : lkst_metadata_parse(e, text, length, ret_catalog);
}

/* Whether directory entry @name is a stream: a file with something in it. */
static bool is_stream(int dir_fd, const char *name)
{
	struct stat st;

	return name[0] != '.' && strcmp(name, "metadata") && !fstatat(dir_fd, name, &st, 0) &&
	       S_ISREG(st.st_mode) && st.st_size > 0;
}

static int add_stream(struct lkst_err *e, struct lkst_trace *t, int dir_fd, const char *name)
{
	struct lkst_stream **grown;

	if (t->nr_streams == STREAMS_MAX)
		return lkst_err_set(e, -EFBIG, "there are more than %u files", STREAMS_MAX);
	grown = reallocarray(t->streams, t->nr_streams + 1, sizeof(*grown));
	if (!grown)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	t->streams = grown;
	return lkst_stream_open(e, dir_fd, name, t->catalog, &t->streams[t->nr_streams])
		       ?: (t->nr_streams++, 0);
}

static int by_cpu(const void *a, const void *b)
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

static void find_range(struct lkst_trace *t)
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

static int open_streams(struct lkst_err *e, struct lkst_trace *t, int dir_fd)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	struct dirent *entry;
	int code = 0, copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (copy < 0)
		return lkst_err_sys(e, -errno, "cannot list the directory");
	dir = fdopendir(copy);
	if (!dir) {
		close(copy);
		return lkst_err_sys(e, -ENOMEM, "cannot list the directory");
	}
	while (!code && (entry = readdir(dir)))
		if (is_stream(dir_fd, entry->d_name))
			code = add_stream(e, t, dir_fd, entry->d_name);
	if (code)
		return code;
	if (t->nr_streams)
		qsort(t->streams, t->nr_streams, sizeof(*t->streams), by_cpu);
	find_range(t);
	return 0;
}

int lkst_trace_open(struct lkst_err *e, const char *path, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = calloc(1, sizeof(*t));
	_cleanup_close_ int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	if (dir_fd < 0)
		return lkst_err_sys(e, -errno, "cannot open the trace %s", path);
	code = read_metadata(e, dir_fd, &t->catalog);
	if (!code)
		code = open_streams(e, t, dir_fd);
	if (code) {
		lkst_err_add(e, "cannot read the trace %s", path);
		return code;
	}
	*ret_trace = lkst_take(t);
	return 0;
}

void lkst_trace_close(struct lkst_trace *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < t->nr_streams; i++)
		lkst_stream_close(t->streams[i]);
	free(t->streams);
	lkst_catalog_free(t->catalog);
	free(t);
}

void lkst_trace_closep(struct lkst_trace **t)
{
	lkst_trace_close(*t);
}

const struct lkst_catalog *lkst_trace_catalog(const struct lkst_trace *t)
{
	return t->catalog;
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

	lkst_stream_block(s, block, &s->block);
	return &s->block;
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
	u32 i;
	int r;

	for (i = 0; i < check->stream->info.nr_blocks; i++) {
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
		lkst_stream_report_bad(check.stream, t->catalog->uuid, report_bad, &check);
		check_records(&check, t->catalog);
	}
	return check.nr;
}
