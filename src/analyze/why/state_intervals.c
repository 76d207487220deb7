/* SPDX-License-Identifier: GPL-2.0-only */
/* The intervals that the state model reports, kept. */
#include "analyze/why/state_intervals.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/engine/unrecorded.h"
#include "analyze/model/model.h"
#include "analyze/why/recent.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "masks/shipped_masks.h"

static int state_intervals_add(struct lkst_state_intervals *s, struct lkst_state_interval interval)
{
	int r = lkst_recent_room(&s->list, &s->nr, &s->room, s->max, sizeof(*s->list));

	if (r > 0)
		s->from_ns = s->list[0].to_ns;
	if (r >= 0)
		s->list[s->nr++] = interval;
	return r < 0 ? r : 0;
}

static int state_intervals_on_interval(void *ctx, const struct lkst_interval *i)
{
	/* The idle threads share a number, and have no state but a CPU's. */
	if (i->life->tid <= 0)
		return 0;
	return state_intervals_add(ctx, (struct lkst_state_interval){
				.from_ns = i->from_ns,
				.to_ns = i->to_ns,
				.tid = i->life->tid,
				.cpu = (s16)i->cpu,
				.run = i->run,
				.is_open = i->flags & LKST_INTERVAL_OPEN,
				.is_first = i->life->is_born && i->from_ns <= i->life->start_ns,
			});
}

static int state_intervals_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	if (!i->life || i->life->idle_cpu < 0)
		return 0;
	return state_intervals_add(ctx, (struct lkst_state_interval){ .from_ns = i->from_ns,
						      .to_ns = i->to_ns,
						      .cpu = (s16)i->cpu,
						      .run = LKST_RUN_RUNNING });
}

/* Notes which events that explain a wait the masksets of the trace have not recorded. */
static void note_unrecorded(const struct lkst_catalog *c, struct lkst_unrecorded *u,
			    struct lkst_notes *notes)
{
	bool wants[LKST_EVENT_SPACE] = { false };
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		wants[id] =
			c->classes[id] && lkst_standard_readers(c->classes[id]) & LKST_READER_WHY;
	lkst_unrecorded_end(u);
	lkst_unrecorded_note(u, wants, notes);
}

static int state_intervals_pass(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
				struct lkst_state_intervals *s)
{
	static const struct lkst_model_calls calls = { .interval = state_intervals_on_interval,
						       .cpu = state_intervals_on_cpu };
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *state = NULL;
	_cleanup_(lkst_unrecorded_freep) struct lkst_unrecorded *unrecorded = NULL;
	int r = lkst_feed_new(e, t, &f);

	if (r)
		return r;
	lkst_feed_limit(f, from_ns, to_ns);
	lkst_feed_begin(f, from_ns);
	r = lkst_model_new(e, f, &state);
	if (r)
		return r;
	r = lkst_model_subscribe(state, &calls, s);
	if (r >= 0)
		r = lkst_unrecorded_new(f, &unrecorded);
	if (r < 0)
		return lkst_err_sys(e, r, "finding what the threads did");
	r = lkst_feed_run(e, f);
	if (!r)
		note_unrecorded(lkst_trace_catalog(t), unrecorded, &s->notes);
	return r;
}

static bool state_intervals_is_on_cpu(const struct lkst_state_interval *interval)
{
	return interval->run == LKST_RUN_RUNNING && interval->cpu >= 0;
}

static int state_intervals_make_lists(struct lkst_state_intervals *s)
{
	const struct lkst_state_interval *interval;
	u32 i;

	for (i = 0, interval = s->list; i < s->nr; i++, interval++)
		if ((interval->tid && lkst_places_count(&s->by_thread, (u32)interval->tid)) ||
		    (state_intervals_is_on_cpu(interval) && lkst_places_count(&s->by_cpu, (u32)interval->cpu)))
			return -ENOMEM;
	if (lkst_places_lay_out(&s->by_thread) || lkst_places_lay_out(&s->by_cpu))
		return -ENOMEM;
	for (i = 0, interval = s->list; i < s->nr; i++, interval++) {
		if (interval->tid)
			lkst_places_put(&s->by_thread, (u32)interval->tid, i);
		if (state_intervals_is_on_cpu(interval))
			lkst_places_put(&s->by_cpu, (u32)interval->cpu, i);
	}
	return 0;
}

int lkst_state_intervals_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			     u32 max, struct lkst_state_intervals **ret_intervals)
{
	_cleanup_(lkst_state_intervals_freep) struct lkst_state_intervals *s =
		calloc(1, sizeof(*s));
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "finding what the threads did");
	s->from_ns = from_ns;
	s->max = max < 2 ? 2 : max;
	err = state_intervals_pass(e, t, from_ns, to_ns, s);
	if (err)
		return err;
	if (state_intervals_make_lists(s))
		return lkst_err_sys(e, -ENOMEM, "finding what the threads did");
	*ret_intervals = lkst_take(s);
	return 0;
}

void lkst_state_intervals_free(struct lkst_state_intervals *s)
{
	if (!s)
		return;
	lkst_places_fini(&s->by_thread);
	lkst_places_fini(&s->by_cpu);
	lkst_notes_fini(&s->notes);
	free(s->list);
	free(s);
}

struct lkst_places_list lkst_state_intervals_of(const struct lkst_state_intervals *s, s32 tid)
{
	return tid > 0 ? lkst_places_of(&s->by_thread, (u32)tid)
		       : (struct lkst_places_list){ NULL, 0 };
}

struct lkst_places_list lkst_state_intervals_on(const struct lkst_state_intervals *s, u32 cpu)
{
	return lkst_places_of(&s->by_cpu, cpu);
}

u32 lkst_state_intervals_before_ns(const struct lkst_state_intervals *s,
				   struct lkst_places_list list, u64 ns)
{
	return lkst_lower_bound(i, list.nr, s->list[list.at[i]].to_ns <= ns);
}
