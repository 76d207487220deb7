/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes a trace and counts its records by event, and does nothing else: how fast that is.
 *
 *	walk merge TRACE	all streams in one order of time, as every analysis reads them
 *	walk blocks TRACE	one stream after the other
 *	walk sizes TRACE	the mean size of each event's records, and of all
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "common.h"
#include "trace/read/reader.h"

struct counts {
	u64 nr[LKST_ID_MAX + 1];
	u64 bytes[LKST_ID_MAX + 1]; /* with what aligns the next record */
};

static void add(struct counts *c, const struct lkst_record *r)
{
	c->nr[r->event->id]++;
	c->bytes[r->event->id] += (r->size + LKST_RECORD_ALIGN - 1) & ~(LKST_RECORD_ALIGN - 1U);
}

static void walk_merged(struct lkst_trace *t, struct counts *c)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_err e;

	if (lkst_merge_new(&e, t, 0, UINT64_MAX, &m))
		bench_die("%s", e.text);
	while (lkst_merge_next(m, &r))
		add(c, &r);
}

/* Returns the number of bytes that the blocks' contents take, headers and all. */
static u64 walk_blocks(struct lkst_trace *t, struct counts *c)
{
	const struct lkst_catalog *catalog = lkst_trace_catalog(t);
	u64 bytes = 0;
	unsigned int i;
	u32 j;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);

		if (info->buffer == LKST_BUFFER_STATE)
			continue;
		for (j = 0; j < info->nr_blocks; j++) {
			const struct lkst_block *b = lkst_trace_block(t, i, j);
			struct lkst_block_cursor cursor;
			struct lkst_record r;
			struct lkst_err e;
			int got;

			lkst_block_cursor_init(&cursor, b);
			while ((got = lkst_block_next(&e, &cursor, catalog, &r)) > 0)
				add(c, &r);
			if (got < 0)
				bench_die("%s: %s", info->file, e.text);
			bytes += b->size;
		}
	}
	return bytes;
}

static u64 total(const u64 *values)
{
	u64 sum = 0;
	u32 id;

	for (id = 0; id <= LKST_ID_MAX; id++)
		sum += values[id];
	return sum;
}

static void print_sizes(const struct lkst_catalog *catalog, const struct counts *c, u64 bytes)
{
	u32 id;

	for (id = 0; id <= LKST_ID_MAX; id++)
		if (c->nr[id])
			printf("%12llu %8.1f %s\n", (unsigned long long)c->nr[id],
			       (double)c->bytes[id] / c->nr[id], catalog->classes[id]->name);
	printf("%12llu %8.2f all, block headers and unused ends of blocks included\n",
	       (unsigned long long)total(c->nr), (double)bytes / total(c->nr));
}

int main(int argc, char **argv)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	static struct counts c;
	uint64_t start = bench_now_ns();
	struct lkst_err e;
	double seconds;
	u64 bytes = 0;

	if (argc != 3 || (strcmp(argv[1], "merge") && strcmp(argv[1], "blocks") &&
			  strcmp(argv[1], "sizes")))
		bench_die("usage: walk merge|blocks|sizes TRACE");
	if (lkst_trace_open(&e, argv[2], &t))
		bench_die("%s", e.text);
	if (argv[1][0] == 'm')
		walk_merged(t, &c);
	else
		bytes = walk_blocks(t, &c);
	seconds = (bench_now_ns() - start) / 1e9;
	if (argv[1][0] == 's')
		print_sizes(lkst_trace_catalog(t), &c, bytes);
	else
		printf("%llu %.6f\n", (unsigned long long)total(c.nr), seconds);
	return 0;
}
