/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A string of the kernel as the last field of a record. Its length must be known before the
 * record is reserved, and the string may change meanwhile; so it is read into a scratch
 * area first, and copied from there.
 *
 * Each program has a scratch area of its own, one per CPU: the kernel does not run a program
 * inside itself on one CPU.
 */
#ifndef LKST_BPF_STRING_H
#define LKST_BPF_STRING_H

#include "bpf/record.h"

/* One byte more than is kept distinguishes a string that fits from one that is cut. */
struct lkst_string_scratch {
	char bytes[LKST_STRING_MAX + 1];
};

#define LKST_STRING_SCRATCH(name)                                                                  \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, 1);                                                            \
		__type(key, u32);                                                                  \
		__type(value, struct lkst_string_scratch);                                         \
	} name SEC(".maps")

struct lkst_string {
	char *bytes;
	u32 size; /* with its NUL, at most LKST_STRING_MAX */
	bool is_cut;
};

/*
 * Reads the string at @from, or its first @max characters where it has no end of its own, into
 * the scratch area @map. What can't be read is an empty string. False only if there is no area.
 */
static __always_inline bool lkst_string_read(struct lkst_string *s, void *map, const void *from,
					     u64 max)
{
	struct lkst_string_scratch *scratch;
	u64 room = LKST_BOUNDED(max);
	u32 zero = 0;
	long size;

	scratch = bpf_map_lookup_elem(map, &zero);
	if (!scratch)
		return false;
	if (room > LKST_STRING_MAX)
		room = LKST_STRING_MAX;
	size = bpf_probe_read_kernel_str(scratch->bytes, room + 1, from);
	if (size < 1) {
		scratch->bytes[0] = 0;
		size = 1;
	}
	s->bytes = scratch->bytes;
	s->is_cut = size > LKST_STRING_MAX;
	s->size = s->is_cut ? LKST_STRING_MAX : size;
	scratch->bytes[LKST_STRING_MAX - 1] = 0;
	return true;
}

/* Copies @s into its place @to in the record of @slot. */
static __always_inline void lkst_string_put(char *to, struct lkst_slot *slot, struct lkst_string *s)
{
	u64 size = LKST_BOUNDED(s->size);

	if (size <= LKST_STRING_MAX)
		bpf_probe_read_kernel(to, size, s->bytes);
	if (s->is_cut)
		LKST_COUNT(&slot->st->lost[LKST_LOSS_TRUNCATED]);
}

/* As lkst_recording_id() for @event, a record of which ends in string @s: the block puts that there. */
#define lkst_recording_string(event, r, s)                                                         \
	lkst_recording_id(struct lkst_rec_##event, r, lkst_cfg.id[LKST_EV_##event],                \
			  sizeof(*r) + (s)->size, sizeof(*r) + LKST_STRING_MAX)
#define LKST_PUT_STRING(field, s) lkst_string_put((field).bytes, &lkst_scope_.slot, s)

#endif
