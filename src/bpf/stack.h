/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks: each is written once, as a record `stack`, and samples refer to it by its number, which is made of what is
 * in it. So the same stack has the same number everywhere, and nothing has to be looked up by who reads.
 *
 * A stack of the kernel is written without that of the program that called it, whose number is in its record.
 *
 * Stacks go to the buffer of rare events, which keeps them when the samples have long been overwritten: one is
 * written again when this CPU wrote it longer ago than half of that buffer. Each CPU remembers, in a table of fixed
 * size, which stacks it wrote and where. What has no place there is forgotten, and then only written more often. A
 * program that interrupts another one in between may make a stack be written twice, and no number can be wrong.
 */
#ifndef LKST_BPF_STACK_H
#define LKST_BPF_STACK_H

#include "bpf/record.h"

enum {
	/* Who asks: one that interrupts the other has a scratch area of its own. */
	LKST_STACK_OF_SAMPLE = 0,
	LKST_STACK_OF_SWITCH,
	LKST_STACK_ASKERS,
};

/* A stack that this CPU has written. */
struct lkst_known_stack {
	u64 id;
	u64 at;	   /* where it ends in the buffer's ring of level 0, as `done` counts */
	u32 page;  /* the state page of that ring */
	u32 epoch; /* lkst_control.stack_epoch then */
};

/* LKST_KNOWN_STACKS for each CPU. Their number is set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_known_stack);
} lkst_stacks SEC(".maps") __weak;

struct lkst_frames {
	u64 at[LKST_STACK_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LKST_STACK_ASKERS);
	__type(key, u32);
	__type(value, struct lkst_frames);
} lkst_stack_scratch SEC(".maps") __weak;

/*
 * The number of a stack. A program chooses what its own stack holds, and must not be able to make two that have one
 * number: so what is multiplied by is secret, and nothing that is in a trace.
 */
static __always_inline u64 lkst_stack_number(const struct lkst_frames *frames, u32 nr, u64 caller,
					     u32 flags)
{
	const u64 one = lkst_cfg.memory_id[0] | 1, two = lkst_cfg.memory_id[1] | 1;
	u64 hash = (caller ^ one) * two + flags;
	u32 i;

	for (i = 0; i < LKST_STACK_FRAMES; i++) {
		if (i >= nr)
			break;
		hash = (hash ^ LKST_LOAD(frames->at[i])) * one;
		hash ^= hash >> 29;
		hash *= two;
		hash ^= hash >> 32;
	}
	return hash ?: 1;
}

/* Whether what this CPU remembers of stack @id is still in its buffer, and will be for long enough. */
static __always_inline bool lkst_stack_is_there(const struct lkst_known_stack *known, u64 id)
{
	struct lkst_state *st = lkst_state_page(LKST_BUFFER_LIFE);
	const struct lkst_ring *ring;
	u64 bytes, at = LKST_LOAD(known->at);

	if (!st || LKST_LOAD(known->id) != id ||
	    LKST_LOAD(known->epoch) != LKST_LOAD(lkst_control.stack_epoch))
		return false;
	ring = &st->ring[0];
	bytes = (u64)(ring->mask + 1) << lkst_cfg.block_shift;
	return LKST_LOAD(known->page) == ring->page &&
	       at >> lkst_cfg.block_shift >= LKST_LOAD(ring->first) &&
	       LKST_LOAD(ring->done) - at < bytes / 2;
}

/* Notes that the stack @id is in the record of @slot. The ring of an interrupting writer is small. */
static __always_inline void lkst_stack_note(struct lkst_known_stack *known, u64 id,
					    const struct lkst_slot *slot)
{
	if (slot->ring->level)
		return;
	LKST_STORE(known->id, 0);
	LKST_STORE(known->at, slot->end);
	LKST_STORE(known->page, slot->ring->page);
	LKST_STORE(known->epoch, LKST_LOAD(lkst_control.stack_epoch));
	LKST_STORE(known->id, id);
}

static __always_inline void lkst_stack_write(const struct lkst_frames *frames, u32 nr, u64 id,
					     u64 caller, u32 flags)
{
	u32 key = lkst_this_cpu() * LKST_KNOWN_STACKS + (u32)(id & (LKST_KNOWN_STACKS - 1)), i;
	struct lkst_known_stack *known = bpf_map_lookup_elem(&lkst_stacks, &key);

	if (!known || lkst_stack_is_there(known, id))
		return;
	lkst_recording_own(stack, r, lkst_begin_own, sizeof(*r) + nr * sizeof(u64),
			   sizeof(*r) + sizeof(*frames)) {
		LKST_PUT64(r->stack, id);
		LKST_PUT64(r->caller, caller);
		r->flags = flags;
		r->nr_frames = nr;
		for (i = 0; i < LKST_STACK_FRAMES; i++) {
			if (i >= nr)
				break;
			LKST_PUT64(r->frames.item[i], LKST_LOAD(frames->at[i]));
		}
		lkst_stack_note(known, id, &lkst_scope_.slot);
	}
}

/*
 * Keeps the stack of @bytes bytes that is in the scratch area of @asker, and returns its number. @caller: the number
 * of the stack that it continues, 0: none. Not inlined, so that it is verified once in a program.
 */
LKST_RARE u64 lkst_stack_keep(u32 asker, u64 bytes, u64 caller, u32 flags)
{
	struct lkst_frames *frames = bpf_map_lookup_elem(&lkst_stack_scratch, &asker);
	u32 nr = bytes / sizeof(u64);
	u64 id;

	if (!frames || !nr || nr > LKST_STACK_FRAMES)
		return caller;
	if (nr >= lkst_cfg.stack_frames)
		flags |= LKST_STACK_CUT;
	id = lkst_stack_number(frames, nr, caller, flags);
	lkst_stack_write(frames, nr, id, caller, flags);
	return id;
}

/*
 * The number of this thread's stack, with that of its program. @read: reads it into the frames at `frames`, with the
 * flags `flags` of bpf_get_stack(), and returns how many bytes. 0: nothing could be read.
 */
#define LKST_STACK(asker, read)                                                                    \
	({                                                                                         \
		u32 asker_ = asker;                                                                \
		struct lkst_frames *frames = bpf_map_lookup_elem(&lkst_stack_scratch, &asker_);    \
		u64 id_ = 0, flags = BPF_F_USER_STACK;                                             \
		long bytes_ = frames ? (read) : 0;                                                 \
                                                                                                   \
		if (bytes_ > 0)                                                                    \
			id_ = lkst_stack_keep(asker_, bytes_, 0, LKST_STACK_USER);                 \
		flags = 0;                                                                         \
		bytes_ = frames ? (read) : 0;                                                      \
		if (bytes_ > 0)                                                                    \
			id_ = lkst_stack_keep(asker_, bytes_, id_, 0);                             \
		id_;                                                                               \
	})

#endif
