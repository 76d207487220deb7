/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a trace by their ids (doc/samples.md): addresses, innermost first. One may be spoken of before it is
 * there, or without ever being there.
 */
#ifndef LKST_ANALYZE_ENGINE_STACKS_H
#define LKST_ANALYZE_ENGINE_STACKS_H

#include "base/hash.h"
#include "trace/read/reader.h"

enum {
	LKST_STACKS_MAX = 1 << 20,
	LKST_STACKS_FRAMES_MAX = 1 << 22, /* of all stacks */
	LKST_STACKS_NONE = 0,		  /* the number of no stack */
};

struct lkst_stack {
	u64 caller; /* id of the stack that it continues, 0: none */
	u32 first;  /* private */
	u16 nr;	    /* of its frames */
	u16 flags;  /* LKST_STACK_* */
	bool is_there;
};

/* All zero is empty. Members are private. */
struct lkst_stacks {
	struct lkst_hash numbers;
	struct lkst_stack *list;
	u32 nr_list;
	u64 *addresses;
	u32 nr_addresses;
};

void lkst_stacks_fini(struct lkst_stacks *s);

/* The number of the stack @id, LKST_STACKS_NONE: it is none, or there is no room. Negative: no memory. */
s64 lkst_stacks_number(struct lkst_stacks *s, u64 id);

/* Takes in a record `stack`; @record: as the feed has it. 0 or -ENOMEM. */
int lkst_stacks_feed(struct lkst_stacks *s, const struct lkst_record *r, const void *record);

/* Stack number @nr, which lkst_stacks_number() has returned; NULL: its record is not there. */
const struct lkst_stack *lkst_stacks_at(const struct lkst_stacks *s, u32 nr);

/* The stack that @stack continues; NULL: none, or its record is not there. */
const struct lkst_stack *lkst_stacks_caller(const struct lkst_stacks *s,
					    const struct lkst_stack *stack);

static inline u64 lkst_stacks_address(const struct lkst_stacks *s, const struct lkst_stack *stack,
				      u32 frame)
{
	return s->addresses[stack->first + frame];
}

#endif
