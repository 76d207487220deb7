/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of a trace. */
#include "analyze/engine/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct stacks_numbered {
	u64 id;
	u32 nr;
};

void lkst_stacks_fini(struct lkst_stacks *s)
{
	lkst_hash_fini(&s->numbers);
	free(s->list);
	free(s->addresses);
	*s = (struct lkst_stacks){};
}

s64 lkst_stacks_number(struct lkst_stacks *s, u64 id)
{
	struct stacks_numbered *known;

	if (!id || id == LKST_HASH_NONE)
		return LKST_STACKS_NONE;
	known = lkst_hash_find(&s->numbers, id, sizeof(*known));
	if (known)
		return known->nr;
	/* The first of the list is none. */
	if (s->nr_list >= LKST_STACKS_MAX)
		return LKST_STACKS_NONE;
	if (!s->nr_list && !lkst_vec_add(s->list, s->nr_list))
		return -ENOMEM;
	if (lkst_hash_reserve(&s->numbers, sizeof(*known)) || !lkst_vec_add(s->list, s->nr_list))
		return -ENOMEM;
	known = lkst_hash_add(&s->numbers, id, sizeof(*known));
	known->nr = s->nr_list - 1;
	return known->nr;
}

/* The frames are in the record as the file has them. */
int lkst_stacks_feed(struct lkst_stacks *s, const struct lkst_record *r, const void *record)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "frames");
	struct lkst_rec_stack is;
	const u8 *bytes = NULL;
	u32 length = 0, i;
	s64 nr;

	memcpy(&is, record, sizeof(is));
	nr = lkst_stacks_number(s, is.stack);
	if (nr < 0)
		return (int)nr;
	if (f && f->type == LKST_CLASS_WORDS && f->size == sizeof(u64))
		bytes = lkst_record_field(r, (u16)(f - r->event->fields), &length);
	length /= sizeof(u64);
	if (nr == LKST_STACKS_NONE || s->list[nr].is_there || !bytes ||
	    length > LKST_STACK_FRAMES || s->nr_addresses + length > LKST_STACKS_FRAMES_MAX)
		return 0;
	s->list[nr] = (struct lkst_stack){ .caller = is.caller,
					   .first = s->nr_addresses,
					   .nr = (u16)length,
					   .flags = is.flags,
					   .is_there = true };
	for (i = 0; i < length; i++) {
		u64 *address = lkst_vec_add(s->addresses, s->nr_addresses);

		if (!address)
			return -ENOMEM;
		memcpy(address, bytes + i * sizeof(*address), sizeof(*address));
	}
	return 0;
}

const struct lkst_stack *lkst_stacks_at(const struct lkst_stacks *s, u32 nr)
{
	return nr != LKST_STACKS_NONE && s->list[nr].is_there ? &s->list[nr] : NULL;
}

const struct lkst_stack *lkst_stacks_caller(const struct lkst_stacks *s,
					    const struct lkst_stack *stack)
{
	const struct stacks_numbered *known =
		stack->caller && stack->caller != LKST_HASH_NONE
			? lkst_hash_find(&s->numbers, stack->caller, sizeof(*known))
			: NULL;

	return known ? lkst_stacks_at(s, known->nr) : NULL;
}
