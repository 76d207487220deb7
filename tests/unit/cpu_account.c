// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/recording/cpu_account.h: how long a CPU can have been in the kernel, by the text of /proc/stat.
 */
#include "live/recording/cpu_account.h"

#include <math.h>

#include "lib/unit.h"

enum { NR = 4 };

static struct lkst_cpu_account times[NR];

static void read_text(const char *text)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");

	if (!f)
		abort();
	lkst_cpu_account_read(f, NR, times);
	fclose(f);
}

TEST(cpu_account_is_that_of_each_cpu)
{
	const u64 tick = lkst_cpu_account_tick_us();

	read_text("cpu  1 9 9 9 9 9 9 9 9 9\n"
		  "cpu0 1 2 30 400 5000 60 700 8 0 0\n"
		  "cpu3 11 0 0 0 0 0 0 0 0 0\n"
		  "cpu9 1 1 1 1 1 1 1 1 1 1\n"
		  "intr 5 0 0\n"
		  "cpu1 1 1 1 1 1 1 1 1 1 1\n");
	CHECK(times[0].is_known && !times[1].is_known && !times[2].is_known && times[3].is_known);
	CHECK_EQ(times[0].user, 3 * tick);
	CHECK_EQ(times[0].busy, 793 * tick);
	CHECK_EQ(times[0].idle, 5400 * tick);
	CHECK_EQ(times[0].steal, 8 * tick);
	CHECK_EQ(times[3].busy, 11 * tick);
}

TEST(cpu_account_of_a_text_without_one_is_not_known)
{
	read_text("cpu 1 2 3\ncpu0 1 2 3\ncpuX 1 2 3 4 5 6 7 8\n");
	CHECK(!times[0].is_known);
	read_text("intr 5 0 0\n");
	CHECK(!times[0].is_known);
}

/* In @ticks ticks. */
static double share(int user, int idle, int steal, int ticks)
{
	const u64 tick = lkst_cpu_account_tick_us();
	struct lkst_cpu_account before = { true, 1000 * tick, 1000 * tick, 5000 * tick, 70 * tick };
	struct lkst_cpu_account after = before;

	after.user += (u64)(user * (int)tick);
	after.idle += (u64)(idle * (int)tick);
	after.steal += (u64)(steal * (int)tick);
	return lkst_cpu_account_kernel_share(&before, &after, ticks * tick * 1000);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/* Each with the two ticks that user and idle time may be told too long. */
TEST(cpu_account_leaves_the_rest_to_the_kernel)
{
	CHECK(is_near(share(40, 30, 10, 100), 0.22));
	CHECK(is_near(share(0, 0, 0, 100), 1));
	CHECK(is_near(share(1, 0, 0, 100), 1));
	CHECK(is_near(share(0, 100, 0, 100), 0.02));
	CHECK(is_near(share(80, 80, 0, 100), 0));
	/* The kernel has corrected its account of waits for disks. */
	CHECK(is_near(share(50, -10, 0, 100), 0.52));
}

TEST(cpu_account_that_is_not_known_allows_all)
{
	struct lkst_cpu_account none = {}, some = { .is_known = true };

	CHECK(is_near(lkst_cpu_account_kernel_share(&none, &some, 1000), 1));
	CHECK(is_near(lkst_cpu_account_kernel_share(&some, &none, 1000), 1));
	CHECK(is_near(lkst_cpu_account_kernel_share(&some, &some, 0), 1));
}

static const struct unit_test tests[] = {
	{ "cpu_account_is_that_of_each_cpu", test_cpu_account_is_that_of_each_cpu },
	{ "cpu_account_of_a_text_without_one_is_not_known",
	  test_cpu_account_of_a_text_without_one_is_not_known },
	{ "cpu_account_leaves_the_rest_to_the_kernel", test_cpu_account_leaves_the_rest_to_the_kernel },
	{ "cpu_account_that_is_not_known_allows_all", test_cpu_account_that_is_not_known_allows_all },
};

UNIT_MAIN(tests)
