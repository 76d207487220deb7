/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: events and switches, in bundles of a CPU each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/perfetto_cpu.h"

enum {
	EVENT_MAX = 512,    /* bytes of an event */
	TEXT_MAX = 85,	    /* of a text in it, of which each may become 3 */
	NAME_MAX_ROOM = 96, /* of a thread's name */

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
};

/* The numbers of the packed fields of CompactSched. */
static const u8 sched_fields[] = {
	[LKST_PERFETTO_SWITCH_TIME] = 1,   [LKST_PERFETTO_SWITCH_STATE] = 2,
	[LKST_PERFETTO_SWITCH_TID] = 3,	   [LKST_PERFETTO_SWITCH_PRIO] = 4,
	[LKST_PERFETTO_SWITCH_NAME] = 6,   [LKST_PERFETTO_WAKING_TIME] = 7,
	[LKST_PERFETTO_WAKING_TID] = 8,	   [LKST_PERFETTO_WAKING_CPU] = 9,
	[LKST_PERFETTO_WAKING_PRIO] = 10,  [LKST_PERFETTO_WAKING_NAME] = 11,
	[LKST_PERFETTO_WAKING_FLAGS] = 12,
};

/* ---- bundles --------------------------------------------------------------------------------- */

static void clear_bundle(struct lkst_perfetto_cpu *c)
{
	int i;

	c->events =
		(struct lkst_protobuf){ .bytes = c->event_bytes, .room = sizeof(c->event_bytes) };
	c->names = (struct lkst_protobuf){ .bytes = c->name_bytes, .room = sizeof(c->name_bytes) };
	for (i = 0; i < LKST_PERFETTO_NR_SCHED_FIELDS; i++)
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

	for (i = 0; i < LKST_PERFETTO_NR_SCHED_FIELDS; i++)
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
static void perfetto_bundle_put_field(struct lkst_perfetto *p, u32 field, u32 length, struct lkst_protobuf *b)
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

void lkst_perfetto_flush(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c)
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
	perfetto_bundle_put_field(p, 1, sequence.used + field_size(size), &sequence);
	perfetto_bundle_put_field(p, LKST_PERFETTO_FTRACE_EVENTS, size, &head);
	put_out(p, &c->events);
	if (compact)
		perfetto_bundle_put_field(p, BUNDLE_COMPACT, compact, &c->names);
	for (i = 0; i < LKST_PERFETTO_NR_SCHED_FIELDS; i++)
		if (c->sched[i].used)
			perfetto_bundle_put_field(p, sched_fields[i], c->sched[i].used, &c->sched[i]);
	c->has_bundle = true;
	c->has_lost = false;
	c->end_ns = c->told_ns;
	clear_bundle(c);
}

struct lkst_perfetto_cpu *lkst_perfetto_cpu(struct lkst_perfetto *p, u32 nr)
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
	c->tid = LKST_PERFETTO_MISSING_TID + (s32)nr;
	c->from_ns = p->begin_ns;
	clear_bundle(c);
	p->cpus[nr] = c;
	if (nr >= p->nr_cpus)
		p->nr_cpus = nr + 1;
	return c;
}

/* The place of the name of thread @tid among those of the bundle. */
static u32 name_index(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, s32 tid)
{
	struct lkst_perfetto_name *cached = &c->cache[(u32)tid % LKST_PERFETTO_NAMES_CACHE];
	const struct lkst_thread *t = tid > 0 ? lkst_threads_find(p->threads, tid) : NULL;
	char text[24] = "records missing";
	const char *name = text;
	u32 length = 15;

	if (cached->bundle == c->bundle && cached->tid == tid &&
	    (!t || !memcmp(cached->comm, t->comm, sizeof(t->comm))))
		return cached->index;
	if (tid < LKST_PERFETTO_MISSING_PID)
		name = lkst_perfetto_comm(p, tid, c->nr, text, &length);
	*cached = (struct lkst_perfetto_name){ .bundle = c->bundle,
					       .index = c->nr_names++,
					       .tid = tid };
	if (t)
		memcpy(cached->comm, t->comm, sizeof(t->comm));
	lkst_protobuf_text(&c->names, COMPACT_NAMES, name, length);
	return cached->index;
}

/* ---- events ---------------------------------------------------------------------------------- */

struct lkst_protobuf *lkst_perfetto_begin_kernel_event(struct lkst_perfetto *p,
						       struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
						       u32 field, u32 ret_at[2])
{
	struct lkst_protobuf *b = &c->events;

	if (!lkst_protobuf_has_room(b, EVENT_MAX))
		lkst_perfetto_flush(p, c);
	if (ns > c->told_ns)
		c->told_ns = ns;
	ret_at[0] = lkst_protobuf_begin(b, BUNDLE_EVENT);
	lkst_protobuf_u64(b, EVENT_TIME, lkst_perfetto_time(p, ns));
	lkst_protobuf_s64(b, EVENT_TID, tid);
	ret_at[1] = lkst_protobuf_begin(b, field);
	return b;
}

void lkst_perfetto_end_kernel_event(struct lkst_protobuf *b, const u32 at[2])
{
	lkst_protobuf_end(b, at[1]);
	lkst_protobuf_end(b, at[0]);
}

void lkst_perfetto_put_cut_text(struct lkst_protobuf *b, u32 field, const char *text)
{
	lkst_protobuf_text(b, field, text, (u32)strnlen(text, TEXT_MAX));
}

/* ---- switches and wake-ups ------------------------------------------------------------------- */

/* The first switch of a CPU is whole: of a compact one the trace processor does not know what it leaves. */
static void put_first_switch(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			     s32 next_tid, s16 next_prio)
{
	static const char missing[] = "records missing";
	char text[24];
	u32 at[2], length;
	const char *name = lkst_perfetto_comm(p, next_tid, c->nr, text, &length);
	struct lkst_protobuf *b;

	lkst_perfetto_put_thread(p, LKST_PERFETTO_MISSING_PID, LKST_PERFETTO_MISSING_PID, 0,
				 missing, sizeof(missing) - 1, false);
	lkst_perfetto_put_thread(p, c->tid, LKST_PERFETTO_MISSING_PID, 0, missing,
				 sizeof(missing) - 1, false);
	b = lkst_perfetto_begin_kernel_event(p, c, ns, c->tid, LKST_PERFETTO_SCHED_SWITCH, at);
	lkst_protobuf_text(b, 1, missing, sizeof(missing) - 1);
	lkst_protobuf_s64(b, 2, c->tid);
	lkst_protobuf_s64(b, 3, LKST_PERFETTO_PRIO_DEFAULT);
	lkst_protobuf_s64(b, 4, LKST_PERFETTO_SLEEPS);
	lkst_protobuf_text(b, 5, name, length);
	lkst_protobuf_s64(b, 6, next_tid);
	lkst_protobuf_s64(b, 7, next_prio);
	lkst_perfetto_end_kernel_event(b, at);
	lkst_perfetto_flush(p, c);
	c->has_switch = true;
}

void lkst_perfetto_put_switch(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			      u32 state, s32 next_tid, s16 next_prio)
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
	if (c->nr_switches == LKST_PERFETTO_SCHED_MAX ||
	    !lkst_protobuf_has_room(&c->names, NAME_MAX_ROOM))
		lkst_perfetto_flush(p, c);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_SWITCH_TIME], time - c->switch_ns);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_SWITCH_STATE], state);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_SWITCH_TID], (u64)next_tid);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_SWITCH_PRIO], (u64)next_prio);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_SWITCH_NAME], name_index(p, c, next_tid));
	c->nr_switches++;
	c->switch_ns = time;
	c->tid = next_tid;
	if (ns > c->told_ns)
		c->told_ns = ns;
}

void lkst_perfetto_put_waking(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
			      s32 target_cpu, s16 prio, u32 flags)
{
	u64 time = lkst_perfetto_time(p, ns);

	if (c->nr_wakings == LKST_PERFETTO_SCHED_MAX ||
	    !lkst_protobuf_has_room(&c->names, NAME_MAX_ROOM))
		lkst_perfetto_flush(p, c);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_TIME], time - c->waking_ns);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_TID], (u64)tid);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_CPU],
			     target_cpu < 0 ? 0 : (u64)target_cpu);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_PRIO], (u64)prio);
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_NAME], name_index(p, c, tid));
	lkst_protobuf_varint(&c->sched[LKST_PERFETTO_WAKING_FLAGS], flags);
	c->nr_wakings++;
	c->waking_ns = time;
	if (ns > c->told_ns)
		c->told_ns = ns;
}
