// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Reading the marks of programs (src/marks) where there is more than is read: as much is, and the rest is counted.
 */
#include "marks/marks_gather.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/time.h"
#include "lib/full_marks.h"
#include "lib/mark_directory.h"
#include "lib/marks_recording.h"
#include "lib/unit.h"
#include "liblkst/mark.h"

enum { MANY = 5000 };

/* Adds what user @ctx->uid has lost. */
struct lost {
	u32 uid;
	struct lkst_marks_losses sum;
};

static int add_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	struct lost *l = ctx;

	if (uid != l->uid)
		return 0;
	l->sum.overwritten += lost->overwritten;
	l->sum.unrecorded += lost->unrecorded;
	l->sum.refused += lost->refused;
	l->sum.left_out += lost->left_out;
	l->sum.unlooked += lost->unlooked;
	return 0;
}

static struct lkst_marks_losses lost_of(struct lkst_marks_reader *m, u32 uid)
{
	struct lost l = { .uid = uid };

	lkst_marks_each_lost(m, add_lost, &l);
	return l.sum;
}

/* Files of user @uid, each with @areas that are full. False: they cannot be made. */
static bool make_full(u32 uid, u32 nr_files, u32 areas)
{
	u32 i, k;

	for (i = 0; i < nr_files; i++) {
		u8 *memory = full_marks_make(dir, uid, getpid(), i, areas);
		char path[128];

		if (!memory)
			return false;
		for (k = 0; k < areas; k++)
			full_marks_fill(memory, k, 0, getpid(), lkst_monotonic_ns());
		munmap(memory, LKST_MARK_FILE_BYTES);
		snprintf(path, sizeof(path), "%s/%s.%u.%d.%016x", dir, LKST_MARK_PREFIX, uid, getpid(), i);
		if (uid != geteuid() && chown(path, uid, uid))
			return false;
	}
	return true;
}

/* It is read as far as the budget goes, and the rest is counted: no block is missing in both. */
TEST(full_memory_is_read_in_part_and_counted)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	CHECK(make_full(geteuid(), 1, 8));
	m = marks_begin(&r, 0);
	full_marks_describe(full_marks_make(dir, geteuid(), getpid(), 1, 1));
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK(!r.is_bad);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out, 8 * LKST_MARK_BLOCKS - 192);
	/* They have no description. */
	CHECK_EQ(lost.refused, 192);
	marks_end(&r, m);
	marks_remove_all();
}

/* The full memory of a program with 8 threads and described events. A record's time is @ns + its block's number. */
static bool make_described(u64 ns)
{
	u8 *memory = full_marks_make(dir, geteuid(), getpid(), 0, 8);
	u32 i;

	if (!memory)
		return false;
	full_marks_describe(memory);
	for (i = 0; i < 8; i++)
		full_marks_fill(memory, i, 0, getpid(), ns);
	munmap(memory, LKST_MARK_FILE_BYTES);
	return true;
}

/* Of what is too much the newest is read: an equal part of each thread's. */
TEST(newest_marks_are_read)
{
	const u64 ns = lkst_monotonic_ns();
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	CHECK(make_described(ns));
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, 192 * FULL_MARKS_RECORDS);
	CHECK_EQ(r.first_ns, ns + LKST_MARK_BLOCKS - 192 / 8);
	CHECK_EQ(r.last_ns, ns + LKST_MARK_BLOCKS - 1);
	marks_end(&r, m);
	marks_remove_all();
}

/* And of the time that is asked for the newest, though there is as much of later. */
TEST(newest_marks_until_a_time_are_read)
{
	const u64 ns = lkst_monotonic_ns();
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	CHECK(make_described(ns));
	m = marks_begin(&r, 0);
	/* Up to block 29 of each: 30 are asked for, and 24 of them are read. */
	lkst_marks_set_time(m, 0, ns + 29);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, 192 * FULL_MARKS_RECORDS);
	CHECK_EQ(r.first_ns, ns + 30 - 192 / 8);
	CHECK_EQ(r.last_ns, ns + 29);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out, 8 * (30 - 24));
	CHECK_EQ(lost.overwritten + lost.refused, 0);
	marks_end(&r, m);
	/* All of it is of later. */
	m = marks_begin(&r, 0);
	lkst_marks_set_time(m, 0, ns - 1);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK_EQ(r.nr, 0);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out + lost.overwritten + lost.refused, 0);
	marks_end(&r, m);
	marks_remove_all();
}

static void mark_many(void)
{
	u64 i;

	for (i = 0; i < MANY; i++)
		lkst_mark("many", i);
}

/* The marks of an honest program are all there, whatever another user and his namespace's users have. */
TEST(full_memory_of_others_takes_nothing)
{
	const u64 since_ns = lkst_monotonic_ns();
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct marks_recording r;
	u32 i;

	if (geteuid())
		SKIP("only root can be another user");
	marks_remove_all();
	for (i = 0; i < 40; i++)
		CHECK(make_full(165536 + i, 1, 4));
	CHECK(make_full(65534, 4, 8));
	m = marks_begin(&r, since_ns);
	marks_in_child(mark_many);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK(!r.is_bad);
	CHECK_EQ(r.nr, MANY);
	lost = lost_of(m, 0);
	CHECK_EQ(lost.left_out + lost.overwritten + lost.unlooked + lost.refused, 0);
	CHECK(lost_of(m, 65534).left_out > 0);
	CHECK(lost_of(m, 165537).left_out > 0);
	marks_end(&r, m);
	marks_remove_all();
}

/* Marks of before take nothing from those of the time that is asked for, and are not missing. */
TEST(marks_of_before_do_not_count)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	CHECK(make_full(geteuid(), 4, 16));
	m = marks_begin(&r, lkst_monotonic_ns());
	marks_in_child(mark_many);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK_EQ(r.nr, MANY);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.left_out + lost.overwritten + lost.unlooked + lost.refused, 0);
	marks_end(&r, m);
	marks_remove_all();
}

/* What was not read of a program is still known when its memory is gone. */
TEST(losses_outlast_their_file)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;

	marks_remove_all();
	CHECK(make_full(geteuid(), 1, 8));
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 8 * LKST_MARK_BLOCKS - 192);
	marks_remove_all();
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK_EQ(lkst_marks_programs(m)->nr, 0);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 8 * LKST_MARK_BLOCKS - 192);
	lkst_marks_keep_told(m);
	CHECK_EQ(lost_of(m, geteuid()).left_out, 0);
	marks_end(&r, m);
}

/* A file more than is read of an account, and threads more than are looked at. */
TEST(programs_and_threads_beyond_the_budget_are_counted)
{
	const u32 nr = LKST_MARKS_OF_ACCOUNT_MAX + 5;
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct marks_recording r;

	if (geteuid())
		SKIP("only root can be another user");
	marks_remove_all();
	CHECK(make_full(300000, nr, 1));
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_last_look(m, &r), 0);
	lost = lost_of(m, 300000);
	CHECK_EQ(lost.unlooked, 5);
	CHECK_EQ(lost.left_out + lost.refused, LKST_MARKS_OF_ACCOUNT_MAX * LKST_MARK_BLOCKS);
	marks_end(&r, m);
	marks_remove_all();
	CHECK(full_marks_make(dir, geteuid(), getpid(), 0, LKST_MARK_THREADS) != NULL);
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK_EQ(lost_of(m, geteuid()).unlooked, 0);
	marks_end(&r, m);
	marks_remove_all();
}

/* A ring that claims to have turned over more often than anybody can write. */
TEST(rings_that_turn_too_fast_are_refused)
{
	struct lkst_marks_losses lost;
	struct lkst_marks_reader *m;
	struct lkst_mark_thread *t;
	struct marks_recording r;
	u8 *memory;

	marks_remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 1);
	CHECK(memory);
	full_marks_fill(memory, 0, 0, getpid(), lkst_monotonic_ns());
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_look(m, &r), 0);
	t = (void *)(memory + LKST_MARK_AREAS_AT);
	t->ring[0].done += 1ULL << 50;
	CHECK_EQ(marks_last_look(m, &r), 0);
	lost = lost_of(m, geteuid());
	CHECK_EQ(lost.overwritten, 0);
	CHECK_EQ(lost.refused, LKST_MARK_BLOCKS + 1);
	munmap(memory, LKST_MARK_FILE_BYTES);
	marks_end(&r, m);
	marks_remove_all();
}

/* Names that are in the way delay a program's marks, and a look that cannot wait says that some may be missing. */
TEST(names_in_the_way_are_no_hiding_place)
{
	struct lkst_marks_reader *m;
	struct marks_recording r;
	char path[128];
	u64 until;
	u32 i;

	marks_remove_all();
	for (i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "%s/%s%u", dir, i % 2 ? "a" : "z", i);
		CHECK_EQ(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	}
	marks_in_child(mark_many);
	m = marks_begin(&r, 0);
	CHECK_EQ(marks_last_look(m, &r), 0);
	CHECK(r.nr == MANY || lost_of(m, LKST_MARKS_NO_UID).unlooked == 1);
	until = lkst_monotonic_ns() + 60000000000ULL;
	while (r.nr < MANY && lkst_monotonic_ns() < until)
		CHECK_EQ(marks_look(m, &r), 0);
	CHECK_EQ(r.nr, MANY);
	marks_end(&r, m);
	snprintf(path, sizeof(path), "find %s -name '[az]*' -delete", dir);
	CHECK(!system(path));
}

/* What is done between is done, and its failure ends the look. */
static int nr_between;

static int do_between(struct lkst_err *err, void *ctx)
{
	nr_between++;
	return nr_between > 3 ? lkst_err_set(err, -EIO, "between") : 0;
}

TEST(other_work_is_done_between)
{
	struct lkst_marks_look busy = { .is_last = true, .give = marks_give, .between = do_between };
	struct lkst_marks_reader *m;
	struct marks_recording r;
	u64 until = lkst_monotonic_ns() + 60000000000ULL, round;
	u8 *memory;
	u32 i;
	int err = 0;

	marks_remove_all();
	memory = full_marks_make(dir, geteuid(), getpid(), 0, 8);
	CHECK(memory);
	full_marks_describe(memory);
	m = marks_begin(&r, 0);
	busy.ctx = &r;
	for (round = 0; !err && lkst_monotonic_ns() < until; round++) {
		for (i = 0; i < 8; i++)
			full_marks_fill(memory, i, round, getpid(), lkst_monotonic_ns());
		err = lkst_marks_gather(NULL, m, &busy);
	}
	CHECK_EQ(err, -EIO);
	CHECK_EQ(nr_between, 4);
	munmap(memory, LKST_MARK_FILE_BYTES);
	marks_end(&r, m);
	marks_remove_all();
}

static const struct unit_test tests[] = {
	{ "full_memory_is_read_in_part_and_counted", test_full_memory_is_read_in_part_and_counted },
	{ "newest_marks_are_read", test_newest_marks_are_read },
	{ "newest_marks_until_a_time_are_read", test_newest_marks_until_a_time_are_read },
	{ "full_memory_of_others_takes_nothing", test_full_memory_of_others_takes_nothing },
	{ "marks_of_before_do_not_count", test_marks_of_before_do_not_count },
	{ "losses_outlast_their_file", test_losses_outlast_their_file },
	{ "programs_and_threads_beyond_the_budget_are_counted",
	  test_programs_and_threads_beyond_the_budget_are_counted },
	{ "rings_that_turn_too_fast_are_refused", test_rings_that_turn_too_fast_are_refused },
	{ "names_in_the_way_are_no_hiding_place", test_names_in_the_way_are_no_hiding_place },
	{ "other_work_is_done_between", test_other_work_is_done_between },
};

UNIT_MAIN(tests)
