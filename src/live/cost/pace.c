/* SPDX-License-Identifier: GPL-2.0-only */
/* How long measuring may go on. */
#include "live/cost/pace.h"

void lkst_pace_begin(struct lkst_pace *p, u64 now, u64 ns, unsigned int shares)
{
	*p = (struct lkst_pace){ .end_ns = now + ns, .shares = shares };
}

void lkst_pace_part(struct lkst_pace *p, u64 now, unsigned int share)
{
	u64 left = p->end_ns > now ? p->end_ns - now : 0;

	p->part_end_ns = now + (p->shares ? left * share / p->shares : 0);
	p->shares -= share < p->shares ? share : p->shares;
	p->nr = 0;
	p->longest_ns = 0;
}

bool lkst_pace_has_round(struct lkst_pace *p, u64 now)
{
	if (p->nr && now - p->round_ns > p->longest_ns)
		p->longest_ns = now - p->round_ns;
	p->round_ns = now;
	return p->nr++ < LKST_PACE_ROUNDS || now + p->longest_ns < p->part_end_ns;
}
