/* SPDX-License-Identifier: GPL-2.0-only */
/* What recording costs, by counting what the blocks at hand hold. */
#include "live/cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/state.h"
#include "trace/block.h"

enum {
	BATCH_BYTES = 1 << 20, /* copied at once; at least one block of any size */
	RING_BYTES = 16 << 20, /* looked through of one ring: enough for a good mean */
};

#define WINDOW_NS 1000000000ULL

struct counter {
	const struct lkst_catalog *catalog;
	const struct lkst_kind_desc *kinds;
	unsigned int nr_kinds;
	u16 kind_of[LKST_EVENT_SPACE];
	double *per_second;	      /* by kind */
	u64 counts[LKST_EVENT_SPACE]; /* of one ring, by id */
	u64 from_ns, last_ns;	      /* of one ring: what is counted, and the last that was */
	u8 *batch;
};

static u32 unit_ns(const struct lkst_kind_desc *k)
{
	return k->unit.hook_ns + k->unit.handler_ns;
}

static void count_block(struct counter *c, const void *bytes, size_t size)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	struct lkst_err ignored;

	/* What is damaged shows when it is read; here it does not count. */
	if (lkst_block_parse(&ignored, bytes, size, c->catalog->uuid, &block))
		return;
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(&ignored, &cursor, c->catalog, &record) > 0) {
		if (record.ns < c->from_ns)
			continue;
		c->counts[record.event->id]++;
		c->last_ns = record.ns;
	}
}

/* Counts one ring and returns what its CPU pays for it, as a share of its time. */
static double count_ring(struct counter *c, const struct lkst_rings *r, u32 cpu, u32 buffer,
			 u32 level)
{
	u64 now = lkst_monotonic_ns(), size = 1ULL << r->block_shift, read = 0;
	struct lkst_ring_reader reader;
	double seconds, share = 0;
	unsigned int nr, i;

	lkst_ring_reader_init(&reader, r, cpu, buffer, level);
	c->from_ns = now > WINDOW_NS ? now - WINDOW_NS : 0;
	if (c->from_ns < r->control->start_ns)
		c->from_ns = r->control->start_ns;
	lkst_ring_reader_seek(&reader, c->from_ns);
	memset(c->counts, 0, sizeof(c->counts));
	c->last_ns = 0;
	while (read < RING_BYTES &&
	       (nr = lkst_ring_reader_closed(&reader, c->batch, BATCH_BYTES / size))) {
		struct lkst_block first;
		struct lkst_err ignored;

		/* Less than the window may be left of a ring. */
		if (!read && !lkst_block_parse(&ignored, c->batch, size, NULL, &first) &&
		    first.begin_ns > c->from_ns)
			c->from_ns = first.begin_ns;
		for (i = 0; i < nr; i++)
			count_block(c, c->batch + i * size, size);
		read += nr * size;
	}
	if (read < RING_BYTES && lkst_ring_reader_open_block(&reader, c->batch) > 0)
		count_block(c, c->batch, size);
	/* All there was until now, or as much as was read. */
	if (read < RING_BYTES || !c->last_ns)
		c->last_ns = now;
	seconds = c->last_ns > c->from_ns ? (c->last_ns - c->from_ns) / 1e9 : 0;
	for (i = 0; i < LKST_EVENT_SPACE && seconds > 0; i++) {
		u16 kind = c->kind_of[i];

		if (!c->counts[i] || kind == LKST_KIND_NONE)
			continue;
		c->per_second[kind] += c->counts[i] / seconds;
		share += c->counts[i] / seconds * unit_ns(&c->kinds[kind]) / 1e9;
	}
	return share;
}

static void count_rings(struct counter *c, const struct lkst_rings *r, struct lkst_cost *cost)
{
	u32 cpu, buffer, level;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		double share = 0;

		for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
			for (level = 0; level < LKST_LEVELS && lkst_rings_has(r, buffer); level++)
				share += count_ring(c, r, cpu, buffer, level);
		if (share > cost->busiest_share) {
			cost->busiest_share = share;
			cost->busiest_cpu = cpu;
		}
	}
}

static int by_cost(const void *a, const void *b)
{
	const struct lkst_cost_row *x = a, *y = b;

	return (x->us_per_second < y->us_per_second) - (x->us_per_second > y->us_per_second);
}

static void fill_rows(const struct counter *c, struct lkst_cost *cost)
{
	unsigned int i;

	for (i = 0; i < c->nr_kinds; i++) {
		struct lkst_cost_row *row = &cost->rows[cost->nr_rows];

		if (!(c->per_second[i] > 0))
			continue;
		memcpy(row->name, c->kinds[i].name, sizeof(row->name));
		row->unit = c->kinds[i].unit;
		row->per_second = c->per_second[i];
		row->us_per_second = row->per_second * unit_ns(&c->kinds[i]) / 1e3;
		cost->us_per_second += row->us_per_second;
		cost->nr_rows++;
	}
	qsort(cost->rows, cost->nr_rows, sizeof(*cost->rows), by_cost);
}

int lkst_cost_count(struct lkst_err *e, const struct lkst_session *s, u32 record_ns,
		    struct lkst_cost *ret_cost)
{
	_cleanup_free_ struct counter *c = calloc(1, sizeof(*c));
	_cleanup_free_ struct lkst_kind_desc *kinds = NULL;
	_cleanup_free_ double *per_second = NULL;
	_cleanup_free_ u8 *batch = malloc(BATCH_BYTES);
	struct lkst_cost cost = {};
	unsigned int i, nr;
	int err;

	err = lkst_kinds_list(e, lkst_session_catalog(s), record_ns, &kinds, &nr);
	if (err)
		return err;
	per_second = calloc(nr + 1, sizeof(*per_second));
	cost.rows = calloc(nr + 1, sizeof(*cost.rows));
	if (!c || !batch || !per_second || !cost.rows) {
		free(cost.rows);
		return lkst_err_sys(e, -ENOMEM, "counting what recording costs");
	}
	c->catalog = lkst_session_catalog(s);
	c->kinds = kinds;
	c->nr_kinds = nr;
	c->per_second = per_second;
	c->batch = batch;
	memset(c->kind_of, 0xff, sizeof(c->kind_of));
	for (i = 0; i < nr; i++) {
		c->kind_of[kinds[i].id[0]] = i;
		if (kinds[i].id[1])
			c->kind_of[kinds[i].id[1]] = i;
	}
	count_rings(c, lkst_session_rings(s), &cost);
	fill_rows(c, &cost);
	*ret_cost = cost;
	return 0;
}

void lkst_cost_free(struct lkst_cost *c)
{
	free(c->rows);
	c->rows = NULL;
}
