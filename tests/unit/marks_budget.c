// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * How much of programs' memory is read, and how it is shared (src/marks/marks_budget.h).
 */
#include "marks/marks_budget.h"

#include "lib/unit.h"
#include "liblkst/mark_format.h"

enum { CLAIMS_MAX = 300 };

static u64 rng = 1;

static u64 random_below(u64 n)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (rng >> 33) % n;
}

static struct lkst_marks_claim claim(u32 uid, u32 program, u32 need)
{
	return (struct lkst_marks_claim){ .uid = uid, .program = program, .need = need };
}

/* What program @program of @uid was given. */
static u32 granted(const struct lkst_marks_claim *claims, u32 nr, u32 uid, u32 program)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (claims[i].uid == uid && claims[i].program == program)
			return claims[i].grant;
	return UINT32_MAX;
}

static u64 granted_to(const struct lkst_marks_claim *claims, u32 nr, u32 account)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		sum += lkst_marks_account(claims[i].uid) == account ? claims[i].grant : 0;
	return sum;
}

TEST(users_of_a_range_are_one_account)
{
	CHECK(lkst_marks_account(0) != lkst_marks_account(1));
	CHECK(lkst_marks_account(1000) != lkst_marks_account(65534));
	CHECK(lkst_marks_account(65536) != lkst_marks_account(65537));
	CHECK(lkst_marks_account(99999) != lkst_marks_account(100000));
	/* The ranges of the first two persons, as useradd(8) gives them. */
	CHECK_EQ(lkst_marks_account(100000), lkst_marks_account(165535));
	CHECK(lkst_marks_account(165535) != lkst_marks_account(165536));
	CHECK_EQ(lkst_marks_account(165536), lkst_marks_account(231071));
}

/* Of random needs: nobody gets more than he needs, nothing is wasted, and who gets less than he needs gets the most. */
TEST(shares_are_equal)
{
	u64 need[40], grant[40], total, wanted, given, most;
	u32 round, nr, i;

	for (round = 0; round < 2000; round++) {
		nr = 1 + (u32)random_below(40);
		total = random_below(3000);
		wanted = given = most = 0;
		for (i = 0; i < nr; i++)
			wanted += need[i] = random_below(random_below(4) ? 20 : 1000);
		lkst_marks_share(need, grant, nr, total, round);
		for (i = 0; i < nr; i++) {
			CHECK(grant[i] <= need[i]);
			given += grant[i];
			most = grant[i] > most ? grant[i] : most;
		}
		CHECK_EQ(given, wanted < total ? wanted : total);
		for (i = 0; i < nr; i++)
			CHECK(grant[i] == need[i] || grant[i] + 1 >= most);
	}
}

/* One person has 200 users with 3 programs each in a user namespace; another has one that needs little. */
TEST(many_users_of_one_take_nothing_from_others)
{
	struct lkst_marks_claim claims[CLAIMS_MAX];
	struct lkst_marks_budget b;
	u32 i, nr = 0;
	u64 most;

	lkst_marks_budget_init(&b, 0, 0);
	most = b.most[LKST_MARKS_BLOCKS];
	for (i = 0; i < 280; i++)
		claims[nr++] = claim(165536 + i, i, 8192);
	claims[nr++] = claim(1000, 280, (u32)(most / 4));
	claims[nr++] = claim(33, 281, 8);
	CHECK_EQ(lkst_marks_budget_share(&b, LKST_MARKS_BLOCKS, claims, nr), 0);
	CHECK_EQ(granted(claims, nr, 1000, 280), most / 4);
	CHECK_EQ(granted(claims, nr, 33, 281), 8);
	CHECK_EQ(granted_to(claims, nr, 165536), most - most / 4 - 8);
	CHECK_EQ(b.left[LKST_MARKS_BLOCKS], 0);
	lkst_marks_budget_fini(&b);
}

/* What does not suffice for all goes to others at each look. */
TEST(nobody_is_always_the_first)
{
	struct lkst_marks_claim claims[CLAIMS_MAX];
	u32 got[CLAIMS_MAX] = {}, i, round;
	struct lkst_marks_budget b;

	lkst_marks_budget_init(&b, 0, 0);
	for (round = 0; round < CLAIMS_MAX; round++) {
		lkst_marks_budget_fill(&b, (round + 1) * 1000000000ULL, false);
		b.left[LKST_MARKS_BLOCKS] = 1;
		for (i = 0; i < CLAIMS_MAX; i++)
			claims[i] = claim(1000 + i, i, 1);
		CHECK_EQ(lkst_marks_budget_share(&b, LKST_MARKS_BLOCKS, claims, CLAIMS_MAX), 0);
		for (i = 0; i < CLAIMS_MAX; i++)
			got[claims[i].program] += claims[i].grant;
	}
	for (i = 0; i < CLAIMS_MAX; i++)
		CHECK_EQ(got[i], 1);
	lkst_marks_budget_fini(&b);
}

/* Within an account a user's programs take nothing from another user's, nor from each other. */
TEST(programs_of_an_account_share)
{
	struct lkst_marks_claim claims[CLAIMS_MAX];
	struct lkst_marks_budget b;
	u32 i, nr = 0;

	lkst_marks_budget_init(&b, 0, 0);
	for (i = 0; i < 100; i++)
		claims[nr++] = claim(300001, i, 8192);
	claims[nr++] = claim(300002, 100, 50);
	claims[nr++] = claim(300002, 101, 10000);
	CHECK_EQ(lkst_marks_budget_share(&b, LKST_MARKS_BLOCKS, claims, nr), 0);
	CHECK(granted(claims, nr, 300002, 100) >= b.most[LKST_MARKS_BLOCKS] / 4 * 3 / 4);
	CHECK(granted(claims, nr, 300002, 101) + 1 >= granted(claims, nr, 300002, 100));
	CHECK_EQ(granted_to(claims, nr, lkst_marks_account(300001)), b.most[LKST_MARKS_BLOCKS] / 4 * 3);
	lkst_marks_budget_fini(&b);
}

static u64 spend_all(struct lkst_marks_budget *b, u32 uid)
{
	struct lkst_marks_claim c = claim(uid, 0, UINT32_MAX);

	return lkst_marks_budget_share(b, LKST_MARKS_BLOCKS, &c, 1) ? UINT64_MAX : c.grant;
}

TEST(time_fills_a_budget)
{
	const u64 second = 1000000000;
	struct lkst_marks_budget b;
	u64 most, first;

	lkst_marks_budget_init(&b, 0, 0);
	lkst_marks_budget_fill(&b, 100 * second, false);
	most = b.most[LKST_MARKS_BLOCKS];
	first = spend_all(&b, 1000);
	CHECK_EQ(first, most / 4 * 3);
	CHECK_EQ(spend_all(&b, 1000), 0);
	/* What he cannot have another can. */
	CHECK_EQ(spend_all(&b, 1001), most - first);
	CHECK_EQ(spend_all(&b, 1002), 0);
	lkst_marks_budget_fill(&b, 100 * second + second / 100, false);
	CHECK(spend_all(&b, 1000) > 0);
	lkst_marks_budget_fill(&b, 200 * second, false);
	CHECK_EQ(b.nr_accounts, 0);
	CHECK_EQ(spend_all(&b, 1000), most / 4 * 3);
	/* At once, for the last look. */
	lkst_marks_budget_fill(&b, 200 * second, true);
	CHECK_EQ(spend_all(&b, 1000), most / 4 * 3);
	lkst_marks_budget_fini(&b);
}

TEST(large_rings_have_more_marks)
{
	struct lkst_marks_budget small, large;

	lkst_marks_budget_init(&small, 8 << 20, 0);
	lkst_marks_budget_init(&large, 4ULL << 30, 0);
	CHECK(small.most[LKST_MARKS_BLOCKS] * LKST_MARK_BLOCK <= 1 << 20);
	CHECK_EQ(large.most[LKST_MARKS_BLOCKS] * LKST_MARK_BLOCK, 4ULL << 30 >> 5);
	lkst_marks_budget_fini(&small);
	lkst_marks_budget_fini(&large);
}

static const struct unit_test tests[] = {
	{ "users_of_a_range_are_one_account", test_users_of_a_range_are_one_account },
	{ "shares_are_equal", test_shares_are_equal },
	{ "many_users_of_one_take_nothing_from_others", test_many_users_of_one_take_nothing_from_others },
	{ "nobody_is_always_the_first", test_nobody_is_always_the_first },
	{ "programs_of_an_account_share", test_programs_of_an_account_share },
	{ "time_fills_a_budget", test_time_fills_a_budget },
	{ "large_rings_have_more_marks", test_large_rings_have_more_marks },
};

UNIT_MAIN(tests)
