/* SPDX-License-Identifier: GPL-2.0-only */
/* A block as it was when the kernel stopped, made into one that a file may hold. */
#include "crash/repair.h"

#include <endian.h>
#include <string.h>

#include "trace/format/block.h"

enum { PAGE = 1 << LKST_BLOCK_SHIFT_MIN };

/* How far a walk over a block's records came. */
struct crash_repair_walk {
	u32 content; /* end of the last good record */
	u32 at;	     /* where the walk ended */
	u64 first_ns, last_ns;
	u64 records;
	bool has_failed; /* what is at `at` makes no sense */
};

static u64 repair_head_at(const u8 *bytes)
{
	u64 head;

	memcpy(&head, bytes, sizeof(head));
	return le64toh(head);
}

static u32 align(u32 offset)
{
	return (offset + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
}

/* Walks at most @most records from @from on. */
static void repair_walk(const struct lkst_block *block, u32 from, u64 ns, u64 most,
			const struct lkst_catalog *catalog, struct crash_repair_walk *w)
{
	struct lkst_block_cursor cursor = { .block = block, .offset = from, .ns = ns };
	struct lkst_record r;
	struct lkst_err e;
	int got = 0;

	*w = (struct crash_repair_walk){ .content = from, .first_ns = ns, .last_ns = ns };
	while (w->records < most && (got = lkst_block_next(&e, &cursor, catalog, &r)) > 0) {
		if (!w->records++)
			w->first_ns = r.ns;
		w->last_ns = r.ns;
		w->content = cursor.offset;
	}
	w->at = align(cursor.offset);
	w->has_failed = got < 0;
}

/*
 * A block of several pages that lay scattered in memory: where the walk failed, the page is another's,
 * and the record that runs into it is cut in two. What ended before that page is good.
 */
static void repair_withdraw(const struct lkst_block *block, const struct lkst_catalog *catalog,
			    struct crash_repair_walk *w)
{
	struct lkst_block before = *block;

	if (!w->has_failed || w->at < PAGE)
		return;
	before.content = w->at / PAGE * PAGE;
	repair_walk(&before, LKST_BLOCK_HEADER, block->begin_ns, UINT64_MAX, catalog, w);
	w->has_failed = true;
}

static void close_header(struct lkst_block_header *h, const struct crash_repair_walk *w)
{
	h->content_size = htole64(w->content * 8ULL);
	h->timestamp_end = htole64(w->last_ns);
}

/* Where an unfinished record is: its head has the last time that the ring gave out. */
static u32 find_torn(const struct lkst_block *block, const struct crash_repair_walk *w,
		     const struct lkst_dump_ring *ring)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	u64 head, ns;

	if (w->at + sizeof(struct lkst_record_head) > block->size)
		return 0;
	head = repair_head_at(block->bytes + w->at);
	ns = (w->last_ns & ~mask) | head >> 16;
	if (ring)
		return ring->is_writing && head >> 16 == (ring->last & mask) ? w->at : 0;
	return (u16)head == LKST_ID_NONE && ns >= w->last_ns && ns <= block->end_ns ? w->at : 0;
}

bool lkst_repair(u8 *bytes, u32 available, u64 seq, const struct lkst_dump_ring *ring, u64 limit_ns,
		 const struct lkst_catalog *catalog, struct lkst_repaired *ret_repaired)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	u64 size = le64toh(h->packet_size) / 8, content = le64toh(h->content_size) / 8;
	struct lkst_block block = { .bytes = bytes,
				    .begin_ns = le64toh(h->timestamp_begin),
				    .end_ns = le64toh(h->timestamp_end),
				    .cpu = le32toh(h->cpu_id),
				    .instance = le64toh(h->stream_instance_id) };
	bool is_open = ring ? seq >= ring->done >> ring->shift : block.end_ns < block.begin_ns;
	struct lkst_repaired m = {};
	struct crash_repair_walk w;

	if (le32toh(h->magic) != LKST_BLOCK_MAGIC || available < PAGE ||
	    block.begin_ns >= LKST_TIME_MAX || size < PAGE || size > 1u << LKST_BLOCK_SHIFT_MAX ||
	    (size & (size - 1)) || (ring && size != 1ULL << ring->shift))
		return false;
	/* One that is about to be entered holds nothing yet. */
	if (ring && is_open)
		content = seq == ring->done >> ring->shift ? ring->done & (size - 1) : 0;
	if (content < LKST_BLOCK_HEADER)
		content = LKST_BLOCK_HEADER;
	if ((!ring && is_open) || content > size)
		content = size;
	/* No record is further from its block's begin: the recorder opens a new one before. */
	if (is_open || block.end_ns > block.begin_ns + LKST_TIME_GAP_MAX)
		block.end_ns = block.begin_ns + LKST_TIME_GAP_MAX;
	if (is_open && block.end_ns > limit_ns)
		block.end_ns = limit_ns;
	block.size = available < size ? available : (u32)size;
	block.content = content < available ? (u32)content : available;
	repair_walk(&block, LKST_BLOCK_HEADER, block.begin_ns, UINT64_MAX, catalog, &w);
	repair_withdraw(&block, catalog, &w);
	/* Without its state page an open block ends in whatever was there before. */
	m.is_damaged = block.content < content || (w.has_failed && (ring || !is_open));
	if (is_open && !m.is_damaged)
		m.torn_at = find_torn(&block, &w, ring);
	m.size = (u32)size;
	m.content = w.content;
	m.records = w.records;
	m.begin_ns = w.first_ns;
	m.end_ns = w.last_ns;
	if (is_open || m.is_damaged || w.content != content)
		close_header(h, &w);
	*ret_repaired = m;
	return true;
}

bool lkst_repair_torn(u8 *bytes, const struct lkst_repaired *m, const struct lkst_catalog *catalog)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	struct lkst_block block = { .bytes = bytes, .size = m->size, .content = m->size };
	struct crash_repair_walk w;

	block.begin_ns = le64toh(h->timestamp_begin);
	block.end_ns = block.begin_ns + LKST_TIME_GAP_MAX;
	repair_walk(&block, m->torn_at, m->end_ns, 1, catalog, &w);
	if (!w.records)
		return false;
	memmove(bytes + LKST_BLOCK_HEADER, bytes + m->torn_at, w.content - m->torn_at);
	w.content -= m->torn_at - LKST_BLOCK_HEADER;
	memset(bytes + w.content, 0, m->size - w.content);
	h->timestamp_begin = htole64(w.first_ns);
	close_header(h, &w);
	return true;
}
