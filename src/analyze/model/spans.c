/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open spans are slots of an array, each in up to four lists: those under one number in one process, those of one
 * number that were handed over, those that one thread has, and those whose thread has ended. Each list is bounded, so
 * that a hostile trace costs no more than a large one.
 */
#include "analyze/model/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

const char *const lkst_span_ending_names[] = {
	[LKST_SPAN_ENDED] = "ended",
	[LKST_SPAN_OPEN] = "open",
	[LKST_SPAN_DEAD] = "dead",
	[LKST_SPAN_LOST] = "lost",
};

/* What a thread does, as far as it is summed. */
enum doing {
	DOING_RUN,
	DOING_READY,
	DOING_BLOCK,
	NR_DOINGS,
};

enum span_list {
	BY_NUMBER, /* by process (of number 0: thread) and number */
	BY_GIVEN,  /* by number alone, of those that were handed over */
	BY_HOLDER, /* by the thread that has them */
	BY_DEATH,  /* their thread has ended; one list */
	NR_LISTS,
};

enum { NOWHERE = UINT32_MAX };

struct spans_slot {
	struct lkst_span span;
	bool is_open;
	bool is_in[NR_LISTS];
	u64 keys[NR_LISTS];
	u32 newer[NR_LISTS], older[NR_LISTS]; /* places of slots */
	s32 owner;			      /* the process, or of number 0: the thread */
	s32 holder;			      /* 0: nobody */
	s32 giver;			      /* who handed it over last: not who takes it */
	u64 since[NR_DOINGS];		      /* what the holder had done when it got the span */
	u64 got_ns;			      /* when that was */
	u64 died_ns;
};

struct head {
	u64 key;
	u32 newest, oldest, nr;
	u64 done_ns[NR_DOINGS]; /* by the thread, since it has a span */
};

/* A process of which marks are missing. */
struct lossy {
	u64 key;
};

/* What a request's number was said of before the span began. */
struct early {
	u64 key;
	u64 id, trace_high, trace_low, parent;
	s32 owner;
};

struct lkst_spans {
	struct lkst_spans_options o;
	struct spans_slot *slots;
	u32 nr_slots;
	u32 *free_slots;
	u32 nr_free;
	u32 nr_open;
	u64 nr_begun;
	u64 gap_ns; /* until when records of marks are missing */
	u64 begin_ns;
	bool is_over; /* the model has reported all that it knows */
	struct lkst_hash lists[NR_LISTS], lossy, early;
	struct lkst_spans_doubts doubts;
};

/* ---- lists ----------------------------------------------------------------------------------- */

static u64 spans_key_of(s32 owner, u64 id)
{
	return ((u64)(u32)owner * 0x9e3779b97f4a7c15ULL ^ id * 0xc2b2ae3d27d4eb4fULL) >> 1;
}

static struct head *find_head(const struct lkst_spans *s, enum span_list list, u64 key)
{
	return lkst_hash_find(&s->lists[list], key, sizeof(struct head));
}

/* 0, -ENOSPC: the list is full, or -ENOMEM. */
static int put_in(struct lkst_spans *s, enum span_list list, u64 key, u32 at)
{
	struct head *h = find_head(s, list, key);
	struct spans_slot *slot = &s->slots[at];

	if (h && h->nr >= LKST_SPANS_SAME_MAX && list != BY_DEATH)
		return -ENOSPC;
	if (!h) {
		if (lkst_hash_reserve(&s->lists[list], sizeof(struct head)))
			return -ENOMEM;
		h = lkst_hash_add(&s->lists[list], key, sizeof(struct head));
		h->newest = h->oldest = NOWHERE;
	}
	slot->keys[list] = key;
	slot->is_in[list] = true;
	slot->newer[list] = NOWHERE;
	slot->older[list] = h->newest;
	if (h->newest != NOWHERE)
		s->slots[h->newest].newer[list] = at;
	else
		h->oldest = at;
	h->newest = at;
	h->nr++;
	return 0;
}

static void take_out(struct lkst_spans *s, enum span_list list, u32 at)
{
	struct spans_slot *slot = &s->slots[at];
	struct head *h;

	if (!slot->is_in[list])
		return;
	slot->is_in[list] = false;
	h = find_head(s, list, slot->keys[list]);
	if (slot->newer[list] != NOWHERE)
		s->slots[slot->newer[list]].older[list] = slot->older[list];
	else
		h->newest = slot->older[list];
	if (slot->older[list] != NOWHERE)
		s->slots[slot->older[list]].newer[list] = slot->newer[list];
	else
		h->oldest = slot->newer[list];
	if (!--h->nr)
		lkst_hash_remove(&s->lists[list], h, sizeof(struct head));
}

static u32 newest(const struct lkst_spans *s, enum span_list list, u64 key)
{
	const struct head *h = find_head(s, list, key);

	return h ? h->newest : NOWHERE;
}

/* ---- what threads do ------------------------------------------------------------------------- */

static int spans_doing_of(u8 run)
{
	return run == LKST_RUN_RUNNING				    ? DOING_RUN
	       : run == LKST_RUN_READY				    ? DOING_READY
	       : run == LKST_RUN_BLOCKED || run == LKST_RUN_STOPPED ? DOING_BLOCK
								    : -1;
}

static int spans_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_spans *s = ctx;
	int doing = spans_doing_of(i->run);
	struct head *h =
		doing < 0 || i->life->tid <= 0 ? NULL : find_head(s, BY_HOLDER, (u32)i->life->tid);

	if (h)
		h->done_ns[doing] += i->to_ns - i->from_ns;
	return 0;
}

/* What thread @tid has done until @ns since it first had one of its open spans. */
static void done_until(const struct lkst_spans *s, s32 tid, u64 ns, u64 ret_ns[NR_DOINGS])
{
	const struct head *h = find_head(s, BY_HOLDER, (u32)tid);
	struct lkst_thread_now now;
	u64 since_ns;
	int doing;

	memset(ret_ns, 0, NR_DOINGS * sizeof(*ret_ns));
	if (h)
		memcpy(ret_ns, h->done_ns, sizeof(h->done_ns));
	if (s->is_over || !s->o.model || !lkst_model_thread(s->o.model, tid, &now))
		return;
	doing = spans_doing_of(now.run);
	since_ns = now.since_ns > s->begin_ns ? now.since_ns : s->begin_ns;
	if (doing >= 0 && ns > since_ns)
		ret_ns[doing] += ns - since_ns;
}

/*
 * The holder has the span no longer: its time counts, though never more than it had the span. What a thread seemed to
 * do when it got the span, the model may tell otherwise later, where records contradict each other.
 */
static void leave_holder(struct lkst_spans *s, u32 at, u64 ns)
{
	struct spans_slot *slot = &s->slots[at];
	u64 done[NR_DOINGS], sum[NR_DOINGS], left_ns = ns > slot->got_ns ? ns - slot->got_ns : 0;
	int i;

	if (!slot->is_in[BY_HOLDER])
		return;
	done_until(s, slot->holder, ns, done);
	for (i = 0; i < NR_DOINGS; i++) {
		sum[i] = done[i] > slot->since[i] ? done[i] - slot->since[i] : 0;
		sum[i] = sum[i] < left_ns ? sum[i] : left_ns;
		left_ns -= sum[i];
	}
	slot->span.running_ns += sum[DOING_RUN];
	slot->span.ready_ns += sum[DOING_READY];
	slot->span.blocked_ns += sum[DOING_BLOCK];
	take_out(s, BY_HOLDER, at);
}

/*
 * Thread @tid has the span from @ns on; 0: nobody. @giver handed it over; 0: nobody did. Where the thread has too many
 * already, its time does not count.
 */
static int give_to(struct lkst_spans *s, u32 at, s32 tid, s32 giver, u64 ns)
{
	struct lkst_span *span = &s->slots[at].span;
	int err;

	leave_holder(s, at, ns);
	take_out(s, BY_DEATH, at);
	s->slots[at].holder = tid;
	s->slots[at].got_ns = ns;
	if (span->nr_parts < LKST_SPAN_PARTS)
		span->parts[span->nr_parts++] = (struct lkst_span_part){ ns, tid, giver };
	else
		span->has_more_parts = true;
	if (tid <= 0)
		return 0;
	err = put_in(s, BY_HOLDER, (u32)tid, at);
	if (!err)
		done_until(s, tid, ns, s->slots[at].since);
	return err == -ENOMEM ? err : 0;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static s32 spans_process_of(const struct lkst_spans *s, s32 tid)
{
	const struct lkst_thread *t = lkst_threads_find(s->o.threads, tid);

	return t && t->pid ? t->pid : tid;
}

/* The span is over, in any way: reports it. */
static int spans_finish(struct lkst_spans *s, u32 at, enum lkst_span_ending ending, u64 ns, s32 tid)
{
	struct spans_slot *slot = &s->slots[at];
	struct lkst_span span;
	u32 *place = lkst_vec_add(s->free_slots, s->nr_free);
	int i;

	if (!place)
		return -ENOMEM;
	leave_holder(s, at, ns);
	for (i = 0; i < NR_LISTS; i++)
		take_out(s, i, at);
	span = slot->span;
	span.to_ns = ns > span.from_ns ? ns : span.from_ns;
	span.ending = (u8)ending;
	span.end_tid = ending == LKST_SPAN_ENDED ? tid : 0;
	span.is_doubtful = s->gap_ns > span.from_ns;
	slot->is_open = false;
	*place = at;
	s->nr_open--;
	return s->o.call(s->o.ctx, &span);
}

/* A slot for one more span; NOWHERE: there is no room, or *@err is set. */
static u32 new_slot(struct lkst_spans *s, int *err)
{
	u32 at;

	if (s->nr_open >= LKST_SPANS_OPEN_MAX)
		return NOWHERE;
	if (s->nr_free) {
		at = s->free_slots[--s->nr_free];
		s->slots[at] = (struct spans_slot){};
	} else if (lkst_vec_add(s->slots, s->nr_slots)) {
		at = s->nr_slots - 1;
	} else {
		*err = -ENOMEM;
		return NOWHERE;
	}
	s->nr_open++;
	s->slots[at].is_open = true;
	return at;
}

static void drop_slot(struct lkst_spans *s, u32 at)
{
	int i;

	for (i = 0; i < NR_LISTS; i++)
		take_out(s, i, at);
	s->slots[at].is_open = false;
	s->nr_open--;
	/* The array of free places has room for as many as there are slots, or the slot is not used again. */
	if (!lkst_vec_add(s->free_slots, s->nr_free))
		return;
	s->free_slots[s->nr_free - 1] = at;
}

/* The newest one of @list that is of @owner (-1: of anybody), number @id and @name (NULL: any), from @at on. */
static u32 spans_seek(const struct lkst_spans *s, enum span_list list, u32 at, s32 owner, u64 id,
		      const char *name)
{
	for (; at != NOWHERE; at = s->slots[at].older[list]) {
		const struct spans_slot *slot = &s->slots[at];

		if (slot->span.id == id && (owner < 0 || slot->owner == owner) &&
		    (!name || !strcmp(slot->span.name, name)))
			break;
	}
	return at;
}

static s32 spans_owner_of(const struct lkst_spans *s, s32 tid, u64 id)
{
	return id ? spans_process_of(s, tid) : tid;
}

/* The span that thread @tid means: one that it has itself first, then of its process, then one that was handed over. */
static u32 spans_find(const struct lkst_spans *s, s32 tid, u64 id, const char *name)
{
	s32 owner = spans_owner_of(s, tid, id);
	u32 first = spans_seek(s, BY_NUMBER, newest(s, BY_NUMBER, spans_key_of(owner, id)), owner, id, name),
	    at;

	for (at = first; at != NOWHERE;
	     at = spans_seek(s, BY_NUMBER, s->slots[at].older[BY_NUMBER], owner, id, name))
		if (s->slots[at].holder == tid)
			return at;
	if (first == NOWHERE && id)
		first = spans_seek(s, BY_GIVEN, newest(s, BY_GIVEN, spans_key_of(0, id)), -1, id, name);
	return first;
}

/* Thread @tid does something under number @id: it takes what nobody has under it. */
static int take_given(struct lkst_spans *s, s32 tid, u64 id, u64 ns)
{
	u32 at = id ? spans_seek(s, BY_GIVEN, newest(s, BY_GIVEN, spans_key_of(0, id)), -1, id, NULL) : NOWHERE;
	int err = 0;

	for (; at != NOWHERE && !err;
	     at = spans_seek(s, BY_GIVEN, s->slots[at].older[BY_GIVEN], -1, id, NULL))
		if (!s->slots[at].holder && s->slots[at].giver != tid)
			err = give_to(s, at, tid, 0, ns);
	return err;
}

/* ---- records --------------------------------------------------------------------------------- */

static void set_request(struct lkst_span *span, u64 high, u64 low, u64 parent)
{
	span->trace_high = high;
	span->trace_low = low;
	span->parent = parent;
}

/* What is known of the request before the span begins: from another span of its number, or said ahead. */
static void inherit_request(struct lkst_spans *s, struct lkst_span *span, s32 tid, s32 owner)
{
	u32 other = span->id ? spans_find(s, tid, span->id, NULL) : NOWHERE;
	struct early *early;

	if (other != NOWHERE) {
		const struct lkst_span *o = &s->slots[other].span;

		set_request(span, o->trace_high, o->trace_low, o->parent);
		return;
	}
	early = lkst_hash_find(&s->early, spans_key_of(owner, span->id), sizeof(*early));
	if (early && early->id == span->id && early->owner == owner) {
		set_request(span, early->trace_high, early->trace_low, early->parent);
		lkst_hash_remove(&s->early, early, sizeof(*early));
	}
}

static int spans_on_begin(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_span_begin *x = record;
	struct lkst_spans *s = ctx;
	s32 owner = spans_owner_of(s, r->tid, x->span);
	const struct lkst_thread_life *life = s->o.model ? lkst_model_life_of(s->o.model, r->tid, r->cpu) : NULL;
	struct lkst_span span = { .id = x->span,
				  .from_ns = r->ns,
				  .begin_tid = r->tid,
				  .begin_cpu = r->cpu,
				  .begin_life = life ? life->nr : LKST_LIFE_NONE };
	u32 outer, at;
	int err = take_given(s, r->tid, x->span, r->ns);

	if (err)
		return err;
	span.number = ++s->nr_begun;
	span.pid = spans_process_of(s, r->tid);
	memcpy(span.name, x->name.bytes, strnlen(x->name.bytes, sizeof(span.name) - 1));
	outer = newest(s, BY_HOLDER, (u32)r->tid);
	span.outer = outer == NOWHERE ? 0 : s->slots[outer].span.number;
	inherit_request(s, &span, r->tid, owner);
	at = new_slot(s, &err);
	if (at == NOWHERE) {
		s->doubts.no_room += !err;
		return err;
	}
	s->slots[at].span = span;
	s->slots[at].owner = owner;
	err = put_in(s, BY_NUMBER, spans_key_of(owner, x->span), at);
	if (err == -ENOSPC) {
		s->doubts.no_room++;
		drop_slot(s, at);
		return 0;
	}
	return err ?: give_to(s, at, r->tid, 0, r->ns);
}

static int spans_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_span_end *x = record;
	struct lkst_spans *s = ctx;
	char name[LKST_SPAN_NAME] = "";
	int err = take_given(s, r->tid, x->span, r->ns);
	u32 at;

	if (err)
		return err;
	memcpy(name, x->name.bytes, strnlen(x->name.bytes, sizeof(name) - 1));
	at = spans_find(s, r->tid, x->span, name);
	if (at != NOWHERE)
		return spans_finish(s, at, LKST_SPAN_ENDED, r->ns, r->tid);
	s->doubts.no_begin++;
	return 0;
}

/* The open spans that thread @tid means by @id alone: at most @max, those that it has itself if it has any. */
static u32 find_all(const struct lkst_spans *s, s32 tid, u64 id, u32 *list, u32 max)
{
	s32 owner = spans_owner_of(s, tid, id);
	u32 nr = 0, nr_held = 0, at, i;
	enum span_list of;

	for (of = BY_NUMBER; of <= BY_GIVEN && !nr_held; of++) {
		u64 key = of == BY_NUMBER ? spans_key_of(owner, id) : spans_key_of(0, id);

		if (of == BY_GIVEN && (!id || nr))
			break;
		for (at = spans_seek(s, of, newest(s, of, key), of == BY_GIVEN ? -1 : owner, id, NULL);
		     at != NOWHERE && nr < max; at = spans_seek(s, of, s->slots[at].older[of],
								of == BY_GIVEN ? -1 : owner, id, NULL)) {
			list[nr++] = at;
			nr_held += s->slots[at].holder == tid;
		}
	}
	if (!nr_held)
		return nr;
	for (i = 0, at = 0; i < nr; i++)
		if (s->slots[list[i]].holder == tid)
			list[at++] = list[i];
	return at;
}

static int on_handover(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_span_handover *x = record;
	struct lkst_spans *s = ctx;
	u32 list[LKST_SPANS_SAME_MAX], nr, i;
	int err = take_given(s, r->tid, x->span, r->ns);

	if (!x->span)
		s->doubts.no_number++;
	if (err || !x->span)
		return err;
	nr = find_all(s, r->tid, x->span, list, LKST_SPANS_SAME_MAX);
	s->doubts.no_handover += !nr;
	for (i = 0; i < nr && !err; i++) {
		s->slots[list[i]].span.nr_handovers++;
		s->slots[list[i]].giver = r->tid;
		if (!s->slots[list[i]].is_in[BY_GIVEN])
			err = put_in(s, BY_GIVEN, spans_key_of(0, x->span), list[i]);
		if (!err || err == -ENOSPC)
			err = give_to(s, list[i], x->to_tid > 0 ? x->to_tid : 0, r->tid, r->ns);
	}
	return err;
}

static int spans_on_request(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_span_request *x = record;
	struct lkst_spans *s = ctx;
	s32 owner = spans_owner_of(s, r->tid, x->span);
	u32 list[LKST_SPANS_SAME_MAX], nr, i;
	struct early *early;
	int err = take_given(s, r->tid, x->span, r->ns);

	if (err)
		return err;
	nr = find_all(s, r->tid, x->span, list, x->span ? LKST_SPANS_SAME_MAX : 1);
	for (i = 0; i < nr; i++)
		set_request(&s->slots[list[i]].span, x->trace_high, x->trace_low, x->parent);
	if (nr)
		return 0;
	early = lkst_hash_find(&s->early, spans_key_of(owner, x->span), sizeof(*early));
	if (!early && s->early.nr < LKST_SPANS_OPEN_MAX) {
		if (lkst_hash_reserve(&s->early, sizeof(*early)))
			return -ENOMEM;
		early = lkst_hash_add(&s->early, spans_key_of(owner, x->span), sizeof(*early));
	}
	if (early)
		*early = (struct early){ early->key,   x->span,	  x->trace_high,
					 x->trace_low, x->parent, owner };
	return 0;
}

/* ---- threads that end, and what is missing --------------------------------------------------- */

/* Thread @tid is there no more. What only it could end is over; the rest may be ended by others. */
static int on_death(struct lkst_spans *s, s32 tid, u64 ns)
{
	int err = 0;
	u32 at;

	while (!err && (at = newest(s, BY_HOLDER, (u32)tid)) != NOWHERE) {
		const struct head *dead;

		if (!s->slots[at].span.id) {
			err = spans_finish(s, at, LKST_SPAN_DEAD, ns, 0);
			continue;
		}
		leave_holder(s, at, ns);
		s->slots[at].died_ns = ns;
		dead = find_head(s, BY_DEATH, 0);
		if (dead && dead->nr >= LKST_SPANS_ORPHANS_MAX)
			err = spans_finish(s, dead->oldest, LKST_SPAN_DEAD,
					   s->slots[dead->oldest].died_ns, 0);
		if (!err)
			err = put_in(s, BY_DEATH, 0, at);
	}
	return err;
}

static int on_end_of_thread(void *ctx, const struct lkst_record *r, const void *record)
{
	return on_death(ctx, r->tid, r->ns);
}

static int spans_on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	return on_death(ctx, ((const struct lkst_rec_sched_process_exec *)record)->old_tid, r->ns);
}

static int on_losses(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_marks *x = record;
	struct lkst_spans *s = ctx;
	u64 pid = (u32)x->program_pid;

	if (lkst_hash_find(&s->lossy, pid, sizeof(struct lossy)) ||
	    s->lossy.nr >= LKST_SPANS_OPEN_MAX)
		return 0;
	if (lkst_hash_reserve(&s->lossy, sizeof(struct lossy)))
		return -ENOMEM;
	lkst_hash_add(&s->lossy, pid, sizeof(struct lossy));
	return 0;
}

static int spans_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_spans *s = ctx;

	if (gap->buffer == LKST_BUFFER_MARKS && gap->to_ns > s->gap_ns)
		s->gap_ns = gap->to_ns;
	return 0;
}

/* Whether marks of the process that began the span are missing, or of programs that are not known. */
static bool is_lossy(const struct lkst_spans *s, const struct lkst_span *span)
{
	return s->gap_ns > span->from_ns || lkst_hash_find(&s->lossy, 0, sizeof(struct lossy)) ||
	       lkst_hash_find(&s->lossy, (u32)span->pid, sizeof(struct lossy));
}

static int spans_on_over(void *ctx, u64 end_ns)
{
	struct lkst_spans *s = ctx;
	int err = 0;
	u32 i;

	s->is_over = true;
	for (i = 0; i < s->nr_slots && !err; i++) {
		const struct spans_slot *slot = &s->slots[i];

		if (!slot->is_open)
			continue;
		err = slot->is_in[BY_DEATH]	 ? spans_finish(s, i, LKST_SPAN_DEAD, slot->died_ns, 0)
		      : is_lossy(s, &slot->span) ? spans_finish(s, i, LKST_SPAN_LOST, end_ns, 0)
						 : spans_finish(s, i, LKST_SPAN_OPEN, end_ns, 0);
	}
	return err;
}

/* ---- making it ------------------------------------------------------------------------------- */

static int spans_subscribe(struct lkst_spans *s)
{
	static const struct lkst_model_calls calls = { .interval = spans_on_interval };
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} wanted[] = {
		{ LKST_EV_span_begin, spans_on_begin },
		{ LKST_EV_span_end, spans_on_end },
		{ LKST_EV_span_handover, on_handover },
		{ LKST_EV_span_request, spans_on_request },
		{ LKST_EV_sched_process_exit, on_end_of_thread },
		{ LKST_EV_sched_process_exec, spans_on_exec },
		{ LKST_EV_state_marks, on_losses },
	};
	int err = s->o.model ? lkst_model_subscribe(s->o.model, &calls, s) : 0;
	unsigned int i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && err >= 0; i++)
		err = lkst_feed_event(s->o.feed, wanted[i].event, wanted[i].call, s);
	if (err >= 0)
		err = lkst_feed_gaps(s->o.feed, spans_on_gap, s);
	return err < 0 ? err : lkst_feed_end(s->o.feed, spans_on_over, s);
}

int lkst_spans_new(struct lkst_err *e, const struct lkst_spans_options *options,
		   struct lkst_spans **ret_spans)
{
	struct lkst_spans *s = calloc(1, sizeof(*s));
	u64 to_ns;
	int err = -ENOMEM;

	if (s) {
		s->o = *options;
		lkst_feed_window(options->feed, &s->begin_ns, &to_ns);
		err = spans_subscribe(s);
	}
	if (err < 0) {
		lkst_spans_free(s);
		return lkst_err_sys(e, err, "following spans");
	}
	*ret_spans = s;
	return 0;
}

void lkst_spans_free(struct lkst_spans *s)
{
	int i;

	if (!s)
		return;
	for (i = 0; i < NR_LISTS; i++)
		lkst_hash_fini(&s->lists[i]);
	lkst_hash_fini(&s->lossy);
	lkst_hash_fini(&s->early);
	free(s->slots);
	free(s->free_slots);
	free(s);
}

bool lkst_spans_can_be(const struct lkst_feed *feed)
{
	return lkst_feed_has(feed, LKST_EV_span_begin);
}

const struct lkst_spans_doubts *lkst_spans_doubts(const struct lkst_spans *s)
{
	return &s->doubts;
}

/* ---- the number of a request ----------------------------------------------------------------- */

static bool parse_hex(const char *text, u64 *ret_value)
{
	static const char digits[] = "0123456789abcdef";
	int i;

	*ret_value = 0;
	for (i = 0; i < 16; i++) {
		const char *digit =
			text[i] ? strchr(digits, text[i] | (text[i] >= 'A' ? 0x20 : 0)) : NULL;

		if (!digit)
			return false;
		*ret_value = *ret_value << 4 | (u64)(digit - digits);
	}
	return true;
}

int lkst_span_parse_request(struct lkst_err *e, const char *text, u64 *ret_high, u64 *ret_low)
{
	size_t length = strlen(text);
	bool is_header = length >= 55 && text[2] == '-' && text[35] == '-' && text[52] == '-';
	const char *digits = is_header ? text + 3 : text;

	if ((length == 32 || is_header) && parse_hex(digits, ret_high) &&
	    parse_hex(digits + 16, ret_low) && (*ret_high || *ret_low))
		return 0;
	return lkst_err_set(
		e, -EINVAL,
		"\"%s\" is not the number of a request: give 32 hexadecimal digits, or a whole "
		"traceparent (00-<32>-<16>-<2>)",
		text);
}
