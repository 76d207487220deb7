/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sentences of `lkst why`: what is known of a stretch, put into a step of an account, with the
 * events that it rests on. Private to why.c.
 */
#ifndef LKST_ANALYZE_WHY_NARRATE_H
#define LKST_ANALYZE_WHY_NARRATE_H

#include "analyze/why/wake_cause.h"
#include "result/account.h"

struct lkst_narrator {
	const struct lkst_excerpt *w;
	struct lkst_account *account;
	u64 min_ns; /* shorter stretches are told as a sum */
};

/* Cites moment @i, unless it is nowhere. */
void lkst_narrate_cite(struct lkst_narrator *t, struct lkst_account_step *s, u32 i);

/* What is shown of cgroup @id: its container, or its path; NULL: nothing. */
const char *lkst_narrate_cgroup(const struct lkst_narrator *t, u64 id);

/*
 * " of docker:0123456789ab": the container of thread @tid, or the path of its cgroup where that shows none. Nothing
 * where that is not known, or is the same as that of thread @than, whose time is explained.
 */
void lkst_narrate_owner(struct lkst_narrator *t, struct lkst_account_step *s, const char *key, s32 tid, s32 than);

void lkst_narrate_interval(struct lkst_narrator *t, struct lkst_account_step *s,
			   const struct lkst_stretches *line);
void lkst_narrate_ran(struct lkst_narrator *t, struct lkst_account_step *s,
		      const struct lkst_stretch *stretch);

/* @nr stretches from @first to @last, with nothing of length between them. */
void lkst_narrate_ran_often(struct lkst_narrator *t, struct lkst_account_step *s, u32 nr,
			    u64 ran_ns, const struct lkst_stretch *first,
			    const struct lkst_stretch *last);
void lkst_narrate_ready(struct lkst_narrator *t, struct lkst_account_step *s,
			const struct lkst_stretch *stretch);
void lkst_narrate_rest(struct lkst_narrator *t, struct lkst_account_step *s, u32 nr,
		       const u64 *sum_ns);
void lkst_narrate_gap(struct lkst_narrator *t, struct lkst_account_step *s,
		      const struct lkst_gap *gap);

#endif
