/* SPDX-License-Identifier: GPL-2.0-only */
/* How long softirqs wait between being raised and being run. */
#include <stdio.h>

#include "analyze/measures/analysis.h"

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	if (key < LKST_NR_SOFTIRQS)
		snprintf(text, LKST_KEY_TEXT, "%s", lkst_softirq_names[key]);
	else
		snprintf(text, LKST_KEY_TEXT, "%u", (unsigned int)key);
}

static s64 key_number(void *ctx, u64 key)
{
	return (s64)key;
}

/* A softirq is pending or not, on each CPU: if it is raised several times, the first one counts. */
static int on_raise(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_raise *raise = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[0], (u64)r->cpu << 32 | raise->vec, r, 0, true);
}

static int on_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *entry = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *open =
		lkst_pending_find(&w->pending[0], (u64)r->cpu << 32 | entry->vec);

	if (!open)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, entry->vec,
					    r->tid, r->cpu);
	return lkst_analysis_close_on_cpu(w, &w->tallies[0], &w->pending[0], open, entry->vec, r);
}

static int begin(struct lkst_analysis_state *w)
{
	int err = 0;
	bool has_raise, has_entry;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "softirq",
							   .title = "Softirq delay",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = put_key,
							   .key_number = key_number });
	has_raise = lkst_analysis_want(w, LKST_EV_softirq_raise, on_raise, &err);
	has_entry = lkst_analysis_want(w, LKST_EV_softirq_entry, on_entry, &err);
	return err < 0 ? err : has_raise && has_entry;
}

const struct lkst_analysis lkst_analysis_softirq = {
	.name = "softirq",
	.heritage = "H03",
	.title = "Softirq delay",
	.help = "how long softirqs wait from being raised until they run",
	.measures = "from the first softirq_raise on a CPU to softirq_entry, by kind",
	.events = "softirq_raise softirq_entry",
	.size = sizeof(struct lkst_analysis_state),
	.begin = begin,
};
