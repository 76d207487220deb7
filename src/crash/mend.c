/* SPDX-License-Identifier: GPL-2.0-only */
/* A block as it was when the kernel stopped, made into one that a file may hold. */
#include "crash/mend.h"

#include <endian.h>
#include <string.h>

#include "trace/block.h"

enum { PAGE = 1 << LKST_BLOCK_SHIFT_MIN };

/* Where a walk over a block's records came to. */
struct walk {
	u32 content; /* end of the last good record */
	u32 at;	     /* where the walk ended */
	u64 first_ns, last_ns;
	u64 records;
	bool has_failed; /* what stands at `at` makes no sense */
};

static u16 id_at(const u8 *bytes)
{
	u16 id;

	memcpy(&id, bytes, sizeof(id));
	return le16toh(id);
}

static u32 align(u32 offset)
{
	return (offset + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
}

/* Walks from @from on. @stop_at_pad: at the first record that was not finished. */
static void walk(const struct lkst_block *block, u32 from, u64 ns, bool stop_at_pad,
		 const struct lkst_catalog *catalog, struct walk *w)
{
	struct lkst_block_cursor cursor = { .block = block, .offset = from, .ns = ns };
	struct lkst_record r;
	struct lkst_err e;
	int got;

	*w = (struct walk){ .content = from, .at = from, .first_ns = ns, .last_ns = ns };
	for (;;) {
		w->at = align(cursor.offset);
		if (stop_at_pad && w->at + sizeof(u16) <= block->content &&
		    id_at(block->bytes + w->at) == LKST_ID_PAD)
			return;
		got = lkst_block_next(&e, &cursor, catalog, &r);
		if (got <= 0)
			break;
		if (!w->records++)
			w->first_ns = r.ns;
		w->last_ns = r.ns;
		w->content = cursor.offset;
	}
	w->has_failed = got < 0;
}

/*
 * A block of several pages that lay scattered in memory: where the walk failed, the page is another's,
 * and the record that runs into it is cut in two. What ended before that page is good.
 */
static void withdraw(const struct lkst_block *block, u64 ns, const struct lkst_catalog *catalog,
		     struct walk *w)
{
	u32 border = w->at / PAGE * PAGE;
	struct lkst_block before = *block;

	if (!w->has_failed || !border)
		return;
	before.content = border;
	walk(&before, LKST_BLOCK_HEADER, ns, false, catalog, w);
	w->has_failed = true;
}

/* How far the block's records reach as far as its header and the ring know. */
struct extent {
	u32 content;
	u32 torn_to;
	bool is_exact; /* all before `content` is complete */
	bool is_torn;
};

static struct extent find_extent(const struct lkst_block_header *h, u32 size, u64 seq,
				 const struct lkst_dump_ring *ring)
{
	u64 closed = le64toh(h->content_size) / 8;
	u64 open, start = ring ? seq << ring->shift : 0;
	struct extent x = { .content = size, .torn_to = size };

	if (closed < LKST_BLOCK_HEADER || closed > size)
		closed = size;
	if (!ring) {
		/* A block that nobody closed has the time of an earlier lap there. */
		x.is_torn = le64toh(h->timestamp_end) < le64toh(h->timestamp_begin);
		if (!x.is_torn)
			x.content = x.torn_to = (u32)closed;
		return x;
	}
	open = lkst_dump_ring_open_block(ring);
	x.is_exact = true;
	if (seq < open) {
		x.content = x.torn_to = (u32)closed;
		return x;
	}
	x.is_torn = true;
	x.content = seq > open || ring->done <= start + LKST_BLOCK_HEADER
			    ? LKST_BLOCK_HEADER
			    : (u32)(ring->done - start);
	if (ring->head - start < size)
		x.torn_to = (u32)(ring->head - start);
	else if (seq < lkst_dump_ring_last_block(ring) &&
		 le64toh(h->timestamp_end) >= le64toh(h->timestamp_begin))
		x.torn_to = (u32)closed;
	x.torn_to = x.torn_to > x.content ? x.torn_to : x.content;
	return x;
}

static void close_header(struct lkst_block_header *h, const struct walk *w)
{
	h->content_size = htole64(w->content * 8ULL);
	h->timestamp_end = htole64(w->last_ns);
}

bool lkst_mend(u8 *bytes, u32 available, u64 seq, const struct lkst_dump_ring *ring,
	       const struct lkst_catalog *catalog, struct lkst_mended *ret_mended)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	u64 size = le64toh(h->packet_size) / 8, begin = le64toh(h->timestamp_begin);
	struct lkst_mended m = {};
	struct lkst_block block = { .bytes = bytes, .begin_ns = begin };
	struct extent x;
	struct walk w;

	if (le32toh(h->magic) != LKST_BLOCK_MAGIC || available < PAGE || begin >= LKST_TIME_MAX ||
	    size < PAGE || size > 1u << LKST_BLOCK_SHIFT_MAX || (size & (size - 1)) ||
	    (ring && size != 1ULL << ring->shift))
		return false;
	x = find_extent(h, (u32)size, seq, ring);
	block.size = (u32)size;
	block.content = x.content < available ? x.content : available;
	/* No record of a block is further from its begin: the recorder opens a new one before. */
	block.end_ns = begin + LKST_TIME_GAP_MAX - 1;
	if (!x.is_torn && le64toh(h->timestamp_end) < block.end_ns)
		block.end_ns = le64toh(h->timestamp_end);
	block.cpu = le32toh(h->cpu_id);
	block.instance = le64toh(h->stream_instance_id);
	walk(&block, LKST_BLOCK_HEADER, begin, !x.is_exact, catalog, &w);
	withdraw(&block, begin, catalog, &w);
	m.size = (u32)size;
	m.content = w.content;
	m.records = w.records;
	m.begin_ns = w.first_ns;
	m.end_ns = w.last_ns;
	m.is_torn = x.is_torn || (!w.has_failed && w.at < block.content);
	/* Without its ring a block that nobody closed may end in anything. */
	m.is_damaged = block.content < x.content || (w.has_failed && (x.is_exact || !x.is_torn));
	m.torn_from = m.is_damaged || !x.is_exact ? w.content : x.content;
	m.torn_to = x.torn_to < available ? x.torn_to : available;
	if (m.torn_to < m.torn_from)
		m.torn_to = m.torn_from;
	if (m.is_damaged || x.is_torn || w.content != x.content)
		close_header(h, &w);
	*ret_mended = m;
	return true;
}

u64 lkst_mend_torn(u8 *bytes, const struct lkst_mended *m, const struct lkst_catalog *catalog)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	struct lkst_block block = {
		.bytes = bytes,
		.size = m->size,
		.content = m->torn_to,
		.begin_ns = le64toh(h->timestamp_begin),
		.end_ns = le64toh(h->timestamp_begin) + LKST_TIME_GAP_MAX - 1,
	};
	u32 from = align(m->torn_from);
	struct walk w;

	if (from >= m->torn_to)
		return 0;
	walk(&block, from, m->records ? m->end_ns : block.begin_ns, false, catalog, &w);
	if (!w.records)
		return 0;
	memmove(bytes + LKST_BLOCK_HEADER, bytes + from, w.content - from);
	w.content -= from - LKST_BLOCK_HEADER;
	memset(bytes + w.content, 0, m->size - w.content);
	h->timestamp_begin = htole64(w.first_ns);
	close_header(h, &w);
	return w.records;
}
