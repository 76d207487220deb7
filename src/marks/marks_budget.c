/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of programs' memory is read. */
#include "marks/marks_budget.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "liblkst/mark_format.h"

enum {
	/* SUB_UID_MIN and SUB_UID_COUNT of login.defs(5), as shadow-utils and Debian have them. */
	SUB_UID_MIN = 100000,
	SUB_UID_COUNT = 65536,
	/* At once this fraction of the rings' size is read (1/n), and what four threads hold even if that is less. */
	RINGS_SHARE = 32,
	BLOCKS_MIN = 4 * LKST_MARK_BLOCKS,
	AREAS = 5120,
	/* A block takes 10 to 50 us: more than this where it is expensive to read. */
	BLOCK_NS = 200000,
};

/* What comes back in a second. */
static const u64 filled_a_second[LKST_MARKS_NR_COSTS] = {
	[LKST_MARKS_AREAS] = 100000,
	[LKST_MARKS_BLOCKS] = 5120,
	[LKST_MARKS_NS] = 200000000,
};

/* An account may have three quarters of what all have. */
static u64 of_account(u64 of_all)
{
	return of_all / 4 * 3;
}

u32 lkst_marks_account(u32 uid)
{
	return uid < SUB_UID_MIN ? uid : uid - (uid - SUB_UID_MIN) % SUB_UID_COUNT;
}

/* ---- shares ----------------------------------------------------------------------------------- */

/* How much is given if each gets what he needs, but no more than @level. */
static u64 given_at(const u64 *need, u32 nr, u64 level)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		sum += need[i] < level ? need[i] : level;
	return sum;
}

void lkst_marks_share(const u64 *need, u64 *grant, u32 nr, u64 total, u32 first)
{
	u64 low = 0, high = 0, rest;
	u32 i, k;

	/* The highest level that there is enough for, as far as anybody needs it. */
	for (i = 0; i < nr; i++)
		high = need[i] > high ? need[i] : high;
	while (low < high) {
		const u64 middle = low + (high - low + 1) / 2;

		if (given_at(need, nr, middle) <= total)
			low = middle;
		else
			high = middle - 1;
	}
	/* What is left is less than one for each that needs more. */
	rest = total - given_at(need, nr, low);
	for (i = 0; i < nr; i++) {
		k = (first + i) % nr;
		grant[k] = need[k] < low ? need[k] : low;
		if (rest && need[k] > low) {
			grant[k]++;
			rest--;
		}
	}
}

/* By account, then user, then program. */
static int marks_budget_compare(const void *a, const void *b)
{
	const struct lkst_marks_claim *x = a, *y = b;
	const u32 i = lkst_marks_account(x->uid), j = lkst_marks_account(y->uid);

	if (i != j)
		return i < j ? -1 : 1;
	if (x->uid != y->uid)
		return x->uid < y->uid ? -1 : 1;
	return x->program < y->program ? -1 : x->program > y->program;
}

enum level { ACCOUNTS, USERS, PROGRAMS };

static bool marks_budget_is_same(const struct lkst_marks_claim *x, const struct lkst_marks_claim *y, enum level level)
{
	if (level == ACCOUNTS)
		return lkst_marks_account(x->uid) == lkst_marks_account(y->uid);
	return level == USERS && x->uid == y->uid;
}

/* Where the group that begins at claim @at ends, and what it needs. */
static u32 marks_budget_end_of(const struct lkst_marks_claim *claims, u32 nr, u32 at, enum level level, u64 *ret_need)
{
	u32 end = at;

	*ret_need = 0;
	do
		*ret_need += claims[end++].need;
	while (end < nr && marks_budget_is_same(&claims[at], &claims[end], level));
	return end;
}

static struct lkst_marks_account *find_account(const struct lkst_marks_budget *b, u32 uid)
{
	u32 i;

	for (i = 0; i < b->nr_accounts; i++)
		if (b->accounts[i].number == lkst_marks_account(uid))
			return &b->accounts[i];
	return NULL;
}

u64 lkst_marks_budget_left(const struct lkst_marks_budget *b, enum lkst_marks_cost cost, u32 uid)
{
	const struct lkst_marks_account *account = find_account(b, uid);
	const u64 left = account ? account->left[cost] : of_account(b->most[cost]);

	return left < b->left[cost] ? left : b->left[cost];
}

/* Shares @total among the groups of @claims, which are sorted, and so on within them. @room: for two numbers each. */
static void share_groups(const struct lkst_marks_budget *b, enum lkst_marks_cost cost, struct lkst_marks_claim *claims,
			 u32 nr, enum level level, u64 total, u64 *room)
{
	u64 *need = room, *grant = room + nr;
	u32 at, end, group;

	for (at = 0, group = 0; at < nr; at = end, group++) {
		u64 left = lkst_marks_budget_left(b, cost, claims[at].uid);

		end = marks_budget_end_of(claims, nr, at, level, &need[group]);
		if (level == ACCOUNTS && need[group] > left)
			need[group] = left;
	}
	lkst_marks_share(need, grant, group, total, b->turn);
	for (at = 0, group = 0; at < nr; at = end, group++) {
		u64 wanted;

		end = marks_budget_end_of(claims, nr, at, level, &wanted);
		if (level == PROGRAMS)
			claims[at].grant = (u32)grant[group];
		else
			share_groups(b, cost, claims + at, end - at, level + 1, grant[group], room + 2 * nr);
	}
}

/* ---- what is left ----------------------------------------------------------------------------- */

int lkst_marks_budget_take(struct lkst_marks_budget *b, enum lkst_marks_cost cost, u32 uid, u64 nr)
{
	struct lkst_marks_account *account = find_account(b, uid);
	u32 i;

	if (!account) {
		account = lkst_vec_add(b->accounts, b->nr_accounts);
		if (!account)
			return -ENOMEM;
		account->number = lkst_marks_account(uid);
		for (i = 0; i < LKST_MARKS_NR_COSTS; i++)
			account->left[i] = of_account(b->most[i]);
	}
	account->left[cost] -= nr < account->left[cost] ? nr : account->left[cost];
	b->left[cost] -= nr < b->left[cost] ? nr : b->left[cost];
	return 0;
}

int lkst_marks_budget_share(struct lkst_marks_budget *b, enum lkst_marks_cost cost, struct lkst_marks_claim *claims,
			    u32 nr)
{
	/* Each level has its own. */
	_cleanup_free_ u64 *room = calloc(6 * (size_t)nr + 1, sizeof(*room));
	int err = 0;
	u32 i;

	if (!room)
		return -ENOMEM;
	qsort(claims, nr, sizeof(*claims), marks_budget_compare);
	share_groups(b, cost, claims, nr, ACCOUNTS, b->left[cost], room);
	for (i = 0; i < nr && !err; i++)
		err = lkst_marks_budget_take(b, cost, claims[i].uid, claims[i].grant);
	return err;
}

bool lkst_marks_fill(u64 *left, u64 most, u64 a_second, u64 ns)
{
	const double more = (double)a_second * (double)ns / 1e9;

	*left = more < (double)(most - *left) ? *left + (u64)more : most;
	return *left == most;
}

void lkst_marks_budget_fill(struct lkst_marks_budget *b, u64 now_ns, bool is_last)
{
	const u64 ns = is_last ? UINT64_MAX : now_ns - b->filled_ns;
	u32 i, k, nr = 0;

	b->filled_ns = now_ns;
	b->turn++;
	for (k = 0; k < LKST_MARKS_NR_COSTS; k++)
		lkst_marks_fill(&b->left[k], b->most[k], filled_a_second[k], ns);
	/* Who has all again is not kept: there are as many accounts as have spent something lately. */
	for (i = 0; i < b->nr_accounts; i++) {
		struct lkst_marks_account *a = &b->accounts[i];
		bool is_full = true;

		for (k = 0; k < LKST_MARKS_NR_COSTS; k++)
			is_full &= lkst_marks_fill(&a->left[k], of_account(b->most[k]),
						   of_account(filled_a_second[k]), ns);
		if (!is_full)
			b->accounts[nr++] = *a;
	}
	b->nr_accounts = nr;
}

void lkst_marks_budget_init(struct lkst_marks_budget *b, u64 ring_bytes, u64 ns)
{
	const u64 share = ring_bytes / RINGS_SHARE / LKST_MARK_BLOCK;
	const u64 blocks = share > BLOCKS_MIN ? share : BLOCKS_MIN;
	u32 i;

	*b = (struct lkst_marks_budget){ .most = { [LKST_MARKS_AREAS] = AREAS,
						   [LKST_MARKS_BLOCKS] = blocks,
						   [LKST_MARKS_NS] = ns ?: blocks * BLOCK_NS } };
	for (i = 0; i < LKST_MARKS_NR_COSTS; i++)
		b->left[i] = b->most[i];
}

void lkst_marks_budget_fini(struct lkst_marks_budget *b)
{
	free(b->accounts);
	b->accounts = NULL;
	b->nr_accounts = 0;
}
