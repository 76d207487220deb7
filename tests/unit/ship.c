/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: all
 *
 * What `lkst ship` has counted and explained arrives once, and nothing is left, wherever its processes are killed:
 * right before the first and right after each system call by which they change anything or take what a server says,
 * all of them together, and each of those that the service starts.
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

static void survive_at(s64 at, bool is_whole, bool is_after, struct kill_seen *seen)
{
	const struct kill_plan plan = { .at = at, .is_whole = is_whole, .is_after = is_after };
	const char *bad = survive(&plan, seen);

	if (bad)
		printf("# a kill %s point %lld, %s of %s: %s\n", is_after ? "after" : "before", (long long)at,
		       kill_point_names[seen->point], seen->is_child ? "one of its processes" : "the service", bad);
	CHECK(!bad);
}

TEST(ship_sends_everything_once_when_it_is_killed_at_any_step)
{
	struct kill_seen seen;
	u32 nr = 0;
	s64 at;

	survive_at(0, true, false, &seen);
	for (at = 0; !at || seen.is_killed; at += STRIDE) {
		survive_at(at, true, true, &seen);
		nr += seen.is_killed;
	}
	printf("# %u kills\n", nr);
	CHECK(nr >= POINTS_MIN / STRIDE);
}

TEST(ship_sends_everything_once_when_a_process_of_it_is_killed_at_any_step)
{
	const struct kill_plan no_kill = { .at = -1 };
	struct kill_seen all, seen;
	u32 nr = 0, left = 0, i;

	begin();
	kill_points_run(&no_kill, shipping_serve, s, &all);
	for (i = 0; i < all.nr; i++) {
		if (!all.of_child[i] || left++ % STRIDE)
			continue;
		/* Before its first step as well. (Before each other one is after the one before.) */
		if (!i || !all.of_child[i - 1])
			survive_at(i, false, false, &seen);
		survive_at(i, false, true, &seen);
		nr += seen.is_killed && seen.is_child;
	}
	printf("# %u kills\n", nr);
	CHECK_EQ(nr, (left + STRIDE - 1) / STRIDE);
	CHECK(left >= POINTS_MIN / 2);
}

static const struct unit_test tests[] = {
	{ "ship_sends_everything_once", test_ship_sends_everything_once },
	{ "ship_sends_everything_once_when_it_is_killed_at_any_step",
	  test_ship_sends_everything_once_when_it_is_killed_at_any_step },
	{ "ship_sends_everything_once_when_a_process_of_it_is_killed_at_any_step",
	  test_ship_sends_everything_once_when_a_process_of_it_is_killed_at_any_step },
};

UNIT_MAIN(tests)
