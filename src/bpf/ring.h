/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserve and commit: how a writer gets its place in a ring of blocks and gives it back. It never
 * waits, never tries again and never fails for want of room. The kernel programs include this
 * file, and tests/unit/ring_model.c includes the same file to interleave it exhaustively.
 *
 * The includer supplies the primitives first:
 *   LKST_LOAD(x), LKST_STORE(x, v)   a plain access the compiler may not tear, move or repeat
 *   LKST_STORE_RELEASE(x, v)         the same, after every earlier store, as other CPUs see it
 *   LKST_STORE_ORDERED(x, v)         the same, and before every later one
 *   LKST_COUNT(p)                    add 1, atomic with respect to an interrupt on this CPU
 *   LKST_CLOCK()                     ns, CLOCK_MONOTONIC, may step back by some ns
 *   LKST_TID(), LKST_SHIFT()         this thread; log2 of the block size
 *   LKST_ELEMENT(i)                  element i of the memory array, or NULL
 *   LKST_ELEMENT_AT(p)               element *p of it, or NULL
 *   LKST_UUID_LO(), _HI()            the trace's UUID as two words
 *   LKST_BARRIER()                   a compiler barrier: order as this CPU and its interrupts see it
 *   LKST_STORE_FENCE(x, v)           a store that other CPUs see before any later load is done
 *   LKST_LEAVE_AT(st)                the time from which writers leave the buffer of page st, ns; 0: they don't
 *   LKST_TARGET(st, wraps, ts)       page where a record of time ts goes, as things stand; it may be st's
 *   LKST_SWITCH_BUFFER(st, to)             later writers of this CPU that would use page st use page `to`
 *   LKST_BOUNDED(v), LKST_OPAQUE(p)  hides from the compiler where value v or pointer p came from
 *   LKST_UNLIKELY(c)                 condition c, which is nearly always false
 *   LKST_RARE                        attributes of a function that must not be inlined
 *
 * Writers on one CPU nest: one that interrupts another runs to its end before the other goes on.
 * `nest` counts them, and each level has a ring of its own. So a ring has one writer at a time,
 * without a competitor, and there is no race to win: nothing is swapped, tried again or refused.
 *
 *   nest   A writer stores level + 1 before it reads what changes in its ring, and the level when it
 *          has published. One that comes before the store uses the same ring, but leaves it complete.
 *          Only writers on this CPU look at it, so a compiler barrier orders it.
 *   last   is the time of the last record, or of the block opened for the next one. No record's time is
 *          below it, although the clock may step back.
 *   done   is the exact end of the last complete record, since a reader refuses a packet whose
 *          content includes alignment. Storing it publishes the record: the reader's acquire
 *          pairs with that release. What follows `done` in its block is not valid yet.
 *   turn   A record opens a new block if the block may not have room for it, or from `turn_at` on: 2^47
 *          ns after the block began. Later, a reader could miss a wrap of the 48 bits of its time.
 *   open   The old block is closed: first `content_size`, then `timestamp_end`. Then `opened` counts
 *          the new block, which tells a reader that the oldest one is gone; then the magic of the new block
 *          is cleared, then its fields are filled, then the magic is set, and `done` moves past the header.
 *   leave  Instead of opening a block a writer may continue in another buffer of its CPU, if its own is full
 *          and has a next one, or is to be kept as it is from some time on (abi/control.h). It takes its level
 *          there before it releases the one here, and opens a block there. A writer that has read the page
 *          before, and comes later, finds the same reason to leave.
 *
 * A reader takes a block as closed only if `done` lies beyond its end; in the block that `done`
 * lies in, the content reaches to `done`. It copies the block, then loads `opened` again: the copy is
 * good if its block is among the youngest `mask` + 1 that were opened. (Where the includer can keep stores in order for
 * this CPU alone, readers have more to do: live/rings/rings.h.)
 */
#ifndef LKST_BPF_RING_H
#define LKST_BPF_RING_H

#include "abi/block.h"
#include "abi/state.h"

/* A reserved place. Valid from lkst_ring_reserve() to lkst_ring_commit(). */
struct lkst_slot {
	struct lkst_state *st;
	struct lkst_ring *ring;
	struct lkst_record_head *rec;
	u64 end;     /* position of the end of the record */
	u32 element; /* index of the block */
	u32 start;   /* of the record, bytes from the block's start */
};

/* Closes the block that position @done lies in. @last: the time of its youngest record. */
static __always_inline void lkst_block_close(struct lkst_block_header *h, u64 done, u64 last,
					     u32 shift)
{
	/* A reader takes content_size as valid once timestamp_end is, so that comes last. */
	LKST_STORE(h->content_size, (done & ((1ULL << shift) - 1)) * 8);
	LKST_STORE_RELEASE(h->timestamp_end, last);
}

/* Fills the header of block number @seq, whose first record has the time @ts. */
static __always_inline void lkst_block_open(struct lkst_state *st, u32 level,
					    struct lkst_block_header *h, u64 seq, u64 ts, u32 shift)
{
	typedef u64 __attribute__((aligned(4), may_alias)) u64_at_4;
	u64_at_4 *uuid = (void *)h->uuid;

	LKST_STORE_ORDERED(h->magic, 0);
	uuid[0] = LKST_UUID_LO();
	uuid[1] = LKST_UUID_HI();
	h->stream_id = LKST_STREAM_CLASS;
	h->stream_instance_id = lkst_stream_instance(st->cpu, st->buffer, level);
	h->timestamp_begin = ts;
	h->timestamp_end = 0;
	h->content_size = 0;
	h->packet_size = 8ULL << shift;
	h->packet_seq_num = seq;
	/* Losses count for the CPU and buffer; one of its streams reports them. */
	h->events_discarded = level ? 0
				    : LKST_LOAD(st->lost[LKST_LOSS_LEVEL]) +
					      LKST_LOAD(st->lost[LKST_LOSS_TOO_LONG]);
	h->cpu_id = st->cpu;
	h->tid = LKST_TID();
	LKST_STORE_RELEASE(h->magic, LKST_BLOCK_MAGIC);
}

/* The time of the next record of @ring, never below that of the one before. */
static __always_inline u64 lkst_ring_clock(struct lkst_ring *ring)
{
	u64 ts = LKST_CLOCK(), last = LKST_LOAD(ring->last);

	return ts < last ? last : ts;
}

/* When the ring turns next, if nothing else makes it turn: user space or a trigger may store an earlier time. */
static __always_inline void lkst_ring_set_turn(struct lkst_state *st, struct lkst_ring *ring,
					       u64 ts)
{
	u64 leave_at;

	LKST_STORE(ring->last, ts);
	/* Whoever stores leave_at stores turn_at after it; so one of us sees what the other has stored. */
	LKST_STORE_FENCE(ring->turn_at, ts + LKST_TIME_GAP_MAX);
	leave_at = LKST_LEAVE_AT(st);
	if (leave_at && leave_at < ts + LKST_TIME_GAP_MAX)
		LKST_STORE(ring->turn_at, leave_at);
}

/* Closes the ring's open block, if there is one, and opens the next. */
static __always_inline void lkst_ring_open_next(struct lkst_state *st, struct lkst_ring *ring,
						u32 level, u32 shift)
{
	u64 done = LKST_LOAD(ring->done), ts = lkst_ring_clock(ring), seq = 0;
	struct lkst_block_header *h = LKST_ELEMENT_AT(&ring->element);

	if (!h)
		return;
	if ((done & ((1ULL << shift) - 1)) == LKST_BLOCK_HEADER) {
		/* All its records were dropped, so it may begin later. */
		LKST_STORE(h->timestamp_begin, ts);
		lkst_ring_set_turn(st, ring, ts);
		return;
	}
	if (done) {
		seq = (done >> shift) + 1;
		lkst_block_close(h, done, LKST_LOAD(ring->last), shift);
	}
	LKST_STORE(ring->element, ring->base + (seq & ring->mask));
	LKST_STORE_ORDERED(ring->opened, seq + 1);
	h = LKST_ELEMENT_AT(&ring->element);
	if (h)
		lkst_block_open(st, level, h, seq, ts, shift);
	lkst_ring_set_turn(st, ring, ts);
	LKST_STORE_RELEASE(ring->done, (seq << shift) + LKST_BLOCK_HEADER);
}

/*
 * Goes on to the next block of the ring of @level, for a record that is not older than now, or to
 * another buffer. Returns where the record goes: the element of the state page, times LKST_LEVELS, plus
 * the level. Not inlined, since it happens once in some hundred records. It takes the element of the
 * state page, not a pointer, so that it can be verified once and not along each path to it. (@level
 * has 64 bits because Linux 6.1 forgets the bounds of 32 when they are spilled.)
 */
LKST_RARE u32 lkst_ring_turn(u32 page, u64 level)
{
	const u32 shift = LKST_SHIFT();
	struct lkst_state *st = LKST_ELEMENT(page), *there;
	struct lkst_ring *ring;
	u64 inside, done;
	u32 to;

	if (!st || level >= LKST_LEVELS)
		return 0;
	ring = LKST_OPAQUE(&st->ring[level]);
	done = LKST_LOAD(ring->done);
	/* Full: every block of the ring has been opened as often as the others. */
	to = LKST_TARGET(st, !level && done && !(((done >> shift) + 1) & ring->mask),
			 lkst_ring_clock(ring));
	there = to == page ? NULL : LKST_ELEMENT(to);
	inside = there ? LKST_LOAD(there->nest) : LKST_LEVELS;
	if (there && inside < LKST_LEVELS) {
		LKST_STORE(there->nest, inside + 1);
		LKST_BARRIER();
		LKST_SWITCH_BUFFER(st, to);
		LKST_BARRIER();
		LKST_STORE(st->nest, level);
		st = there;
		level = inside;
		page = to;
	}
	lkst_ring_open_next(st, LKST_OPAQUE(&st->ring[level]), level, shift);
	return page * LKST_LEVELS + level;
}

/* The ring that a turn of @ring leads to, and its state page in *@st; NULL: none, which cannot be. */
static __always_inline struct lkst_ring *lkst_ring_after_turn(struct lkst_state **st,
							      struct lkst_ring *ring)
{
	u32 to = lkst_ring_turn(ring->page, ring->level);

	*st = LKST_ELEMENT(to / LKST_LEVELS);
	return *st ? LKST_OPAQUE(&(*st)->ring[to % LKST_LEVELS]) : NULL;
}

/*
 * Reserves @size bytes (at least a record head, at most LKST_BLOCK_ROOM) for one record in the ring
 * of this level in state page @st, and writes its first word as that of a record that has no id yet; the
 * caller writes the thread. NULL if writers nest deeper than there are levels; that is counted.
 *
 * The caller may touch @window bytes from the record's start, a constant that the verifier needs:
 * the record goes to a block that has as much room, whether it needs it or not. Equal to @size where that is a
 * constant too. @shift is LKST_SHIFT(), or the constant that it is known to be.
 */
static __always_inline struct lkst_record_head *
lkst_ring_reserve(struct lkst_slot *s, struct lkst_state *st, u32 size, u32 window, u32 shift)
{
	const u64 in_block = (1ULL << shift) - 1;
	/* No block is filled to its last byte, so that `done` always lies in the block it ends. */
	const u64 limit = in_block + 1 - LKST_RECORD_ALIGN;
	u32 level = LKST_LOAD(st->nest);
	struct lkst_ring *ring;
	u64 next, at, ts;
	void *block;

	if (level >= LKST_LEVELS) {
		LKST_COUNT(&st->lost[LKST_LOSS_LEVEL]);
		return NULL;
	}
	LKST_STORE(st->nest, level + 1);
	LKST_BARRIER();
	ring = LKST_OPAQUE(&st->ring[level]);

	s->end = (LKST_LOAD(ring->done) + LKST_RECORD_ALIGN - 1) & ~(u64)(LKST_RECORD_ALIGN - 1);
	next = LKST_BOUNDED(s->end & in_block);
	if (LKST_UNLIKELY(next > limit - window || next + size > limit)) {
		ring = lkst_ring_after_turn(&st, ring);
		if (!ring)
			return NULL;
		s->end = LKST_LOAD(ring->done);
		next = LKST_BLOCK_HEADER;
	}
	/* Or it is spilled before it is compared, and Linux 6.1 does not see that it is bounded. */
	at = LKST_BOUNDED(next);
	block = LKST_ELEMENT_AT(&ring->element);
	ts = lkst_ring_clock(ring);
	if (LKST_UNLIKELY(ts >= LKST_LOAD(ring->turn_at))) {
		ring = lkst_ring_after_turn(&st, ring);
		if (!ring)
			return NULL;
		ts = LKST_LOAD(ring->last);
		s->end = LKST_LOAD(ring->done);
		at = LKST_BLOCK_HEADER;
		block = LKST_ELEMENT_AT(&ring->element);
	}
	if (!block) /* cannot be: user space made the array as large as base and mask say */
		return NULL;
	LKST_STORE(ring->last, ts);
	s->st = st;
	s->ring = ring;
	s->rec = block + at;
	s->end += size;
	s->element = ring->element;
	s->start = at;
	LKST_STORE(*(u64 *)(void *)s->rec, ts << 16);
	return s->rec;
}

/* Gives the place back as if it had not been reserved. */
static __always_inline void lkst_ring_drop(struct lkst_slot *s)
{
	LKST_BARRIER();
	LKST_STORE(s->st->nest, s->ring->level);
}

/* Gives the record its id, which makes it valid, and publishes it. */
static __always_inline void lkst_ring_commit(struct lkst_slot *s, u16 id)
{
	LKST_STORE(*(u16 *)&s->rec->id_time, id);
	LKST_STORE_RELEASE(s->ring->done, s->end);
	LKST_BARRIER();
	LKST_STORE(s->st->nest, s->ring->level);
}

#endif
