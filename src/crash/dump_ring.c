/* SPDX-License-Identifier: GPL-2.0-only */
/* State pages as a dump has them. */
#include "crash/dump_ring.h"

#include <string.h>

#include "abi/block.h"
#include "trace/format/block.h"

/* The first layout that has the same page. In it, blocks and notes had the trace's UUID themselves. */
enum { LAYOUT_WITHOUT_UUID = 5 };

static bool dump_ring_is_plausible(const struct lkst_state *st)
{
	return st->magic == LKST_STATE_MAGIC &&
	       st->version >= LAYOUT_WITHOUT_UUID && st->version <= LKST_ABI_VERSION &&
	       st->cpu < LKST_CPUS_MAX && st->buffer < LKST_BUFFER_STATE &&
	       st->block_shift >= LKST_BLOCK_SHIFT_MIN && st->block_shift <= LKST_BLOCK_SHIFT_MAX;
}

static bool is_plausible_ring(const struct lkst_ring *r, u32 shift)
{
	return !(r->mask & (r->mask + 1)) && r->done < LKST_TIME_MAX && r->opened < LKST_TIME_MAX &&
	       (r->done ? r->done >> shift < r->opened : r->opened <= 1) && r->last < LKST_TIME_MAX &&
	       r->first <= (r->done >> shift) + 1;
}

unsigned int lkst_dump_rings(const u8 *page, struct lkst_dump_ring ret_rings[LKST_DUMP_RINGS_MAX])
{
	struct lkst_state st;
	unsigned int level, nr = 0;

	memcpy(&st, page, sizeof(st));
	if (!dump_ring_is_plausible(&st))
		return 0;
	for (level = 0; level < LKST_LEVELS; level++) {
		const struct lkst_ring *from = &st.ring[level];
		struct lkst_dump_ring *r = &ret_rings[nr];

		if (!is_plausible_ring(from, st.block_shift))
			continue;
		*r = (struct lkst_dump_ring){
			.instance = lkst_stream_instance(st.cpu, st.buffer, level),
			.shift = st.block_shift,
			.nr_blocks = (u64)from->mask + 1,
			.first = from->first,
			.done = from->done,
			.opened = from->opened,
			.last = from->last,
			.is_writing = st.nest > level,
			.marks = st.marks,
		};
		if (!level)
			memcpy(r->lost, st.lost, sizeof(r->lost));
		nr++;
	}
	return nr;
}

bool lkst_dump_uuid(const u8 *page, u8 ret_uuid[16])
{
	static const u8 none[16];
	struct lkst_state st;

	memcpy(&st, page, sizeof(st));
	memcpy(ret_uuid, st.version == LAYOUT_WITHOUT_UUID ? st.memory_id : st.uuid, 16);
	return memcmp(ret_uuid, none, sizeof(none)) != 0;
}

u64 lkst_dump_ring_oldest(const struct lkst_dump_ring *r)
{
	u64 oldest = r->opened > r->nr_blocks ? r->opened - r->nr_blocks : 0;

	return oldest > r->first ? oldest : r->first;
}

u64 lkst_dump_ring_end(const struct lkst_dump_ring *r)
{
	u64 open = r->done >> r->shift;

	return open + (r->done - (open << r->shift) > LKST_BLOCK_HEADER);
}
