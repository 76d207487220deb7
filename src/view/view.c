/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of views, and the words of the command line that choose one. */
#include "view/view.h"

#include <assert.h>

static const struct lkst_view *const views[] = {
#define V(name) &lkst_view_##name,
	LKST_VIEWS(V)
#undef V
};
enum { NR_VIEWS = sizeof(views) / sizeof(views[0]) };

bool lkst_view_words(unsigned int i, struct lkst_word *ret_word)
{
	if (i < NR_VIEWS)
		*ret_word = (struct lkst_word){ views[i]->name, views[i]->help };
	return i < NR_VIEWS;
}

const struct lkst_view *lkst_view_of_word(unsigned int i)
{
	assert(i < NR_VIEWS);
	return views[i];
}

bool lkst_view_time_words(unsigned int i, struct lkst_word *ret_word)
{
	static const struct lkst_word words[] = {
		[LKST_VIEW_DAY] = { "day", "time of day" },
		[LKST_VIEW_MONO] = { "mono", "CLOCK_MONOTONIC" },
		[LKST_VIEW_REL] = { "rel", "seconds since the first event" },
	};
	const unsigned int nr = sizeof(words) / sizeof(words[0]);

	if (i < nr)
		*ret_word = words[i];
	return i < nr;
}
