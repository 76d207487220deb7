/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A recording in parts: names, how many are kept, compression, and reading them as one.
 */
#include <dirent.h>
#include <limits.h>
#include <sys/resource.h>
#include <time.h>
#include <zstd.h>

#include "lib/make_trace.h"
#include "trace/write/packer.h"
#include "trace/write/parts.h"
#include "trace/known/threads.h"
#include "trace/format/zst.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128];

static const atomic_bool never = false;

static int count_entries(const char *where)
{
	DIR *d = opendir(where);
	struct dirent *entry;
	int nr = 0;

	while (d && (entry = readdir(d)))
		nr += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return d ? nr : -1;
}

static bool exists(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	return !access(file, F_OK);
}

/* ---- the option --------------------------------------------------------------------- */

TEST(rotation_takes_size_time_and_count)
{
	struct lkst_rotation r;

	CHECK_EQ(lkst_rotation_parse(&err, "64M,10", &r), 0);
	CHECK(r.is_on && r.bytes == 64 << 20 && !r.ns && r.keep == 10);
	CHECK_EQ(lkst_rotation_parse(&err, "5min,12", &r), 0);
	CHECK(!r.bytes && r.ns == 300ULL * 1000000000 && r.keep == 12);
	CHECK_EQ(lkst_rotation_parse(&err, "1G,1h", &r), 0);
	CHECK(r.bytes == 1 << 30 && r.ns == 3600ULL * 1000000000 && !r.keep);
	CHECK_EQ(lkst_rotation_parse(&err, "7", &r), 0);
	CHECK(r.is_on && !r.bytes && !r.ns && r.keep == 7);
}

TEST(rotation_refuses_what_it_does_not_know)
{
	static const char *const bad[] = {
		"",	"x",	"64M,64M", "1,2", "0",	   "1",
		"64M,", ",64M", "5min,5s", "-3",  "64M,1", "99999999999"
	};
	struct lkst_rotation r;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (lkst_rotation_parse(&err, bad[i], &r) != -EINVAL)
			break;
	CHECK_EQ(i, sizeof(bad) / sizeof(bad[0]));
}

/* ---- names and number --------------------------------------------------------------- */

/* Makes @nr parts called @name, of which @keep stay, a second apart from @day_s on. */
static int make_parts(const char *name, u32 keep, int nr, u64 day_s, u64 step_s)
{
	struct lkst_rotation r = { .is_on = true, .keep = keep };
	struct lkst_catalog *c = make_catalog();
	struct lkst_parts *p;
	struct lkst_writer *w;
	int code = lkst_parts_open(&err, NULL, name, &r, false, &p), i;

	for (i = 0; i < nr && !code; i++) {
		code = lkst_parts_next(&err, p, c, (day_s + i * step_s) * 1000000000, 0, &w);
		if (!code)
			code = lkst_writer_close(&err, w, 0) ?: lkst_parts_done(&err, p);
	}
	if (!code)
		code = lkst_parts_close(&err, p);
	lkst_catalog_free(c);
	return code;
}

TEST(parts_are_numbered_and_the_oldest_go)
{
	char own[160];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/log", dir);
	CHECK_EQ(make_parts(path, 3, 5, 0, 0), 0);
	CHECK_EQ(count_entries(path), 3);
	CHECK(exists("log/000003/metadata") && exists("log/000005/metadata"));
	/* A later recording continues after them, and they count. */
	CHECK_EQ(make_parts(path, 3, 2, 0, 0), 0);
	CHECK_EQ(count_entries(path), 3);
	CHECK(!exists("log/000004") && exists("log/000005") && exists("log/000007"));
	CHECK_EQ(make_parts(path, 0, 2, 0, 0), 0);
	CHECK_EQ(count_entries(path), 5);
	/* What somebody else has put into a part stays, and is no longer a trace. */
	snprintf(own, sizeof(own), "%s/000005", path);
	make_write(own, "notes", "x", 1);
	CHECK_EQ(make_parts(path, 2, 1, 0, 0), 0);
	CHECK(exists("log/000005/notes") && !exists("log/000005/metadata"));
	CHECK(!exists("log/000006") && exists("log/000009") && exists("log/000010/metadata"));
	make_scratch_remove(dir);
}

TEST(parts_are_named_by_time)
{
	make_scratch(dir);
	setenv("TZ", "UTC0", 1);
	tzset();
	snprintf(path, sizeof(path), "%s/log/p-%%Y%%m%%d-%%H%%M%%S", dir);
	CHECK_EQ(make_parts(path, 0, 3, 1000000000, 1), 0);
	CHECK(exists("log/p-20010909-014640/metadata") && exists("log/p-20010909-014642/metadata"));
	/* Of one second. */
	CHECK_EQ(make_parts(path, 0, 2, 1000000000, 0), 0);
	CHECK(exists("log/p-20010909-014640-2") && exists("log/p-20010909-014640-3"));
	/* Others than ours stay, whatever they are called. */
	snprintf(path, sizeof(path), "%s/log/p-20010909-014600", dir);
	CHECK(!mkdir(path, 0777));
	make_write(path, "metadata", "mine", 4);
	snprintf(path, sizeof(path), "%s/log/p-%%Y%%m%%d-%%H%%M%%S", dir);
	CHECK_EQ(make_parts(path, 3, 1, 1000000100, 1), 0);
	CHECK(exists("log/p-20010909-014600/metadata") && exists("log/p-20010909-014820") &&
	      exists("log/p-20010909-014642") && exists("log/p-20010909-014641"));
	snprintf(path, sizeof(path), "%s/log", dir);
	CHECK_EQ(count_entries(path), 4);
	make_scratch_remove(dir);
}

TEST(parts_without_rotation_are_one_trace)
{
	struct lkst_rotation off = {};
	struct lkst_catalog *c = make_catalog();
	struct lkst_parts *p;
	struct lkst_writer *w;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(lkst_parts_open(&err, NULL, path, &off, false, &p), 0);
	CHECK_EQ(lkst_parts_next(&err, p, c, 0, 0, &w), 0);
	CHECK_STR(lkst_parts_path(p), path);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(lkst_parts_close(&err, p), 0);
	CHECK(exists("trace/metadata"));
	/* What is there is not written over. */
	CHECK_EQ(lkst_parts_open(&err, NULL, path, &off, false, &p), 0);
	CHECK_EQ(lkst_parts_next(&err, p, c, 0, 0, &w), -ENOTEMPTY);
	CHECK_EQ(lkst_parts_close(&err, p), 0);
	CHECK(exists("trace/metadata"));
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

/* ---- compression -------------------------------------------------------------------- */

static const char text[] = "state_thread ns=10 thread_tid=5 comm=\"first\"\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			   "sched_switch cpu=1 tid=8 ns=1050 next_tid=9\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=5 ns=1200 next_tid=7\n";

static int count_records(const char *where, u64 *ret_bad)
{
	struct lkst_record record;
	struct lkst_trace *t;
	struct lkst_merge *m;
	unsigned int i;
	u64 last = 0;
	int nr = 0;

	*ret_bad = 0;
	if (lkst_trace_open(&err, where, &t))
		return -1;
	if (lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &record)) {
		nr += record.ns >= last || nr == 0;
		last = record.ns;
	}
	for (i = 0; i < lkst_trace_nr_streams(t); i++)
		*ret_bad += lkst_trace_stream(t, i)->nr_bad_blocks;
	lkst_merge_free(m);
	lkst_trace_close(t);
	return nr;
}

static int pack(const char *where, const char *name)
{
	int fd = open(where, O_RDONLY | O_DIRECTORY), code;

	code = lkst_zst_pack(&err, NULL, fd, name, &never);
	close(fd);
	return code;
}

TEST(zst_files_are_read_as_plain_ones)
{
	u64 bad;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	CHECK_EQ(count_records(path, &bad), 5);
	CHECK_EQ(pack(path, "main.0"), 0);
	CHECK_EQ(pack(path, "state"), 0);
	CHECK(!exists("trace/main.0") && exists("trace/main.0.zst") && !exists("trace/state"));
	CHECK_EQ(count_records(path, &bad), 5);
	CHECK_EQ(bad, 0);
	make_scratch_remove(dir);
}

TEST(zst_file_beside_its_plain_one_is_ignored)
{
	size_t length;
	char *bytes;
	u64 bad;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	bytes = make_read(path, "main.0", &length);
	CHECK_EQ(pack(path, "main.0"), 0);
	make_write(path, "main.0", bytes, length);
	free(bytes);
	CHECK_EQ(count_records(path, &bad), 5);
	CHECK_EQ(bad, 0);
	make_scratch_remove(dir);
}

TEST(zst_damage_costs_a_frame)
{
	char one[256], two[256], *plain;
	size_t n1, n2, length;
	u64 bad;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	plain = make_read(path, "main.0", &length);
	CHECK_EQ(length, 3 * 4096);
	n1 = ZSTD_compress(one, sizeof(one), plain, 4096, 1);
	n2 = ZSTD_compress(two, sizeof(two), plain + 4096, 8192, 1);
	CHECK(!ZSTD_isError(n1) && !ZSTD_isError(n2));
	free(plain);
	plain = malloc(n1 + n2);
	memcpy(plain, one, n1);
	memcpy(plain + n1, two, n2);
	memset(plain + 20, 0xff, 8);
	make_write(path, "main.0.zst", plain, n1 + n2);
	snprintf(one, sizeof(one), "%s/main.0", path);
	CHECK(!unlink(one));
	/* Two of main.0, one of main.1, and the state. */
	CHECK_EQ(count_records(path, &bad), 4);
	CHECK(bad > 0);
	/* Cut short in the second frame. */
	memcpy(plain, two, n2 / 2);
	make_write(path, "main.0.zst", plain, n2 / 2);
	CHECK(count_records(path, &bad) >= 2);
	CHECK(bad > 0);
	free(plain);
	make_scratch_remove(dir);
}

TEST(zst_bomb_is_refused)
{
	static char zeros[1 << 20], out[1 << 17];
	struct rusage before, after;
	struct lkst_trace *t;
	size_t used = 0;
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	/* 500 MiB. */
	for (i = 0; i < 500; i++) {
		size_t n = ZSTD_compress(out + used, sizeof(out) - used, zeros, sizeof(zeros), 1);

		CHECK(!ZSTD_isError(n));
		used += n;
	}
	make_write(path, "main.2.zst", out, used);
	getrusage(RUSAGE_SELF, &before);
	CHECK_EQ(lkst_trace_open(&err, path, &t), -EFBIG);
	getrusage(RUSAGE_SELF, &after);
	CHECK(strstr(err.text, "main.2.zst"));
	CHECK(after.ru_maxrss - before.ru_maxrss < 24 << 10);
	make_scratch_remove(dir);
}

TEST(packer_packs_in_the_background)
{
	struct lkst_packer *p;
	u64 bad;
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	CHECK_EQ(lkst_packer_new(&err, NULL, &p), 0);
	CHECK_EQ(lkst_packer_add(&err, p, path), 0);
	CHECK_EQ(lkst_packer_add(&err, p, "/nonexistent/trace"), 0);
	for (i = 0; i < 12000 && lkst_packer_is_busy(p); i++)
		usleep(10000);
	CHECK_EQ(lkst_packer_close(&err, p), 0);
	CHECK(exists("trace/main.0.zst") && exists("trace/main.1.zst") &&
	      exists("trace/state.zst"));
	CHECK(!exists("trace/main.0") && exists("trace/metadata"));
	CHECK_EQ(count_records(path, &bad), 5);
	make_scratch_remove(dir);
}

/* ---- several as one ----------------------------------------------------------------- */

/* Writes the part of a trace in @text whose blocks go on from @seq, as part @name. */
static int make_part(const char *name, const char *part_text, u64 seq, u64 state_number, u8 uuid)
{
	struct lkst_catalog *c = make_catalog();
	struct make_trace *t;
	char where[160];
	int code;

	c->uuid[0] = uuid;
	snprintf(where, sizeof(where), "%s/%s", dir, name);
	t = make_begin(where, c, 4096);
	lkst_writer_set_state_number(t->writer, state_number);
	make_stream(t, 0)->seq = seq;
	code = make_text(t, part_text);
	return make_end(t) ?: code;
}

static const char part1[] = "state_thread ns=10 thread_tid=5 comm=\"early\"\n"
			    "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n";
static const char part2[] = "state_thread ns=1450 thread_tid=5 comm=\"late\"\n"
			    "sched_switch cpu=0 tid=7 ns=1400 next_tid=5\n"
			    "sched_switch cpu=0 tid=5 ns=1500 next_tid=7\n";

TEST(parts_are_read_as_one_in_any_order)
{
	static const u64 want[] = { 10, 1000, 1400, 1450, 1500 };
	char a[96], b[96], *paths[] = { b, a };
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap gap;
	int nr = 0, way;

	make_scratch(dir);
	snprintf(a, sizeof(a), "%s/a", dir);
	snprintf(b, sizeof(b), "%s/b", dir);
	CHECK_EQ(make_part("a", part1, 0, 0, 1), 0);
	CHECK_EQ(make_part("b", part2, 1, 1, 1), 0);
	for (way = 0; way < 2; way++) {
		CHECK_EQ(way ? lkst_trace_open(&err, dir, &t)
			     : lkst_trace_open_parts(&err, paths, 2, &t),
			 0);
		CHECK_EQ(lkst_trace_nr_streams(t), 2);
		CHECK_EQ(lkst_trace_stream(t, 0)->nr_blocks, 2);
		CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
		for (nr = 0; lkst_merge_next(m, &r); nr++) {
			CHECK(nr < 5);
			CHECK_EQ(r.ns, want[nr]);
			/* A part's names hold from its time on, not before. */
			if (nr == 2)
				CHECK_STR(lkst_threads_find(threads, 5)->comm, "early");
			if (nr == 4)
				CHECK_STR(lkst_threads_find(threads, 5)->comm, "late");
			CHECK_EQ(lkst_threads_feed(threads, &r), 0);
		}
		CHECK_EQ(nr, 5);
		CHECK(!lkst_merge_gap(m, &gap));
		lkst_merge_free(m);
		lkst_trace_close(t);
		lkst_threads_free(threads);
		threads = lkst_threads_new();
	}
	lkst_threads_free(threads);
	make_scratch_remove(dir);
}

TEST(parts_that_are_missing_are_a_gap)
{
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap gap;

	make_scratch(dir);
	CHECK_EQ(make_part("a", part1, 0, 0, 1), 0);
	CHECK_EQ(make_part("c", part2, 4, 1, 1), 0);
	CHECK_EQ(lkst_trace_open(&err, dir, &t), 0);
	CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
	while (lkst_merge_next(m, &r))
		;
	CHECK_EQ(lkst_merge_gap(m, &gap), 1);
	CHECK(gap.blocks == 3 && gap.from_ns == 1000 && gap.to_ns == 1400);
	CHECK(!lkst_merge_gap(m, &gap));
	lkst_merge_free(m);
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

TEST(parts_of_different_recordings_are_refused)
{
	struct lkst_trace *t;

	make_scratch(dir);
	CHECK_EQ(make_part("a", part1, 0, 0, 1), 0);
	CHECK_EQ(make_part("b", part2, 1, 1, 2), 0);
	CHECK_EQ(lkst_trace_open(&err, dir, &t), -EINVAL);
	CHECK(strstr(err.text, "different recordings"));
	make_scratch_remove(dir);
}

/* ---- pieces of a block -------------------------------------------------------------- */

TEST(pieces_of_a_block_are_read_as_the_block)
{
	static const char records[] = "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
				      "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
				      "sched_switch cpu=0 tid=5 ns=1100 next_tid=7\n"
				      "sched_switch cpu=0 tid=7 ns=1300 next_tid=5\n";
	struct lkst_block_cursor cursor;
	u32 at[4], i, cut;
	u64 ns[4], bad;
	struct lkst_block block;
	struct lkst_record r;
	struct lkst_trace *t;
	u8 pieces[2 * 4096];

	for (cut = 1; cut < 4; cut++) {
		make_scratch(dir);
		snprintf(path, sizeof(path), "%s/trace", dir);
		CHECK_EQ(make_trace(path, 4096, records), 0);
		CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
		block = *lkst_trace_block(t, 0, 0);
		lkst_block_cursor_init(&cursor, &block);
		for (i = 0; i < 4; i++) {
			CHECK_EQ(lkst_block_next(&err, &cursor, lkst_trace_catalog(t), &r), 1);
			at[i] = (u32)(r.bytes - block.bytes);
			ns[i] = r.ns;
		}
		lkst_block_piece(&block, LKST_BLOCK_HEADER, at[cut], ns[0], ns[cut - 1], pieces);
		lkst_block_piece(&block, at[cut], block.content, ns[cut], ns[3], pieces + 4096);
		lkst_trace_close(t);
		make_write(path, "main.0", pieces, sizeof(pieces));
		CHECK_EQ(count_records(path, &bad), 4);
		CHECK_EQ(bad, 0);
		make_scratch_remove(dir);
	}
}

/* Two snapshots of a recording: the block that was still being filled at the first is in the second, too. */
TEST(snapshots_that_overlap_are_read_once)
{
	static const char first[] = "state_thread thread_tid=5 thread_pid=5 comm=early ns=900\n"
				    "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
				    "!block cpu=0\n"
				    "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n";
	static const char second[] = "state_thread thread_tid=9 thread_pid=9 comm=late ns=1250\n"
				     "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
				     "!block cpu=0\n"
				     "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
				     "sched_switch cpu=0 tid=5 ns=1200 next_tid=9\n";
	char paths[2][sizeof(path)];
	char *both[] = { paths[0], paths[1] }, *swapped[] = { paths[1], paths[0] };
	struct lkst_gap gap;
	struct lkst_record r;
	struct lkst_merge *m;
	struct lkst_trace *t;
	unsigned int way, nr, nr_state;

	make_scratch(dir);
	snprintf(paths[0], sizeof(paths[0]), "%s/1", dir);
	snprintf(paths[1], sizeof(paths[1]), "%s/2", dir);
	CHECK_EQ(make_trace(paths[0], 4096, first), 0);
	CHECK_EQ(make_trace(paths[1], 4096, second), 0);
	for (way = 0; way < 2; way++) {
		CHECK_EQ(lkst_trace_open_parts(&err, way ? swapped : both, 2, &t), 0);
		CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
		for (nr = nr_state = 0; lkst_merge_next(m, &r) > 0;) {
			nr += r.buffer != LKST_BUFFER_STATE;
			nr_state += r.buffer == LKST_BUFFER_STATE;
		}
		CHECK_EQ(nr, 3);
		CHECK_EQ(nr_state, 2);
		CHECK_EQ(lkst_merge_gap(m, &gap), 0);
		lkst_merge_free(m);
		lkst_trace_close(t);
	}
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "rotation_takes_size_time_and_count", test_rotation_takes_size_time_and_count },
	{ "rotation_refuses_what_it_does_not_know", test_rotation_refuses_what_it_does_not_know },
	{ "parts_are_numbered_and_the_oldest_go", test_parts_are_numbered_and_the_oldest_go },
	{ "parts_are_named_by_time", test_parts_are_named_by_time },
	{ "parts_without_rotation_are_one_trace", test_parts_without_rotation_are_one_trace },
	{ "zst_files_are_read_as_plain_ones", test_zst_files_are_read_as_plain_ones },
	{ "zst_file_beside_its_plain_one_is_ignored",
	  test_zst_file_beside_its_plain_one_is_ignored },
	{ "zst_damage_costs_a_frame", test_zst_damage_costs_a_frame },
	{ "zst_bomb_is_refused", test_zst_bomb_is_refused },
	{ "packer_packs_in_the_background", test_packer_packs_in_the_background },
	{ "parts_are_read_as_one_in_any_order", test_parts_are_read_as_one_in_any_order },
	{ "parts_that_are_missing_are_a_gap", test_parts_that_are_missing_are_a_gap },
	{ "parts_of_different_recordings_are_refused",
	  test_parts_of_different_recordings_are_refused },
	{ "pieces_of_a_block_are_read_as_the_block", test_pieces_of_a_block_are_read_as_the_block },
	{ "snapshots_that_overlap_are_read_once", test_snapshots_that_overlap_are_read_once },
};
UNIT_MAIN(tests)
