/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What `lkst ship` says of a second in which kinds of events were left out: which, and for how long.
 */
#include "base/time.h"
#include "cmd/agent/ship.h"
#include "lib/unit.h"
#include "live/cost/cost_limit.h"

#define S LKST_NS_PER_S

enum { NR = 40 };

static struct lkst_kind kinds[NR];
static const struct lkst_budget_view view = { .page.nr_kinds = NR, .kinds = kinds };

/* How long kind @name was left out from 10 s to 11 s; -1: it is not told. */
static s64 told(const char *name, struct lkst_fleet_figures *f)
{
	u32 i;

	if (lkst_ship_limited(&view, 10 * S, 11 * S, f))
		abort();
	for (i = 0; i < f->nr_parts; i++)
		if (!strcmp(f->parts[i].name, name))
			return (s64)f->parts[i].value;
	return -1;
}

TEST(ship_says_what_was_left_out_of_a_second)
{
	struct lkst_fleet_figures f;

	memset(kinds, 0, sizeof(kinds));
	CHECK_EQ(told("a", &f), -1);
	CHECK_EQ(f.n, 0);
	/* All the time; from within; until within; before, after and never. */
	kinds[0] = (struct lkst_kind){ .name = "all", .is_shed = true, .since_ns = 3 * S };
	kinds[1] = (struct lkst_kind){ .name = "from", .is_shed = true, .since_ns = 10 * S + S / 4 };
	kinds[2] = (struct lkst_kind){ .name = "until", .since_ns = 10 * S + S / 5, .shed_ns = 2 * S };
	kinds[3] = (struct lkst_kind){ .name = "short", .since_ns = 10 * S + S / 2, .shed_ns = S / 10 };
	kinds[4] = (struct lkst_kind){ .name = "before", .since_ns = 9 * S, .shed_ns = 2 * S };
	kinds[5] = (struct lkst_kind){ .name = "never" };
	CHECK_EQ(told("all", &f), S);
	CHECK_EQ(told("from", &f), S - S / 4);
	CHECK_EQ(told("until", &f), S / 5);
	CHECK_EQ(told("short", &f), S / 10);
	CHECK_EQ(told("before", &f), -1);
	CHECK_EQ(told("never", &f), -1);
	CHECK_EQ(f.n, 4);
	CHECK_STR(f.measure, "limited");
	CHECK_STR(f.parts[0].name, "all");
	CHECK_EQ(f.worst, S);
	CHECK_EQ(f.total, S + (S - S / 4) + S / 5 + S / 10);
}

/* More than there is room for are counted, and the longest are named. */
TEST(ship_names_what_was_left_out_longest)
{
	struct lkst_fleet_figures f;
	u32 i;

	memset(kinds, 0, sizeof(kinds));
	for (i = 0; i < NR; i++) {
		kinds[i] = (struct lkst_kind){ .is_shed = true, .since_ns = 10 * S + i * (S / 100) };
		snprintf(kinds[i].name, sizeof(kinds[i].name), "kind%u", i);
	}
	CHECK_EQ(told("kind0", &f), S);
	CHECK_EQ(told("kind39", &f), -1);
	CHECK_EQ(f.n, NR);
	CHECK_EQ(f.nr_parts, LKST_FLEET_PARTS_MAX);
}

static const struct unit_test tests[] = {
	{ "ship_says_what_was_left_out_of_a_second", test_ship_says_what_was_left_out_of_a_second },
	{ "ship_names_what_was_left_out_longest", test_ship_names_what_was_left_out_longest },
};

UNIT_MAIN(tests)
