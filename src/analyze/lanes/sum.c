/* SPDX-License-Identifier: GPL-2.0-only */
/* The shares of several lanes, added. */
#include "analyze/lanes/sum.h"

#include <errno.h>
#include <stdlib.h>

enum { WHOLE = 65535 };

struct sums {
	u64 of[LKST_NR_LANE_STATES];
};

static bool has_slices(const struct lkst_slices *s, u64 from_ns, u64 to_ns)
{
	u32 first = lkst_slices_at(s, from_ns);

	return first < s->nr && s->list[first].from_ns < to_ns;
}

static void add(struct sums *sums, const struct lkst_shares *shares, u32 nr)
{
	u32 i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < LKST_NR_LANE_STATES; k++)
			sums[i].of[k] += shares[i].of[k];
}

static struct lkst_shares to_shares(const struct sums *sums)
{
	struct lkst_shares shares;
	u64 all = 0;
	u32 k;

	for (k = 0; k < LKST_NR_LANE_STATES; k++)
		all += sums->of[k];
	if (all < WHOLE)
		all = WHOLE;
	for (k = 0; k < LKST_NR_LANE_STATES; k++)
		shares.of[k] = (u16)(sums->of[k] * WHOLE / all);
	return shares;
}

int lkst_lanes_sum(const struct lkst_lanes *lanes, const u32 *places, u32 nr_places, u64 from_ns,
		   u64 to_ns, u32 nr, struct lkst_shares *ret_shares)
{
	_cleanup_free_ struct sums *sums = calloc(nr ?: 1, sizeof(*sums));
	u32 i;
	int err;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < nr_places; i++) {
		const struct lkst_lane *lane;

		if (places[i] >= lanes->nr)
			continue;
		lane = &lanes->list[places[i]];
		/* Most of many threads are not there most of the time. */
		if (!has_slices(&lane->slices, from_ns, to_ns))
			continue;
		err = lkst_lane_shares(lane, from_ns, to_ns, nr, ret_shares);
		if (err)
			return err;
		add(sums, ret_shares, nr);
	}
	for (i = 0; i < nr; i++)
		ret_shares[i] = to_shares(&sums[i]);
	return 0;
}
