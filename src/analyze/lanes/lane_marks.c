/* SPDX-License-Identifier: GPL-2.0-only */
/* Moments that concern all lanes. */
#include "analyze/lanes/lane_marks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

static int lane_marks_add(struct lkst_lane_marks *m, u64 ns, u16 event, const char *text)
{
	struct lkst_lane_mark *mark;

	if (m->nr == LKST_LANE_MARKS_MAX)
		return 0;
	mark = lkst_vec_add(m->list, m->nr);
	if (!mark)
		return -ENOMEM;
	*mark = (struct lkst_lane_mark){ ns, event, text };
	return 0;
}

static int lane_marks_on_record(void *ctx, const struct lkst_record *r, const void *record)
{
	return lane_marks_add(ctx, r->ns, (u16)r->event->index, NULL);
}

/* It is written later than what it says happened. */
static int lane_marks_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	static const char *const ways[] = {
		"the recording ends here",
		"the recording ends here: the disk was full",
		"the recording ends here: the kernel stopped",
		"the trace ends here: it was cut from one that has no end",
		"a part of the recording ends here; it goes on in the next part",
	};
	const struct lkst_rec_state_end *x = record;

	return lane_marks_add(ctx, x->ended, LKST_EV_state_end,
			      x->how < sizeof(ways) / sizeof(ways[0]) ? ways[x->how] : ways[0]);
}

int lkst_lane_marks_subscribe(struct lkst_lane_marks *m, struct lkst_feed *f)
{
	static const enum lkst_event_index events[] = {
		LKST_EV_incident,   LKST_EV_trigger_fired, LKST_EV_maskset_switch,
		LKST_EV_shed_begin, LKST_EV_shed_end,
	};
	int err = lkst_feed_event(f, LKST_EV_state_end, lane_marks_on_end, m);
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]) && err >= 0; i++)
		err = lkst_feed_event(f, events[i], lane_marks_on_record, m);
	return err < 0 ? err : 0;
}

static int lane_marks_compare(const void *a, const void *b)
{
	const struct lkst_lane_mark *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

void lkst_lane_marks_end(struct lkst_lane_marks *m, u64 end_ns)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (m->list[i].ns > end_ns)
			m->list[i].ns = end_ns;
	if (m->nr)
		qsort(m->list, m->nr, sizeof(*m->list), lane_marks_compare);
}

void lkst_lane_marks_fini(struct lkst_lane_marks *m)
{
	free(m->list);
	*m = (struct lkst_lane_marks){};
}
