/* SPDX-License-Identifier: GPL-2.0-only */
/* Who wakes whom, how often, and how long the woken waits for a CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum {
	TARGET_SHIFT = 32,
	BY_CONTEXT = 1u << 31, /* the lower half is a context and its number, not a name */
	CONTEXT_SHIFT = 24,
	NUMBER_MASK = (1 << CONTEXT_SHIFT) - 1,
	CONTEXT_MASK = 0x7f,
	NAMES_MAX = 1 << 16, /* further ones are one, "others" */
};

/* The name that a life had when it was last asked for. */
struct wakeups_known {
	char comm[16];
	u32 name; /* plus 1, 0: none yet */
};

/* Threads with the same name are one here; a name's number is its index in `names`. */
struct wakeups {
	struct lkst_analysis_state work;
	struct wakeups_known *known;
	u32 nr_known;
	char (*names)[16];
	u32 nr_names, room;
	u32 *slots; /* a hash table of names, plus 1; as many as 2 * room */
};

static u32 wakeups_hash_of(const char comm[16])
{
	u32 hash = 2166136261u, i;

	for (i = 0; i < 16 && comm[i]; i++)
		hash = (hash ^ (u8)comm[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static u32 *wakeups_slot_of(const struct wakeups *w, const char comm[16])
{
	u32 i;

	for (i = wakeups_hash_of(comm);; i++) {
		u32 *slot = &w->slots[i & (2 * w->room - 1)];

		if (!*slot || !strncmp(w->names[*slot - 1], comm, 16))
			return slot;
	}
}

static int wakeups_grow(struct wakeups *w)
{
	u32 room = w->room ? w->room * 2 : 256, i;
	u32 *slots = calloc(2 * (size_t)room, sizeof(*slots));
	char(*names)[16] = reallocarray(w->names, room, sizeof(*names));

	if (names)
		w->names = names;
	if (!names || !slots) {
		free(slots);
		return -ENOMEM;
	}
	free(w->slots);
	w->slots = slots;
	w->room = room;
	for (i = 0; i < w->nr_names; i++)
		*wakeups_slot_of(w, w->names[i]) = i + 1;
	return 0;
}

/* The number of @life's name; negative: no memory. */
static s64 wakeups_name_of(struct wakeups *w, const struct lkst_thread_life *life)
{
	static const char idle[16] = "idle", unknown[16] = "?", others[16] = "others";
	const char *comm = !life		 ? unknown
			   : life->idle_cpu >= 0 ? idle
			   : life->has_comm	 ? life->comm
						 : unknown;
	struct wakeups_known *known = life ? lkst_vec_reach(w->known, w->nr_known, life->nr) : NULL;
	u32 *slot;

	if (life && !known)
		return -ENOMEM;
	if (known && known->name && !strncmp(known->comm, comm, 16))
		return known->name - 1;
	if (w->nr_names == w->room && wakeups_grow(w))
		return -ENOMEM;
	slot = wakeups_slot_of(w, comm);
	if (!*slot && w->nr_names == NAMES_MAX - 1)
		slot = wakeups_slot_of(w, others);
	if (!*slot) {
		memcpy(w->names[w->nr_names], w->nr_names == NAMES_MAX - 1 ? others : comm, 16);
		*slot = ++w->nr_names;
	}
	if (known) {
		memcpy(known->comm, comm, 16);
		known->name = *slot;
	}
	return *slot - 1;
}

static void wakeups_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct wakeups *w = ctx;
	u32 by = (u32)key, context = by >> CONTEXT_SHIFT & CONTEXT_MASK;
	char waker[32], both[LKST_KEY_TEXT];

	if (!(by & BY_CONTEXT))
		snprintf(waker, sizeof(waker), "%.16s", w->names[by]);
	else if (context == LKST_CONTEXT_SOFTIRQ && (by & NUMBER_MASK) < LKST_NR_SOFTIRQS)
		snprintf(waker, sizeof(waker), "<softirq:%s>",
			 lkst_softirq_names[by & NUMBER_MASK]);
	else if (context == LKST_CONTEXT_IRQ || context == LKST_CONTEXT_SOFTIRQ)
		snprintf(waker, sizeof(waker), "<%s:%u>", lkst_context_names[context],
			 by & NUMBER_MASK);
	else
		snprintf(waker, sizeof(waker), "<%s>", lkst_context_names[context]);
	snprintf(both, sizeof(both), "%s->%.16s", waker, w->names[key >> TARGET_SHIFT]);
	lkst_put_key(text, both, strlen(both));
}

/* The context that woke as far as it is certain: within it another one may have begun that was left out. */
static u8 context_of(const struct wakeups *w, const struct lkst_waker *by)
{
	const struct lkst_irq_context f = {
		.context = by->context, .from_ns = by->ns, .to_ns = by->ns
	};

	if (by->context >= LKST_CONTEXT_NMI || !lkst_analysis_may_contain_more(&w->work, &f))
		return by->context;
	return by->context == LKST_CONTEXT_IRQ || by->context == LKST_CONTEXT_VECTOR ||
			       by->context == LKST_CONTEXT_HRTIMER
		       ? LKST_CONTEXT_INTERRUPT
		       : LKST_CONTEXT_UNKNOWN;
}

static int wakeups_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct wakeups *w = ctx;
	const struct lkst_waker *by = i->waker;
	s64 target, waker;
	u8 context;
	u64 key;
	int err;

	if (i->run != LKST_RUN_READY || i->ready != LKST_READY_WOKEN || !by)
		return 0;
	target = wakeups_name_of(w, i->life);
	context = by->context == LKST_CONTEXT_THREAD ? by->context : context_of(w, by);
	if (context == LKST_CONTEXT_THREAD)
		waker = wakeups_name_of(w, lkst_model_life(w->work.state, by->life));
	else
		waker = BY_CONTEXT | (u32)context << CONTEXT_SHIFT |
			(context == by->context ? by->number & NUMBER_MASK : 0);
	if (target < 0 || waker < 0)
		return -ENOMEM;
	key = (u64)target << TARGET_SHIFT | (u32)waker;
	if (!lkst_analysis_is_whole(&w->work.tallies[0], i, key, &err))
		return err;
	return lkst_tally_add(&w->work.tallies[0], key, i->to_ns - i->from_ns, i->from_ns,
			      i->life->tid, i->cpu < 0 ? 0 : (u32)i->cpu);
}

static const struct lkst_model_calls calls = { .interval = wakeups_on_interval };

static int wakeups_begin(struct lkst_analysis_state *w)
{
	int err;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "wakeups",
							   .title = "Wake-ups",
							   .unit = "wake-ups",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = wakeups_put_key });
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err
		       : lkst_feed_has(w->feed, LKST_EV_sched_switch) &&
				 (lkst_feed_has(w->feed, LKST_EV_sched_waking) ||
				  lkst_feed_has(w->feed, LKST_EV_sched_wakeup));
}

static void wakeups_fini(struct lkst_analysis_state *work)
{
	struct wakeups *w = (struct wakeups *)work;

	free(w->known);
	free(w->names);
	free(w->slots);
}

const struct lkst_analysis lkst_analysis_wakeups = {
	.name = "wakeups",
	.heritage = "F03",
	.title = "Wake-ups",
	.help = "who wakes whom, and how long the woken waits for a CPU",
	.measures = "from a wake-up to the switch to the woken thread, by names of both",
	.events = "sched_* irq_handler_* softirq_* tasklet_* timer_expire_* hrtimer_expire_* local_timer_* "
		  "reschedule_* call_function_*",
	.needs_state = true,
	.size = sizeof(struct wakeups),
	.begin = wakeups_begin,
	.fini = wakeups_fini,
};
