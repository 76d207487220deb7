/* SPDX-License-Identifier: GPL-2.0-only */
/* State pages as a dump has them. */
#include "crash/ring.h"

#include <string.h>

#include "abi/block.h"
#include "trace/block.h"

static bool is_plausible(const struct lkst_state *st)
{
	return st->magic == LKST_STATE_MAGIC && st->version == LKST_ABI_VERSION &&
	       st->cpu < LKST_CPUS_MAX && st->buffer < LKST_BUFFER_STATE &&
	       st->block_shift >= LKST_BLOCK_SHIFT_MIN && st->block_shift <= LKST_BLOCK_SHIFT_MAX &&
	       !(st->mask & (st->mask + 1)) && st->head >= st->done && st->head < 1ULL << 62;
}

unsigned int lkst_dump_rings(const u8 *page, struct lkst_dump_ring ret_rings[LKST_DUMP_RINGS_MAX])
{
	struct lkst_state st;
	struct lkst_dump_ring *r = &ret_rings[0];

	memcpy(&st, page, sizeof(st));
	if (!is_plausible(&st))
		return 0;
	r->cpu = st.cpu;
	r->buffer = st.buffer;
	r->instance = lkst_stream_instance(st.cpu, st.buffer);
	r->shift = st.block_shift;
	r->nr_blocks = (u64)st.mask + 1;
	r->head = st.head;
	r->done = st.done;
	memcpy(r->lost, st.lost, sizeof(r->lost));
	return 1;
}

static u64 block_before(u64 position, u32 shift)
{
	return (position ? position - 1 : 0) >> shift;
}

u64 lkst_dump_ring_open_block(const struct lkst_dump_ring *r)
{
	return block_before(r->done, r->shift);
}

u64 lkst_dump_ring_last_block(const struct lkst_dump_ring *r)
{
	return block_before(r->head, r->shift);
}

u64 lkst_dump_ring_oldest(const struct lkst_dump_ring *r)
{
	u64 last = lkst_dump_ring_last_block(r);

	return last >= r->nr_blocks ? last - r->nr_blocks + 1 : 0;
}
