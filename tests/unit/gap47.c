/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Records that lie more than 2^47 ns apart (39 hours, which no test can wait for), and a clock that steps
 * back: written by the kernel programs' own ring.h under a clock that the test sets, and read by our
 * reader and by babeltrace2. Each must find every record at its time, in order.
 */
#include "lib/unit.h"

#include <stdbool.h>
#include <sys/wait.h>

#include "abi/control.h"
#include "abi/state.h"
#include "lib/make_trace.h"

enum {
	BLOCKS = 64, /* a power of two, and more than are filled */
	BLOCK_SHIFT = LKST_BLOCK_SHIFT_MIN,
	BLOCK_SIZE = 1 << BLOCK_SHIFT,
	STEPS_MAX = 512,
	ID = 1,
	STATE = 0, /* element of the state page; the blocks follow it */
};

static union {
	struct lkst_state state;
	struct lkst_block_header header;
	u8 bytes[BLOCK_SIZE];
} elements[1 + BLOCKS];
#define blocks (elements + 1)
static const u64 trace_uuid[2] = { 0x0807060504030201, 0x100f0e0d0c0b0a09 };
static u64 now;

/* A part of a word is stored too, so by its bytes; little-endian as all of the format. */
static inline void store(void *at, size_t size, u64 v)
{
	memcpy(at, &v, size);
}

#define LKST_LOAD(x) (x)
#define LKST_STORE(x, v) store((void *)&(x), sizeof(x), v)
#define LKST_STORE_RELEASE(x, v) LKST_STORE(x, v)
#define LKST_STORE_FENCE(x, v) LKST_STORE(x, v)
#define LKST_LEAVE_AT(st) (0ULL)
#define LKST_TARGET(st, wraps, ts) ((void)(wraps), (void)(ts), (st)->ring[0].page)
#define LKST_SWITCH_BUFFER(st, to) ((void)(st), (void)(to))
#define LKST_STORE_ORDERED(x, v) LKST_STORE(x, v)
#define LKST_COUNT(p) ((void)++*(p))
#define LKST_CLOCK() now
#define LKST_TID() 77
#define LKST_SHIFT() ((u32)BLOCK_SHIFT)
#define LKST_ELEMENT(i) ((void *)elements[i].bytes)
#define LKST_ELEMENT_AT(p) LKST_ELEMENT(*(p))
#define LKST_UUID_LO() trace_uuid[0]
#define LKST_UUID_HI() trace_uuid[1]
#define LKST_UNLIKELY(x) (x)
#define LKST_OPAQUE(p) (p)
#define LKST_BARRIER() ((void)0)
#define LKST_BOUNDED(v) (v)
#define LKST_RARE static __attribute__((noinline))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-aliasing"
#include "bpf/ring.h"
#pragma GCC diagnostic pop

static u64 times[STEPS_MAX]; /* at which the records must be found */
static unsigned int nr_times;
static char dir[64], trace[80];

static void write_record(u64 ns)
{
	struct lkst_rec_sched_process_free *r;
	struct lkst_slot slot;

	now = ns;
	r = (void *)lkst_ring_reserve(&slot, &elements[STATE].state, sizeof(*r), sizeof(*r),
				      LKST_SHIFT());
	if (!r)
		abort();
	r->head.tid = LKST_TID();
	r->freed_tid = (s32)nr_times;
	lkst_ring_commit(&slot, ID);
	/* A time that falls is held. */
	times[nr_times] = nr_times && ns < times[nr_times - 1] ? times[nr_times - 1] : ns;
	nr_times++;
}

/* Returns the number of the last block. */
static u64 write_all(void)
{
	static const u64 leaps[] = {
		LKST_TIME_GAP_MAX - 1, LKST_TIME_GAP_MAX,     LKST_TIME_GAP_MAX + 1,
		2 * LKST_TIME_GAP_MAX, 3 * LKST_TIME_GAP_MAX, 7 * LKST_TIME_GAP_MAX + 12345,
	};
	/* The low 48 bits wrap within the first records, too. */
	u64 ns = (9ULL << LKST_TIME_BITS) - 5, last;
	unsigned int i, k;

	memset(elements, 0, sizeof(elements));
	elements[STATE].state = (struct lkst_state){
		.cpu = 3, .ring[0] = { .page = STATE, .base = STATE + 1, .mask = BLOCKS - 1 }
	};
	nr_times = 0;
	for (i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		for (k = 0; k < 20; k++)
			write_record(ns++);
		/* While the kernel slews its clock it may step back by some ns. */
		write_record(ns - 4);
		write_record(ns - 1);
		ns += leaps[i];
	}
	for (k = 0; k < 300; k++)
		write_record(ns++);
	last = elements[STATE].state.ring[0].done >> BLOCK_SHIFT;
	if (last >= BLOCKS)
		abort();
	return last;
}

/* Writes what was recorded as a trace, the last block closed as a reader of rings closes it. */
static bool make_gap_trace(void)
{
	const struct lkst_ring *ring = &elements[STATE].state.ring[0];
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_writer *w = NULL;
	u64 last = write_all();
	struct lkst_err e;
	bool is_good;

	blocks[last].header.content_size = (ring->done - (last << BLOCK_SHIFT)) * 8;
	blocks[last].header.timestamp_end = ring->last;
	make_scratch(dir);
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	if (!c)
		abort();
	memcpy(c->uuid, trace_uuid, sizeof(c->uuid));
	is_good = !lkst_catalog_add_builtin(&e, c, ID, LKST_EV_sched_process_free) &&
		  !lkst_writer_open(&e, NULL, trace, c, &w) &&
		  !lkst_writer_append(&e, w, lkst_stream_instance(3, 0, 0), blocks,
				      (last + 1) << BLOCK_SHIFT);
	if (w && lkst_writer_close(&e, w, 0))
		is_good = false;
	lkst_catalog_free(c);
	return is_good;
}

TEST(blocks_are_opened)
{
	u64 last = write_all(), i;

	/* One for each leap but the first, and those that were full. */
	CHECK(last >= 6);
	for (i = 0; i < last; i++)
		CHECK(blocks[i].header.timestamp_end >= blocks[i].header.timestamp_begin);
	for (i = 1; i <= last; i++)
		CHECK(blocks[i].header.timestamp_begin >= blocks[i - 1].header.timestamp_end);
}

TEST(own_reader)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	struct lkst_err e;
	unsigned int nr = 0;

	CHECK(make_gap_trace());
	CHECK(!lkst_trace_open(&e, trace, &t));
	CHECK(!lkst_merge_new(&e, t, 0, UINT64_MAX, &m));
	for (; lkst_merge_next(m, &r) > 0; nr++) {
		CHECK(nr < nr_times);
		CHECK_EQ(r.ns, times[nr]);
		CHECK_EQ(lkst_record_int(&r, &r.event->fields[0]), nr);
	}
	CHECK_EQ(nr, nr_times);
	CHECK(!lkst_merge_gap(m, &gap));
	make_scratch_remove(dir);
}

TEST(babeltrace2)
{
	char command[200], line[512];
	unsigned long long ns;
	unsigned int nr = 0;
	FILE *in;
	int tid;

	if (system("command -v babeltrace2 >/dev/null")) {
		printf("skip gap47_babeltrace2: babeltrace2 is not installed\n");
		return;
	}
	CHECK(make_gap_trace());
	/* What it says on standard error is a line that shows no event. */
	snprintf(command, sizeof(command), "exec babeltrace2 --clock-cycles --no-delta '%s' 2>&1",
		 trace);
	in = popen(command, "r");
	CHECK(in);
	for (; fgets(line, sizeof(line), in); nr++) {
		char *field = strstr(line, "freed_tid = ");

		CHECK(field && sscanf(line, "[%llu]", &ns) == 1);
		CHECK(nr < nr_times);
		CHECK_EQ(ns, times[nr]);
		CHECK(sscanf(field, "freed_tid = %d", &tid) == 1);
		CHECK_EQ(tid, nr);
	}
	CHECK_EQ(pclose(in), 0);
	CHECK_EQ(nr, nr_times);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "gap47_blocks_are_opened", test_blocks_are_opened },
	{ "gap47_own_reader", test_own_reader },
	{ "gap47_babeltrace2", test_babeltrace2 },
};
UNIT_MAIN(tests)
