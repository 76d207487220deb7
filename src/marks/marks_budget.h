/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of programs' memory is read: any user may write there, and root reads it. There is a budget for each person
 * and one for all, which a look spends and time fills up again, so that a burst is read whole and a flood is not.
 */
#ifndef LKST_MARKS_MARKS_BUDGET_H
#define LKST_MARKS_MARKS_BUDGET_H

#include "abi/types.h"

/* What is counted: each has its own budget. */
enum lkst_marks_cost {
	LKST_MARKS_AREAS,  /* of threads, looked at for something new */
	LKST_MARKS_BLOCKS, /* copied and decoded, with at most 250 records each */
	LKST_MARKS_NS,	   /* of this thread's CPU time, for what makes the others expensive */
	LKST_MARKS_NR_COSTS,
};

/*
 * Who answers for user @uid: one person may own as many users as subordinate ids were given to him, for user namespaces
 * (subuid(5)). They are given from 100,000 on in ranges of 65,536 (login.defs(5)), and each such range is one account.
 * Whoever has a range that lies across two of them has two.
 */
u32 lkst_marks_account(u32 uid);

struct lkst_marks_budget {
	u64 most[LKST_MARKS_NR_COSTS]; /* for all at once; an account may have three quarters of it */
	u64 left[LKST_MARKS_NR_COSTS];
	struct lkst_marks_account {
		u32 number;
		u64 left[LKST_MARKS_NR_COSTS];
	} *accounts; /* those that have not all that they may have */
	u32 nr_accounts;
	u64 filled_ns;
	u32 turn; /* counts up, so that nobody is always the first one */
};

/* A full budget. @ring_bytes: how large the kernel's rings are, by which blocks are measured. @ns: 0: by blocks. */
void lkst_marks_budget_init(struct lkst_marks_budget *b, u64 ring_bytes, u64 ns);
void lkst_marks_budget_fini(struct lkst_marks_budget *b);

/* Fills up what time has brought by @now_ns; @is_last: all that there can be, for no other look comes. */
void lkst_marks_budget_fill(struct lkst_marks_budget *b, u64 now_ns, bool is_last);

/* Who needs how much, and gets how much. */
struct lkst_marks_claim {
	u32 uid;
	u32 program; /* any number, by which the caller knows it */
	u32 need;
	u32 grant;
};

/*
 * Spends @cost for all @claims, which it sorts. Nobody gets more because he asks for more: what is there is shared
 * among accounts, the share of each among its users, and of each of these among programs, and each time those who need
 * less than an equal part get all that they need. -ENOMEM.
 */
int lkst_marks_budget_share(struct lkst_marks_budget *b, enum lkst_marks_cost cost, struct lkst_marks_claim *claims,
			    u32 nr);

/* Adds to *@left what comes in @ns, but no more than @most in all. Returns whether that is all that there can be. */
bool lkst_marks_fill(u64 *left, u64 most, u64 a_second, u64 ns);

/* Spends what user @uid has taken: all that is left, if that is less. */
int lkst_marks_budget_take(struct lkst_marks_budget *b, enum lkst_marks_cost cost, u32 uid, u64 nr);

/* How much user @uid can have now. */
u64 lkst_marks_budget_left(const struct lkst_marks_budget *b, enum lkst_marks_cost cost, u32 uid);

/*
 * Shares @total among @nr equals in this way: @grant[i] is what number i gets of @need[i]. What cannot be shared
 * equally goes to number @first and those after it.
 */
void lkst_marks_share(const u64 *need, u64 *grant, u32 nr, u64 total, u32 first);

#endif
