/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: tracks that are not the kernel's, their slices and counters. */
#include <string.h>

#include "export/perfetto/perfetto.h"

enum {
	/* Fields of TrackDescriptor. */
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_ORDERING = 11,
	TRACK_RANK = 12,

	ORDERING_EXPLICIT = 3,

	/* Fields of CounterDescriptor and TrackEvent. */
	COUNTER_UNIT_NAME = 6,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_VALUE = 30,

	TYPE_COUNTER = 4,

	/* Fields of DebugAnnotation. */
	ANNOTATION_NUMBER = 4,
	ANNOTATION_TEXT = 6,
	ANNOTATION_ADDRESS = 7,
	ANNOTATION_NAME = 10,

	/* Fields of TracePacketDefaults and TrackEventDefaults. */
	DEFAULTS_EVENT = 11,
	DEFAULTS_TRACK = 11,
};

static u32 begin_track(struct lkst_perfetto *p, u64 uuid, u64 parent, const char *name)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_STATE, 0);
	u32 at = lkst_protobuf_begin(b, LKST_PERFETTO_TRACK_DESCRIPTOR);

	lkst_protobuf_u64(b, TRACK_UUID, uuid);
	lkst_protobuf_text(b, TRACK_NAME, name, (u32)strlen(name));
	if (parent)
		lkst_protobuf_u64(b, TRACK_PARENT, parent);
	return at;
}

void lkst_perfetto_track(struct lkst_perfetto *p, u64 uuid, u64 parent, const char *name, u32 rank)
{
	u32 at = begin_track(p, uuid, parent, name);

	lkst_protobuf_u64(&p->packet, TRACK_ORDERING, ORDERING_EXPLICIT);
	lkst_protobuf_u64(&p->packet, TRACK_RANK, rank);
	lkst_protobuf_end(&p->packet, at);
	lkst_perfetto_end(p);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* A sequence for each, whose events need not say then of which track they are. */
u32 lkst_perfetto_counter(struct lkst_perfetto *p, const char *name, const char *unit)
{
	u32 number = p->nr_counters++, at, in;
	u64 uuid = lkst_perfetto_uuid(LKST_PERFETTO_TRACK_COUNTER, number);
	struct lkst_protobuf *b = &p->packet;

	at = begin_track(p, uuid, 0, name);
	in = lkst_protobuf_begin(b, TRACK_COUNTER);
	lkst_protobuf_text(b, COUNTER_UNIT_NAME, unit, (u32)strlen(unit));
	lkst_protobuf_end(b, in);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);

	lkst_perfetto_begin(p, LKST_PERFETTO_COUNTERS + number, 0);
	lkst_protobuf_u64(b, LKST_PERFETTO_SEQUENCE_FLAGS, LKST_PERFETTO_STATE_CLEARED);
	at = lkst_protobuf_begin(b, LKST_PERFETTO_PACKET_DEFAULTS);
	in = lkst_protobuf_begin(b, DEFAULTS_EVENT);
	lkst_protobuf_u64(b, DEFAULTS_TRACK, uuid);
	lkst_protobuf_end(b, in);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
	return number;
}

void lkst_perfetto_count(struct lkst_perfetto *p, u32 counter, u64 ns, s64 value)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, LKST_PERFETTO_COUNTERS + counter, ns);
	u32 at;

	lkst_protobuf_u64(b, LKST_PERFETTO_SEQUENCE_FLAGS, LKST_PERFETTO_NEEDS_STATE);
	at = lkst_protobuf_begin(b, LKST_PERFETTO_TRACK_EVENT);
	lkst_protobuf_u64(b, EVENT_TYPE, TYPE_COUNTER);
	lkst_protobuf_s64(b, EVENT_VALUE, value);
	lkst_protobuf_end(b, at);
	lkst_perfetto_end(p);
}

/* ---- slices and instants --------------------------------------------------------------------- */

u32 lkst_perfetto_begin_event(struct lkst_perfetto *p, u32 sequence, enum lkst_perfetto_event type,
			      u64 track, u64 ns, const char *name)
{
	struct lkst_protobuf *b = lkst_perfetto_begin(p, sequence, ns);
	u32 at;

	lkst_protobuf_u64(b, LKST_PERFETTO_SEQUENCE_FLAGS,
			  p->has_sequence[sequence] ? LKST_PERFETTO_NEEDS_STATE
						    : LKST_PERFETTO_STATE_CLEARED);
	p->has_sequence[sequence] = true;
	at = lkst_protobuf_begin(b, LKST_PERFETTO_TRACK_EVENT);
	lkst_protobuf_u64(b, EVENT_TYPE, type);
	lkst_protobuf_u64(b, EVENT_TRACK, track);
	if (name)
		lkst_protobuf_text(b, EVENT_NAME, name, (u32)strlen(name));
	return at;
}

void lkst_perfetto_note_text(struct lkst_perfetto *p, const char *name, const char *text,
			     u32 length)
{
	u32 at = lkst_protobuf_begin(&p->packet, EVENT_ANNOTATION);

	lkst_protobuf_text(&p->packet, ANNOTATION_NAME, name, (u32)strlen(name));
	lkst_protobuf_text(&p->packet, ANNOTATION_TEXT, text, length);
	lkst_protobuf_end(&p->packet, at);
}

void lkst_perfetto_note_number(struct lkst_perfetto *p, const char *name, s64 value)
{
	u32 at = lkst_protobuf_begin(&p->packet, EVENT_ANNOTATION);

	lkst_protobuf_text(&p->packet, ANNOTATION_NAME, name, (u32)strlen(name));
	lkst_protobuf_s64(&p->packet, ANNOTATION_NUMBER, value);
	lkst_protobuf_end(&p->packet, at);
}

void lkst_perfetto_note_address(struct lkst_perfetto *p, const char *name, u64 value)
{
	u32 at = lkst_protobuf_begin(&p->packet, EVENT_ANNOTATION);

	lkst_protobuf_text(&p->packet, ANNOTATION_NAME, name, (u32)strlen(name));
	lkst_protobuf_u64(&p->packet, ANNOTATION_ADDRESS, value);
	lkst_protobuf_end(&p->packet, at);
}

void lkst_perfetto_end_event(struct lkst_perfetto *p, u32 at)
{
	lkst_protobuf_end(&p->packet, at);
	lkst_perfetto_end(p);
}
