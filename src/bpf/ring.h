/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserve and commit: how a writer gets its place in a per-CPU ring of blocks and gives it back.
 * Lockless, never waits, at most LKST_RESERVE_TRIES rounds. The kernel programs include this
 * file, and tests/unit/ring_model.c includes the same file to interleave it exhaustively.
 *
 * The includer supplies the primitives first:
 *   LKST_LOAD(x), LKST_STORE(x, v)   a plain access the compiler may not tear, move or repeat
 *   LKST_STORE_RELEASE(x, v)         the same, after every earlier store
 *   LKST_CAS(p, old, new)            compare-and-swap, fully ordered, returns what it found
 *   LKST_COUNT(p)                    add 1, indivisible against an interrupt on this CPU
 *   LKST_CLOCK()                     ns, CLOCK_MONOTONIC, may step back by some ns
 *   LKST_TID(), LKST_SHIFT()         this thread; log2 of the block size
 *   LKST_ELEMENT(i)                  element i of the memory array, or NULL
 *   LKST_UUID_LO(), _HI()            the trace's UUID as two words
 *   LKST_BARRIER(), LKST_BOUNDED(v)  a compiler barrier; hides from the compiler where v came from
 *   LKST_RARE                        attributes of a function that must not be inlined
 *
 * Writers on one CPU nest: one that interrupts another runs to its end before the other goes on.
 * Everything below follows from that and from these rules.
 *
 *   head   moves by compare-and-swap only, so each byte is given out once. It is the exact end of
 *          the last record, since a reader refuses a packet whose content counts alignment in.
 *   last   A writer at nesting level k stores its time in last[k] before the compare-and-swap, and
 *          its time is at least the maximum of all four. Each slot has one writer at a time and
 *          never falls, so a record's time is never below that of a record before it, although
 *          the clock may step back and although an interrupt may come between any two steps.
 *   done   The outermost writer publishes done = head when it leaves, with a record or without:
 *          those that interrupted it may have left theirs. It does so while it still counts in
 *          `nest`, so no writer below it is unfinished; then it leaves and looks again, for one that
 *          came in between could not publish. The reader's acquire of `done` pairs with this release.
 *   lap    A block may be opened only if that spares the block of the last published byte: an
 *          unfinished record is never lapped, and neither is a closed field still to be written.
 *   gap    A record that comes LKST_TIME_GAP_MAX after the one before it needs a block of its own,
 *          or a reader takes its 48 bits for a wrap too few. `gap_at` tells that to whoever nests in
 *          once last[] holds the new time.
 *   open   First magic = 0, then the fields, then the magic. What the header counts as discarded is
 *          summed before the head moves: a block opened meanwhile may not count less.
 *          `timestamp_end` and `content_size` belong to the writer that closes the block, which may
 *          have nested into its opener.
 *
 * A reader takes a block as closed only if `done` lies beyond its end; in the block that `done`
 * lies in, or ends, the content reaches to `done`. It copies the block, then loads `head` again:
 * the copy is good if the block of the head's last byte is at most `mask` above it.
 */
#ifndef LKST_BPF_RING_H
#define LKST_BPF_RING_H

#include "abi/block.h"
#include "abi/state.h"

enum {
	LKST_RESERVE_TRIES = 4,
	LKST_PUBLISH_TRIES = 4,
};

/* A reserved place. Valid from lkst_ring_reserve() to lkst_ring_commit(). */
struct lkst_slot {
	struct lkst_state *st;
	struct lkst_record_head *rec;
	u32 element; /* index of the block */
	u32 start;   /* of the record, bytes from the block's start */
	u32 level;
};

static __always_inline u64 lkst_ring_latest(struct lkst_state *st)
{
	u64 a = LKST_LOAD(st->last[0]), b = LKST_LOAD(st->last[1]);
	u64 c = LKST_LOAD(st->last[2]), d = LKST_LOAD(st->last[3]);

	a = a > b ? a : b;
	c = c > d ? c : d;
	return a > c ? a : c;
}

/* Closes the block that ends at position @head. @latest: no record in it is younger. */
static __always_inline void lkst_block_close(struct lkst_block_header *h, u64 head, u64 latest,
					     u32 shift)
{
	u64 used = ((head - 1) & ((1ULL << shift) - 1)) + 1;

	/* A reader takes content_size as valid once timestamp_end is, so that comes last. */
	LKST_STORE(h->content_size, used * 8);
	LKST_STORE_RELEASE(h->timestamp_end, latest);
}

/* Fills the open fields of block number @seq, whose first record has the time @ts. */
static __always_inline void lkst_block_open(struct lkst_state *st, struct lkst_block_header *h,
					    u64 seq, u64 ts, u64 discarded, u32 shift)
{
	typedef u64 __attribute__((aligned(4), may_alias)) u64_at_4;
	u64_at_4 *uuid = (void *)h->uuid;

	LKST_STORE(h->magic, 0);
	LKST_BARRIER();
	uuid[0] = LKST_UUID_LO();
	uuid[1] = LKST_UUID_HI();
	h->stream_id = LKST_STREAM_CLASS;
	h->stream_instance_id = lkst_stream_instance(st->cpu, st->buffer);
	h->timestamp_begin = ts;
	h->packet_size = 8ULL << shift;
	h->packet_seq_num = seq;
	h->events_discarded = discarded;
	h->cpu_id = st->cpu;
	h->tid = LKST_TID();
	LKST_STORE_RELEASE(h->magic, LKST_BLOCK_MAGIC);
}

/*
 * The caller has just moved the head over a block boundary, away from @head: closes the block that
 * ends there and opens the next one. It takes the element of the state page, not a pointer, so
 * that it can be verified once and not along each path to it.
 */
LKST_RARE int lkst_ring_turn(u32 state, u64 head, u64 ts, u64 latest, u64 discarded)
{
	const u32 shift = LKST_SHIFT();
	u64 seq = (head + (1ULL << shift) - 1) >> shift;
	struct lkst_state *st = LKST_ELEMENT(state);
	struct lkst_block_header *h;

	if (!st)
		return 0;
	if (head) {
		h = LKST_ELEMENT(st->base + (((head - 1) >> shift) & st->mask));
		if (h)
			lkst_block_close(h, head, latest, shift);
	}
	h = LKST_ELEMENT(st->base + (seq & st->mask));
	if (h)
		lkst_block_open(st, h, seq, ts, discarded, shift);
	return 0;
}

/*
 * True if the block at position @start may be opened: the ring's bytes that it takes the place of
 * end before the block that holds the last published byte. That block is spared although all of
 * it may be published, since its closed fields may still be unwritten.
 */
static __always_inline bool lkst_ring_may_open(struct lkst_state *st, u64 start, u32 shift)
{
	u64 done = LKST_LOAD(st->done);
	u64 oldest = (done ? done - 1 : 0) >> shift;

	return (start >> shift) - oldest <= st->mask;
}

/* What a try to move the head came to, if not to a position. */
enum {
	LKST_TRY_AGAIN = -1, /* a writer nested between the reading of the head and the swap */
	LKST_TRY_LAP = -2,   /* counts as LKST_LOSS_LAP */
};

/*
 * One try at nesting level @level: on success the head has moved over @size bytes, the block they
 * lie in is open, last[@level] is the record's time, and the position is returned.
 */
static __always_inline s64 lkst_ring_try(u32 state, struct lkst_state *st, u32 size, u32 room,
					 u32 level, u32 shift)
{
	const u64 block_size = 1ULL << shift, in_block = block_size - 1;
	/* The head comes first: what is read after it can only be newer. */
	u64 head = LKST_LOAD(st->head);
	u64 latest = lkst_ring_latest(st);
	u64 ts = LKST_CLOCK(), discarded = 0, start;
	bool turn;

	if (ts < latest)
		ts = latest;
	/* Once last[] has @ts, who comes in between sees no gap, so it needs a sign. */
	if (ts - latest >= LKST_TIME_GAP_MAX)
		LKST_STORE(st->gap_at, (u32)head);
	LKST_STORE(st->last[level], ts);

	start = (head + LKST_RECORD_ALIGN - 1) & ~(u64)(LKST_RECORD_ALIGN - 1);
	turn = !(start & in_block) || (start & in_block) + size > block_size ||
	       (start & in_block) + room > block_size || LKST_LOAD(st->gap_at) == (u32)head;
	if (turn) {
		start = (start + in_block) & ~in_block;
		if (!lkst_ring_may_open(st, start, shift))
			return LKST_TRY_LAP;
		start += LKST_BLOCK_HEADER;
		/* Not later: a block opened meanwhile must not count less than this one. */
		discarded = LKST_LOAD(st->lost[LKST_LOSS_LAP]) +
			    LKST_LOAD(st->lost[LKST_LOSS_TRIES]) +
			    LKST_LOAD(st->lost[LKST_LOSS_LEVEL]) +
			    LKST_LOAD(st->lost[LKST_LOSS_TOO_LONG]);
	}
	if (LKST_CAS(&st->head, head, start + size) != head)
		return LKST_TRY_AGAIN;
	if (turn)
		lkst_ring_turn(state, head, ts, latest, discarded);
	return start;
}

/* The tries after the first. Out of line: it happens once in thousands of records. */
LKST_RARE s64 lkst_ring_try_again(u32 state, u32 size, u32 room, u32 level)
{
	struct lkst_state *st = LKST_ELEMENT(state);
	s64 start = LKST_TRY_AGAIN;
	u32 i;

	if (!st || level >= LKST_LEVELS)
		return start;
	for (i = 1; i < LKST_RESERVE_TRIES && start == LKST_TRY_AGAIN; i++)
		start = lkst_ring_try(state, st, size, room, level, LKST_SHIFT());
	return start;
}

/*
 * Leaves @level. The outermost writer publishes, even if it got no place itself: those that
 * interrupted it may have, and until `done` has passed them the lap rule could refuse everyone.
 */
static __always_inline void lkst_ring_leave(struct lkst_state *st, u32 level)
{
	u32 i;

	if (level) {
		LKST_STORE_RELEASE(st->nest, level);
		return;
	}
	for (i = 0; i < LKST_PUBLISH_TRIES; i++) {
		u64 head = LKST_LOAD(st->head);

		LKST_STORE_RELEASE(st->done, head);
		LKST_STORE_RELEASE(st->nest, 0);
		if (LKST_LOAD(st->head) == head)
			return;
		LKST_STORE(st->nest, 1);
		LKST_BARRIER();
	}
	LKST_STORE_RELEASE(st->nest, 0);
}

/* A writer that gets no place: counts why (enum lkst_loss) and leaves. Out of line: it is rare. */
LKST_RARE int lkst_ring_give_up(u32 state, u32 level, u32 loss)
{
	struct lkst_state *st = LKST_ELEMENT(state);

	if (!st || loss >= LKST_LOSS_NR)
		return 0;
	LKST_COUNT(&st->lost[loss]);
	lkst_ring_leave(st, level);
	return 0;
}

/*
 * Reserves @size bytes (at least a record head, at most the block size less LKST_BLOCK_HEADER)
 * for one record in the ring whose state page is @st, element @state, and writes its head as
 * padding. On failure the loss is counted, the level is left, and NULL is returned.
 *
 * The caller may touch @window bytes from the record's start, a constant that the verifier needs:
 * the record goes to a block that has as much room, wanted or not. Equal to @size where that is a
 * constant too. @shift is LKST_SHIFT(), or the constant that it is known to be.
 */
static __always_inline struct lkst_record_head *
lkst_ring_reserve(struct lkst_slot *s, u32 state, struct lkst_state *st, u32 size, u32 window,
		  u32 shift)
{
	const u64 block_size = 1ULL << shift, in_block = block_size - 1;
	const u32 room = window < LKST_PAD_MIN ? LKST_PAD_MIN : window;
	u32 level = LKST_LOAD(st->nest), element;
	u64 at, ts;
	s64 start;
	void *block;

	if (level >= LKST_LEVELS) {
		LKST_COUNT(&st->lost[LKST_LOSS_LEVEL]);
		return NULL;
	}
	LKST_STORE(st->nest, level + 1);
	LKST_BARRIER();

	start = lkst_ring_try(state, st, size, room, level, shift);
	if (start == LKST_TRY_AGAIN)
		start = lkst_ring_try_again(state, size, room, level);
	if (start < 0) {
		lkst_ring_give_up(state, level,
				  start == LKST_TRY_LAP ? LKST_LOSS_LAP : LKST_LOSS_TRIES);
		return NULL;
	}
	element = st->base + (((u64)start >> shift) & st->mask);
	block = LKST_ELEMENT(element);
	if (!block) /* cannot be: user space made the array as large as base and mask say */
		return NULL;
	at = LKST_BOUNDED((u64)start & in_block);
	if (at > block_size - room)
		at = 0; /* cannot be, but the verifier has not followed */
	s->element = element;
	s->start = at;
	s->rec = block + at;
	s->st = st;
	s->level = level;
	ts = LKST_LOAD(st->last[level]);
	LKST_STORE(*(u64 *)(void *)s->rec, ts << 16);
	s->rec->tid = LKST_TID();
	*(u32 *)(s->rec + 1) = size > LKST_PAD_MIN ? size - LKST_PAD_MIN : 0;
	return s->rec;
}

/* Gives the record its id, which makes it one, and publishes it if no writer is below. */
static __always_inline void lkst_ring_commit(struct lkst_slot *s, u16 id)
{
	LKST_STORE_RELEASE(*(u16 *)&s->rec->id_time, id);
	lkst_ring_leave(s->st, s->level);
}

#endif
