/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of views, and the words of the command line that choose one. */
#include "print/print.h"

#include <assert.h>

static const struct lkst_view *const views[] = {
#define V(name) &lkst_view_##name,
	LKST_VIEWS(V)
#undef V
};
enum { NR_VIEWS = sizeof(views) / sizeof(views[0]) };

bool lkst_view_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i < NR_VIEWS)
		*ret_choice = (struct lkst_choice){ views[i]->name, views[i]->help };
	return i < NR_VIEWS;
}

const struct lkst_view *lkst_view_of_choice(unsigned int i)
{
	assert(i < NR_VIEWS);
	return views[i];
}

bool lkst_view_time_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const struct lkst_choice words[] = {
		[LKST_VIEW_DAY] = { "day", "time of day" },
		[LKST_VIEW_MONO] = { "mono", "CLOCK_MONOTONIC" },
		[LKST_VIEW_REL] = { "rel", "seconds since the first event" },
	};
	const unsigned int nr = sizeof(words) / sizeof(words[0]);

	if (i < nr)
		*ret_choice = words[i];
	return i < nr;
}
