// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/rings/history.h: what memory a wished time takes.
 */
#include "live/rings/history.h"

#include <unistd.h>

#include "live/rings/memory.h"

#include "lib/unit.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

TEST(history_takes_rate_times_time)
{
	/* 100 KiB/s for a minute are 6000 KiB. */
	CHECK_EQ(lkst_history_choose(100.0 * KIB, 60, 64 * KIB, 1024 * MIB), 8 * MIB);
	CHECK_EQ(lkst_history_choose(128.0 * KIB, 64, 64 * KIB, 1024 * MIB), 8 * MIB);
	CHECK_EQ(lkst_history_choose(129.0 * KIB, 64, 64 * KIB, 1024 * MIB), 16 * MIB);
}

TEST(history_keeps_to_least_and_most)
{
	CHECK_EQ(lkst_history_choose(0, 60, 4 * MIB, 1024 * MIB), 4 * MIB);
	CHECK_EQ(lkst_history_choose(10, 60, 4 * MIB, 1024 * MIB), 4 * MIB);
	CHECK_EQ(lkst_history_choose(1e12, 3600, 4 * MIB, 64 * MIB), 64 * MIB);
	CHECK_EQ(lkst_history_choose(1e300, 1e9, 4 * MIB, 64 * MIB), 64 * MIB);
}

/* Of this machine: /proc/meminfo says the same. */
TEST(history_has_a_quarter_of_the_memory)
{
	u64 total = lkst_memory_total(), most = lkst_history_most();

	CHECK(total > 0);
	CHECK(most >= LKST_BUFFER_BYTES_MIN && most <= LKST_BUFFER_BYTES_MAX);
	CHECK_EQ(most & (most - 1), 0);
	CHECK(most == LKST_BUFFER_BYTES_MIN || most <= total / LKST_HISTORY_PART);
}

/* What a small machine has, or a large one, is not much of it. */
TEST(history_has_a_usual_size_by_the_memory)
{
	const u64 total = lkst_memory_total(), usual = lkst_history_usual();
	const u64 in_all = usual * (u64)sysconf(_SC_NPROCESSORS_ONLN);

	CHECK(usual >= LKST_USUAL_MIN && usual <= LKST_USUAL_MAX);
	CHECK_EQ(usual & (usual - 1), 0);
	CHECK(usual == LKST_USUAL_MIN || in_all <= total / LKST_USUAL_PART);
	CHECK(usual == LKST_USUAL_MIN || in_all <= 2 * lkst_memory_available() / LKST_USUAL_FREE_PART);
	CHECK(usual == LKST_USUAL_MAX || 2 * in_all > total / LKST_USUAL_PART ||
	      4 * in_all > lkst_memory_available() / LKST_USUAL_FREE_PART);
}

static const struct unit_test tests[] = {
	{ "history_takes_rate_times_time", test_history_takes_rate_times_time },
	{ "history_keeps_to_least_and_most", test_history_keeps_to_least_and_most },
	{ "history_has_a_quarter_of_the_memory", test_history_has_a_quarter_of_the_memory },
	{ "history_has_a_usual_size_by_the_memory", test_history_has_a_usual_size_by_the_memory },
};

UNIT_MAIN(tests)
