/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The writer: what is in the directory after each step, and the state stream's blocks.
 */
#include <signal.h>
#include <sys/resource.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[80];

static struct lkst_writer *begin(void)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_writer *w = NULL;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (lkst_writer_open(&err, NULL, path, c, &w))
		abort();
	lkst_catalog_free(c);
	return w;
}

static long size_of(const char *name)
{
	char file[160];
	struct stat st;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	return stat(file, &st) ? -1 : (long)st.st_size;
}

/* The number of records of each kind that a reader hits, added up. */
static int count(u64 *ret_gaps)
{
	struct lkst_record record;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap gap;
	int nr = 0;

	*ret_gaps = 0;
	if (lkst_trace_open(&err, path, &t))
		return -1;
	if (lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &record))
		nr++;
	while (lkst_merge_gap(m, &gap))
		++*ret_gaps;
	lkst_merge_free(m);
	lkst_trace_close(t);
	return nr;
}

TEST(writer_makes_a_trace_that_is_empty_but_whole)
{
	struct lkst_writer *w = begin();
	u64 gaps;

	CHECK(size_of("metadata") > 0);
	CHECK_EQ(lkst_writer_bytes(w), size_of("metadata"));
	CHECK_EQ(count(&gaps), 0);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(count(&gaps), 0);
	CHECK_EQ(size_of(".metadata.partial"), -1);
	CHECK_EQ(size_of("state"), -1);
	make_scratch_remove(dir);
}

TEST(writer_marks_a_copy_that_is_broken_off)
{
	struct lkst_writer *w = begin();

	CHECK(!make_is_partial(dir));
	CHECK_EQ(lkst_writer_mark_partial(&err, w), 0);
	CHECK(make_is_partial(dir));
	snprintf(err.text, sizeof(err.text), "the reason");
	CHECK_EQ(lkst_writer_close(&err, w, -EIO), -EIO);
	CHECK_STR(err.text, "the reason");
	CHECK(make_is_partial(dir));
	make_scratch_remove(dir);

	w = begin();
	CHECK_EQ(lkst_writer_mark_partial(&err, w), 0);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK(!make_is_partial(dir));
	make_scratch_remove(dir);

	w = begin();
	CHECK_EQ(lkst_writer_mark_partial(&err, w), 0);
	CHECK_EQ(lkst_writer_sync(&err, w), 0);
	CHECK(!make_is_partial(dir));
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK(!make_is_partial(dir));
	make_scratch_remove(dir);
}

TEST(writer_refuses_a_directory_that_is_not_empty)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_writer *w;

	make_scratch(dir);
	CHECK_EQ(lkst_writer_open(&err, NULL, dir, c, &w), 0);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(lkst_writer_open(&err, NULL, dir, c, &w), -ENOTEMPTY);
	CHECK(strstr(err.text, dir) && strstr(err.text, "not empty"));
	make_scratch_remove(dir);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	CHECK_EQ(lkst_writer_open(&err, NULL, path, c, &w), -ENOENT);
	lkst_catalog_free(c);
}

TEST(writer_names_files_by_buffer_and_cpu)
{
	struct lkst_writer *w = begin();
	static u8 blocks[8192];
	u64 before = lkst_writer_bytes(w);

	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, 8192), 0);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, 4096), 0);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(12, 1, 0), blocks, 4096), 0);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(3, 7, 0), blocks, 4096), 0);
	CHECK_EQ(size_of("main.0"), 12288);
	CHECK_EQ(size_of("life.12"), 4096);
	CHECK_EQ(size_of("buffer7.3"), 4096);
	CHECK_EQ(lkst_writer_bytes(w) - before, 20480);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, 100), -EINVAL);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(65536, 0, 0), blocks, 4096),
		 -EINVAL);
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 4), blocks, 4096), -EINVAL);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	make_scratch_remove(dir);
}

/* A state_irq record. */
static u32 make_irq(u8 *record, s32 irq, const char *name)
{
	struct lkst_rec_state_irq head = {
		.head = { .id_time = LKST_EV_state_irq + 1, .tid = 0 },
		.irq = irq,
	};

	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), name, strlen(name) + 1);
	return (u32)(sizeof(head) + strlen(name) + 1);
}

TEST(writer_fills_blocks_of_state)
{
	struct lkst_writer *w = begin();
	const struct lkst_event_class *irq;
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap gap;
	u8 record[4096];
	u64 last_ns = 0;
	int i, nr = 0;

	for (i = 0; i < 1000; i++) {
		u32 length = make_irq(record, i, "a name of a device");

		/* Time that goes back, and leaps. */
		CHECK_EQ(lkst_writer_state(&err, w, i < 500 ? 1000 - (u64)i : (u64)i << 40, record,
					   length),
			 0);
	}
	CHECK_EQ(lkst_writer_state(&err, w, 1ULL << 62, record, 20), -EINVAL);
	CHECK_EQ(lkst_writer_state(&err, w, 0, record, 11), -EINVAL);
	CHECK_EQ(lkst_writer_state(&err, w, 0, record, 4096 - 87), -EINVAL);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(size_of("state") % 4096, 0);

	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	CHECK_EQ(lkst_trace_nr_streams(t), 1);
	CHECK_EQ(lkst_trace_stream(t, 0)->buffer, LKST_BUFFER_STATE);
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_blocks, size_of("state") / 4096);
	CHECK_EQ(lkst_trace_stream(t, 0)->nr_bad_blocks, 0);
	irq = lkst_catalog_find(lkst_trace_catalog(t), "state_irq");
	CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
	while (lkst_merge_next(m, &r)) {
		CHECK(r.event == irq);
		CHECK_EQ(lkst_record_int(&r, &irq->fields[0]), nr);
		/* One more in each block, since no two begin at the same time. */
		CHECK_EQ(nr < 500 ? r.ns / 100 : r.ns, nr < 500 ? 10 : (u64)nr << 40);
		CHECK(r.ns >= last_ns);
		last_ns = r.ns;
		nr++;
	}
	CHECK_EQ(nr, 1000);
	CHECK(!lkst_merge_gap(m, &gap));
	lkst_merge_free(m);
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

TEST(writer_takes_a_state_record_as_large_as_a_block)
{
	struct lkst_writer *w = begin();
	char name[4096] = "";
	u8 record[4096];
	u64 gaps;

	memset(name, 'x', 4096 - LKST_BLOCK_HEADER - sizeof(struct lkst_rec_state_irq) - 1);
	CHECK_EQ(lkst_writer_state(&err, w, 1, record, make_irq(record, 1, name)), 0);
	CHECK_EQ(lkst_writer_state(&err, w, 1, record, make_irq(record, 1, "short")), 0);
	CHECK_EQ(lkst_writer_state(&err, w, 1, record, make_irq(record, 1, name)), 0);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(size_of("state"), 3 * 4096);
	CHECK_EQ(count(&gaps), 3);
	CHECK_EQ(gaps, 0);
	make_scratch_remove(dir);
}

TEST(writer_reports_a_full_disk_and_leaves_whole_blocks)
{
	struct rlimit old, small;
	struct lkst_writer *w = begin();
	static u8 blocks[64 * 4096];
	u64 before;

	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, 2 * 4096), 0);
	before = lkst_writer_bytes(w);
	/* A limit to the size of files replaces a full disk: writes stop in the middle of a block. */
	CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && !getrlimit(RLIMIT_FSIZE, &old));
	small = old;
	small.rlim_cur = 10 * 4096 + 100;
	CHECK(!setrlimit(RLIMIT_FSIZE, &small));
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, sizeof(blocks)),
		 -EFBIG);
	CHECK(strstr(err.text, "main.0"));
	CHECK_EQ(size_of("main.0"), 2 * 4096);
	CHECK_EQ(lkst_writer_bytes(w), before);
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	CHECK_EQ(lkst_writer_append(&err, w, lkst_stream_instance(0, 0, 0), blocks, sizeof(blocks)),
		 0);
	CHECK_EQ(size_of("main.0"), 66 * 4096);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "writer_makes_a_trace_that_is_empty_but_whole",
	  test_writer_makes_a_trace_that_is_empty_but_whole },
	{ "writer_marks_a_copy_that_is_broken_off", test_writer_marks_a_copy_that_is_broken_off },
	{ "writer_refuses_a_directory_that_is_not_empty",
	  test_writer_refuses_a_directory_that_is_not_empty },
	{ "writer_names_files_by_buffer_and_cpu", test_writer_names_files_by_buffer_and_cpu },
	{ "writer_fills_blocks_of_state", test_writer_fills_blocks_of_state },
	{ "writer_takes_a_state_record_as_large_as_a_block",
	  test_writer_takes_a_state_record_as_large_as_a_block },
	{ "writer_reports_a_full_disk_and_leaves_whole_blocks",
	  test_writer_reports_a_full_disk_and_leaves_whole_blocks },
};
UNIT_MAIN(tests)
