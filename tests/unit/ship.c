/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: all
 *
 * What `lkst ship` has counted and explained arrives once, and nothing is left, wherever its processes are killed:
 * right before and right after each system call by which they change anything or take what a server says, all of them
 * together, and each of those that the service starts.
 */
#include "lib/kill_points.h"
#include "lib/shipping.h"
#include "lib/unit.h"

enum {
	POINTS_MIN = 150,
	STRIDE = IS_SANITIZED ? 13 : 1, /* of the points: that takes much longer */
};

static struct shipping *s;

static void begin(void)
{
	s = s ?: shipping_new();
	shipping_reset(s);
}

static void print_points(const char *what, const struct kill_seen *seen)
{
	u32 i;

	printf("# %s: %u points:", what, seen->nr);
	for (i = 0; i < KILL_NR_POINTS; i++)
		if (seen->of[i])
			printf(" %u %s", seen->of[i], kill_point_names[i]);
	printf("\n");
}

TEST(ship_sends_everything_once)
{
	const struct kill_plan plan = { .at = -1 };
	struct kill_seen seen;

	begin();
	kill_points_run(&plan, shipping_serve, s, &seen);
	print_points("without a kill", &seen);
	CHECK_EQ(seen.status, 0);
	CHECK_EQ(seen.unknown, -1);
	CHECK_STR(shipping_check(s) ?: "", "");
	CHECK(seen.nr >= POINTS_MIN);
	CHECK(seen.of[KILL_CREATE] && seen.of[KILL_WRITE] && seen.of[KILL_NAME] && seen.of[KILL_REMOVE]);
	CHECK(seen.of[KILL_SYNC] && seen.of[KILL_CONNECT] && seen.of[KILL_RECEIVE] && seen.of[KILL_FORK]);
	/* What there is to say of an incident is found out once, for its row and its bundle. */
	CHECK_EQ(s->world->nr_accounts, 1);
}

/* What is wrong after a kill; NULL: nothing. */
static const char *survive(const struct kill_plan *plan, struct kill_seen *seen)
{
	begin();
	kill_points_run(plan, shipping_serve, s, seen);
	if (seen->unknown >= 0)
		return "it makes a system call that is not known here";
	if (!seen->is_killed)
		return seen->status ? "it has failed by itself" : NULL;
	/* The service itself is killed with all of its processes. */
	if (!plan->is_whole && !seen->is_child)
		return NULL;
	if (plan->is_whole ? !shipping_run_again(s) : seen->status != 0)
		return "the service has failed after that";
	return shipping_check(s);
}

static void survive_all(bool is_whole, bool is_after)
{
	struct kill_plan plan = { .is_whole = is_whole, .is_after = is_after };
	struct kill_seen seen;
	const char *bad;
	u32 nr = 0;

	do {
		bad = survive(&plan, &seen);
		if (bad)
			printf("# a kill %s point %lld, %s of %s: %s\n", is_after ? "after" : "before",
			       (long long)plan.at, kill_point_names[seen.point],
			       seen.is_child ? "one of its processes" : "the service", bad);
		CHECK(!bad);
		nr += seen.is_killed && (is_whole || seen.is_child);
		plan.at += STRIDE;
	} while (seen.is_killed);
	print_points("up to the end", &seen);
	printf("# %u kills\n", nr);
	CHECK(nr >= (is_whole ? POINTS_MIN : POINTS_MIN / 2) / STRIDE);
}

TEST(ship_sends_everything_once_when_it_is_killed_before_any_step)
{
	survive_all(true, false);
}

TEST(ship_sends_everything_once_when_it_is_killed_after_any_step)
{
	survive_all(true, true);
}

TEST(ship_sends_everything_once_when_a_process_of_it_is_killed_before_any_step)
{
	survive_all(false, false);
}

TEST(ship_sends_everything_once_when_a_process_of_it_is_killed_after_any_step)
{
	survive_all(false, true);
}

static const struct unit_test tests[] = {
	{ "ship_sends_everything_once", test_ship_sends_everything_once },
	{ "ship_sends_everything_once_when_it_is_killed_before_any_step",
	  test_ship_sends_everything_once_when_it_is_killed_before_any_step },
	{ "ship_sends_everything_once_when_it_is_killed_after_any_step",
	  test_ship_sends_everything_once_when_it_is_killed_after_any_step },
	{ "ship_sends_everything_once_when_a_process_of_it_is_killed_before_any_step",
	  test_ship_sends_everything_once_when_a_process_of_it_is_killed_before_any_step },
	{ "ship_sends_everything_once_when_a_process_of_it_is_killed_after_any_step",
	  test_ship_sends_everything_once_when_a_process_of_it_is_killed_after_any_step },
};

UNIT_MAIN(tests)
