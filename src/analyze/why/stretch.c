/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stretches of a thread: what the state model says that it did, and the moments of the window
 * that this began and ended with.
 */
#include "analyze/why/stretch.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/model/model.h"
#include "base/vec.h"

struct making {
	const struct lkst_excerpt *w;
	struct lkst_stretches *t;
	struct lkst_places_list moments; /* of the thread */
	s32 tid;
	u64 from_ns, to_ns;
	int error;
};

const char *lkst_stretch_word(enum lkst_stretch_state state)
{
	static const char *const words[] = { "unknown", "ran", "ready", "blocked", "absent" };

	return words[state];
}

static enum lkst_stretch_state stretch_state_of(u8 run)
{
	static const u8 states[] = {
		[LKST_RUN_UNKNOWN] = LKST_STRETCH_UNKNOWN, [LKST_RUN_RUNNING] = LKST_STRETCH_RAN,
		[LKST_RUN_READY] = LKST_STRETCH_READY,	   [LKST_RUN_BLOCKED] = LKST_STRETCH_BLOCKED,
		[LKST_RUN_STOPPED] = LKST_STRETCH_BLOCKED, [LKST_RUN_NEW] = LKST_STRETCH_ABSENT,
		[LKST_RUN_DEAD] = LKST_STRETCH_ABSENT,
	};
	_Static_assert(sizeof(states) == LKST_NR_RUNS, "a stretch for each state of the model");

	return (enum lkst_stretch_state)states[run];
}

static void stretch_push(struct making *k, struct lkst_stretch s)
{
	struct lkst_stretches *t = k->t;
	struct lkst_stretch *last = t->nr ? &t->list[t->nr - 1] : NULL, *added;

	if (s.from_ns < k->from_ns)
		s.from_ns = k->from_ns;
	if (s.to_ns > k->to_ns)
		s.to_ns = k->to_ns;
	if (s.from_ns >= s.to_ns)
		return;
	/* Not there, and created but not yet ready, are one. */
	if (last && s.state == LKST_STRETCH_ABSENT && last->state == LKST_STRETCH_ABSENT) {
		last->to_ns = s.to_ns;
		last->end = s.end;
		t->sum_ns[s.state] += s.to_ns - s.from_ns;
		return;
	}
	added = lkst_vec_add(t->list, t->nr);
	if (!added) {
		k->error = -ENOMEM;
		return;
	}
	s.gap = lkst_excerpt_gap(k->w, s.from_ns, s.to_ns, s.state == LKST_STRETCH_RAN ? s.cpu : -1);
	t->sum_ns[s.state] += s.to_ns - s.from_ns;
	*added = s;
}

/* A time of which the model says nothing. */
static void push_hole(struct making *k, u64 from_ns, u64 to_ns, bool is_absent)
{
	stretch_push(k, (struct lkst_stretch){ .from_ns = from_ns,
				       .to_ns = to_ns,
				       .state = is_absent ? LKST_STRETCH_ABSENT
							  : LKST_STRETCH_UNKNOWN,
				       .cpu = -1,
				       .begin = LKST_NOWHERE,
				       .end = LKST_NOWHERE });
}

/* The thread's moment at @ns that changed its state, LKST_NOWHERE: there is none. */
static u32 find_turn(const struct making *k, u64 ns)
{
	const struct lkst_excerpt *w = k->w;
	u32 i;

	for (i = lkst_moments_before_ns(w, k->moments, ns); i < k->moments.nr; i++) {
		u32 at = k->moments.at[i];

		if (w->moments[at].ns != ns)
			break;
		switch (lkst_event_ref_kind(w, at)) {
		case LKST_EV_sched_switch:
			return at;
		case LKST_EV_sched_waking:
		case LKST_EV_sched_wakeup:
		case LKST_EV_sched_wakeup_new:
			if (w->moments[at].target == k->tid)
				return at;
			break;
		default:
			break;
		}
	}
	return LKST_NOWHERE;
}

/* The CPU whose queue the thread is on from moment @i on; @cpu if the moment does not say. */
static s32 queue_of(const struct making *k, u32 i, s32 cpu)
{
	const struct lkst_event_ref *m = &k->w->moments[i];

	switch (lkst_event_ref_kind(k->w, i)) {
	case LKST_EV_sched_switch:
		return m->cpu;
	case LKST_EV_sched_waking:
	case LKST_EV_sched_wakeup:
	case LKST_EV_sched_wakeup_new:
		return m->target == k->tid ? (s32)lkst_event_ref_int(k->w, i, "target_cpu") : cpu;
	case LKST_EV_sched_migrate_task:
		return m->target == k->tid ? (s32)lkst_event_ref_int(k->w, i, "dest_cpu") : cpu;
	default:
		return cpu;
	}
}

/* The thread is ready: a stretch for each CPU whose queue it was on. */
static void push_ready(struct making *k, struct lkst_stretch s)
{
	u32 i = lkst_moments_before_ns(k->w, k->moments, s.from_ns);
	u64 to_ns = s.to_ns;
	u32 end = s.end;

	/* The model knows what was left out of what says where it is. */
	if (s.cpu < 0 && (lkst_lacks(&k->w->lacks, LKST_LACK_MIGRATIONS, s.from_ns, to_ns) ||
			  lkst_lacks(&k->w->lacks, LKST_LACK_WAKEUPS, s.from_ns, to_ns))) {
		stretch_push(k, s);
		return;
	}
	if (s.begin != LKST_NOWHERE) {
		s.cpu = queue_of(k, s.begin, s.cpu);
		i = lkst_places_before(k->moments, s.begin) + 1;
	}
	for (; i < k->moments.nr && k->w->moments[k->moments.at[i]].ns < to_ns; i++) {
		u32 at = k->moments.at[i];
		s32 cpu = queue_of(k, at, s.cpu);

		if (cpu == s.cpu)
			continue;
		s.to_ns = k->w->moments[at].ns;
		s.end = at;
		stretch_push(k, s);
		s.from_ns = s.to_ns;
		s.begin = at;
		s.cpu = cpu;
	}
	s.to_ns = to_ns;
	s.end = end;
	stretch_push(k, s);
}

/* @from_ns: the end of what has been told before. */
static void push_interval(struct making *k, const struct lkst_state_interval *interval, u64 from_ns)
{
	struct lkst_stretch s = {
		.from_ns = interval->from_ns > from_ns ? interval->from_ns : from_ns,
		.to_ns = interval->to_ns,
		.state = (u8)stretch_state_of(interval->run),
		.is_open = interval->is_open,
		.cpu = interval->cpu,
		.begin = find_turn(k, interval->from_ns),
		.end = interval->is_open ? LKST_NOWHERE : find_turn(k, interval->to_ns),
	};

	if (s.state == LKST_STRETCH_READY)
		push_ready(k, s);
	else
		stretch_push(k, s);
}

int lkst_stretches_make(const struct lkst_excerpt *w, s32 tid, u64 from_ns, u64 to_ns,
			struct lkst_stretches *ret_stretches)
{
	struct lkst_places_list intervals = lkst_state_intervals_of(w->states, tid);
	struct making k = { .w = w,
			    .t = ret_stretches,
			    .moments = lkst_excerpt_thread(w, tid),
			    .tid = tid,
			    .from_ns = from_ns,
			    .to_ns = to_ns };
	u32 i = lkst_state_intervals_before_ns(w->states, intervals, from_ns);
	u64 ns = from_ns; /* up to where all is told */
	bool is_over = i && w->states->list[intervals.at[i - 1]].run == LKST_RUN_DEAD;

	*ret_stretches = (struct lkst_stretches){};
	for (; i < intervals.nr && ns < to_ns && !k.error; i++) {
		const struct lkst_state_interval *interval = &w->states->list[intervals.at[i]];

		/* At execve(2) a thread takes over its process's number, and what it did with it. */
		if (interval->to_ns <= ns)
			continue;
		push_hole(&k, ns, interval->from_ns, interval->is_first || is_over);
		push_interval(&k, interval, ns);
		ns = interval->to_ns;
		is_over = interval->run == LKST_RUN_DEAD;
	}
	push_hole(&k, ns, to_ns, is_over);
	if (k.error)
		lkst_stretches_fini(ret_stretches);
	return k.error;
}

void lkst_stretches_fini(struct lkst_stretches *t)
{
	free(t->list);
	*t = (struct lkst_stretches){};
}
