/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of views, and the words of the command line that choose one. */
#include "view/view.h"

#include <errno.h>
#include <string.h>

const struct lkst_view *const lkst_views[] = {
	&lkst_view_text, &lkst_view_csv, &lkst_view_json, &lkst_view_flight, NULL,
};

const struct lkst_view *lkst_view_find(const char *name)
{
	const struct lkst_view *const *view;

	for (view = lkst_views; *view; view++)
		if (!strcmp((*view)->name, name))
			return *view;
	return NULL;
}

int lkst_view_time_parse(struct lkst_err *e, const char *text, enum lkst_view_time *ret_time)
{
	static const char *const words[] = {
		[LKST_VIEW_DAY] = "day",
		[LKST_VIEW_MONO] = "mono",
		[LKST_VIEW_REL] = "rel",
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i], text)) {
			*ret_time = i;
			return 0;
		}
	}
	return lkst_err_set(e, -EINVAL, "\"%s\" is not a kind of time: use day, mono or rel", text);
}
