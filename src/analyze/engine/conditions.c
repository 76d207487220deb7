/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that masksets recorded only in part. */
#include "analyze/engine/conditions.h"

#include "base/out.h"

enum { ROW_SHOWN = 160 };

static int on_condition(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_condition *condition = record;
	char text[4 * ROW_SHOWN + 1];
	const u8 *row;
	u32 length;

	if (r->event->nr_fields < 2)
		return 0;
	row = lkst_record_field(r, 1, &length);
	if (length > ROW_SHOWN)
		length = ROW_SHOWN;
	*lkst_put_escaped(text, (const char *)row, length, "") = 0;
	lkst_notes_add(ctx,
		       "Only in part recorded, by maskset %llu: %s; nothing here counts the rest.",
		       (unsigned long long)condition->maskset, text);
	return 0;
}

int lkst_conditions_subscribe(struct lkst_notes *notes, struct lkst_feed *f)
{
	int r = lkst_feed_event(f, LKST_EV_state_condition, on_condition, notes);

	return r < 0 ? r : 0;
}
