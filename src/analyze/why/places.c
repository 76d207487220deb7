/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of places, one after the other in an array. */
#include "analyze/why/places.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bsearch.h"
#include "base/vec.h"

struct lkst_places_range {
	u32 start, nr; /* in at[] */
};

void lkst_places_fini(struct lkst_places *p)
{
	lkst_map_fini(&p->index);
	free(p->lists);
	free(p->at);
	*p = (struct lkst_places){};
}

static int places_add(struct lkst_places *p, u32 key)
{
	struct lkst_places_range *range = lkst_vec_add(p->lists, p->nr);

	if (!range)
		return -ENOMEM;
	range->nr = 1;
	p->index.max = UINT32_MAX;
	return lkst_map_set(&p->index, key, p->nr - 1);
}

int lkst_places_count(struct lkst_places *p, u32 key)
{
	const u64 *list = lkst_map_find(&p->index, key);

	if (!list)
		return places_add(p, key);
	p->lists[*list].nr++;
	return 0;
}

int lkst_places_lay_out(struct lkst_places *p)
{
	u32 i, total = 0;

	for (i = 0; i < p->nr; i++) {
		p->lists[i].start = total;
		total += p->lists[i].nr;
		p->lists[i].nr = 0;
	}
	p->at = malloc((total + 1ULL) * sizeof(*p->at));
	return p->at ? 0 : -ENOMEM;
}

void lkst_places_put(struct lkst_places *p, u32 key, u32 place)
{
	struct lkst_places_range *list = &p->lists[*lkst_map_find(&p->index, key)];

	p->at[list->start + list->nr++] = place;
}

struct lkst_places_list lkst_places_of(const struct lkst_places *p, u32 key)
{
	const u64 *list = lkst_map_find(&p->index, key);

	if (!list)
		return (struct lkst_places_list){ NULL, 0 };
	return (struct lkst_places_list){ p->at + p->lists[*list].start, p->lists[*list].nr };
}

u32 lkst_places_before(struct lkst_places_list list, u32 place)
{
	return lkst_lower_bound(i, list.nr, list.at[i] < place);
}
