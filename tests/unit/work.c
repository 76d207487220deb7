// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What recording costs by comparing: the counters, and what is said of them.
 */
#include "live/recording/work.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/unit.h"

enum { READS = 20000 };

#define WORK(comm, pid, cpu_ns, calls, faults)                                                     \
	{                                                                                          \
		comm, pid, cpu_ns, { calls, faults }, 0                                            \
	}

/* What this process did between two readings. */
static struct lkst_work_of mine(const struct lkst_work *between)
{
	u32 i;

	for (i = 0; i < between->nr; i++)
		if (between->list[i].pid == getpid())
			return between->list[i];
	return (struct lkst_work_of){ .pid = 0 };
}

/* The counters against what this process does itself. */
TEST(work_counts_what_is_done)
{
	struct lkst_work begin, end, between;
	struct lkst_work_of of;
	struct timespec cpu[2];
	char page[16];
	int fds[2], i;

	CHECK(!pipe(fds));
	CHECK_EQ(prctl(PR_SET_NAME, "lkst test (1) 2"), 0);
	CHECK_EQ(lkst_work_read(NULL, &begin), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]);
	for (i = 0; i < READS; i++) {
		CHECK_EQ(write(fds[1], "x", 1), 1);
		CHECK_EQ(read(fds[0], page, sizeof(page)), 1);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1]);
	CHECK_EQ(lkst_work_read(NULL, &end), 0);
	CHECK_EQ(lkst_work_between(NULL, &begin, &end, &between), 0);
	of = mine(&between);
	/* A name may be anything. */
	CHECK_STR(of.comm, "lkst test (1) 2");
	CHECK(of.cpu_ns >=
	      (u64)(cpu[1].tv_sec - cpu[0].tv_sec) * 1000000000 + cpu[1].tv_nsec - cpu[0].tv_nsec);
	/* The readings themselves make some more. A kernel without CONFIG_TASK_IO_ACCOUNTING counts none. */
	if (!access("/proc/self/io", R_OK)) {
		CHECK(of.done[LKST_WORK_CALLS] >= 2 * READS);
		CHECK(of.done[LKST_WORK_CALLS] < 2 * READS + 10 * end.nr + 1000);
	}
	lkst_work_fini(&begin);
	lkst_work_fini(&end);
	lkst_work_fini(&between);
	close(fds[0]);
	close(fds[1]);
}

/* What began, ended, called exec, did nothing or waited for a child meanwhile does not count. */
TEST(work_between_joins_by_process_and_sums_by_name)
{
	struct lkst_work_of before[] = {
		WORK("b", 3, 100, 10, 1),	    WORK("a", 5, 100, 10, 1),
		WORK("b", 6, 100, 10, 1),	    WORK("gone", 7, 100, 10, 1),
		WORK("sh", 9, 100, 10, 1),	    WORK("idle", 11, 100, 10, 1),
		{ "parent", 12, 100, { 10, 1 }, 5 }
	};
	struct lkst_work_of after[] = {
		WORK("b", 3, 150, 30, 2),	    WORK("new", 4, 100, 10, 1),
		WORK("a", 5, 170, 15, 3),	    WORK("b", 6, 110, 12, 1),
		WORK("exec", 9, 300, 40, 9),	    WORK("idle", 11, 100, 10, 1),
		{ "parent", 12, 120, { 90, 1 }, 6 }
	};
	struct lkst_work between;

	CHECK_EQ(lkst_work_between(NULL, &(struct lkst_work){ before, 7 },
				   &(struct lkst_work){ after, 7 }, &between),
		 0);
	CHECK_EQ(between.nr, 2);
	CHECK_STR(between.list[0].comm, "a");
	CHECK_EQ(between.list[0].cpu_ns, 70);
	CHECK_EQ(between.list[0].done[LKST_WORK_CALLS], 5);
	CHECK_EQ(between.list[0].done[LKST_WORK_FAULTS], 2);
	CHECK_STR(between.list[1].comm, "b");
	CHECK_EQ(between.list[1].cpu_ns, 60);
	CHECK_EQ(between.list[1].done[LKST_WORK_CALLS], 22);
	lkst_work_fini(&between);
}

enum { PAIRS = 20 };

/*
 * Two programs: a call of "server" takes 1.25 as much CPU time when it is recorded; "burner" makes hardly any, has
 * faults that vary, and takes most of the CPUs. The machine's speed changes from pair to pair, which must not matter.
 */
static void make_pairs(struct lkst_work_pair pairs[PAIRS], struct lkst_work_of of[PAIRS][4])
{
	u32 i;

	for (i = 0; i < PAIRS; i++) {
		const double speed = 1 + 0.5 * (i % 3),
			     noise = 1 + 0.004 * ((int)(i * 7 % 11) - 5) / 5;

		of[i][0] = (struct lkst_work_of)WORK("burner", 8, 300000000, 3,
						     100000 + 9000 * (i % 5));
		of[i][1] = (struct lkst_work_of)WORK("server", 9, 100000000, 100000 * speed / 1.25,
						     500 * (1 + i % 4));
		of[i][2] = (struct lkst_work_of)WORK("burner", 8, 300000000, 3,
						     100000 + 7000 * (i % 6));
		of[i][3] = (struct lkst_work_of)WORK("server", 9, 100000000, 100000 * speed * noise,
						     500 * (1 + i % 3));
		pairs[i].recorded = (struct lkst_work){ &of[i][0], 2 };
		pairs[i].unrecorded = (struct lkst_work){ &of[i][2], 2 };
	}
}

TEST(work_compare_finds_the_slowdown_of_each_program)
{
	struct lkst_work_slowdown s[LKST_WORK_ROWS];
	struct lkst_work_of of[PAIRS][4];
	struct lkst_work_pair pairs[PAIRS];

	make_pairs(pairs, of);
	CHECK_EQ(lkst_work_compare(NULL, pairs, PAIRS, s), 2);
	CHECK_STR(s[0].comm, "burner");
	CHECK(fabs(s[0].share - 0.75) < 1e-9);
	CHECK_EQ(s[0].unit, LKST_WORK_FAULTS);
	CHECK(s[0].least <= 0 && s[0].most >= 0);
	CHECK_STR(s[1].comm, "server");
	CHECK_EQ(s[1].unit, LKST_WORK_CALLS);
	CHECK_EQ(s[1].nr_pairs, PAIRS);
	CHECK(fabs(s[1].median - 0.25) < 0.01);
	CHECK(s[1].least <= s[1].median && s[1].median <= s[1].most);
	CHECK(s[1].most - s[1].least < 0.02);
}

/* The same work in less time counts, not more work in the same: a program need not be busy all the time. */
TEST(work_compare_counts_cpu_time)
{
	struct lkst_work_of on = WORK("a", 3, 11000000, 5000, 0),
			    off = WORK("a", 3, 10000000, 5000, 0);
	struct lkst_work_pair pairs[8];
	struct lkst_work_slowdown s[LKST_WORK_ROWS];
	u32 i;

	for (i = 0; i < 8; i++)
		pairs[i] = (struct lkst_work_pair){ { &on, 1 }, { &off, 1 } };
	CHECK_EQ(lkst_work_compare(NULL, pairs, 8, s), 1);
	CHECK(fabs(s[0].median - 0.1) < 1e-9);
	CHECK(fabs(s[0].least - 0.1) < 1e-9 && fabs(s[0].most - 0.1) < 1e-9);
}

/* The range that has the median with 95 %: of 6 all, of 9 without one at each end, of 20 without five. */
TEST(work_compare_range)
{
	static const struct {
		u32 nr, left_out;
	} rows[] = { { 6, 0 }, { 8, 0 }, { 9, 1 }, { 20, 5 }, { 100, 39 } };
	struct lkst_work_of on[100], off = WORK("a", 3, 100000000, 5000, 0);
	struct lkst_work_pair pairs[100];
	struct lkst_work_slowdown s[LKST_WORK_ROWS];
	u32 i, row;

	for (row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		for (i = 0; i < rows[row].nr; i++) {
			on[i] = (struct lkst_work_of)WORK("a", 3, 100000000 + 1000000 * i, 5000, 0);
			pairs[i] = (struct lkst_work_pair){ { &on[i], 1 }, { &off, 1 } };
		}
		CHECK_EQ(lkst_work_compare(NULL, pairs, rows[row].nr, s), 1);
		CHECK(fabs(s[0].least - 0.01 * rows[row].left_out) < 1e-9);
		CHECK(fabs(s[0].most - 0.01 * (rows[row].nr - 1 - rows[row].left_out)) < 1e-9);
	}
}

TEST(work_compare_refuses_too_little)
{
	struct lkst_work_slowdown s[LKST_WORK_ROWS];
	struct lkst_work_of of[PAIRS][4];
	struct lkst_work_pair pairs[PAIRS];
	u32 i;

	make_pairs(pairs, of);
	CHECK_EQ(lkst_work_compare(NULL, pairs, 5, s), -ENODATA);
	CHECK_EQ(lkst_work_compare(NULL, pairs, 0, s), -ENODATA);
	/* Work in fewer than half of the pairs is no measure. */
	for (i = 0; i < 11; i++)
		pairs[i].recorded.nr = 0;
	CHECK_EQ(lkst_work_compare(NULL, pairs, PAIRS, s), -ENODATA);
}

static const struct unit_test tests[] = {
	{ "work_counts_what_is_done", test_work_counts_what_is_done },
	{ "work_between_joins_by_process_and_sums_by_name",
	  test_work_between_joins_by_process_and_sums_by_name },
	{ "work_compare_finds_the_slowdown_of_each_program",
	  test_work_compare_finds_the_slowdown_of_each_program },
	{ "work_compare_counts_cpu_time", test_work_compare_counts_cpu_time },
	{ "work_compare_range", test_work_compare_range },
	{ "work_compare_refuses_too_little", test_work_compare_refuses_too_little },
};
UNIT_MAIN(tests)
