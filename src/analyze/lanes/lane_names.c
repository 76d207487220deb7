/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls and interrupts in lanes are called. */
#include "analyze/lanes/lane_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/vec.h"

enum { CONTEXT_SHIFT = 56, NUMBER_SHIFT = 24 };

/* Different for any two names, unless the code of one is made to look like the number of another. */
static u64 lane_names_key_of(const struct lkst_lane_name *name)
{
	u64 key = ((u64)name->context << CONTEXT_SHIFT | (u64)(u32)name->number << NUMBER_SHIFT) ^
		  name->code;

	return key != LKST_HASH_NONE ? key : 0;
}

int lkst_lane_names_add(struct lkst_lane_names *n, struct lkst_lane_name name, u32 *ret_place)
{
	u64 key = lane_names_key_of(&name);
	const u64 *place = lkst_map_find(&n->places, key);
	struct lkst_lane_name *added;
	int err;

	if (place) {
		*ret_place = (u32)*place;
		return 0;
	}
	if (n->nr == LKST_LANE_NAMES_MAX) {
		*ret_place = n->nr - 1;
		return 0;
	}
	added = lkst_vec_add(n->list, n->nr);
	if (!added)
		return -ENOMEM;
	*added = name;
	*ret_place = n->nr - 1;
	err = lkst_map_set(&n->places, key, *ret_place);
	return err == -ENOSPC ? 0 : err;
}

void lkst_lane_name_fill(struct lkst_lane_name *name, const struct lkst_labels *labels,
			 struct lkst_symbols *symbols)
{
	char prefix[32];

	switch (name->context) {
	case LKST_CONTEXT_THREAD:
		if (name->code && name->code <= lkst_nr_syscalls)
			snprintf(name->text, sizeof(name->text), "%s",
				 lkst_syscalls[name->code - 1].name);
		else
			snprintf(name->text, sizeof(name->text), "system call %d", name->number);
		break;
	case LKST_CONTEXT_IRQ:
		lkst_name_irq(labels, name->number, name->text);
		break;
	case LKST_CONTEXT_VECTOR:
		lkst_name_vector(name->code, name->text);
		break;
	case LKST_CONTEXT_SOFTIRQ:
		lkst_name_softirq((u32)name->number, name->text);
		break;
	default:
		snprintf(prefix, sizeof(prefix), "%s:",
			 name->context < LKST_NR_CONTEXTS ? lkst_context_names[name->context]
							  : "?");
		lkst_name_address(symbols, prefix, name->code, name->text);
	}
}

void lkst_lane_names_fill(struct lkst_lane_names *n, const struct lkst_labels *labels,
			  struct lkst_symbols *symbols)
{
	u32 i;

	for (i = 0; i < n->nr; i++)
		lkst_lane_name_fill(&n->list[i], labels, symbols);
	if (n->nr == LKST_LANE_NAMES_MAX)
		snprintf(n->list[n->nr - 1].text, LKST_KEY_TEXT, "others");
}

void lkst_lane_names_fini(struct lkst_lane_names *n)
{
	free(n->list);
	lkst_map_fini(&n->places);
	*n = (struct lkst_lane_names){};
}
