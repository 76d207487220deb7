// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What `lkst diff` says of waiting: what stands out in one window and not in the other, or much more, by seconds; what
 * is as much in both is counted.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/incident.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum { ROUNDS = 20, ROUND_US = 60000 };

/* A convoy for 1.2 s, and then for as long a thread that only sleeps. */
static void make_both(char dir[64])
{
	u64 us = 10000 + ROUNDS * ROUND_US;
	unsigned int i;

	make_convoy(ROUNDS, false);
	for (i = 0; i < ROUNDS; i++, us += ROUND_US) {
		leave(us + 100, 0, 0, 30, RUNNABLE, NO_CALL, "");
		leave(us + 200, 0, 30, 0, ASLEEP, NANOSLEEP, "0,0,0,0");
		timer_wakes(us + ROUND_US, 0, 0, 30);
	}
	make(dir);
}

/* What `lkst diff` answers to @words, in which what is wrapped is one line. */
static const char *compare(const char *dir, const char *words)
{
	char *wrapped;

	if (run_command(&lkst_cmd_diff, dir, words))
		return "";
	while ((wrapped = strstr(output, "\n    "))) {
		memmove(wrapped, wrapped + 4, strlen(wrapped + 4) + 1);
		*wrapped = ' ';
	}
	return output;
}

TEST(diff_tells_what_is_waited_for_in_one_only)
{
	static char dir[64];

	make_both(dir);
	CHECK(strstr(compare(dir, "--against @1.3..@2.4 --window @0..@1.2 TRACE"),
		     "\nonly in B  worker waited for a lock"));
	CHECK(!strstr(output, "in A  "));
	CHECK(strstr(compare(dir, "--against @0..@1.2 --window @1.3..@2.4 TRACE"),
		     "\nonly in A  worker waited for a lock"));
	CHECK(!strstr(output, "in B  "));
	CHECK(strstr(compare(dir, "--comm keeper --against @1.3..@2.4 --window @0..@1.2 TRACE"),
		     "Note: Nothing stands out in one and not in the other."));
	/* In JSON it is data: of 1.2 s, less a microsecond, 19 waits of 49.85 ms and 19 of 49.9. */
	CHECK(strstr(compare(dir, "--format json --against @1.3..@2.4 --window @0..@1.2 TRACE"),
		     "\"waiting\":[\n{\"change\":\"only in B\",\"text\":\"worker waited for a lock"));
	CHECK(strstr(output, "\"kind\":\"lock\",\"comm\":\"worker\",\"change_ns\":1579376"));
	CHECK(strstr(output, "\"time_a_ns\":0,\"time_b_ns\":1579376"));
	CHECK(strstr(output, "\"count_a\":0,\"count_b\":31.66"));
}

TEST(diff_tells_what_is_waited_for_more)
{
	static char dir[64];

	make_both(dir);
	CHECK(strstr(compare(dir, "--against @0.6..@2.4 --window @0..@0.6 TRACE"),
		     "\nmore in B  worker waited for a lock"));
	CHECK(strstr(output, ". Per second: "));
	CHECK(strstr(compare(dir, "--against @0..@0.6 --window @0.6..@2.4 TRACE"),
		     "\nless in B  worker waited for a lock"));
	compare(dir, "--against @0..@0.6 --window @0.6..@1.2 TRACE");
	CHECK(strstr(output, "Note: 1 that is about as much in both is not shown; --all shows it."));
	CHECK(!strstr(output, "worker waited"));
	CHECK(strstr(output, "Note: Nothing else stands out in one and not in the other."));
	CHECK(strstr(compare(dir, "--all --against @0..@0.6 --window @0.6..@1.2 TRACE"),
		     "\nas much in both  worker waited for a lock"));
}

static const struct unit_test tests[] = {
	{ "diff_tells_what_is_waited_for_in_one_only", test_diff_tells_what_is_waited_for_in_one_only },
	{ "diff_tells_what_is_waited_for_more", test_diff_tells_what_is_waited_for_more },
};

UNIT_MAIN(tests)
