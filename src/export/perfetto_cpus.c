/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perfetto: the kernel's events, in bundles of a CPU each.
 *
 * The trace processor takes a thread for running until the next switch of its CPU, and for blocked until somebody wakes
 * it, whatever is missing in between. So a thread that is called "records missing" runs where it is not known who
 * does; and each thread that may have done something there gets a state that is none, as the kernel's name for it has
 * no meaning: it is switched to and from at once, since that is the only way to say so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/naming.h"
#include "base/vec.h"
#include "export/perfetto.h"

enum {
	/* The process of those that stand for what is missing, and the first of them. No thread has such numbers. */
	MISSING_PID = 4 * 1024 * 1024 + 1,
	MISSING_TID = MISSING_PID + 1,

	EVENT_MAX = 512, /* bytes of an event */
	TEXT_MAX = 85,	 /* of a text in it, of which each may become 3 */
	EVENTS_ROOM = 12288,
	SCHED_MAX = 160, /* switches of a bundle, and wake-ups */
	NAMES_ROOM = 6144,
	NAME_MAX_ROOM = 96, /* of a thread's name there */
	CACHE = 64,	    /* a power of two */
	CONTEXTS_MAX = 16,
	TAIL_NS =
		10000000, /* at the end of a trace, this much may be unknown of a CPU without being an error */

	/* Fields of FtraceEventBundle, and of its CompactSched. */
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_COMPACT = 4,
	BUNDLE_PREVIOUS_END = 10,
	COMPACT_NAMES = 5,

	/* Fields of FtraceEvent. */
	EVENT_TIME = 1,
	EVENT_TID = 2,
	SCHED_SWITCH = 4,
	SCHED_BLOCKED_REASON = 18,
	SOFTIRQ_ENTRY = 24,
	SOFTIRQ_EXIT = 25,
	IRQ_ENTRY = 36,
	IRQ_EXIT = 37,
	TASK_NEWTASK = 235,
	TASK_RENAME = 236,
	SCHED_PROCESS_EXEC = 237,
	SCHED_PROCESS_EXIT = 238,
	SCHED_PROCESS_FREE = 240,
	SYS_ENTER = 329,
	SYS_EXIT = 330,

	/* How ftrace says a thread's state: the highest of these bits (include/linux/sched.h). */
	STATE_REPORTED = 0x7f,
	STATE_DEAD = 0x10,
	STATE_PARKED_DEAD = 0x80, /* TASK_DEAD, as the kernel keeps it */
	STATE_IDLE_BITS = 0x402,
	STATE_IDLE = 0x80,
	STATE_UNKNOWN = 0x8000, /* beyond all that there are */
	STATE_READY = 0,
	STATE_SLEEPS = 1, /* of the threads that stand for what is missing */

	/* Bits of an event's common_flags. */
	IN_HARDIRQ = 0x08,
	IN_SOFTIRQ = 0x10,

	PRIO_DEFAULT = 120,
};

/* The packed fields of CompactSched, and their numbers. */
enum sched_field {
	SWITCH_TIME,
	SWITCH_STATE,
	SWITCH_TID,
	SWITCH_PRIO,
	SWITCH_NAME,
	WAKING_TIME,
	WAKING_TID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_NAME,
	WAKING_FLAGS,
	NR_SCHED_FIELDS,
};

static const u8 sched_fields[] = {
	[SWITCH_TIME] = 1,  [SWITCH_STATE] = 2, [SWITCH_TID] = 3,    [SWITCH_PRIO] = 4,
	[SWITCH_NAME] = 6,  [WAKING_TIME] = 7,	[WAKING_TID] = 8,    [WAKING_CPU] = 9,
	[WAKING_PRIO] = 10, [WAKING_NAME] = 11, [WAKING_FLAGS] = 12,
};

/* A name of the bundle. */
struct cached_name {
	u32 bundle, index;
	s32 tid;
	char comm[16];
};

/* An interrupt or softirq that has begun. */
struct context {
	u64 ns;
	bool is_softirq;
	s32 number; /* of the kernel's own interrupts, negative */
};

struct lkst_perfetto_cpu {
	u32 nr;
	s32 tid; /* who runs; of those that stand for what is missing, too */
	bool has_switch, is_missing, has_bundle, has_lost;
	u64 from_ns; /* since when its records are whole */
	u64 left_ns; /* of its last switch */
	u64 told_ns; /* of the last event that was written */
	u64 end_ns;  /* the same, of the bundle before */
	u32 counter; /* of its run queue, plus 1; 0: none */
	s64 counted;

	struct context contexts[CONTEXTS_MAX];
	u32 nr_contexts;

	/* The bundle. */
	u32 bundle; /* its number, from 1 on */
	u32 nr_switches, nr_wakings, nr_names;
	u64 switch_ns, waking_ns; /* of the last one, as Perfetto has it */
	struct lkst_protobuf events, names, sched[NR_SCHED_FIELDS];
	struct cached_name cache[CACHE];
	u8 event_bytes[EVENTS_ROOM], name_bytes[NAMES_ROOM];
	u8 sched_bytes[NR_SCHED_FIELDS][SCHED_MAX * LKST_PROTOBUF_VARINT_MAX];
};

/* A thread, by its number, and where it is. */
struct thread {
	u64 tid;
	u64 call_ns; /* since when it is in a system call */
	s32 cpu;     /* where it runs, -1: nowhere */
	s16 call;    /* the number of that call, -1: none */
	bool is_known, is_listed;
	u32 place; /* in the list `known`, if `is_listed` */
};

/* ---- bundles --------------------------------------------------------------------------------- */

static void clear_bundle(struct lkst_perfetto_cpu *c)
{
	int i;

	c->events =
		(struct lkst_protobuf){ .bytes = c->event_bytes, .room = sizeof(c->event_bytes) };
	c->names = (struct lkst_protobuf){ .bytes = c->name_bytes, .room = sizeof(c->name_bytes) };
	for (i = 0; i < NR_SCHED_FIELDS; i++)
		c->sched[i] = (struct lkst_protobuf){ .bytes = c->sched_bytes[i],
						      .room = sizeof(c->sched_bytes[i]) };
	c->nr_switches = c->nr_wakings = c->nr_names = 0;
	c->switch_ns = c->waking_ns = 0;
	c->bundle++;
}

static u32 field_size(u32 length)
{
	return 1 + lkst_protobuf_varint_size(length) + length;
}

static u32 compact_size(const struct lkst_perfetto_cpu *c)
{
	u32 size = c->names.used, i;

	for (i = 0; i < NR_SCHED_FIELDS; i++)
		if (c->sched[i].used)
			size += field_size(c->sched[i].used);
	return size;
}

static void put_out(struct lkst_perfetto *p, struct lkst_protobuf *b)
{
	lkst_out_bytes(p->x->out, b->bytes, b->used);
	b->used = 0;
}

/* Writes @b as a packed field of the message that is being written, or as a message: its length comes first. */
static void put_field(struct lkst_perfetto *p, u32 field, u32 length, struct lkst_protobuf *b)
{
	u8 bytes[LKST_PROTOBUF_TAG_MAX + LKST_PROTOBUF_VARINT_MAX];
	struct lkst_protobuf head = { .bytes = bytes, .room = sizeof(bytes) };

	lkst_protobuf_tag(&head, field, LKST_PROTOBUF_LENGTH);
	lkst_protobuf_varint(&head, length);
	put_out(p, &head);
	if (b)
		put_out(p, b);
}

/* What the bundle begins with. The time since when the CPU's records are whole is of use in its first one. */
static void put_bundle_head(const struct lkst_perfetto *p, const struct lkst_perfetto_cpu *c,
			    struct lkst_protobuf *b)
{
	lkst_protobuf_u64(b, BUNDLE_CPU, c->nr);
	if (c->has_lost)
		lkst_protobuf_u64(b, BUNDLE_LOST, true);
	lkst_protobuf_u64(b, BUNDLE_PREVIOUS_END,
			  lkst_perfetto_time(p, c->has_bundle ? c->end_ns : c->from_ns));
}

/* Writes the bundle as a packet, in pieces, since its parts are elsewhere. */
static void flush(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c)
{
	u8 bytes[64], sequence_bytes[16];
	struct lkst_protobuf head = { .bytes = bytes, .room = sizeof(bytes) },
			     sequence = { .bytes = sequence_bytes, .room = sizeof(sequence_bytes) };
	u32 compact = compact_size(c), size, i;

	if (!c->events.used && !compact)
		return;
	put_bundle_head(p, c, &head);
	size = head.used + c->events.used + (compact ? field_size(compact) : 0);
	lkst_protobuf_u64(&sequence, LKST_PERFETTO_SEQUENCE_ID, LKST_PERFETTO_EVENTS);
	put_field(p, 1, sequence.used + field_size(size), &sequence);
	put_field(p, LKST_PERFETTO_FTRACE_EVENTS, size, &head);
	put_out(p, &c->events);
	if (compact)
		put_field(p, BUNDLE_COMPACT, compact, &c->names);
	for (i = 0; i < NR_SCHED_FIELDS; i++)
		if (c->sched[i].used)
			put_field(p, sched_fields[i], c->sched[i].used, &c->sched[i]);
	c->has_bundle = true;
	c->has_lost = false;
	c->end_ns = c->told_ns;
	clear_bundle(c);
}

static struct lkst_perfetto_cpu *get_cpu(struct lkst_perfetto *p, u32 nr)
{
	struct lkst_perfetto_cpu *c;

	if (nr >= LKST_PERFETTO_CPUS_MAX)
		return NULL;
	if (p->cpus[nr])
		return p->cpus[nr];
	c = calloc(1, sizeof(*c));
	if (!c) {
		p->error = -ENOMEM;
		return NULL;
	}
	c->nr = nr;
	c->is_missing = true;
	c->tid = MISSING_TID + (s32)nr;
	c->from_ns = p->begin_ns;
	clear_bundle(c);
	p->cpus[nr] = c;
	if (nr >= p->nr_cpus)
		p->nr_cpus = nr + 1;
	return c;
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct thread *find_thread(const struct lkst_perfetto *p, s32 tid)
{
	return lkst_hash_find(&p->of_thread, (u32)tid, sizeof(struct thread));
}

/* The thread, from now on one of which it is known what it does. NULL: idle, or there are too many. */
static struct thread *know(struct lkst_perfetto *p, s32 tid)
{
	struct thread *t = find_thread(p, tid);
	s32 *known;

	if (t && t->is_listed) {
		t->is_known = true;
		return t;
	}
	if (tid <= 0 || tid >= MISSING_PID)
		return NULL;
	if (!t) {
		if (p->of_thread.nr >= LKST_PERFETTO_THREADS_MAX)
			return NULL;
		if (lkst_hash_reserve(&p->of_thread, sizeof(*t)) < 0) {
			p->error = -ENOMEM;
			return NULL;
		}
		t = lkst_hash_add(&p->of_thread, (u32)tid, sizeof(*t));
		t->cpu = t->call = -1;
	}
	known = lkst_vec_add(p->known, p->nr_known);
	if (!known) {
		p->error = -ENOMEM;
		return NULL;
	}
	*known = tid;
	t->place = p->nr_known - 1;
	t->is_known = t->is_listed = true;
	return t;
}

/* Takes @t out of the list: the last one gets its place. */
static void unlist(struct lkst_perfetto *p, struct thread *t)
{
	s32 last = p->known[--p->nr_known];

	p->known[t->place] = last;
	find_thread(p, last)->place = t->place;
	t->is_listed = false;
}

/* The place of the name of thread @tid among those of the bundle. */
static u32 name_index(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, s32 tid)
{
	struct cached_name *cached = &c->cache[(u32)tid % CACHE];
	const struct lkst_thread *t = tid > 0 ? lkst_threads_find(p->threads, tid) : NULL;
	char text[24] = "records missing";
	const char *name = text;
	u32 length = 15;

	if (cached->bundle == c->bundle && cached->tid == tid &&
	    (!t || !memcmp(cached->comm, t->comm, sizeof(t->comm))))
		return cached->index;
	if (tid < MISSING_PID)
		name = lkst_perfetto_comm(p, tid, c->nr, text, &length);
	*cached = (struct cached_name){ .bundle = c->bundle, .index = c->nr_names++, .tid = tid };
	if (t)
		memcpy(cached->comm, t->comm, sizeof(t->comm));
	lkst_protobuf_text(&c->names, COMPACT_NAMES, name, length);
	return cached->index;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Begins an event of @c; @ns is as the trace has it. end_event() ends it, with the two numbers in @ret_at. */
static struct lkst_protobuf *begin_event(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c,
					 u64 ns, s32 tid, u32 field, u32 ret_at[2])
{
	struct lkst_protobuf *b = &c->events;

	if (!lkst_protobuf_has_room(b, EVENT_MAX))
		flush(p, c);
	if (ns > c->told_ns)
		c->told_ns = ns;
	ret_at[0] = lkst_protobuf_begin(b, BUNDLE_EVENT);
	lkst_protobuf_u64(b, EVENT_TIME, lkst_perfetto_time(p, ns));
	lkst_protobuf_s64(b, EVENT_TID, tid);
	ret_at[1] = lkst_protobuf_begin(b, field);
	return b;
}

static void end_event(struct lkst_protobuf *b, const u32 at[2])
{
	lkst_protobuf_end(b, at[1]);
	lkst_protobuf_end(b, at[0]);
}

static void put_cut_text(struct lkst_protobuf *b, u32 field, const char *text)
{
	lkst_protobuf_text(b, field, text, (u32)strnlen(text, TEXT_MAX));
}

/* ---- switches -------------------------------------------------------------------------------- */

/* What ftrace has for a state that the kernel keeps as @state. */
static u32 reported_state(u32 state)
{
	u32 bits = state & STATE_REPORTED;

	if ((state & STATE_IDLE_BITS) == STATE_IDLE_BITS)
		return STATE_IDLE;
	if (bits)
		return 1U << (31 - __builtin_clz(bits));
	return state & STATE_PARKED_DEAD ? STATE_DEAD : STATE_READY;
}

/* The first switch of a CPU is whole: of a compact one the trace processor does not know what it leaves. */
static void put_first_switch(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			     s32 next_tid, u16 next_prio)
{
	static const char missing[] = "records missing";
	char text[24];
	u32 at[2], length;
	const char *name = lkst_perfetto_comm(p, next_tid, c->nr, text, &length);
	struct lkst_protobuf *b;

	lkst_perfetto_put_thread(p, MISSING_PID, MISSING_PID, 0, missing, sizeof(missing) - 1,
				 false);
	lkst_perfetto_put_thread(p, c->tid, MISSING_PID, 0, missing, sizeof(missing) - 1, false);
	b = begin_event(p, c, ns, c->tid, SCHED_SWITCH, at);
	lkst_protobuf_text(b, 1, missing, sizeof(missing) - 1);
	lkst_protobuf_s64(b, 2, c->tid);
	lkst_protobuf_s64(b, 3, PRIO_DEFAULT);
	lkst_protobuf_s64(b, 4, STATE_SLEEPS);
	lkst_protobuf_text(b, 5, name, length);
	lkst_protobuf_s64(b, 6, next_tid);
	lkst_protobuf_s64(b, 7, next_prio);
	end_event(b, at);
	flush(p, c);
	c->has_switch = true;
}

/* A switch at @ns, or with the one before it: what is lost may have been lost earlier than that is told. */
static void put_switch(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, u32 state,
		       s32 next_tid, u16 next_prio)
{
	u64 time;

	if (ns < c->left_ns)
		ns = c->left_ns;
	c->left_ns = ns;
	time = lkst_perfetto_time(p, ns);
	if (!c->has_switch) {
		put_first_switch(p, c, ns, next_tid, next_prio);
		c->tid = next_tid;
		return;
	}
	if (c->nr_switches == SCHED_MAX || !lkst_protobuf_has_room(&c->names, NAME_MAX_ROOM))
		flush(p, c);
	lkst_protobuf_varint(&c->sched[SWITCH_TIME], time - c->switch_ns);
	lkst_protobuf_varint(&c->sched[SWITCH_STATE], state);
	lkst_protobuf_varint(&c->sched[SWITCH_TID], (u64)next_tid);
	lkst_protobuf_varint(&c->sched[SWITCH_PRIO], next_prio);
	lkst_protobuf_varint(&c->sched[SWITCH_NAME], name_index(p, c, next_tid));
	c->nr_switches++;
	c->switch_ns = time;
	c->tid = next_tid;
	if (ns > c->told_ns)
		c->told_ns = ns;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void put_context_end(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			    const struct context *context, bool has_result, u32 result)
{
	u32 at[2];
	struct lkst_protobuf *b = begin_event(p, c, ns > context->ns ? ns : context->ns, c->tid,
					      context->is_softirq ? SOFTIRQ_EXIT : IRQ_EXIT, at);

	lkst_protobuf_s64(b, 1, abs(context->number));
	if (has_result)
		lkst_protobuf_u64(b, 2, result);
	end_event(b, at);
}

static void end_contexts(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u32 nr, u64 ns)
{
	while (c->nr_contexts > nr)
		put_context_end(p, c, ns, &c->contexts[--c->nr_contexts], false, 0);
}

static void end_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			bool is_softirq, s32 number, u32 result)
{
	u32 i = c->nr_contexts;

	while (i > 0 &&
	       (c->contexts[i - 1].number != number || c->contexts[i - 1].is_softirq != is_softirq))
		i--;
	if (!i)
		return;
	end_contexts(p, c, i, ns);
	c->nr_contexts--;
	put_context_end(p, c, ns, &c->contexts[c->nr_contexts], !is_softirq, result);
}

static void begin_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			  bool is_softirq, s32 number, const char *name)
{
	struct lkst_protobuf *b;
	u32 at[2];

	/* What would nest deeper than a CPU can has ends that are missing. */
	if (c->nr_contexts == CONTEXTS_MAX)
		end_contexts(p, c, 0, ns);
	c->contexts[c->nr_contexts++] = (struct context){ ns, is_softirq, number };
	b = begin_event(p, c, ns, c->tid, is_softirq ? SOFTIRQ_ENTRY : IRQ_ENTRY, at);
	lkst_protobuf_s64(b, 1, abs(number));
	if (!is_softirq)
		put_cut_text(b, 2, name);
	end_event(b, at);
}

/* ---- what is not known ------------------------------------------------------------------------ */

static void put_call_end(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
			 s16 call, bool has_result, s64 result)
{
	u32 at[2];
	struct lkst_protobuf *b = begin_event(p, c, ns, tid, SYS_EXIT, at);

	lkst_protobuf_s64(b, 1, call);
	if (has_result)
		lkst_protobuf_s64(b, 2, result);
	end_event(b, at);
}

static void cut_call(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, struct thread *t, u64 ns)
{
	if (t->call >= 0)
		put_call_end(p, c, ns > t->call_ns ? ns : t->call_ns, (s32)t->tid, t->call, false,
			     0);
	t->call = -1;
}

/* From @ns on it is not known who runs on @c. */
static void lose(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, u32 state)
{
	struct thread *t = find_thread(p, c->tid);

	if (c->is_missing)
		return;
	end_contexts(p, c, 0, ns);
	if (t) {
		cut_call(p, c, t, ns);
		t->cpu = -1;
		t->is_known = false;
	}
	put_switch(p, c, ns, state, MISSING_TID + (s32)c->nr, PRIO_DEFAULT);
	c->is_missing = true;
}

/* On @c, which is lost at @ns, any thread that runs nowhere else may have run. */
static void forget_threads(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns)
{
	s32 missing = MISSING_TID + (s32)c->nr;
	u32 i, nr = 0;

	for (i = 0; i < p->nr_known; i++) {
		struct thread *t = find_thread(p, p->known[i]);

		if (t->cpu >= 0) {
			t->place = nr;
			p->known[nr++] = p->known[i];
			continue;
		}
		t->is_listed = false;
		if (!t->is_known)
			continue;
		t->is_known = false;
		cut_call(p, c, t, ns);
		put_switch(p, c, ns, STATE_SLEEPS, (s32)t->tid, PRIO_DEFAULT);
		put_switch(p, c, ns, STATE_UNKNOWN, missing, PRIO_DEFAULT);
	}
	p->nr_known = nr;
}

static void set_running(struct lkst_perfetto *p, const struct lkst_perfetto_cpu *c, s32 tid)
{
	struct thread *t = know(p, tid);

	if (t)
		t->cpu = (s32)c->nr;
}

/* Thread @tid, which ran on @c, does nothing from @ns on: it is followed no longer. */
static void end_thread(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, s32 tid, u64 ns)
{
	struct thread *t = find_thread(p, tid);

	if (!t)
		return;
	cut_call(p, c, t, ns);
	if (t->is_listed)
		unlist(p, t);
	lkst_hash_remove(&p->of_thread, t, sizeof(*t));
}

static u16 prio_of(const struct lkst_perfetto *p, s32 tid)
{
	const struct lkst_thread *t = tid > 0 ? lkst_threads_find(p->threads, tid) : NULL;

	return t && t->prio ? t->prio : PRIO_DEFAULT;
}

/* Thread @tid has run on @c since @ns, of which it was not known. */
static void find(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid)
{
	put_switch(p, c, ns, STATE_SLEEPS, tid, prio_of(p, tid));
	c->is_missing = false;
	set_running(p, c, tid);
}

/* A thread of a process that runs another program gets the number of the process (de_thread(), fs/exec.c). */
static void take_over(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid)
{
	end_thread(p, c, c->tid, ns);
	put_switch(p, c, ns, STATE_DEAD, tid, prio_of(p, tid));
	set_running(p, c, tid);
}

/* Who runs on a CPU is known, or is not, as the state model says, which gets each record and gap before. */
static int on_cpu_now(void *ctx, const struct lkst_cpu_now *now)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = get_cpu(p, now->cpu);
	bool is_tail = now->to_ns >= p->x->end_ns && now->to_ns < now->from_ns + TAIL_NS;

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	if (!c || p->error)
		return p->error;
	lose(p, c, now->from_ns, is_tail ? STATE_READY : STATE_UNKNOWN);
	if (now->life)
		find(p, c, now->from_ns, now->life->tid);
	return p->error;
}

/* A stretch of a CPU that is over. What it began with was before the window, or is shown only by its end. */
static int on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = i->life ? get_cpu(p, i->cpu) : NULL;

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	if (!c || p->error)
		return p->error;
	if (c->is_missing)
		find(p, c, i->from_ns, i->life->tid);
	else if (c->tid != i->life->tid)
		take_over(p, c, i->to_ns, i->life->tid);
	return p->error;
}

/* The CPU of @r; NULL: it is not followed, or that failed. */
static struct lkst_perfetto_cpu *cpu_of(struct lkst_perfetto *p, const struct lkst_record *r)
{
	struct lkst_perfetto_cpu *c = get_cpu(p, r->cpu);

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	return p->error ? NULL : c;
}

/* The same for a record that is no switch, if r->tid runs there: in a gap it shows no more than a moment. */
static struct lkst_perfetto_cpu *cpu_at(struct lkst_perfetto *p, const struct lkst_record *r)
{
	struct lkst_perfetto_cpu *c = cpu_of(p, r);
	const struct lkst_thread_life *runs;

	if (!c || __builtin_expect(c->tid == r->tid, 1))
		return c;
	runs = lkst_model_running(p->model, r->cpu);
	if (!runs || runs->tid != r->tid)
		return NULL;
	/* Of one that has run since before the window nothing has been said yet. */
	if (c->is_missing)
		find(p, c, p->begin_ns, r->tid);
	else
		take_over(p, c, r->ns, r->tid);
	return c;
}

/* What is left to do for @r. */
static int done(const struct lkst_perfetto *p, const struct lkst_record *r)
{
	return p->error ? p->error : lkst_export_step(p->x, r->ns);
}

/* ---- scheduling ------------------------------------------------------------------------------ */

/* Who runs on @c leaves it. While records of another CPU are missing, it may do anything there from then on. */
static u32 left_state(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, u32 state)
{
	struct thread *t;

	if (state & STATE_PARKED_DEAD)
		end_thread(p, c, c->tid, ns);
	t = find_thread(p, c->tid);
	if (!t)
		return reported_state(state);
	t->cpu = -1;
	if (ns >= p->gap_until_ns)
		return reported_state(state);
	cut_call(p, c, t, ns);
	t->is_known = false;
	return STATE_UNKNOWN;
}

static int on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_of(p, r);

	/* A number that no thread can have is damage: then it is not known who runs. */
	if (!c || !lkst_model_running(p->model, r->cpu)) {
		if (c)
			lose(p, c, r->ns, STATE_UNKNOWN);
		return done(p, r);
	}
	/* What interrupts has ended before. */
	if (c->nr_contexts)
		end_contexts(p, c, 0, r->ns);
	put_switch(p, c, r->ns,
		   c->is_missing ? STATE_SLEEPS : left_state(p, c, r->ns, x->prev_state),
		   x->next_tid, x->next_prio);
	c->is_missing = false;
	set_running(p, c, x->next_tid);
	return done(p, r);
}

static u32 context_flags(const struct lkst_perfetto_cpu *c)
{
	u32 i, flags = 0;

	for (i = 0; i < c->nr_contexts; i++)
		flags |= c->contexts[i].is_softirq ? IN_SOFTIRQ : IN_HARDIRQ;
	return flags;
}

static int on_waking(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_waking *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);
	u64 time = lkst_perfetto_time(p, r->ns);

	if (!c || x->target_tid <= 0)
		return done(p, r);
	if (c->nr_wakings == SCHED_MAX || !lkst_protobuf_has_room(&c->names, NAME_MAX_ROOM))
		flush(p, c);
	lkst_protobuf_varint(&c->sched[WAKING_TIME], time - c->waking_ns);
	lkst_protobuf_varint(&c->sched[WAKING_TID], (u64)x->target_tid);
	lkst_protobuf_varint(&c->sched[WAKING_CPU], x->target_cpu < 0 ? 0 : (u64)x->target_cpu);
	lkst_protobuf_varint(&c->sched[WAKING_PRIO], x->target_prio);
	lkst_protobuf_varint(&c->sched[WAKING_NAME], name_index(p, c, x->target_tid));
	lkst_protobuf_varint(&c->sched[WAKING_FLAGS], context_flags(c));
	c->nr_wakings++;
	c->waking_ns = time;
	if (r->ns > c->told_ns)
		c->told_ns = r->ns;
	know(p, x->target_tid);
	return done(p, r);
}

/* Only where a thread is added is it recorded how many there are. */
static void count_running(struct lkst_perfetto *p, const struct lkst_record *r, s32 cpu,
			  u32 nr_running)
{
	struct lkst_perfetto_cpu *c = cpu >= 0 ? get_cpu(p, (u32)cpu) : NULL;
	char name[48];

	if (!c)
		return;
	if (!c->counter) {
		snprintf(name, sizeof(name), "CPU %d: run queue, when a thread is added", cpu);
		c->counter = lkst_perfetto_counter(p, name, "threads") + 1;
		c->counted = -1;
	}
	if (c->counted != nr_running)
		lkst_perfetto_count(p, c->counter - 1, r->ns, nr_running);
	c->counted = nr_running;
}

static int on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup *x = record;
	struct lkst_perfetto *p = ctx;

	if (cpu_at(p, r))
		count_running(p, r, x->target_cpu, x->nr_running);
	return done(p, r);
}

static int on_wakeup_new(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup_new *x = record;
	struct lkst_perfetto *p = ctx;

	if (cpu_at(p, r))
		count_running(p, r, x->target_cpu, x->nr_running);
	return done(p, r);
}

void lkst_perfetto_put_reason(struct lkst_perfetto *p, s32 cpu, u64 ns, s32 tid, u64 reason,
			      bool is_io)
{
	struct lkst_perfetto_cpu *c = get_cpu(p, cpu > 0 ? (u32)cpu : 0);
	struct lkst_protobuf *b;
	u32 at[2];

	if (!c)
		return;
	b = begin_event(p, c, ns, tid, SCHED_BLOCKED_REASON, at);
	lkst_protobuf_s64(b, 1, tid);
	lkst_protobuf_u64(b, 2, reason);
	lkst_protobuf_u64(b, 3, is_io);
	end_event(b, at);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static int on_irq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);
	const char *name = lkst_labels_find(&p->labels, LKST_LABEL_IRQ, (u32)x->irq);
	char text[LKST_SYMBOL_ROOM + 1];

	if (!c)
		return done(p, r);
	if (!name)
		*lkst_symbols_put(p->x->symbols, text, x->handler) = 0;
	begin_context(p, c, r->ns, false, x->irq, name ? name : text);
	return done(p, r);
}

static int on_irq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);

	if (c)
		end_context(p, c, r->ns, false, x->irq, x->result);
	return done(p, r);
}

static int on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);

	/* The trace processor has a name for each that there is. */
	if (c && x->vec < LKST_NR_SOFTIRQS)
		begin_context(p, c, r->ns, true, (s32)x->vec, NULL);
	return done(p, r);
}

static int on_softirq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);

	if (c && x->vec < LKST_NR_SOFTIRQS)
		end_context(p, c, r->ns, true, (s32)x->vec, 0);
	return done(p, r);
}

/* Interrupts of the kernel's own: all that begin have a record of the same form, and so have all that end. */
static int on_vector_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);
	char name[LKST_KEY_TEXT];

	if (!c)
		return done(p, r);
	lkst_name_vector((u64)r->event->index, name);
	begin_context(p, c, r->ns, false, -(s32)(x->vector & 0xffff), name);
	return done(p, r);
}

static int on_vector_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);

	if (c)
		end_context(p, c, r->ns, false, -(s32)(x->vector & 0xffff), 1);
	return done(p, r);
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* Its number in the table that the trace processor has for the machine; -1: it has none. */
static s16 number_of(const struct lkst_perfetto *p, const struct lkst_feed_syscall *s)
{
	if (s->row >= 0)
		return p->numbers[s->row];
	return s->is_compat || s->nr < 0 || s->nr > INT16_MAX ? -1 : (s16)s->nr;
}

static int on_call(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);
	s16 number = number_of(p, s);
	struct thread *t = c && number >= 0 ? know(p, r->tid) : NULL;
	struct lkst_protobuf *b;
	u32 at[2];
	u8 i;

	if (!t)
		return done(p, r);
	/* The end of the one before is missing: no more is known than that it began. */
	if (t->call >= 0)
		cut_call(p, c, t, t->call_ns + 1);
	/* To the trace processor it is a moment, since its end has no number. */
	t->call = number == p->sigreturn ? -1 : number;
	t->call_ns = r->ns;
	b = begin_event(p, c, r->ns, r->tid, SYS_ENTER, at);
	lkst_protobuf_s64(b, 1, number);
	for (i = 0; i < s->nr_args; i++)
		lkst_protobuf_u64(b, 2, s->args[i]);
	end_event(b, at);
	return done(p, r);
}

static int on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = cpu_at(p, r);
	s16 number = number_of(p, s);
	struct thread *t = c && number >= 0 ? know(p, r->tid) : NULL;

	/* Without a begin it has no slice, and would end another one. */
	if (!t || t->call != number)
		return done(p, r);
	put_call_end(p, c, r->ns, r->tid, number, true, s->ret);
	t->call = -1;
	return done(p, r);
}

/* ---- lives ----------------------------------------------------------------------------------- */

/* These are in a buffer of their own, which may have them where the CPU's other records are missing. */
static struct lkst_protobuf *begin_life(struct lkst_perfetto *p, const struct lkst_record *r,
					u32 field, u32 ret_at[2],
					struct lkst_perfetto_cpu **ret_cpu)
{
	*ret_cpu = cpu_at(p, r);
	if (!*ret_cpu && !p->error)
		*ret_cpu = get_cpu(p, r->cpu);
	return *ret_cpu ? begin_event(p, *ret_cpu, r->ns, r->tid, field, ret_at) : NULL;
}

static int on_newtask(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_newtask *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = begin_life(ctx, r, TASK_NEWTASK, at, &c);

	if (!b)
		return done(ctx, r);
	lkst_protobuf_s64(b, 1, x->child_tid);
	lkst_protobuf_text(b, 2, x->child_comm, sizeof(x->child_comm));
	lkst_protobuf_u64(b, 3, x->clone_flags);
	end_event(b, at);
	know(ctx, x->child_tid);
	return done(ctx, r);
}

static int on_rename(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_rename *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = begin_life(ctx, r, TASK_RENAME, at, &c);

	if (!b)
		return done(ctx, r);
	lkst_protobuf_s64(b, 1, x->target_tid);
	lkst_protobuf_text(b, 2, x->oldcomm, sizeof(x->oldcomm));
	lkst_protobuf_text(b, 3, x->newcomm, sizeof(x->newcomm));
	end_event(b, at);
	return done(ctx, r);
}

static int on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exec *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = begin_life(ctx, r, SCHED_PROCESS_EXEC, at, &c);

	if (!b)
		return done(ctx, r);
	put_cut_text(b, 1, x->filename.bytes);
	lkst_protobuf_s64(b, 2, r->tid);
	lkst_protobuf_s64(b, 3, x->old_tid);
	end_event(b, at);
	return done(ctx, r);
}

static int on_life_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exit *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = begin_life(ctx, r, SCHED_PROCESS_EXIT, at, &c);
	struct thread *t = find_thread(ctx, r->tid);

	if (!b)
		return done(ctx, r);
	lkst_protobuf_text(b, 1, x->comm, sizeof(x->comm));
	lkst_protobuf_s64(b, 2, r->tid);
	lkst_protobuf_s64(b, 3, x->exit_pid);
	end_event(b, at);
	/* From exit_group() and the like no thread returns. */
	if (t)
		cut_call(ctx, c, t, r->ns);
	return done(ctx, r);
}

/* Its number may be given out again: to another thread. */
static int on_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_free *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = begin_life(p, r, SCHED_PROCESS_FREE, at, &c);
	struct thread *t = find_thread(p, x->freed_tid);

	if (!b)
		return done(p, r);
	lkst_protobuf_s64(b, 2, x->freed_tid);
	end_event(b, at);
	if (t && t->cpu < 0)
		t->is_known = false;
	return done(p, r);
}

/* What is not written still shows who runs: the events by which the state model knows it. */
static int on_other(void *ctx, const struct lkst_record *r, const void *record)
{
	cpu_at(ctx, r);
	return done(ctx, r);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

int lkst_perfetto_lose_cpu(struct lkst_perfetto *p, const struct lkst_gap *gap, bool is_end)
{
	struct lkst_perfetto_cpu *c = get_cpu(p, gap->cpu);
	u64 ns = gap->from_ns > p->begin_ns ? gap->from_ns : p->begin_ns;
	bool is_tail;

	if (!c)
		return p->error;
	is_tail = is_end && gap->to_ns < ns + TAIL_NS;
	if (!is_tail && c->is_missing)
		forget_threads(p, c, ns);
	if (!gap->is_pause && c->has_bundle) {
		flush(p, c);
		c->has_lost = true;
	}
	if (gap->to_ns > c->from_ns)
		c->from_ns = gap->to_ns;
	if (!is_tail && gap->to_ns > p->gap_until_ns)
		p->gap_until_ns = gap->to_ns;
	return p->error;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int subscribe_events(struct lkst_perfetto *p)
{
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} calls[] = {
		{ LKST_EV_sched_switch, on_switch },
		{ LKST_EV_sched_waking, on_waking },
		{ LKST_EV_sched_wakeup, on_wakeup },
		{ LKST_EV_sched_wakeup_new, on_wakeup_new },
		{ LKST_EV_irq_handler_entry, on_irq_entry },
		{ LKST_EV_irq_handler_exit, on_irq_exit },
		{ LKST_EV_softirq_entry, on_softirq_entry },
		{ LKST_EV_softirq_exit, on_softirq_exit },
		{ LKST_EV_local_timer_entry, on_vector_entry },
		{ LKST_EV_local_timer_exit, on_vector_exit },
		{ LKST_EV_reschedule_entry, on_vector_entry },
		{ LKST_EV_reschedule_exit, on_vector_exit },
		{ LKST_EV_call_function_entry, on_vector_entry },
		{ LKST_EV_call_function_exit, on_vector_exit },
		{ LKST_EV_call_function_single_entry, on_vector_entry },
		{ LKST_EV_call_function_single_exit, on_vector_exit },
		{ LKST_EV_task_newtask, on_newtask },
		{ LKST_EV_task_rename, on_rename },
		{ LKST_EV_sched_process_exec, on_exec },
		{ LKST_EV_sched_process_exit, on_life_end },
		{ LKST_EV_sched_process_free, on_free },
		{ LKST_EV_page_fault_user, on_other },
		{ LKST_EV_page_fault_kernel, on_other },
		{ LKST_EV_page_fault_exit, on_other },
		{ LKST_EV_signal_deliver, on_other },
		{ LKST_EV_sched_migrate_task, on_other },
		{ LKST_EV_contention_begin, on_other },
		{ LKST_EV_contention_end, on_other },
		{ LKST_EV_tasklet_entry, on_other },
		{ LKST_EV_tasklet_exit, on_other },
		{ LKST_EV_timer_expire_entry, on_other },
		{ LKST_EV_timer_expire_exit, on_other },
		{ LKST_EV_hrtimer_expire_entry, on_other },
		{ LKST_EV_hrtimer_expire_exit, on_other },
		{ LKST_EV_workqueue_execute_start, on_other },
		{ LKST_EV_workqueue_execute_end, on_other },
	};
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]) && err >= 0; i++)
		err = lkst_feed_event(p->feed, calls[i].event, calls[i].call, p);
	return err < 0 ? err : 0;
}

/* A 32-bit program's call has the number that 64-bit programs make the call of that name by. */
static int find_numbers(struct lkst_perfetto *p)
{
	bool is_arm64 = !strcmp(p->x->catalog->machine, "aarch64");
	unsigned int i;

	p->numbers = calloc(lkst_nr_syscalls, sizeof(*p->numbers));
	if (!p->numbers)
		return -ENOMEM;
	for (i = 0; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *row = lkst_syscall_find(false, lkst_syscalls[i].name);

		if (!row)
			p->numbers[i] = -1;
		else
			p->numbers[i] = (s16)(is_arm64 ? lkst_syscall_nr_arm64(row) : row->nr);
	}
	return 0;
}

int lkst_perfetto_subscribe_cpus(struct lkst_perfetto *p)
{
	const struct lkst_syscall *sigreturn = lkst_syscall_find(false, "rt_sigreturn");
	static const struct lkst_model_calls calls = { .cpu = on_cpu, .cpu_now = on_cpu_now };
	int err = find_numbers(p) ?: subscribe_events(p);

	p->begin_ns = lkst_model_begin(p->model);
	p->sigreturn = !err && sigreturn ? p->numbers[sigreturn - lkst_syscalls] : -1;

	if (!err)
		err = lkst_feed_syscalls(p->feed, on_call, on_return, p);
	if (err >= 0)
		err = lkst_model_subscribe(p->model, &calls, p);
	return err < 0 ? err : 0;
}

void lkst_perfetto_end_cpus(struct lkst_perfetto *p)
{
	u32 i;

	for (i = 0; i < p->nr_cpus; i++)
		if (p->cpus[i])
			flush(p, p->cpus[i]);
}

void lkst_perfetto_free_cpus(struct lkst_perfetto *p)
{
	u32 i;

	for (i = 0; i < p->nr_cpus; i++)
		free(p->cpus[i]);
	lkst_hash_fini(&p->of_thread);
	free(p->known);
	free(p->numbers);
}
