/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The chain. An interval is cut into stretches; a stretch in which the thread was blocked is explained
 * by what the thread that woke it did until then, and so on. Each level lies within the one above it,
 * and ends before it, so the walk ends.
 */
#include "analyze/why/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/error_chain.h"
#include "analyze/why/narrate.h"
#include "analyze/why/narrate_running.h"
#include "analyze/why/narrate_wait.h"
#include "analyze/why/stretch.h"
#include "masks/shipped_masks.h"

enum {
	/* Stretches below this part of the whole interval are told as a sum. */
	SIGNIFICANT = 50,
	FEW = 16,
	MANY_SEARCH_MAX = 20000, /* short waits that are sorted by kind */
	MANY_KINDS_MAX = 64,
	MANY_TOLD = 3,
};

static void why_explain(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid, u64 from_ns,
			u64 to_ns, unsigned int depth);

static u64 why_length_of(const struct lkst_stretch *s)
{
	return s->to_ns - s->from_ns;
}

/*
 * Whether stretch @i is told by itself: if it is long enough. If there are few and none is long
 * enough, the longest is.
 */
static bool why_is_alone(const struct lkst_narrator *t, const struct lkst_stretches *line, u32 i,
			 u32 longest)
{
	return i == longest || why_length_of(&line->list[i]) >= t->min_ns;
}

/* ---- one stretch ------------------------------------------------------------------ */

static void why_follow(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct lkst_wake_cause *trigger, unsigned int depth)
{
	u64 until_ns = trigger->until_ns < s->to_ns ? trigger->until_ns : s->to_ns;

	if (!trigger->tid || until_ns <= s->from_ns)
		return;
	if (depth)
		why_explain(t, s, trigger->tid, s->from_ns, until_ns, depth - 1);
	else
		lkst_account_say(t->account, s, "; not followed further (--depth)");
}

/* Follows the packet that woke the thread to the host that sent it. */
static void follow_peer(struct lkst_narrator *t, struct lkst_account_step *s, const struct lkst_wake_cause *trigger,
			unsigned int depth)
{
	struct lkst_narrator theirs = { .account = t->account, .min_ns = t->min_ns };
	struct lkst_peer_packet packet;
	struct lkst_account_step *p;
	u64 from_ns;
	s32 tid;

	if (!lkst_peers_find(t->w, trigger->waking, LKST_WAKE_CAUSE_SEARCH, &packet))
		return;
	theirs.w = packet.w;
	tid = lkst_wake_cause_is_threads(packet.w, packet.sent) ? packet.w->moments[packet.sent].tid : 0;
	p = lkst_narrate_peer_packet(t, s, &packet, tid);
	from_ns = lkst_peers_ns(t->w, s->from_ns, packet.w);
	if (tid <= 0 || packet.w->moments[packet.sent].ns <= from_ns)
		return;
	if (depth)
		why_explain(&theirs, p, tid, from_ns, packet.w->moments[packet.sent].ns, depth - 1);
	else
		lkst_account_say(t->account, p, "; not followed further (--depth)");
}

static void tell_blocked(struct lkst_narrator *t, struct lkst_account_step *s,
			 const struct lkst_stretch *stretch, unsigned int depth)
{
	struct lkst_account_step *inner = s;
	struct lkst_wake_cause trigger;

	lkst_narrate_wait(t, s, stretch);
	if (stretch->is_open) {
		lkst_account_say(t->account, s, ", still at the end of what is recorded");
		return;
	}
	lkst_wake_cause_find(t->w, lkst_narrate_waking(t, stretch), s->tid, LKST_WAKE_CAUSE_SEARCH,
			  &trigger);
	lkst_narrate_trigger(t, s, &trigger);
	if (trigger.kind == LKST_WAKE_CAUSE_DISK)
		inner = lkst_narrate_request(t, s, &trigger);
	else if (trigger.kind == LKST_WAKE_CAUSE_PACKET)
		lkst_narrate_packet(t, s, &trigger);
	if (trigger.kind == LKST_WAKE_CAUSE_PACKET && trigger.origin == LKST_NOWHERE)
		follow_peer(t, s, &trigger, depth);
	else
		why_follow(t, inner, &trigger, depth);
}

static void tell_stretch(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid,
			 const struct lkst_stretch *stretch, unsigned int depth)
{
	struct lkst_account_step *s =
		lkst_account_add(t->account, parent, lkst_stretch_word(stretch->state),
				 stretch->from_ns, stretch->to_ns, tid);

	if (t->account->error)
		return;
	switch (stretch->state) {
	case LKST_STRETCH_RAN:
		lkst_narrate_ran(t, s, stretch);
		break;
	case LKST_STRETCH_READY:
		lkst_narrate_ready(t, s, stretch);
		break;
	case LKST_STRETCH_BLOCKED:
		tell_blocked(t, s, stretch, depth);
		break;
	case LKST_STRETCH_ABSENT:
		lkst_account_say(t->account, s, "was not there");
		break;
	default:
		lkst_account_say(t->account, s, "what it did is not recorded");
		break;
	}
	if (stretch->gap)
		lkst_narrate_gap(t, s, stretch->gap);
}

/* ---- what is too short to be told alone -------------------------------------------- */

/* Short waits of one kind: in the same call, ended by the same thread or kind of thing. */
struct many {
	const char *call;
	s32 waker;
	u8 trigger;
	u32 nr;
	u64 sum_ns, longest_ns, from_ns, to_ns;
	u32 waking; /* of the longest */
};

static int by_sum(const void *a, const void *b)
{
	u64 x = ((const struct many *)a)->sum_ns, y = ((const struct many *)b)->sum_ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void why_count_one(struct lkst_narrator *t, s32 tid, const struct lkst_stretch *s, struct many *list,
			  u32 *nr)
{
	const char *call = lkst_narrate_call_name(t, tid, s);
	u64 ns = why_length_of(s);
	struct lkst_wake_cause trigger;
	u32 i;

	lkst_wake_cause_find(t->w, lkst_narrate_waking(t, s), tid, LKST_WAKE_CAUSE_SEARCH_OF_MANY,
			  &trigger);
	for (i = 0; i < *nr; i++)
		if (!strcmp(list[i].call, call) && list[i].trigger == trigger.kind &&
		    list[i].waker == trigger.tid)
			break;
	if (i == MANY_KINDS_MAX)
		return;
	if (i == *nr)
		list[(*nr)++] = (struct many){ .call = call,
					       .waker = trigger.tid,
					       .trigger = trigger.kind,
					       .from_ns = s->from_ns };
	list[i].nr++;
	list[i].sum_ns += ns;
	list[i].to_ns = s->to_ns;
	if (ns > list[i].longest_ns) {
		list[i].longest_ns = ns;
		list[i].waking = s->end;
	}
}

/* The kinds of short waits that make up a significant part, the largest first. */
static void tell_many(struct lkst_narrator *t, struct lkst_account_step *rest, s32 tid,
		      const struct lkst_stretches *line, u32 longest)
{
	struct many list[MANY_KINDS_MAX] = {};
	u32 nr = 0, looked_at = 0, i;

	for (i = 0; i < line->nr && looked_at < MANY_SEARCH_MAX; i++)
		if (line->list[i].state == LKST_STRETCH_BLOCKED && !why_is_alone(t, line, i, longest)) {
			why_count_one(t, tid, &line->list[i], list, &nr);
			looked_at++;
		}
	qsort(list, nr, sizeof(*list), by_sum);
	for (i = 0; i < nr && i < MANY_TOLD && list[i].sum_ns >= t->min_ns; i++) {
		struct lkst_account_step *s = lkst_account_add(t->account, rest, "many",
							       list[i].from_ns, list[i].to_ns, tid);

		lkst_narrate_many(t, s, list[i].call, list[i].trigger, list[i].waker, list[i].nr,
			       list[i].sum_ns, list[i].longest_ns, list[i].waking);
	}
}

static void tell_rest(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid,
		      const struct lkst_stretches *line, u32 longest)
{
	u64 sum_ns[LKST_NR_STRETCH_STATES] = {}, from_ns = 0, to_ns = 0;
	struct lkst_narrated_running running = {};
	struct lkst_account_step *s;
	u32 i, nr = 0;

	for (i = 0; i < line->nr; i++) {
		const struct lkst_stretch *one = &line->list[i];

		if (why_is_alone(t, line, i, longest))
			continue;
		sum_ns[one->state] += why_length_of(one);
		from_ns = nr++ ? from_ns : one->from_ns;
		to_ns = one->to_ns;
	}
	if (!nr)
		return;
	s = lkst_account_add(t->account, parent, "rest", from_ns, to_ns, tid);
	lkst_narrate_rest(t, s, nr, sum_ns);
	for (i = 0; i < line->nr && sum_ns[LKST_STRETCH_RAN] >= t->min_ns; i++)
		if (!why_is_alone(t, line, i, longest))
			lkst_narrate_running_add(t, s, &line->list[i], &running);
	lkst_narrate_running_say(t, s, "; ran", &running);
	if (sum_ns[LKST_STRETCH_BLOCKED] >= t->min_ns)
		tell_many(t, s, tid, line, longest);
}

/* ---- calls that failed ----------------------------------------------------------------------- */

enum {
	FAILED_TOLD = 16,    /* calls of an interval */
	THEN_TOLD = 6,	     /* functions that passed an error on */
	SEARCH_MAX = 1 << 20 /* records looked through */
};

/* A call of the thread, while its moments are looked through. */
struct narrate_failed_call {
	u32 entry; /* LKST_NOWHERE: none was seen */
	u32 nr;	   /* returns, also those that are kept no more */
	u32 returns[LKST_ERROR_STEPS];
};

/* The error that moment @i says a function returned, and the function. */
static s32 error_at(const struct lkst_excerpt *w, u32 i, u64 *ret_function)
{
	const struct lkst_event_ref *m = &w->moments[i];
	const struct lkst_event_class *event = w->catalog->classes[m->id];
	const struct lkst_record r = { .event = event, .bytes = m->bytes, .size = event->size };

	return lkst_error_of_return(&r, ret_function);
}

static void narrate_failed_say_function(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
					u64 function)
{
	char name[LKST_KEY_TEXT];

	lkst_error_function_name(t->w->catalog, t->w->symbols, function, name);
	lkst_account_text(t->account, s, key, name, strlen(name));
}

/* "path_openat, first link_path_walk said so": those further out come first. */
static void tell_functions(struct lkst_narrator *t, struct lkst_account_step *s, const u32 *returns,
			   u32 nr)
{
	u64 function;
	u32 i;

	for (i = nr - 1; i > 0 && nr - 1 - i < THEN_TOLD; i--) {
		error_at(t->w, returns[i], &function);
		narrate_failed_say_function(t, s, "function", function);
		lkst_account_say(t->account, s, ", ");
	}
	if (i > 0)
		lkst_account_say(t->account, s, "%u others, ", i);
	lkst_account_say(t->account, s, "first ");
	error_at(t->w, returns[0], &function);
	narrate_failed_say_function(t, s, "first", function);
	lkst_account_say(t->account, s, " said so");
	lkst_narrate_cite(t, s, returns[0]);
}

/* The call that ends at moment @exit, if it failed and a function said so. */
static bool tell_call(struct lkst_narrator *t, struct lkst_account_step *parent,
		      const struct narrate_failed_call *c, u32 exit)
{
	const s64 ret = (s64)lkst_event_ref_int(t->w, exit, "ret");
	const char *name = lkst_event_ref_call(t->w, exit);
	u32 kept = c->nr < LKST_ERROR_STEPS ? c->nr : LKST_ERROR_STEPS, nr = 0, i;
	u32 returns[LKST_ERROR_STEPS];
	struct lkst_account_step *s;
	char error[LKST_ERROR_TEXT];
	u64 function;

	for (i = c->nr - kept; i < c->nr; i++)
		if (error_at(t->w, c->returns[i % LKST_ERROR_STEPS], &function) == ret)
			returns[nr++] = c->returns[i % LKST_ERROR_STEPS];
	if (!nr)
		return false;
	s = lkst_account_add(t->account, parent, "failed", t->w->moments[c->entry].ns,
			     t->w->moments[exit].ns, parent->tid);
	lkst_error_text((s32)-ret, error);
	lkst_account_text(t->account, s, "call", name, strlen(name));
	lkst_account_say(t->account, s, "() failed with ");
	lkst_account_text(t->account, s, "error", error, strlen(error));
	lkst_account_say(t->account, s, ": ");
	lkst_narrate_cite(t, s, c->entry);
	tell_functions(t, s, returns, nr);
	lkst_narrate_cite(t, s, exit);
	return true;
}

/* The kind of moment @i, if it is of the thread itself. */
static u16 own_kind(const struct lkst_excerpt *w, u32 i, s32 tid)
{
	return w->moments[i].tid == tid ? lkst_event_ref_kind(w, i) : LKST_EVENT_REF_NONE;
}

/*
 * Adds a step below @parent for each system call of its thread that failed and ended in its time, if functions said
 * so in records of probes of group `errors`. Of very many the first are told.
 */
static void narrate_failed(struct lkst_narrator *t, struct lkst_account_step *parent)
{
	struct lkst_places_list list = lkst_excerpt_thread(t->w, parent->tid);
	struct narrate_failed_call c = { .entry = LKST_NOWHERE };
	u32 i, nr_told = 0, steps = 0;

	for (i = 0; i < list.nr && steps++ < SEARCH_MAX && nr_told < FAILED_TOLD; i++) {
		const u32 at = list.at[i];

		if (t->w->moments[at].ns > parent->to_ns)
			break;
		switch (own_kind(t->w, at, parent->tid)) {
		case LKST_EVENT_REF_ENTRY:
			c = (struct narrate_failed_call){ .entry = at };
			break;
		case LKST_EVENT_REF_RETURN:
			c.returns[c.nr++ % LKST_ERROR_STEPS] = at;
			break;
		case LKST_EVENT_REF_EXIT:
			if (c.entry != LKST_NOWHERE && t->w->moments[at].ns >= parent->from_ns)
				nr_told += tell_call(t, parent, &c, at);
			c = (struct narrate_failed_call){ .entry = LKST_NOWHERE };
			break;
		}
	}
}

/* ---- an interval ------------------------------------------------------------------ */

/*
 * If the thread went on running after stretch @i, but for short stretches of something else, tells all
 * that as one step and returns the last stretch of it; @i otherwise.
 */
static u32 tell_running(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid,
			const struct lkst_stretches *line, u32 i, u32 longest)
{
	const struct lkst_stretch *s = line->list;
	u32 last = i, nr = 0, k;
	u64 ran_ns = 0;

	if (s[i].state != LKST_STRETCH_RAN || !why_is_alone(t, line, i, longest))
		return i;
	for (k = i; k < line->nr; k++) {
		if (!why_is_alone(t, line, k, longest))
			continue;
		if (s[k].state != LKST_STRETCH_RAN || s[k].gap)
			break;
		last = k;
		nr++;
		ran_ns += why_length_of(&s[k]);
	}
	if (nr > 1)
		lkst_narrate_ran_often(t,
				    lkst_account_add(t->account, parent, "ran", s[i].from_ns,
						     s[last].to_ns, tid),
				    nr, ran_ns, &s[i], &s[last]);
	return nr > 1 ? last : i;
}

static void tell_line(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid,
		      const struct lkst_stretches *line, unsigned int depth)
{
	u32 longest = 0, i;

	for (i = 1; i < line->nr; i++)
		if (why_length_of(&line->list[i]) > why_length_of(&line->list[longest]))
			longest = i;
	if (line->nr > FEW)
		longest = LKST_NOWHERE;
	for (i = 0; i < line->nr && !t->account->error; i++) {
		u32 last = tell_running(t, parent, tid, line, i, longest);

		if (last != i)
			i = last;
		else if (why_is_alone(t, line, i, longest))
			tell_stretch(t, parent, tid, &line->list[i], depth);
	}
	tell_rest(t, parent, tid, line, longest);
}

static void why_explain(struct lkst_narrator *t, struct lkst_account_step *parent, s32 tid, u64 from_ns,
			u64 to_ns, unsigned int depth)
{
	struct lkst_stretches line;

	if (lkst_stretches_make(t->w, tid, from_ns, to_ns, &line)) {
		t->account->error = -ENOMEM;
		return;
	}
	tell_line(t, parent, tid, &line, depth);
	lkst_stretches_fini(&line);
}

void lkst_why_add_notes(struct lkst_account *a, const struct lkst_excerpt *w, u64 from_ns, u64 to_ns)
{
	bool wants[LKST_EVENT_SPACE] = { false };
	unsigned int i;
	u32 id;

	for (i = 0; i < w->states->notes.nr; i++)
		lkst_notes_add(&a->notes, "%s", w->states->notes.text[i]);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		wants[id] = w->catalog->classes[id] &&
			    lkst_standard_readers(w->catalog->classes[id]) & LKST_READER_WHY;
	lkst_limited_note(w->limited, wants, from_ns, to_ns, &a->notes);
}

int lkst_why_explain_in(struct lkst_account *a, struct lkst_account_step *s, const struct lkst_excerpt *w,
			unsigned int depth)
{
	struct lkst_narrator t = { .w = w, .account = a, .min_ns = (s->to_ns - s->from_ns) / SIGNIFICANT + 1 };
	struct lkst_stretches line;

	if (lkst_stretches_make(w, s->tid, s->from_ns, s->to_ns, &line))
		return -ENOMEM;
	lkst_narrate_interval(&t, s, &line);
	tell_line(&t, s, s->tid, &line, depth);
	narrate_failed(&t, s);
	lkst_stretches_fini(&line);
	return a->error;
}

int lkst_why_explain(struct lkst_err *e, const struct lkst_excerpt *w, s32 tid, u64 from_ns,
		     u64 to_ns, unsigned int depth, struct lkst_account **ret_account)
{
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	struct lkst_account_step *s;
	int err;

	if (!lkst_excerpt_thread(w, tid).nr)
		return lkst_err_set(e, -ENOENT, "nothing of thread %d is recorded in that interval",
				    tid);
	a = lkst_account_new();
	if (!a)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	a->root.host = w->host;
	s = lkst_account_add(a, &a->root, "interval", from_ns, to_ns, tid);
	err = lkst_why_explain_in(a, s, w, depth);
	if (err)
		return lkst_err_sys(e, err, "explaining");
	lkst_why_add_notes(a, w, from_ns, to_ns);
	*ret_account = lkst_take(a);
	return 0;
}
