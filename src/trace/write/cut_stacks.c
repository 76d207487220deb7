/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of samples in a trace that is cut. */
#include "trace/write/cut_stacks.h"

#include <errno.h>
#include <string.h>

enum { STACKS_MAX = 1 << 20 };

void lkst_cut_stacks_fini(struct lkst_cut_stacks *s)
{
	lkst_kept_fini(&s->kept);
	lkst_map_fini(&s->known);
	lkst_map_fini(&s->wanted);
}

int lkst_cut_stacks_take(struct lkst_cut_stacks *s, const struct lkst_record *r)
{
	struct lkst_rec_stack stack;
	int err;

	if (!r->event->is_native || r->event->index != LKST_EV_stack)
		return 0;
	memcpy(&stack, r->bytes, sizeof(stack));
	s->known.max = STACKS_MAX;
	if (stack.stack == LKST_HASH_NONE || lkst_map_find(&s->known, stack.stack))
		return 1;
	err = lkst_map_set(&s->known, stack.stack, 1) ?: lkst_kept_add(NULL, &s->kept, r, LKST_KEPT_ALL);
	return err == -ENOMEM ? err : 1;
}

void lkst_cut_stacks_begin(struct lkst_cut_stacks *s)
{
	lkst_map_clear(&s->wanted);
	s->wanted.max = STACKS_MAX;
}

static int cut_stacks_want(struct lkst_cut_stacks *s, u64 stack)
{
	if (!stack || stack == LKST_HASH_NONE)
		return 0;
	return lkst_map_set(&s->wanted, stack, 1) == -ENOMEM ? -ENOMEM : 0;
}

int lkst_cut_stacks_want(struct lkst_cut_stacks *s, const struct lkst_record *r)
{
	struct lkst_rec_off_cpu off_cpu;
	struct lkst_rec_sample sample;
	struct lkst_rec_stack stack;

	if (!r->event->is_native)
		return 0;
	switch (r->event->index) {
	case LKST_EV_sample:
		memcpy(&sample, r->bytes, sizeof(sample));
		return cut_stacks_want(s, sample.stack);
	case LKST_EV_off_cpu:
		memcpy(&off_cpu, r->bytes, sizeof(off_cpu));
		return cut_stacks_want(s, off_cpu.stack);
	case LKST_EV_stack:
		memcpy(&stack, r->bytes, sizeof(stack));
		return cut_stacks_want(s, stack.caller);
	default:
		return 0;
	}
}

static bool cut_stacks_is_wanted(const struct lkst_cut_stacks *s, const struct lkst_rec_stack *stack)
{
	return lkst_map_find(&s->wanted, stack->stack);
}

/* The program's stack, which one of the kernel's continues, is wanted with it. */
static int want_callers(struct lkst_cut_stacks *s)
{
	struct lkst_kept_record k;
	struct lkst_rec_stack stack;
	const u8 *bytes;
	size_t at = 0;
	int err = 0;

	while (!err && (bytes = lkst_kept_next(&s->kept, &at, &k))) {
		memcpy(&stack, bytes, sizeof(stack));
		if (cut_stacks_is_wanted(s, &stack))
			err = cut_stacks_want(s, stack.caller);
	}
	return err;
}

int lkst_cut_stacks_write(struct lkst_err *e, struct lkst_cut_stacks *s, u64 ns, struct lkst_writer *w)
{
	union {
		struct lkst_record_head head;
		struct lkst_rec_stack stack;
		u8 bytes[1 << LKST_BLOCK_SHIFT_MIN];
	} record;
	struct lkst_kept_record k;
	const u8 *bytes;
	size_t at = 0;
	int err = want_callers(s);

	if (err)
		return lkst_err_sys(e, err, "cutting");
	while (!err && (bytes = lkst_kept_next(&s->kept, &at, &k))) {
		if (k.length > sizeof(record.bytes) - LKST_BLOCK_HEADER)
			continue;
		memcpy(record.bytes, bytes, k.length);
		if (cut_stacks_is_wanted(s, &record.stack))
			err = lkst_writer_state(e, w, ns, &record, k.length);
	}
	return err;
}
