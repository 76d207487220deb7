/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder's own records that may come in any number: of triggers and incidents. They are to be kept long, in
 * the buffer of rare events, but not in place of the lives of threads, without which threads have no names. So they
 * get a share of each block of that buffer. Further ones go to main, where the events that cause them are.
 */
#ifndef LKST_BPF_SHARE_H
#define LKST_BPF_SHARE_H

#include "bpf/record.h"

/* A record for so many bytes of a block: with the longest names about a fifth of it. */
enum { LKST_SHARE_SHIFT = 9 };

/* Of this CPU: the block of the buffer of rare events that it writes to, and how many of the records it has. */
struct lkst_share {
	u64 block;
	u64 nr;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_share);
} lkst_shares SEC(".maps") __weak;

/* The buffer that the next such record goes to. An interrupt in between may give it one more than its share. */
static __always_inline u32 lkst_share_buffer(void)
{
	struct lkst_state *life = lkst_state_page(LKST_BUFFER_LIFE);
	u32 zero = 0, shift = LKST_SHIFT();
	struct lkst_share *share = bpf_map_lookup_elem(&lkst_shares, &zero);
	u64 block;

	if (!life || !share)
		return LKST_BUFFER_LIFE;
	block = LKST_LOAD(life->ring[0].done) >> shift;
	if (share->block != block) {
		share->block = block;
		share->nr = 0;
	}
	if (share->nr >= 1ULL << shift >> LKST_SHARE_SHIFT)
		return LKST_BUFFER_MAIN;
	share->nr++;
	return LKST_BUFFER_LIFE;
}

/* Begins such a record; as lkst_begin_own(). */
static __always_inline void *lkst_begin_share(struct lkst_slot *s, u32 size, u32 window)
{
	return lkst_begin_in(s, lkst_share_buffer(), size, window);
}

#endif
