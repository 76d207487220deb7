/* SPDX-License-Identifier: GPL-2.0-only */
/* The time between two events that the user names: two probes, a call's entry and what it leads to. */
#include "analyze/analyses/between.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/suggest.h"
#include "masks/event_pair.h"
#include "trace/format/event_types.h"

/* ---- finding ------------------------------------------------------------------------------------ */

static int between_find_event(struct lkst_err *e, const struct lkst_catalog *c, const char *name,
			      const struct lkst_event_class **ret_event)
{
	char near[LKST_SUGGEST_TEXT];

	*ret_event = lkst_catalog_find(c, name);
	if (*ret_event)
		return 0;
	return lkst_err_set(e, -ENOENT, "the trace has no event \"%s\"%s", name,
			    lkst_event_near(c, name, near));
}

static int find_key(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
		    const struct lkst_field_class **ret_field)
{
	struct lkst_suggest near = { .word = name };
	char text[LKST_SUGGEST_TEXT];
	u16 i;

	*ret_field = NULL;
	if (!name[0])
		return 0;
	*ret_field = lkst_class_field(event, name);
	for (i = 0; !*ret_field && i < event->nr_fields; i++)
		lkst_suggest_offer(&near, event->fields[i].name);
	if (!*ret_field)
		return lkst_err_set(e, -ENOENT, "event %s has no field \"%s\"%s", event->name, name,
				    lkst_suggest_text(&near, text));
	if (((*ret_field)->type != LKST_CLASS_UINT && (*ret_field)->type != LKST_CLASS_SINT) ||
	    (*ret_field)->offset == LKST_OFFSET_VARIES)
		return lkst_err_set(e, -EINVAL, "field %s of %s is not a number", name,
				    event->name);
	return 0;
}

int lkst_between_find(struct lkst_err *e, const struct lkst_catalog *c, const char *text,
		      struct lkst_between *ret)
{
	struct lkst_event_pair pair;
	int err = lkst_event_pair_parse(e, text, &pair);

	return err ?:
	       between_find_event(e, c, pair.begin, &ret->begin) ?:
	       between_find_event(e, c, pair.end, &ret->end) ?:
	       find_key(e, ret->begin, pair.key, &ret->begin_key) ?:
	       find_key(e, ret->end, pair.key, &ret->end_key);
}

/* ---- measuring ---------------------------------------------------------------------------------- */

static void between_put_thread(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;
	const struct lkst_thread *thread = lkst_threads_find(w->threads, (s32)key);

	if (thread)
		lkst_put_key(text, thread->comm, sizeof(thread->comm));
	else
		snprintf(text, LKST_KEY_TEXT, "%d", (s32)key);
}

static u64 between_key_of(const struct lkst_record *r, const struct lkst_field_class *field)
{
	return field ? lkst_record_int(r, field) : lkst_analysis_thread_key(r);
}

static int between_on_begin(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[0], between_key_of(r, w->options->between->begin_key), r,
				  0, false);
}

static int between_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *open =
		lkst_pending_find(&w->pending[0], between_key_of(r, w->options->between->end_key));

	if (!open)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, (u32)r->tid,
					    r->tid, r->cpu);
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[0], open, (u32)open->tid, r);
}

/* The same event may be both: from one to the next. Then the one that ends is told first. */
static int between_begin(struct lkst_analysis_state *w)
{
	const struct lkst_between *between = w->options->between;
	int err;

	if (!between)
		return 0;
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "between",
							   .title = "Between two events",
							   .type = LKST_COLUMN_DURATION,
							   .is_late = true,
							   .put_key = between_put_thread });
	err = lkst_feed_named(w->feed, between->end->name, between_on_end, w);
	if (err >= 0)
		err = lkst_feed_named(w->feed, between->begin->name, between_on_begin, w);
	return err < 0 ? err : 1;
}

const struct lkst_analysis lkst_analysis_between = {
	.name = "between",
	.title = "Between two events",
	.help = "how long it takes from one event to another: 'EVENT .. EVENT [key=FIELD]' in place of "
		"a name",
	.measures =
		"from one event to the next other one of the same thread or with the same value "
		"of a field, by the thread that began",
	.events = "the two that are named",
	.is_of_named = true,
	.size = sizeof(struct lkst_analysis_state),
	.begin = between_begin,
};
