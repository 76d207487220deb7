// SPDX-License-Identifier: GPL-2.0-only
/* State records kept to be written again. */
#include "trace/known/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"

enum {
	/*
	 * All of one machine's state: 64 bytes for each of half a million threads, with the names of functions and
	 * devices; and the ledgers of some thousand parts.
	 */
	KEPT_MAX = 64 << 20,
	ROOM_MIN = 1 << 16,
	SLOTS_MIN = 1 << 10,
	/* A record's time, above its number. */
	TIME_AT = 2,
	TIME_BYTES = LKST_TIME_BITS / 8,
};

static size_t kept_size_of(u32 length)
{
	return sizeof(struct lkst_kept_record) + (((size_t)length + 7) & ~(size_t)7);
}

static s32 kept_thread_of(const u8 *bytes)
{
	s32 tid;

	memcpy(&tid, bytes + offsetof(struct lkst_rec_state_thread, thread_tid), sizeof(tid));
	return tid;
}

/* FNV-1a. */
static u32 kept_hash(const u8 *bytes, u32 length, enum lkst_kept_same same)
{
	u32 h = 2166136261u, i;

	if (same == LKST_KEPT_THREAD)
		return (u32)kept_thread_of(bytes) * 2654435769u;
	for (i = 0; i < length; i++)
		if (i < TIME_AT || i >= TIME_AT + TIME_BYTES)
			h = (h ^ bytes[i]) * 16777619u;
	return h;
}

static bool kept_is_same(const u8 *a, u32 a_length, const u8 *b, u32 b_length, enum lkst_kept_same same)
{
	const u32 rest = TIME_AT + TIME_BYTES;

	if (same == LKST_KEPT_THREAD)
		return kept_thread_of(a) == kept_thread_of(b);
	return a_length == b_length && !memcmp(a, b, TIME_AT) &&
	       !memcmp(a + rest, b + rest, a_length - rest);
}

static struct lkst_kept_record kept_head_at(const struct lkst_kept *k, size_t at)
{
	struct lkst_kept_record head;

	memcpy(&head, k->bytes + at, sizeof(head));
	return head;
}

/* The slot of a record like the one at @bytes, or the empty one where it would go. */
static u32 *kept_slot_of(const struct lkst_kept *k, const u8 *bytes, u32 length,
			 enum lkst_kept_same same)
{
	u32 i = kept_hash(bytes, length, same);

	for (i ^= i >> 15;; i++) {
		u32 *slot = &k->slots[i & (k->nr_slots - 1)];
		size_t at = *slot ? ((size_t)*slot - 1) * 8 : 0;

		if (!*slot ||
		    kept_is_same(k->bytes + at + sizeof(struct lkst_kept_record), kept_head_at(k, at).length,
				 bytes, length, same))
			return slot;
	}
}

static int kept_grow_slots(struct lkst_kept *k, enum lkst_kept_same same)
{
	u32 nr = k->nr_slots ? 2 * k->nr_slots : SLOTS_MIN, *slots = calloc(nr, sizeof(*slots));
	struct lkst_kept_record head;
	const u8 *bytes;
	size_t at = 0, from;

	if (!slots)
		return -ENOMEM;
	free(k->slots);
	k->slots = slots;
	k->nr_slots = nr;
	for (from = at; (bytes = lkst_kept_next(k, &at, &head)); from = at)
		*kept_slot_of(k, bytes, head.length, same) = (u32)(from / 8) + 1;
	return 0;
}

/* Replaces the record that is the same as the one at @r, if there is one. */
static int replace(struct lkst_kept *k, const struct lkst_record *r, enum lkst_kept_same same,
		   u32 **ret_slot)
{
	struct lkst_kept_record head = { .ns = r->ns, .length = r->size };

	if ((k->nr + 1) * 2 > k->nr_slots && kept_grow_slots(k, same))
		return -ENOMEM;
	*ret_slot = kept_slot_of(k, r->bytes, r->size, same);
	if (!**ret_slot)
		return 0;
	memcpy(k->bytes + ((size_t)**ret_slot - 1) * 8, &head, sizeof(head));
	memcpy(k->bytes + ((size_t)**ret_slot - 1) * 8 + sizeof(head), r->bytes, r->size);
	return 1;
}

static int kept_grow(struct lkst_kept *k, size_t need)
{
	size_t room = k->room ? 2 * k->room : ROOM_MIN;
	u8 *grown;

	if (k->used + need <= k->room)
		return 0;
	grown = realloc(k->bytes, room < k->used + need ? k->used + need : room);
	if (!grown)
		return -ENOMEM;
	k->room = room < k->used + need ? k->used + need : room;
	k->bytes = grown;
	return 0;
}

int lkst_kept_add(struct lkst_err *e, struct lkst_kept *k, const struct lkst_record *r,
		  enum lkst_kept_same same)
{
	struct lkst_kept_record head = { .ns = r->ns, .length = r->size };
	u32 *slot = NULL;
	int replaced = same == LKST_KEPT_ALL ? 0 : replace(k, r, same, &slot);

	if (replaced > 0)
		return 0;
	if (!replaced && k->used + kept_size_of(r->size) > KEPT_MAX)
		return lkst_err_set(
			e, -EFBIG,
			"what the trace says of its machine is more than %u MiB: cut its parts one "
			"by one",
			KEPT_MAX >> 20);
	if (replaced < 0 || kept_grow(k, kept_size_of(r->size)))
		return lkst_err_sys(e, -ENOMEM, "keeping what the trace says of its machine");
	if (slot)
		*slot = (u32)(k->used / 8) + 1;
	memcpy(k->bytes + k->used, &head, sizeof(head));
	memcpy(k->bytes + k->used + sizeof(head), r->bytes, r->size);
	k->used += kept_size_of(r->size);
	k->nr++;
	return 0;
}

const u8 *lkst_kept_next(const struct lkst_kept *k, size_t *at, struct lkst_kept_record *ret_record)
{
	const u8 *bytes;

	if (*at >= k->used)
		return NULL;
	*ret_record = kept_head_at(k, *at);
	bytes = k->bytes + *at + sizeof(*ret_record);
	*at += kept_size_of(ret_record->length);
	return bytes;
}

void lkst_kept_fini(struct lkst_kept *k)
{
	free(k->bytes);
	free(k->slots);
}
