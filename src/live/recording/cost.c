/* SPDX-License-Identifier: GPL-2.0-only */
/* What recording costs, by counting what the blocks at hand hold, and runs that recorded nothing. */
#include "live/recording/cost.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/recording/cpu_account.h"
#include "trace/format/block.h"

enum {
	BATCH_BYTES = 1 << 20, /* copied at once; at least one block of any size */
	RING_BYTES = 16 << 20, /* looked through of one ring: enough for a good mean */
};

/* How long it is counted. */
#define WINDOW_NS 250000000ULL

/* How far a ring was when the window began, and when it ended. */
struct ring {
	u64 begin, end;
};

struct lkst_cost_watch {
	const struct lkst_session *session;
	const struct lkst_catalog *catalog;
	const struct lkst_costs *costs;
	struct lkst_kind_desc *kinds;
	unsigned int nr_kinds;
	u16 kind_of[LKST_EVENT_SPACE];
	double *per_second, *idle_per_second; /* by kind */
	double *us_per_second;		      /* the same */
	double *cpu_us_per_second;	      /* of the CPU that is counted */
	u64 begin_ns, end_ns;		      /* the window */
	/*
	 * By CPU, read before the window and after it, between before_ns and after_ns: it is about all of the window,
	 * however late this process is. Of the next window before_ns is next_ns.
	 */
	struct lkst_cpu_account *times_before, *times_after;
	u64 before_ns, after_ns, next_ns;
	struct lkst_idle *began;      /* of each CPU: how often programs had run for nothing */
	struct lkst_idle *idle;	      /* how often they did in the window */
	struct ring *rings;	      /* by CPU, buffer and level */
	u64 counts[LKST_EVENT_SPACE]; /* of one ring, by id */
	u8 *batch;
};

static struct ring *ring_of(const struct lkst_cost_watch *c, u32 cpu, u32 buffer, u32 level)
{
	return &c->rings[(cpu * LKST_NR_BUFFERS + buffer) * LKST_LEVELS + level];
}

static u32 unit_ns(const struct lkst_kind_desc *k)
{
	return k->unit.hook_ns + k->unit.handler_ns;
}

/* Counts the records of a copied block, of the window only or all. False: the block is damaged, or after the window. */
static bool count_block(struct lkst_cost_watch *c, const void *bytes, size_t size, bool is_window)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;

	/* What is damaged shows when it is read; here it does not count. */
	if (lkst_block_parse(NULL, bytes, size, c->catalog->uuid, &block) ||
	    (is_window && block.begin_ns > c->end_ns))
		return false;
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(NULL, &cursor, c->catalog, &record) > 0)
		if (!is_window || (record.ns >= c->begin_ns && record.ns <= c->end_ns))
			c->counts[record.event->id]++;
	return true;
}

/*
 * Counts closed blocks from the reader's on: all there are, or those of the window; not more than the ring holds, nor
 * than RING_BYTES. Returns how many were counted.
 */
static u64 count_closed(struct lkst_cost_watch *c, struct lkst_ring_reader *reader, u64 size,
			bool is_window)
{
	u64 most = reader->mask + 1ULL, read = 0, counted = 0;
	unsigned int nr, i;

	if (most > RING_BYTES / size)
		most = RING_BYTES / size;
	memset(c->counts, 0, sizeof(c->counts));
	while (read < most &&
	       (nr = lkst_ring_reader_closed(reader, c->batch, BATCH_BYTES / size))) {
		for (i = 0; i < nr; i++)
			counted += count_block(c, c->batch + i * size, size, is_window);
		read += nr;
	}
	return counted;
}

/*
 * How many records a counted one stands for, in c->counts: what @ring got in the window is all there and counted by
 * its time, or a sample of what the ring holds now stands for as many blocks as were filled. 0: nothing was recorded.
 */
static double count_records(struct lkst_cost_watch *c, const struct lkst_rings *r,
			    const struct ring *ring, struct lkst_ring_reader *reader)
{
	u64 size = 1ULL << r->block_shift, written = ring->end - ring->begin, nr;
	u64 first = ring->begin >> r->block_shift;

	if (ring->end <= ring->begin)
		return 0;
	lkst_ring_reader_seek(reader, c->begin_ns);
	/* The block that was open when the window began may have got no record since. */
	if (written <= RING_BYTES && reader->next <= first + 1) {
		count_closed(c, reader, size, true);
		if (lkst_ring_reader_open_block(reader, c->batch) > 0)
			count_block(c, c->batch, size, true);
		if (!reader->overtaken)
			return 1;
	}
	/* The writers were faster, or are. What is older than the window says nothing about it. */
	reader->next = lkst_ring_oldest(reader->ring);
	if (reader->next < first)
		reader->next = first;
	nr = count_closed(c, reader, size, false);
	return nr ? (double)written / (nr * size) : 0;
}

/* Counts one ring and returns what its CPU pays for it, as a share of its time. */
static double count_ring(struct lkst_cost_watch *c, const struct lkst_rings *r, u32 cpu, u32 buffer,
			 u32 level)
{
	double seconds = (c->end_ns - c->begin_ns) / 1e9, share = 0, weight;
	struct lkst_ring_reader reader;
	unsigned int i;

	lkst_ring_reader_init(&reader, r, cpu, buffer, level);
	weight = count_records(c, r, ring_of(c, cpu, buffer, level), &reader);
	for (i = 0; i < LKST_EVENT_SPACE && weight > 0; i++) {
		double per_second = c->counts[i] * weight / seconds;
		u16 kind = c->kind_of[i];

		if (!c->counts[i] || kind == LKST_KIND_NONE)
			continue;
		c->per_second[kind] += per_second;
		c->cpu_us_per_second[kind] += per_second * unit_ns(&c->kinds[kind]) / 1e3;
		share += per_second * unit_ns(&c->kinds[kind]) / 1e9;
	}
	return share;
}

/* Counts the runs that recorded nothing on @cpu and returns what they took, as a share of its time. */
static double cost_count_idle(struct lkst_cost_watch *c, u32 cpu)
{
	double seconds = (c->end_ns - c->begin_ns) / 1e9, share = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		double per_second = c->idle[cpu].runs[id] / seconds;
		u16 kind = c->kind_of[id];

		if (kind == LKST_KIND_NONE) {
			/* The program of an event that this recording lacks, for another of the same hook. */
			share += per_second * c->costs->hook_ns[LKST_HOOK_TYPE_TRACEPOINT] / 1e9;
			continue;
		}
		c->idle_per_second[kind] += per_second;
		c->cpu_us_per_second[kind] += per_second * c->kinds[kind].unit.hook_ns / 1e3;
		share += per_second * c->kinds[kind].unit.hook_ns / 1e9;
	}
	return share;
}

/* By what what was counted on @cpu is to be multiplied, so that it is not more than the CPU was in the kernel. */
static double cut_down(const struct lkst_cost_watch *c, u32 cpu, double share)
{
	const u64 ns = c->after_ns - c->before_ns;
	double most = lkst_cpu_account_kernel_share(&c->times_before[cpu], &c->times_after[cpu], ns) *
		      ns / (c->end_ns - c->begin_ns);

	most = most < 1 ? most : 1;
	return share > most ? most / share : 1;
}

/* Adds what CPU @cpu pays, @share of its time, @idle of that for runs that recorded nothing. */
static void add_cpu(struct lkst_cost_watch *c, struct lkst_cost *cost, u32 cpu, double share, double idle)
{
	double part = cut_down(c, cpu, share), core_us = 0;
	unsigned int i;

	for (i = 0; i < c->nr_kinds; i++) {
		if (c->kinds[i].value == LKST_KIND_PRECIOUS)
			core_us += c->cpu_us_per_second[i] * part;
		c->us_per_second[i] += c->cpu_us_per_second[i] * part;
		c->cpu_us_per_second[i] = 0;
	}
	if (core_us / 1e6 > cost->core_share) {
		cost->core_share = core_us / 1e6;
		cost->core_cpu = cpu;
	}
	share *= part;
	cost->is_cut_down |= part < 1;
	cost->cpu_shares[cpu] = share;
	cost->idle_us_per_second += idle * part * 1e6;
	cost->us_per_second += share * 1e6;
	if (share > cost->busiest_share) {
		cost->busiest_share = share;
		cost->busiest_cpu = cpu;
	}
}

static void count_cpus(struct lkst_cost_watch *c, const struct lkst_rings *r,
		       struct lkst_cost *cost)
{
	u32 cpu, buffer, level;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		double idle = cost_count_idle(c, cpu), share = idle;

		for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
			for (level = 0; level < LKST_LEVELS && lkst_rings_has(r, buffer); level++)
				share += count_ring(c, r, cpu, buffer, level);
		add_cpu(c, cost, cpu, share, idle);
	}
}

static int by_cost(const void *a, const void *b)
{
	const struct lkst_cost_row *x = a, *y = b;

	return (x->us_per_second < y->us_per_second) - (x->us_per_second > y->us_per_second);
}

static void fill_rows(const struct lkst_cost_watch *c, struct lkst_cost *cost)
{
	unsigned int i;

	for (i = 0; i < c->nr_kinds; i++) {
		struct lkst_cost_row *row = &cost->rows[cost->nr_rows];

		if (!(c->per_second[i] + c->idle_per_second[i] > 0))
			continue;
		memcpy(row->name, c->kinds[i].name, sizeof(row->name));
		row->unit = c->kinds[i].unit;
		row->per_second = c->per_second[i];
		row->idle_per_second = c->idle_per_second[i];
		row->us_per_second = c->us_per_second[i];
		cost->nr_rows++;
	}
	qsort(cost->rows, cost->nr_rows, sizeof(*cost->rows), by_cost);
}

/* What the CPUs have done so far. Where it cannot be read, nothing is known of any. */
static void read_times(const struct lkst_cost_watch *c, struct lkst_cpu_account *times)
{
	const u32 nr = lkst_session_rings(c->session)->nr_cpus;
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");

	memset(times, 0, nr * sizeof(*times));
	if (f)
		lkst_cpu_account_read(f, nr, times);
}

/* How busy the CPUs were, and in which steps that is told. */
static void put_busy(const struct lkst_cost_watch *c, struct lkst_cost *cost)
{
	const double seconds = (c->after_ns - c->before_ns) / 1e9;
	u32 cpu;

	for (cpu = 0; cpu < cost->nr_cpus; cpu++) {
		const struct lkst_cpu_account *before = &c->times_before[cpu], *after = &c->times_after[cpu];

		if (before->is_known && after->busy > before->busy)
			cost->busy_us_per_second += (after->busy - before->busy) / seconds;
	}
	cost->finest_us_per_second = lkst_cpu_account_tick_us() / seconds;
}

/* Notes how far each ring is, as where the window begins or ends. */
static void look_at_rings(struct lkst_cost_watch *c, const struct lkst_rings *r, bool is_end)
{
	u32 cpu, buffer, level;

	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < r->nr_cpus && lkst_rings_has(r, buffer); cpu++)
			for (level = 0; level < LKST_LEVELS; level++) {
				struct ring *ring = ring_of(c, cpu, buffer, level);
				u64 done = __atomic_load_n(
					&lkst_rings_state(r, cpu, buffer)->ring[level].done,
					__ATOMIC_RELAXED);

				*(is_end ? &ring->end : &ring->begin) = done;
			}
}

/* The first window begins. */
static int cost_begin(struct lkst_err *e, struct lkst_cost_watch *c)
{
	const struct lkst_rings *r = lkst_session_rings(c->session);
	int err = 0;
	u32 cpu;

	c->before_ns = lkst_monotonic_ns();
	read_times(c, c->times_before);
	for (cpu = 0; cpu < r->nr_cpus && !err; cpu++)
		err = lkst_session_idle(e, c->session, cpu, &c->began[cpu]);
	look_at_rings(c, r, false);
	c->begin_ns = lkst_monotonic_ns();
	return err;
}

/* The window ends: finds out how often programs ran in it and recorded nothing. */
static int cost_end(struct lkst_err *e, struct lkst_cost_watch *c, struct lkst_cost *cost)
{
	_cleanup_free_ struct lkst_idle *now = calloc(1, sizeof(*now));
	const struct lkst_rings *r = lkst_session_rings(c->session);
	int err = now ? 0 : lkst_err_sys(e, -ENOMEM, "counting what recording costs");
	u32 cpu, id;

	look_at_rings(c, r, true);
	c->end_ns = lkst_monotonic_ns();
	for (cpu = 0; cpu < r->nr_cpus && !err; cpu++) {
		err = lkst_session_idle(e, c->session, cpu, now);
		for (id = 0; id < LKST_EVENT_SPACE && !err; id++)
			c->idle[cpu].runs[id] = now->runs[id] > c->began[cpu].runs[id]
							? now->runs[id] - c->began[cpu].runs[id]
							: 0;
		if (!err)
			c->began[cpu] = *now;
	}
	c->next_ns = lkst_monotonic_ns();
	read_times(c, c->times_after);
	c->after_ns = lkst_monotonic_ns();
	put_busy(c, cost);
	return err;
}

/* The next window begins where this one has ended. */
static void go_on(struct lkst_cost_watch *c)
{
	const struct lkst_rings *r = lkst_session_rings(c->session);
	size_t nr = (size_t)r->nr_cpus * LKST_NR_BUFFERS * LKST_LEVELS, i;

	for (i = 0; i < nr; i++)
		c->rings[i].begin = c->rings[i].end;
	c->begin_ns = c->end_ns;
	memcpy(c->times_before, c->times_after, r->nr_cpus * sizeof(*c->times_before));
	c->before_ns = c->next_ns;
	memset(c->us_per_second, 0, (c->nr_kinds + 1) * sizeof(*c->us_per_second));
	memset(c->per_second, 0, (c->nr_kinds + 1) * sizeof(*c->per_second));
	memset(c->idle_per_second, 0, (c->nr_kinds + 1) * sizeof(*c->idle_per_second));
}

void lkst_cost_watch_free(struct lkst_cost_watch *c)
{
	if (!c)
		return;
	free(c->kinds);
	free(c->per_second);
	free(c->idle_per_second);
	free(c->us_per_second);
	free(c->cpu_us_per_second);
	free(c->times_before);
	free(c->times_after);
	free(c->began);
	free(c->idle);
	free(c->rings);
	free(c->batch);
	free(c);
}

int lkst_cost_watch_new(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_costs *costs, struct lkst_cost_watch **ret_watch)
{
	_cleanup_(lkst_cost_watch_freep) struct lkst_cost_watch *c = calloc(1, sizeof(*c));
	unsigned int i, half;
	int err;

	if (!c)
		return lkst_err_sys(e, -ENOMEM, "counting what recording costs");
	c->session = s;
	c->catalog = lkst_session_catalog(s);
	c->costs = costs;
	err = lkst_kinds_list(e, c->catalog, costs, &c->kinds, &c->nr_kinds);
	if (err)
		return err;
	c->per_second = calloc(c->nr_kinds + 1, sizeof(*c->per_second));
	c->idle_per_second = calloc(c->nr_kinds + 1, sizeof(*c->idle_per_second));
	c->us_per_second = calloc(c->nr_kinds + 1, sizeof(*c->us_per_second));
	c->cpu_us_per_second = calloc(c->nr_kinds + 1, sizeof(*c->cpu_us_per_second));
	c->times_before = calloc(lkst_session_rings(s)->nr_cpus, sizeof(*c->times_before));
	c->times_after = calloc(lkst_session_rings(s)->nr_cpus, sizeof(*c->times_after));
	c->began = calloc(lkst_session_rings(s)->nr_cpus, sizeof(*c->began));
	c->idle = calloc(lkst_session_rings(s)->nr_cpus, sizeof(*c->idle));
	c->rings = calloc((size_t)lkst_session_rings(s)->nr_cpus * LKST_NR_BUFFERS * LKST_LEVELS,
			  sizeof(*c->rings));
	c->batch = malloc(BATCH_BYTES);
	if (!c->per_second || !c->idle_per_second || !c->us_per_second || !c->cpu_us_per_second ||
	    !c->times_before || !c->times_after || !c->began || !c->idle || !c->rings || !c->batch)
		return lkst_err_sys(e, -ENOMEM, "counting what recording costs");
	memset(c->kind_of, 0xff, sizeof(c->kind_of));
	for (i = 0; i < c->nr_kinds; i++)
		for (half = 0; half < 2; half++)
			if (c->kinds[i].id[half])
				c->kind_of[c->kinds[i].id[half]] = i;
	err = cost_begin(e, c);
	if (!err)
		*ret_watch = lkst_take(c);
	return err;
}

int lkst_cost_watch_next(struct lkst_err *e, struct lkst_cost_watch *c, struct lkst_cost *ret_cost)
{
	const struct lkst_rings *r = lkst_session_rings(c->session);
	struct lkst_cost cost = { .nr_cpus = r->nr_cpus };
	int err = cost_end(e, c, &cost);

	if (err)
		return err;
	cost.rows = calloc(c->nr_kinds + 1, sizeof(*cost.rows));
	cost.cpu_shares = calloc(cost.nr_cpus, sizeof(*cost.cpu_shares));
	if (!cost.rows || !cost.cpu_shares) {
		lkst_cost_free(&cost);
		return lkst_err_sys(e, -ENOMEM, "counting what recording costs");
	}
	count_cpus(c, r, &cost);
	fill_rows(c, &cost);
	go_on(c);
	*ret_cost = cost;
	return 0;
}

int lkst_cost_count(struct lkst_err *e, const struct lkst_session *s,
		    const struct lkst_costs *costs, struct lkst_cost *ret_cost)
{
	const struct timespec window = { .tv_nsec = WINDOW_NS };
	_cleanup_(lkst_cost_watch_freep) struct lkst_cost_watch *c = NULL;
	int err = lkst_cost_watch_new(e, s, costs, &c);

	if (err)
		return err;
	nanosleep(&window, NULL);
	return lkst_cost_watch_next(e, c, ret_cost);
}

double lkst_cost_slowdown(const struct lkst_cost *c)
{
	double work = c->busy_us_per_second - c->us_per_second;

	/* Where the kernel accounts for less than that, it does not tell. */
	if (work < c->finest_us_per_second)
		work = c->finest_us_per_second;
	return work > 0 ? c->us_per_second / work : 0;
}

void lkst_cost_free(struct lkst_cost *c)
{
	free(c->rows);
	free(c->cpu_shares);
	c->rows = NULL;
	c->cpu_shares = NULL;
}
