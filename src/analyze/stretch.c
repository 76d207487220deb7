/* SPDX-License-Identifier: GPL-2.0-only */
/* The stretches of a thread, by a walk over the moments that are of it or about it. */
#include "analyze/stretch.h"

#include <errno.h>
#include <stdlib.h>

/* prev_state of a thread that has ended: EXIT_DEAD | EXIT_ZOMBIE | TASK_DEAD, include/linux/sched.h. */
enum { STATE_ENDED = 0x10 | 0x20 | 0x80 };

struct walk {
	const struct lkst_window *w;
	struct lkst_stretches *t;
	s32 tid;
	u64 from_ns, to_ns;
	struct lkst_stretch now; /* the stretch that goes on; its from_ns is not cut */
	/*
	 * A wake-up that has begun but not ended: the waker waits until the thread, which is about to
	 * block, has left its CPU (try_to_wake_up(), kernel/sched/core.c).
	 */
	u32 in_flight;
	int error;
};

const char *lkst_stretch_word(enum lkst_stretch_state state)
{
	static const char *const words[] = { "unknown", "ran", "ready", "blocked", "absent" };

	return words[state];
}

static void push(struct walk *k, struct lkst_stretch s)
{
	struct lkst_stretches *t = k->t;

	if (s.from_ns < k->from_ns)
		s.from_ns = k->from_ns;
	if (s.to_ns > k->to_ns)
		s.to_ns = k->to_ns;
	if (s.from_ns >= s.to_ns)
		return;
	if (t->nr == t->room) {
		u32 room = t->room ? t->room * 2 : 64;
		struct lkst_stretch *grown = reallocarray(t->list, room, sizeof(*grown));

		if (!grown) {
			k->error = -ENOMEM;
			return;
		}
		t->list = grown;
		t->room = room;
	}
	s.gap = lkst_window_gap(k->w, s.from_ns, s.to_ns, s.state == LKST_STRETCH_RAN ? s.cpu : -1);
	t->sum_ns[s.state] += s.to_ns - s.from_ns;
	t->list[t->nr++] = s;
}

/* At moment @i the thread's state becomes @state. */
static void turn(struct walk *k, u32 i, enum lkst_stretch_state state, s32 cpu)
{
	u64 ns = k->w->moments[i].ns;

	k->now.to_ns = ns;
	k->now.end = i;
	push(k, k->now);
	k->now = (struct lkst_stretch){
		.from_ns = ns, .state = (u8)state, .cpu = cpu, .begin = i, .end = LKST_NOWHERE
	};
}

/* What the thread must have done until moment @i, if that is all that is known. */
static void infer(struct walk *k, enum lkst_stretch_state state, s32 cpu)
{
	if (k->now.state != LKST_STRETCH_UNKNOWN)
		return;
	k->now.state = (u8)state;
	k->now.cpu = cpu;
}

static void leave_cpu(struct walk *k, u32 i, s32 cpu)
{
	u64 state = lkst_moment_int(k->w, i, "prev_state");

	infer(k, LKST_STRETCH_RAN, cpu);
	if (state & STATE_ENDED) {
		turn(k, i, LKST_STRETCH_ABSENT, -1);
	} else if (state) {
		turn(k, i, LKST_STRETCH_BLOCKED, -1);
		if (k->in_flight != LKST_NOWHERE)
			turn(k, i, LKST_STRETCH_READY, cpu);
	} else {
		turn(k, i, LKST_STRETCH_READY, cpu);
	}
	k->in_flight = LKST_NOWHERE;
}

static void be_woken(struct walk *k, u32 i, bool is_done)
{
	s32 cpu = (s32)lkst_moment_int(k->w, i, "target_cpu");

	infer(k, LKST_STRETCH_BLOCKED, -1);
	if (k->now.state == LKST_STRETCH_BLOCKED)
		turn(k, i, LKST_STRETCH_READY, cpu);
	else if (k->now.state == LKST_STRETCH_READY && k->now.cpu != cpu)
		turn(k, i, LKST_STRETCH_READY, cpu);
	k->in_flight = is_done ? LKST_NOWHERE : i;
}

/* A record of the thread's own shows that it runs. */
static void show(struct walk *k, u32 i, s32 cpu)
{
	infer(k, LKST_STRETCH_RAN, cpu);
	if (k->now.state == LKST_STRETCH_RAN)
		return;
	/* It came back without a switch: the records of that are missing. */
	k->now.state = LKST_STRETCH_UNKNOWN;
	turn(k, i, LKST_STRETCH_RAN, cpu);
}

static void step(struct walk *k, u32 i)
{
	const struct lkst_moment *m = &k->w->moments[i];
	bool is_own = m->tid == k->tid, is_target = m->target == k->tid;

	switch (lkst_moment_kind(k->w, i)) {
	case LKST_EV_sched_switch:
		if (is_own) {
			leave_cpu(k, i, m->cpu);
		} else {
			infer(k, LKST_STRETCH_READY, m->cpu);
			turn(k, i, LKST_STRETCH_RAN, m->cpu);
			k->in_flight = LKST_NOWHERE;
		}
		return;
	case LKST_EV_sched_waking:
	case LKST_EV_sched_wakeup:
		if (is_target)
			be_woken(k, i, lkst_moment_kind(k->w, i) == LKST_EV_sched_wakeup);
		break;
	case LKST_EV_sched_process_fork:
		if (is_target)
			infer(k, LKST_STRETCH_ABSENT, -1);
		break;
	case LKST_EV_sched_wakeup_new:
		if (is_target) {
			infer(k, LKST_STRETCH_ABSENT, -1);
			turn(k, i, LKST_STRETCH_READY, (s32)lkst_moment_int(k->w, i, "target_cpu"));
		}
		break;
	case LKST_EV_sched_migrate_task:
		if (is_target && k->now.state == LKST_STRETCH_READY)
			turn(k, i, LKST_STRETCH_READY, (s32)lkst_moment_int(k->w, i, "dest_cpu"));
		break;
	default:
		break;
	}
	if (is_own)
		show(k, i, m->cpu);
}

/* The place in @moments to begin at: what was known last before @from_ns, or the first. */
static u32 find_start(const struct walk *k, struct lkst_moments moments)
{
	u32 place = lkst_moments_before_ns(k->w, moments, k->from_ns);

	while (place) {
		u16 kind = lkst_moment_kind(k->w, moments.at[--place]);

		if (kind == LKST_EV_sched_switch || kind == LKST_EV_sched_wakeup_new)
			break;
	}
	return place;
}

int lkst_stretches_make(const struct lkst_window *w, s32 tid, u64 from_ns, u64 to_ns,
			struct lkst_stretches *ret_stretches)
{
	struct lkst_moments moments = lkst_window_thread(w, tid);
	struct walk k = {
		.w = w, .tid = tid, .from_ns = from_ns, .to_ns = to_ns, .in_flight = LKST_NOWHERE
	};
	u32 i;

	*ret_stretches = (struct lkst_stretches){};
	k.t = ret_stretches;
	k.now = (struct lkst_stretch){
		.from_ns = w->from_ns, .cpu = -1, .begin = LKST_NOWHERE, .end = LKST_NOWHERE
	};
	if (from_ns < w->from_ns)
		push(&k, (struct lkst_stretch){ .from_ns = from_ns,
						.to_ns = w->from_ns,
						.cpu = -1,
						.begin = LKST_NOWHERE,
						.end = LKST_NOWHERE });
	for (i = find_start(&k, moments); i < moments.nr && !k.error; i++) {
		step(&k, moments.at[i]);
		/* The first moment behind the interval still tells how the last stretch ended. */
		if (w->moments[moments.at[i]].ns >= to_ns && k.now.from_ns >= to_ns)
			break;
	}
	k.now.to_ns = to_ns;
	push(&k, k.now);
	if (k.error)
		lkst_stretches_fini(ret_stretches);
	return k.error;
}

void lkst_stretches_fini(struct lkst_stretches *t)
{
	free(t->list);
	*t = (struct lkst_stretches){};
}
