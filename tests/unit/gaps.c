/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Lists of gaps that do not grow without bound.
 */
#include "trace/read/gaps.h"

#include "lib/unit.h"

static struct lkst_gap gap(u64 from_ns, u64 to_ns)
{
	return (struct lkst_gap){
		.from_ns = from_ns, .to_ns = to_ns, .events = 1, .blocks = 2, .why = "missing"
	};
}

static void add(struct lkst_gaps *g, u64 from_ns, u64 to_ns)
{
	struct lkst_gap added = gap(from_ns, to_ns);

	lkst_gaps_add(g, &added);
}

static void insert(struct lkst_gaps *g, u64 from_ns, u64 to_ns)
{
	struct lkst_gap added = gap(from_ns, to_ns);

	lkst_gaps_insert(g, &added);
}

/* Takes all gaps: "from-to " of each. */
static const char *take_all(struct lkst_gaps *g)
{
	static char text[512];
	struct lkst_gap taken;
	int length = 0;

	text[0] = 0;
	while (lkst_gaps_take(g, &taken))
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%llu-%llu ",
				   (unsigned long long)taken.from_ns,
				   (unsigned long long)taken.to_ns);
	return text;
}

TEST(gaps_are_taken_in_the_order_they_came)
{
	struct lkst_gaps g;

	CHECK_EQ(lkst_gaps_init(&g, 128), 0);
	add(&g, 5, 6);
	add(&g, 3, 9);
	CHECK_STR(take_all(&g), "5-6 3-9 ");
	CHECK_STR(take_all(&g), "");
	lkst_gaps_fini(&g);
}

TEST(gaps_grow_around_the_end_of_the_ring)
{
	struct lkst_gaps g;
	struct lkst_gap taken;
	u32 i;

	CHECK_EQ(lkst_gaps_init(&g, 1 << 10), 0);
	for (i = 0; i < 40; i++)
		add(&g, i, i);
	for (i = 0; i < 40; i++)
		CHECK(lkst_gaps_take(&g, &taken) && taken.from_ns == i);
	for (i = 0; i < 700; i++)
		add(&g, i, i);
	CHECK_EQ(g.nr, 700);
	CHECK_EQ(lkst_gaps_at(&g, 699)->from_ns, 699);
	for (i = 0; i < 700; i++)
		CHECK(lkst_gaps_take(&g, &taken) && taken.from_ns == i);
	CHECK(!lkst_gaps_take(&g, &taken));
	lkst_gaps_fini(&g);
}

TEST(gaps_beyond_the_most_are_in_the_last_one)
{
	struct lkst_gaps g;
	const struct lkst_gap *last;

	CHECK_EQ(lkst_gaps_init(&g, 2), 0);
	add(&g, 10, 20);
	add(&g, 30, 40);
	CHECK_STR(lkst_gaps_at(&g, 1)->why, "missing");
	add(&g, 50, 60);
	insert(&g, 25, 26);
	CHECK_EQ(g.nr, 2);
	last = lkst_gaps_at(&g, 1);
	CHECK_EQ(last->from_ns, 25);
	CHECK_EQ(last->to_ns, 60);
	CHECK_EQ(last->events, 3);
	CHECK_EQ(last->blocks, 6);
	CHECK_STR(last->why, "several gaps, too many to keep apart");
	lkst_gaps_fini(&g);
}

TEST(gaps_add_up_without_overflow)
{
	struct lkst_gap a = gap(1, 2), b = gap(3, 4);

	a.events = b.events = a.blocks = UINT64_MAX - 1;
	lkst_gap_include(&a, &b);
	CHECK(a.events == UINT64_MAX && a.blocks == UINT64_MAX);
}

TEST(gaps_are_inserted_by_time)
{
	struct lkst_gaps g;

	CHECK_EQ(lkst_gaps_init(&g, 128), 0);
	insert(&g, 30, 31);
	insert(&g, 10, 11);
	insert(&g, 20, 21);
	insert(&g, 20, 22);
	insert(&g, 40, 41);
	CHECK_STR(take_all(&g), "10-11 20-21 20-22 30-31 40-41 ");
	lkst_gaps_fini(&g);
}

static const struct unit_test tests[] = {
	{ "gaps_are_taken_in_the_order_they_came", test_gaps_are_taken_in_the_order_they_came },
	{ "gaps_grow_around_the_end_of_the_ring", test_gaps_grow_around_the_end_of_the_ring },
	{ "gaps_beyond_the_most_are_in_the_last_one",
	  test_gaps_beyond_the_most_are_in_the_last_one },
	{ "gaps_add_up_without_overflow", test_gaps_add_up_without_overflow },
	{ "gaps_are_inserted_by_time", test_gaps_are_inserted_by_time },
};

UNIT_MAIN(tests)
