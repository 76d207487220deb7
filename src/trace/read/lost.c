// SPDX-License-Identifier: GPL-2.0-only
/* When the records were made that a ring has overwritten. */
#include "trace/read/lost.h"

#include <endian.h>

#include "abi/block.h"
#include "abi/control.h"
#include "trace/format/block.h"

/* What has been found so far, and the stretch to look at next: where it begins. */
struct lost_search {
	const struct lkst_lost_ring *ring;
	struct lkst_lost *list;
	unsigned int nr;
	u64 at, ns;
};

/* How many blocks had been opened at position @at. */
static u64 opened_at(const struct lost_search *s, u64 at)
{
	u64 in_block = (1ULL << s->ring->shift) - 1;

	return (at + in_block) >> s->ring->shift;
}

/* The stretch goes up to position @at and time @ns: the part of it before the oldest block is lost. */
static void end_stretch(struct lost_search *s, u64 at, u64 ns)
{
	u64 first = s->ring->first << s->ring->shift, oldest = s->ring->oldest << s->ring->shift;
	struct lkst_lost lost = { .from_ns = s->ns, .to_ns = ns };
	u64 from = s->at > first ? s->at : first;

	if (at > oldest) {
		at = oldest;
		lost.to_ns = s->ring->begin_ns < ns ? s->ring->begin_ns : ns;
	}
	if (from >= at)
		return;
	/* The blocks are counted even if the times make no sense. */
	if (lost.to_ns < lost.from_ns)
		lost.to_ns = lost.from_ns;
	lost.blocks = opened_at(s, at) - opened_at(s, from);
	if (s->nr && s->list[s->nr - 1].to_ns == lost.from_ns) {
		s->list[s->nr - 1].to_ns = lost.to_ns;
		s->list[s->nr - 1].blocks += lost.blocks;
	} else {
		s->list[s->nr++] = lost;
	}
}

/* The next stretch begins at @mark. */
static void begin_stretch(struct lost_search *s, const struct lkst_mark *mark)
{
	u32 shift = s->ring->shift;

	s->at = mark->at & ~LKST_MARK_OPENS;
	s->ns = mark->ns;
	/* A block without records is begun again, instead of the one after it. */
	if (mark->at & LKST_MARK_OPENS && (s->at & ((1ULL << shift) - 1)) > LKST_BLOCK_HEADER)
		s->at = ((s->at >> shift) + 1) << shift;
}

unsigned int lkst_lost_find(const struct lkst_lost_ring *r, struct lkst_lost ret_lost[LKST_LOST_MAX])
{
	const struct lkst_marks *marks = r->marks;
	struct lost_search s = { .ring = r, .list = ret_lost, .ns = marks->since_ns };
	/* The next mark may be replacing the oldest one of a full table at this moment. */
	u64 i = marks->nr >= LKST_MARKS ? marks->nr - LKST_MARKS + 1 : 0;

	if (r->oldest <= r->first)
		return 0;
	/* Marks are of the ring of level 0: where the other rings were is not known. */
	for (; i < marks->nr && !r->level; i++) {
		const struct lkst_mark *mark = &marks->mark[i % LKST_MARKS];

		end_stretch(&s, mark->at & ~LKST_MARK_OPENS, mark->ns);
		begin_stretch(&s, mark);
	}
	end_stretch(&s, UINT64_MAX, UINT64_MAX);
	return s.nr;
}

struct lkst_rec_state_overwritten lkst_lost_record(u64 instance, const struct lkst_lost *lost)
{
	return (struct lkst_rec_state_overwritten){
		.loss_cpu = (s16)htole16((u16)lkst_instance_cpu(instance)),
		.buffer = htole16((u16)lkst_instance_buffer(instance)),
		.level = htole32(lkst_instance_level(instance)),
		.blocks = htole64(lost->blocks),
		.from = htole64(lost->from_ns),
		.to = htole64(lost->to_ns),
	};
}

bool lkst_lost_from_history(u64 instance)
{
	u32 buffer = lkst_instance_buffer(instance);

	return lkst_buffer_is_of_kernel(buffer) && buffer != LKST_BUFFER_LIFE &&
	       !lkst_instance_level(instance);
}
