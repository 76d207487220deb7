/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages by a hash of what identifies them, with the host that sent or received them. */
#include "hosts/messages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/xxh64.h"

enum {
	MESSAGES_MAX = 1 << 19,
	/* On its way through a host a packet may pass several interfaces; what comes later is another one like it. */
	PASS_NS = 1000000,
};

enum way { SENT, RECEIVED };

struct seen {
	u64 key;  /* of hash, host and way */
	u64 hash; /* of the message */
	u64 ns;	  /* time of day, the first time */
	u16 host;
	u8 way;	       /* enum way */
	bool is_again; /* later, too */
};

struct lkst_messages {
	struct lkst_hash seen;
	u32 max;
	unsigned int level; /* messages are kept whose hashes begin with so many bits of 0 */
};

/* ---- one message --------------------------------------------------------------------------- */

struct message {
	u32 source_address, destination_address;
	u16 source_port, destination_port, family, ip_protocol;
	u32 sequence, acknowledgement;
};
_Static_assert(sizeof(struct message) == 24,
	       "no padding, so that it can be compared and hashed");

enum { MESSAGE_FIELDS = 8 };

/* Where the fields of an event's records lie. */
struct message_layout {
	const struct lkst_event_class
		*event; /* NULL: the catalogue has no such event, or lacks a field of it */
	const struct lkst_field_class *fields[MESSAGE_FIELDS], *bytes;
};

static const char *const names[MESSAGE_FIELDS] = {
	"source_address", "destination_address", "source_port", "destination_port",
	"family",	  "ip_protocol",	 "sequence",	"acknowledgement",
};

/* A field that can be read as a number without regard to others. */
static const struct lkst_field_class *message_number(const struct lkst_event_class *event, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(event, name);
	const bool is_number = f && (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT);

	return is_number && f->offset != LKST_OFFSET_VARIES ? f : NULL;
}

/* Of event packet_send or packet_receive in catalogue @c. */
static void message_layout(const struct lkst_catalog *c, enum lkst_event_index index,
			   struct message_layout *ret_layout)
{
	const struct lkst_event_class *event = lkst_catalog_find(c, lkst_events[index].name);
	struct message_layout l = { .event = event };
	unsigned int i;

	for (i = 0; l.event && i < MESSAGE_FIELDS; i++) {
		l.fields[i] = message_number(event, names[i]);
		if (!l.fields[i])
			l.event = NULL;
	}
	if (l.event)
		l.bytes = message_number(event, "bytes");
	*ret_layout = l;
}

/* What @r says, which is of the layout's event; its payload's bytes to *@ret_bytes, which may be NULL. */
static void message_of(const struct message_layout *layout, const struct lkst_record *r,
		       struct message *ret_message, u32 *ret_bytes)
{
	const struct lkst_field_class *const *f = layout->fields;

	*ret_message = (struct message){
		.source_address = (u32)lkst_record_int(r, f[0]),
		.destination_address = (u32)lkst_record_int(r, f[1]),
		.source_port = (u16)lkst_record_int(r, f[2]),
		.destination_port = (u16)lkst_record_int(r, f[3]),
		.family = (u16)lkst_record_int(r, f[4]),
		.ip_protocol = (u16)lkst_record_int(r, f[5]),
		.sequence = (u32)lkst_record_int(r, f[6]),
		.acknowledgement = (u32)lkst_record_int(r, f[7]),
	};
	if (ret_bytes)
		*ret_bytes = layout->bytes ? (u32)lkst_record_int(r, layout->bytes) : 0;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct lkst_messages *lkst_messages_new(u32 max)
{
	struct lkst_messages *m = calloc(1, sizeof(*m));

	if (m)
		m->max = max ?: MESSAGES_MAX;
	return m;
}

void lkst_messages_free(struct lkst_messages *m)
{
	if (!m)
		return;
	lkst_hash_fini(&m->seen);
	free(m);
}

static u64 messages_key_of(u64 hash, unsigned int host, enum way way)
{
	const u64 key = hash ^ ((u64)host * 2 + way + 1) * 0xd6e8feb86659fd93ULL;

	return key == LKST_HASH_NONE ? 0 : key;
}

static bool is_in_sample(const struct lkst_messages *m, u64 hash)
{
	return !m->level || hash >> (64 - m->level) == 0;
}

/* Drops half of them, with those on other hosts that may be the same messages. */
static void halve(struct lkst_messages *m)
{
	struct lkst_hash kept = {};
	struct seen *s;
	u32 i = 0;

	m->level++;
	while ((s = lkst_hash_next(&m->seen, &i, sizeof(*s))))
		if (is_in_sample(m, s->hash) && !lkst_hash_reserve(&kept, sizeof(*s)))
			*(struct seen *)lkst_hash_add(&kept, s->key, sizeof(*s)) = *s;
	lkst_hash_fini(&m->seen);
	m->seen = kept;
}

static int messages_add(struct lkst_messages *m, const struct message *message, u32 bytes,
			unsigned int host, enum way way, u64 ns)
{
	const u64 hash = lkst_xxh64(message, sizeof(*message));
	const u64 key = messages_key_of(hash, host, way);
	struct seen *s;

	if (!is_in_sample(m, hash))
		return 0;
	s = lkst_hash_find(&m->seen, key, sizeof(*s));
	if (s) {
		s->is_again |= !bytes || ns - s->ns > PASS_NS;
		return 0;
	}
	while (m->seen.nr >= m->max && m->level < 63)
		halve(m);
	if (!is_in_sample(m, hash))
		return 0;
	if (lkst_hash_reserve(&m->seen, sizeof(*s)))
		return -ENOMEM;
	s = lkst_hash_add(&m->seen, key, sizeof(*s));
	*s = (struct seen){ .key = key, .hash = hash, .ns = ns, .host = (u16)host, .way = (u8)way };
	return 0;
}

int lkst_messages_read(struct lkst_err *e, struct lkst_messages *m, struct lkst_trace *t,
		       unsigned int host, u64 offset_ns)
{
	struct message_layout layouts[2];
	_cleanup_(lkst_merge_freep) struct lkst_merge *merge = NULL;
	struct message message;
	struct lkst_record r;
	u32 bytes;
	int err;

	message_layout(lkst_trace_catalog(t), LKST_EV_packet_send, &layouts[SENT]);
	message_layout(lkst_trace_catalog(t), LKST_EV_packet_receive, &layouts[RECEIVED]);
	if (!layouts[SENT].event && !layouts[RECEIVED].event)
		return 0;
	err = lkst_merge_new(e, t, 0, UINT64_MAX, &merge);
	while (!err && lkst_merge_next(merge, &r) > 0) {
		const enum way way = r.event == layouts[RECEIVED].event ? RECEIVED : SENT;

		if (r.event != layouts[way].event)
			continue;
		message_of(&layouts[way], &r, &message, &bytes);
		err = messages_add(m, &message, bytes, host, way, r.ns + offset_ns);
	}
	return err == -ENOMEM ? lkst_err_sys(e, err, "looking for messages between the hosts")
			      : err;
}

static const struct seen *messages_find(const struct lkst_messages *m, u64 hash, unsigned int host,
					enum way way)
{
	return lkst_hash_find(&m->seen, messages_key_of(hash, host, way), sizeof(struct seen));
}

/*
 * Whether what was @sent came to host @to after that. Two hosts may both have passed it on, as those that bridge or
 * route do: then it came to the first of them before the second sent it, and which is the first is not known.
 */
static bool is_on_its_way_to(const struct lkst_messages *m, const struct seen *sent,
			     unsigned int to)
{
	const struct seen *received = messages_find(m, sent->hash, sent->host, RECEIVED);
	const bool begins_here = !received || sent->ns < received->ns;

	return begins_here || !messages_find(m, sent->hash, to, SENT);
}

void lkst_messages_walk(const struct lkst_messages *m, unsigned int nr_hosts,
			lkst_messages_each *each, void *ctx)
{
	const struct seen *s, *sent;
	unsigned int from;
	u32 i = 0;

	while ((s = lkst_hash_next(&m->seen, &i, sizeof(*s)))) {
		if (s->way != RECEIVED || s->is_again)
			continue;
		for (from = 0; from < nr_hosts; from++) {
			sent = messages_find(m, s->hash, from, SENT);
			if (from != s->host && sent && !sent->is_again &&
			    is_on_its_way_to(m, sent, s->host))
				each(ctx, from, s->host, sent->ns, s->ns);
		}
	}
}
