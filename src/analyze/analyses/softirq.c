/* SPDX-License-Identifier: GPL-2.0-only */
/* How long softirqs wait between being raised and being run. */
#include <stdio.h>

#include "analyze/analyses/analysis.h"

enum {
	OPEN_RAISED,
	LAST_SERVED, /* by the same key */
};

static void softirq_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	if (key < LKST_NR_SOFTIRQS)
		snprintf(text, LKST_KEY_TEXT, "%s", lkst_softirq_names[key]);
	else
		snprintf(text, LKST_KEY_TEXT, "%u", (unsigned int)key);
}

static s64 softirq_key_number(void *ctx, u64 key)
{
	return (s64)key;
}

/* A softirq is pending or not, on each CPU: if it is raised several times, the first one counts. */
static int on_raise(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_raise *raise = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[OPEN_RAISED], (u64)r->cpu << 32 | raise->vec, r, 0, true);
}

static int softirq_on_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *entry = record;
	struct lkst_analysis_state *w = ctx;
	const u64 key = (u64)r->cpu << 32 | entry->vec;
	struct lkst_pending_entry *open = lkst_pending_find(&w->pending[OPEN_RAISED], key), *served;
	u64 last_ns = 0;
	int got = lkst_pending_put(&w->pending[LAST_SERVED], key, &served);

	if (got < 0)
		return got;
	if (got) {
		last_ns = served->start_ns;
		served->start_ns = r->ns;
	}
	if (!open)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, entry->vec,
					    r->tid, r->cpu);
	/* It may have been raised before, since it was served last. */
	if (lkst_analysis_is_without(w, LKST_EV_softirq_raise, last_ns, open->start_ns)) {
		lkst_pending_remove(&w->pending[OPEN_RAISED], open);
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_LIMIT, entry->vec, r->tid, r->cpu);
	}
	return lkst_analysis_close_on_cpu(w, &w->tallies[0], &w->pending[OPEN_RAISED], open, entry->vec, r);
}

static int softirq_begin(struct lkst_analysis_state *w)
{
	int err = 0;
	bool has_raise, has_entry;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "softirq",
							   .title = "Softirq delay",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = softirq_put_key,
							   .key_number = softirq_key_number });
	w->tally_of[LAST_SERVED] = LKST_ANALYSIS_NO_TALLY;
	has_raise = lkst_analysis_want(w, LKST_EV_softirq_raise, on_raise, &err);
	has_entry = lkst_analysis_want(w, LKST_EV_softirq_entry, softirq_on_entry, &err);
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
	.begin = softirq_begin,
};
