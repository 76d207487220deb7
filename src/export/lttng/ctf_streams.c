/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of events, and the files that they go to. */
#include "export/lttng/ctf_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/block.h"
#include "base/create.h"
#include "base/io.h"
#include "base/vec.h"
#include "export/lttng/ctf_metadata.h"

/* The head of a packet, as the metadata describes it: packet.header and packet.context. */
struct packet_head {
	u32 magic;
	u8 uuid[16];
	u32 stream_id;
	u64 stream_instance_id;
	u64 timestamp_begin, timestamp_end;
	u64 content_size, packet_size; /* bits */
	u64 packet_seq_num, events_discarded;
	u32 cpu_id;
} __attribute__((packed));
_Static_assert(sizeof(struct packet_head) == 84, "a packet's head has no holes");

enum {
	PACKET = 256 * 1024, /* bytes of a packet, but where one event needs more */
	PAGE = 4096,	     /* a packet's size is a multiple: some readers map packets */
	SLOTS = 96,	     /* CPUs that have a packet in memory at a time */
	HEADER = 2 + 4 + 8,  /* of an event, at most */
	CONTEXT = 4,
	NO_SLOT = -1,
};

/* A packet in memory. */
struct ctf_streams_slot {
	u8 *bytes;
	u32 room, used; /* used: 0 if there is no packet */
	u32 cpu;
	int fd;
	u64 begin_ns;
};

/* The stream of a CPU. */
struct ctf_streams_stream {
	u64 last_ns;
	u64 seq, discarded;
	s32 slot;     /* plus 1 */
	bool is_made; /* its file is there */
	bool has_gap; /* not yet told: the packet ends with the next event */
	u64 gap_ns;   /* where the gap ends */
};

struct lkst_ctf_streams {
	const struct lkst_access *access;
	int dir_fd;
	u8 uuid[16];
	int error;
	struct ctf_streams_stream *streams; /* by CPU */
	u32 nr_streams;
	struct ctf_streams_slot slots[SLOTS];
	u32 nr_slots, hand;
	struct ctf_streams_stream *now; /* of the event that is being put */
	u32 now_cpu;
};

/* ---- files ------------------------------------------------------------------------------------ */

static int ctf_streams_open_file(struct lkst_ctf_streams *s, struct ctf_streams_stream *stream,
				 struct ctf_streams_slot *slot)
{
	char name[32];
	int err;

	if (slot->fd >= 0)
		return 0;
	snprintf(name, sizeof(name), "channel0_%u", slot->cpu);
	if (!stream->is_made) {
		err = lkst_create_file(NULL, s->access, s->dir_fd, name, &slot->fd);
		if (err)
			return err;
		stream->is_made = true;
		return 0;
	}
	slot->fd = openat(s->dir_fd, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	return slot->fd < 0 ? -errno : 0;
}

/* Writes the packet of @slot, which ends at @end_ns. */
static void ctf_streams_flush(struct lkst_ctf_streams *s, struct ctf_streams_slot *slot, u64 end_ns)
{
	struct ctf_streams_stream *stream = &s->streams[slot->cpu];
	u32 size = (slot->used + PAGE - 1) & ~(u32)(PAGE - 1);
	struct packet_head head = {
		.magic = htole32(LKST_BLOCK_MAGIC),
		.stream_instance_id = htole64(slot->cpu),
		.timestamp_begin = htole64(slot->begin_ns),
		.timestamp_end = htole64(end_ns),
		.content_size = htole64((u64)slot->used * 8),
		.packet_size = htole64((u64)size * 8),
		.packet_seq_num = htole64(stream->seq),
		.events_discarded = htole64(stream->discarded),
		.cpu_id = htole32(slot->cpu),
	};

	if (!slot->used || s->error)
		return;
	memcpy(head.uuid, s->uuid, sizeof(head.uuid));
	memcpy(slot->bytes, &head, sizeof(head));
	memset(slot->bytes + slot->used, 0, size - slot->used);
	s->error = ctf_streams_open_file(s, stream, slot);
	if (!s->error)
		s->error = lkst_write_all(slot->fd, slot->bytes, size);
	stream->seq++;
	stream->has_gap = false;
	slot->used = 0;
	if (slot->room > PACKET) {
		free(slot->bytes);
		slot->bytes = NULL;
		slot->room = 0;
	}
}

/* ---- packets in memory ------------------------------------------------------------------------ */

/* Gives the packet of another CPU up, in turn. */
static struct ctf_streams_slot *reuse_slot(struct lkst_ctf_streams *s)
{
	struct ctf_streams_slot *slot = &s->slots[s->hand++ % SLOTS];
	struct ctf_streams_stream *stream = &s->streams[slot->cpu];

	ctf_streams_flush(s, slot, stream->last_ns);
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
	stream->slot = 0;
	return slot;
}

static struct ctf_streams_slot *ctf_streams_slot_of(struct lkst_ctf_streams *s, u32 cpu)
{
	struct ctf_streams_stream *stream = &s->streams[cpu];
	struct ctf_streams_slot *slot;

	if (stream->slot)
		return &s->slots[stream->slot - 1];
	if (s->nr_slots < SLOTS) {
		slot = &s->slots[s->nr_slots++];
		slot->fd = -1;
	} else {
		slot = reuse_slot(s);
	}
	slot->cpu = cpu;
	stream->slot = (s32)(slot - s->slots) + 1;
	return slot;
}

/* Gives @slot, whose packet is empty, room for @more bytes. */
static int ctf_streams_make_room(struct ctf_streams_slot *slot, u32 more)
{
	u32 room = sizeof(struct packet_head) + more + PAGE;
	u8 *bytes;

	room = room > PACKET ? room : PACKET;
	if (slot->room >= room)
		return 0;
	bytes = realloc(slot->bytes, room);
	if (!bytes)
		return -ENOMEM;
	slot->bytes = bytes;
	slot->room = room;
	return 0;
}

/* A packet of @cpu with room for @more bytes; begun at @ns if there is none. */
static struct ctf_streams_slot *packet_of(struct lkst_ctf_streams *s, u32 cpu, u64 ns, u32 more)
{
	struct ctf_streams_slot *slot = ctf_streams_slot_of(s, cpu);

	/* Its size is rounded up when it is written. */
	if (slot->used && slot->room - slot->used < more + PAGE)
		ctf_streams_flush(s, slot, s->streams[cpu].last_ns);
	if (!slot->used) {
		int err = ctf_streams_make_room(slot, more);

		if (err && !s->error)
			s->error = err;
		if (err)
			return NULL;
		slot->used = sizeof(struct packet_head);
		slot->begin_ns = ns;
		s->streams[cpu].last_ns = ns;
	}
	return slot;
}

/* ---- events ----------------------------------------------------------------------------------- */

u8 *lkst_ctf_event_begin(struct lkst_ctf_streams *s, u32 cpu, u64 ns, s32 tid, u32 id, u32 room)
{
	struct ctf_streams_stream *stream = lkst_vec_reach(s->streams, s->nr_streams, cpu);
	struct ctf_streams_slot *slot;
	u64 time;
	u8 *at;

	if (!stream && !s->error)
		s->error = -ENOMEM;
	if (s->error)
		return NULL;
	if (ns < stream->last_ns)
		ns = stream->last_ns;
	slot = packet_of(s, cpu, ns, room + HEADER + CONTEXT);
	if (!slot || s->error)
		return NULL;
	at = slot->bytes + slot->used;
	if ((ns - stream->last_ns) >> 32) {
		u16 extended = htole16(LKST_CTF_ID_EXTENDED);
		u32 wide = htole32(id);

		time = htole64(ns);
		memcpy(at, &extended, 2);
		memcpy(at + 2, &wide, 4);
		memcpy(at + 6, &time, 8);
		at += 14;
	} else {
		time = htole64((u64)(u32)ns << 16 | (u16)id);
		memcpy(at, &time, 6);
		at += 6;
	}
	tid = (s32)htole32((u32)tid);
	memcpy(at, &tid, 4);
	stream->last_ns = ns;
	s->now = stream;
	s->now_cpu = cpu;
	return at + CONTEXT;
}

void lkst_ctf_event_end(struct lkst_ctf_streams *s, u8 *end)
{
	struct ctf_streams_slot *slot = &s->slots[s->now->slot - 1];

	slot->used = (u32)(end - slot->bytes);
	/* So that readers see how long the gap was at most. */
	if (s->now->has_gap)
		ctf_streams_flush(s, slot, s->now->last_ns);
}

int lkst_ctf_streams_gap(struct lkst_ctf_streams *s, const struct lkst_gap *gap)
{
	struct ctf_streams_stream *stream = lkst_vec_reach(s->streams, s->nr_streams, gap->cpu);

	if (!stream && !s->error)
		s->error = -ENOMEM;
	if (s->error)
		return s->error;
	if (stream->slot)
		ctf_streams_flush(s, &s->slots[stream->slot - 1], stream->last_ns);
	stream->discarded += gap->events;
	stream->seq += gap->blocks ? gap->blocks : !gap->events;
	stream->has_gap = true;
	stream->gap_ns = gap->to_ns;
	return s->error;
}

/* A packet without events, which shows a gap that no event follows. */
static void tell_last_gap(struct lkst_ctf_streams *s, u32 cpu)
{
	struct ctf_streams_stream *stream = &s->streams[cpu];
	u64 ns = stream->gap_ns > stream->last_ns ? stream->gap_ns : stream->last_ns;
	struct ctf_streams_slot *slot = packet_of(s, cpu, ns, 0);

	if (slot)
		ctf_streams_flush(s, slot, ns);
}

u32 lkst_ctf_streams_nr_cpus(const struct lkst_ctf_streams *s)
{
	return s->nr_streams;
}

void lkst_ctf_streams_end(struct lkst_ctf_streams *s, u32 cpu, u64 known_ns)
{
	struct ctf_streams_stream *stream = &s->streams[cpu];
	struct ctf_streams_slot *slot;

	if (s->error || stream->has_gap || known_ns <= stream->last_ns)
		return;
	if (!stream->is_made && !stream->slot)
		return;
	slot = packet_of(s, cpu, stream->last_ns, 0);
	if (slot)
		ctf_streams_flush(s, slot, known_ns);
}

int lkst_ctf_streams_finish(struct lkst_err *e, struct lkst_ctf_streams *s)
{
	u32 i;

	for (i = 0; i < s->nr_slots; i++)
		ctf_streams_flush(s, &s->slots[i], s->streams[s->slots[i].cpu].last_ns);
	for (i = 0; i < s->nr_streams && !s->error; i++)
		if (s->streams[i].has_gap)
			tell_last_gap(s, i);
	return s->error ? lkst_err_sys(e, s->error, "writing the events of a CPU") : 0;
}

int lkst_ctf_streams_error(const struct lkst_ctf_streams *s)
{
	return s->error;
}

struct lkst_ctf_streams *lkst_ctf_streams_new(const struct lkst_access *access, int dir_fd, const u8 uuid[16])
{
	struct lkst_ctf_streams *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->access = access;
	s->dir_fd = dir_fd;
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	return s;
}

void lkst_ctf_streams_free(struct lkst_ctf_streams *s)
{
	u32 i;

	for (i = 0; s && i < s->nr_slots; i++) {
		if (s->slots[i].fd >= 0)
			close(s->slots[i].fd);
		free(s->slots[i].bytes);
	}
	if (s)
		free(s->streams);
	free(s);
}
