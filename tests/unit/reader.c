/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Opening a trace: which files count, what each stream's index says, what cannot be opened.
 */
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[80];

/* Three blocks of CPU 0, one of CPU 1, one of the life buffer, one of state. */
static const char text[] = "sched_switch cpu=0 ns=1000 next_tid=1\n"
			   "sched_switch cpu=0 ns=1100 next_tid=2\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 ns=1200 next_tid=3\n"
			   "!discard cpu=0 events=7\n"
			   "sched_switch cpu=0 ns=1300 next_tid=4\n"
			   "sched_switch cpu=1 ns=900 next_tid=5\n"
			   "task_rename cpu=0 buffer=1 ns=1500 target_tid=5 newcomm=a\n"
			   "state_thread ns=5000 thread_tid=5\n";

static void make(u32 block_size, const char *lines)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, block_size, lines))
		abort();
}

static struct lkst_trace *open_trace(void)
{
	struct lkst_trace *t;

	if (lkst_trace_open(&err, path, &t)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return t;
}

static void end(struct lkst_trace *t)
{
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

TEST(reader_lists_streams_by_cpu_and_buffer)
{
	static const char *const files[] = { "main.0", "life.0", "state", "main.1" };
	static const u32 blocks[] = { 3, 1, 1, 1 };
	struct lkst_trace *t;
	u64 begin, finish;
	unsigned int i;

	make(4096, text);
	t = open_trace();
	CHECK_EQ(lkst_trace_nr_streams(t), 4);
	for (i = 0; i < 4; i++) {
		CHECK_STR(lkst_trace_stream(t, i)->file, files[i]);
		CHECK_EQ(lkst_trace_stream(t, i)->nr_blocks, blocks[i]);
		CHECK_EQ(lkst_trace_stream(t, i)->nr_bad_blocks, 0);
		CHECK_EQ(lkst_trace_stream(t, i)->nr_missing_blocks, 0);
	}
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_lost_events, 7);
	CHECK_EQ(lkst_trace_stream(t, 1)->nr_lost_events, 0);
	CHECK_EQ(lkst_trace_stream(t, 3)->cpu, 1);
	CHECK_EQ(lkst_trace_block(t, 0, 1)->begin_ns, 1200);
	CHECK_EQ(lkst_trace_block(t, 0, 2)->seq, 2);
	/* The state is of no time of the trace. */
	lkst_trace_range(t, &begin, &finish);
	CHECK_EQ(begin, 900);
	CHECK_EQ(finish, 1500);
	CHECK_STR(lkst_trace_catalog(t)->hostname, "testhost");
	end(t);
}

/* Records of an interrupting writer are in a stream of their own, and at their place when merged. */
TEST(reader_merges_the_levels_of_a_cpu)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_trace *t;
	unsigned int i;

	make(4096, "sched_switch cpu=2 ns=1000\nsched_switch cpu=2 ns=1003\n"
		   "sched_switch cpu=2 level=1 ns=1001\nsched_switch cpu=2 level=2 ns=1002\n");
	t = open_trace();
	CHECK_EQ(lkst_trace_nr_streams(t), 3);
	CHECK_STR(lkst_trace_stream(t, 0)->file, "main.2");
	CHECK_STR(lkst_trace_stream(t, 1)->file, "main.2.n1");
	CHECK_STR(lkst_trace_stream(t, 2)->file, "main.2.n2");
	CHECK(!lkst_merge_new(&err, t, 0, UINT64_MAX, &m));
	for (i = 0; i < 4; i++) {
		CHECK(lkst_merge_next(m, &r) > 0);
		CHECK_EQ(r.ns, 1000 + i);
		CHECK_EQ(r.cpu, 2);
		CHECK_EQ(r.buffer, 0);
	}
	lkst_merge_freep(&m);
	m = NULL;
	end(t);
}

TEST(reader_ignores_files_that_are_no_streams)
{
	struct lkst_trace *t;
	char sub[128];

	make(4096, text);
	make_write(path, ".hidden", "x", 1);
	make_write(path, "empty", "", 0);
	snprintf(sub, sizeof(sub), "%s/extra", path);
	CHECK(!mkdir(sub, 0777));
	make_write(sub, "notes", "x", 1);
	snprintf(sub, sizeof(sub), "%s/pipe", path);
	CHECK(!mkfifo(sub, 0777));
	t = open_trace();
	CHECK_EQ(lkst_trace_nr_streams(t), 4);
	end(t);
}

TEST(reader_says_what_cannot_be_opened)
{
	struct lkst_trace *t;
	char sub[128];

	make(4096, text);
	CHECK_EQ(lkst_trace_open(&err, "/nonexistent/trace", &t), -ENOENT);
	CHECK(strstr(err.text, "/nonexistent/trace"));
	snprintf(sub, sizeof(sub), "%s/empty", dir);
	CHECK(!mkdir(sub, 0777));
	CHECK_EQ(lkst_trace_open(&err, sub, &t), -ENOENT);
	CHECK(strstr(err.text, "metadata"));
	make_write(path, "metadata", "/* CTF 1.8 */\ntrace {", 21);
	CHECK_EQ(lkst_trace_open(&err, path, &t), -EBADMSG);
	CHECK(strstr(err.text, path) && strstr(err.text, "line 2"));
	make_scratch_remove(dir);
}

TEST(reader_takes_blocks_of_any_size)
{
	struct lkst_trace *t;
	u32 size;

	for (size = 4096; size <= 1 << 20; size *= 2) {
		make(size, text);
		t = open_trace();
		CHECK_EQ(lkst_trace_stream(t, 0)->nr_blocks, 3);
		CHECK_EQ(lkst_trace_block(t, 0, 2)->size, size);
		CHECK_EQ(lkst_trace_block(t, 0, 2)->begin_ns, 1300);
		end(t);
	}
}

/* Replaces blocks of main.0 in the order that @order tells ('0'..'9' old blocks, others zeros). */
static void reorder(u32 block_size, const char *order)
{
	size_t length, n = strlen(order), i;
	char *bytes = make_read(path, "main.0", &length);
	char *mixed = calloc(n, block_size);

	for (i = 0; i < n; i++)
		if (order[i] >= '0' && order[i] <= '9')
			memcpy(mixed + i * block_size,
			       bytes + (size_t)(order[i] - '0') * block_size, block_size);
	make_write(path, "main.0", mixed, n * block_size);
	free(mixed);
	free(bytes);
}

struct expected {
	const char *order, *blocks; /* which blocks, by number, are found */
	u64 bad, missing;
};

TEST(reader_sorts_and_counts_blocks)
{
	static const struct expected cases[] = {
		{ "012", "012", 0, 0 },	    { "201", "012", 0, 0 },  { "210", "012", 0, 0 },
		{ "02", "02", 0, 1 },	    { "20", "02", 0, 1 },    { "0x2", "02", 1, 0 },
		{ "x12", "12", 1, 0 },	    { "01x", "01", 1, 0 },   { "xx2", "2", 2, 0 },
		{ "x0x1x2x", "012", 4, 0 }, { "0112", "012", 0, 0 }, { "210210", "012", 0, 0 },
		{ "xxx", "", 3, 0 },	    { "1", "1", 0, 0 },
	};
	u32 size, b;
	size_t i;

	for (size = 4096; size <= 16384; size *= 4)
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct lkst_stream_info *info;
			struct lkst_trace *t;

			make(size, text);
			reorder(size, cases[i].order);
			t = open_trace();
			info = lkst_trace_stream(t, 0);
			CHECK_EQ(info->nr_blocks, strlen(cases[i].blocks));
			for (b = 0; b < info->nr_blocks; b++)
				CHECK_EQ(lkst_trace_block(t, 0, b)->seq, cases[i].blocks[b] - '0');
			CHECK_EQ(info->nr_missing_blocks, cases[i].missing);
			/* Without one sound block nobody knows how large they were. */
			CHECK_EQ(info->nr_bad_blocks,
				 info->nr_blocks ? cases[i].bad : 3 * size / 4096);
			CHECK_EQ(info->nr_bad_bytes, cases[i].bad * size);
			CHECK_STR(info->file, "main.0");
			end(t);
		}
}

TEST(reader_counts_a_block_that_is_cut_short)
{
	const struct lkst_stream_info *info;
	struct lkst_trace *t;
	size_t length;
	char *bytes;

	make(4096, text);
	bytes = make_read(path, "main.0", &length);
	make_write(path, "main.0", bytes, length - 1);
	t = open_trace();
	info = lkst_trace_stream(t, 0);
	CHECK_EQ(info->nr_blocks, 2);
	CHECK_EQ(info->nr_bad_blocks, 1);
	CHECK_EQ(info->nr_bad_bytes, 4095);
	lkst_trace_close(t);
	make_write(path, "main.0", bytes, 1);
	t = open_trace();
	info = lkst_trace_stream(t, 0);
	CHECK_EQ(info->nr_blocks, 0);
	CHECK_EQ(info->nr_bad_blocks, 1);
	CHECK_EQ(info->cpu, 0);
	CHECK_EQ(info->buffer, 0);
	free(bytes);
	end(t);
}

/* Changes 8 bytes of block @block's header in main.0. */
static void change(u32 block, size_t at, u64 value)
{
	size_t length;
	char *bytes = make_read(path, "main.0", &length);

	memcpy(bytes + block * 4096 + at, &value, 8);
	make_write(path, "main.0", bytes, length);
	free(bytes);
}

#define AT(field) offsetof(struct lkst_block_header, field)

TEST(reader_drops_the_block_that_contradicts_the_others)
{
	static const struct {
		u32 block;
		size_t at;
		u64 value;
		u64 begins[2]; /* of the blocks that remain */
	} cases[] = {
		{ 0, AT(stream_instance_id), 1ULL << 32, { 1200, 1300 } }, /* of the life buffer */
		{ 1, AT(stream_instance_id), 1ULL << 32, { 1000, 1300 } },
		{ 1, AT(timestamp_begin), 500, { 1000, 1300 } }, /* before the first block */
		{ 0,
		  AT(packet_seq_num),
		  9,
		  { 1200, 1300 } }, /* the oldest time, the highest number */
		{ 2, AT(packet_seq_num), 0, { 1000, 1200 } },
		{ 1, AT(timestamp_end), 0, { 1000, 1300 } }, /* never closed */
	};
	size_t i;
	u32 b;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lkst_stream_info *info;
		struct lkst_trace *t;

		make(4096, text);
		change(cases[i].block, cases[i].at, cases[i].value);
		t = open_trace();
		info = lkst_trace_stream(t, 0);
		CHECK_EQ(info->nr_bad_blocks, 1);
		CHECK_EQ(info->nr_blocks, 2);
		CHECK_EQ(info->nr_missing_blocks, 0);
		for (b = 0; b < 2; b++)
			CHECK_EQ(lkst_trace_block(t, 0, b)->begin_ns, cases[i].begins[b]);
		end(t);
	}
}

TEST(reader_does_not_lend_a_damaged_end_to_records)
{
	struct lkst_trace *t;

	make(4096, text);
	change(1, AT(timestamp_end), 1ULL << 50);
	t = open_trace();
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_bad_blocks, 0);
	CHECK_EQ(lkst_trace_block(t, 0, 1)->end_ns, 1300);
	end(t);
}

TEST(reader_refuses_times_that_are_a_turn_of_the_clock_off)
{
	struct lkst_trace *t;

	/* Long after the first turn of 48 bits, so that the beginning can be one turn too low. */
	make(4096, "sched_switch ns=562949953421312 next_tid=1\n"
		   "sched_switch ns=562949953421412 next_tid=2\n"
		   "!block\n"
		   "sched_switch ns=562949953421512 next_tid=3\n");
	change(0, AT(timestamp_begin), 281474976710656);
	t = open_trace();
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_blocks, 1);
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_bad_blocks, 1);
	end(t);
	/* A rare event's block may cover days. */
	make(4096, "sched_switch ns=1000 next_tid=1\nsched_switch ns=100000000000000 next_tid=2\n"
		   "sched_switch ns=200000000000000 next_tid=3\n"
		   "sched_switch ns=300000000000000 next_tid=4\n");
	t = open_trace();
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_blocks, 1);
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_bad_blocks, 0);
	end(t);
}

struct reports {
	unsigned int nr;
	u64 offset, bytes;
	char text[256];
};

static void report(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
		   const char *why)
{
	struct reports *r = arg;

	r->nr++;
	r->offset = offset;
	r->bytes = bytes;
	snprintf(r->text, sizeof(r->text), "%s: %s", stream->file, why);
}

TEST(reader_checks_every_block_and_record)
{
	struct reports r = {};
	struct lkst_trace *t;

	make(4096, text);
	t = open_trace();
	CHECK_EQ(lkst_trace_check(t, report, &r), 0);
	lkst_trace_close(t);

	change(1, AT(magic), 0);
	t = open_trace();
	CHECK_EQ(lkst_trace_check(t, report, &r), 1);
	CHECK_EQ(r.offset, 4096);
	CHECK_EQ(r.bytes, 4096);
	CHECK(strstr(r.text, "main.0: the magic"));
	end(t);

	make(4096, text);
	change(0, LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch), 0xffff);
	t = open_trace();
	CHECK_EQ(lkst_trace_check(t, report, &r), 1);
	CHECK_EQ(r.offset, LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch));
	CHECK(strstr(r.text, "not declared") || strstr(r.text, "time"));
	end(t);

	make(4096, text);
	change(1, AT(timestamp_begin), 500);
	t = open_trace();
	CHECK_EQ(lkst_trace_check(t, report, &r), 1);
	CHECK_EQ(r.offset, 4096);
	CHECK(strstr(r.text, "neighbours"));
	end(t);
}

static const struct unit_test tests[] = {
	{ "reader_lists_streams_by_cpu_and_buffer", test_reader_lists_streams_by_cpu_and_buffer },
	{ "reader_merges_the_levels_of_a_cpu", test_reader_merges_the_levels_of_a_cpu },
	{ "reader_ignores_files_that_are_no_streams",
	  test_reader_ignores_files_that_are_no_streams },
	{ "reader_says_what_cannot_be_opened", test_reader_says_what_cannot_be_opened },
	{ "reader_takes_blocks_of_any_size", test_reader_takes_blocks_of_any_size },
	{ "reader_sorts_and_counts_blocks", test_reader_sorts_and_counts_blocks },
	{ "reader_counts_a_block_that_is_cut_short", test_reader_counts_a_block_that_is_cut_short },
	{ "reader_drops_the_block_that_contradicts_the_others",
	  test_reader_drops_the_block_that_contradicts_the_others },
	{ "reader_does_not_lend_a_damaged_end_to_records",
	  test_reader_does_not_lend_a_damaged_end_to_records },
	{ "reader_refuses_times_that_are_a_turn_of_the_clock_off",
	  test_reader_refuses_times_that_are_a_turn_of_the_clock_off },
	{ "reader_checks_every_block_and_record", test_reader_checks_every_block_and_record },
};
UNIT_MAIN(tests)
