/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/ring.h promises, checked on the memory of model/machine.h: as a crash dump would find it
 * at any step, as a live reader copies it, and when all writers have left. Only
 * tests/unit/ring_model.c includes it. The decoder here is its own, not the one of trace/.
 *
 * A live reader is covered twice. model_check_stores() says that no store ever hits what a reader
 * may hold: what is published and not yet counted as gone by `opened`. So it does not matter when, in
 * which order or in which pieces a reader copies. model_reader_acts() is such a reader, in steps.
 */
#ifndef LKST_TESTS_MODEL_CLAIMS_H
#define LKST_TESTS_MODEL_CLAIMS_H

#include "writer.h"

#define LLU(x) ((unsigned long long)(x))

static void model_check_header(const struct lkst_block_header *h, u32 index, const struct note *n)
{
	u64 uuid[2];

	memcpy(uuid, h->uuid, sizeof(uuid));
	CLAIM(n->number == h->packet_seq_num, "block %llu is numbered %llu", LLU(n->number),
	      LLU(h->packet_seq_num));
	CLAIM(h->magic == LKST_BLOCK_MAGIC && uuid[0] == MODEL_UUID_LO &&
		      uuid[1] == MODEL_UUID_HI && h->stream_id == LKST_STREAM_CLASS &&
		      h->stream_instance_id ==
			      lkst_stream_instance(MODEL_CPU, MODEL_BUFFER + index / LKST_LEVELS,
						   index % LKST_LEVELS) &&
		      h->packet_size == 8ULL << m.sc->shift && h->cpu_id == MODEL_CPU,
	      "header of block %llu", LLU(n->number));
	CLAIM(h->timestamp_begin == n->ts && h->tid == n->tid, "block %llu was opened by %d",
	      LLU(n->number), n->tid);
}

/*
 * One record at @position of ring @index, which the bytes at @rec are: complete, whole, where
 * its writer put it and of the right time. Returns its size, 0 if that cannot be known.
 */
static u32 model_check_record(const u8 *rec, u32 index, u64 position, u64 *ns)
{
	const struct writer *w;
	u64 id_time;
	u32 tid, i;

	memcpy(&id_time, rec, sizeof(id_time));
	memcpy(&tid, rec + sizeof(id_time), sizeof(tid));
	w = &m.writers[tid % MODEL_WRITERS];
	if (w->number != tid || w->ring != index || w->position != position ||
	    w->fate != FATE_FILLED) {
		model_fail("a record is its writer's", "at %llu: thread %u", LLU(position), tid);
		return 0;
	}
	CLAIM((id_time & 0xffff) == model_id(tid), "writer %u: id %llu", tid,
	      LLU(id_time & 0xffff));
	for (i = sizeof(struct lkst_record_head); i < w->size; i++)
		if (rec[i] != model_pattern(tid, i))
			model_fail("a record's bytes are its writer's", "writer %u, byte %u", tid,
				   i);
	*ns += ((id_time >> 16) - *ns) & ((1ULL << LKST_TIME_BITS) - 1);
	CLAIM(*ns == w->ts, "writer %u: its time reads %llu, is %llu", tid, LLU(*ns), LLU(w->ts));
	CLAIM(w->ts >= w->clock && w->ts <= m.run.clock_max, "writer %u: %llu, the clock said %llu",
	      tid, LLU(w->ts), LLU(w->clock));
	return w->size;
}

/*
 * Block @number of ring @index, of which the records below @done are published, from its
 * @bytes. Returns how many there are.
 */
static u32 model_check_block(const u8 *bytes, u32 index, u64 number, u64 done, bool is_copy)
{
	const struct note *n = &m.run.notes[index][number % MODEL_NOTES];
	u64 begin = number << m.sc->shift, ns, before;
	u32 limit = done - begin, at, end = LKST_BLOCK_HEADER, size, nr = 0;
	bool is_closed = done > begin + (1ULL << m.sc->shift);
	struct lkst_block_header h;

	memcpy(&h, bytes, sizeof(h));
	model_check_header(&h, index, n);
	if (is_closed)
		limit = n->content;
	/* A dump has no other sign than the times; a copying reader uses `done` alone. */
	if (is_closed || (!is_copy && h.timestamp_end >= h.timestamp_begin))
		CLAIM(limit && h.content_size == 8 * limit,
		      "block %llu counts %llu bits, holds %u bytes", LLU(number),
		      LLU(h.content_size), limit);
	ns = before = h.timestamp_begin;
	for (at = end; at < limit && !m.failed; at = (end + 7) & ~7U) {
		size = model_check_record(bytes + at, index, begin + at, &ns);
		if (!size)
			return nr;
		nr++;
		CLAIM(ns >= before, "time falls in block %llu", LLU(number));
		before = ns;
		end = at + size;
	}
	CLAIM(end == limit, "block %llu ends at byte %u, not %u", LLU(number), end, limit);
	if (!is_closed)
		return nr;
	CLAIM(end > LKST_BLOCK_HEADER, "block %llu is empty", LLU(number));
	CLAIM(h.timestamp_end >= ns, "block %llu has a younger record", LLU(number));
	n = &m.run.notes[index][(number + 1) % MODEL_NOTES];
	CLAIM(n->number == number + 1 && h.timestamp_end <= n->ts,
	      "block %llu ends after the next begins", LLU(number));
	return nr;
}

/* Every header with a magic is whole, whatever is going on. */
static void model_check_magics(u32 index)
{
	struct lkst_block_header h;
	const struct note *n;
	u32 i;

	for (i = 0; i < m.sc->nr_blocks; i++) {
		memcpy(&h, model_at(index, (u64)i << m.sc->shift), sizeof(h));
		if (h.magic != LKST_BLOCK_MAGIC)
			continue;
		n = &m.run.notes[index][h.packet_seq_num % MODEL_NOTES];
		CLAIM((h.packet_seq_num & model_ring(index)->mask) == i,
		      "block %llu is in place %u", LLU(h.packet_seq_num), i);
		model_check_header(&h, index, n);
	}
}

/* Number of the oldest block that is still there, as @ring counts. */
static u64 model_oldest(const struct lkst_ring *ring)
{
	return ring->opened > (u64)ring->mask + 1 ? ring->opened - ring->mask - 1 : 0;
}

/* A ring as a dump would show it now: all below `done` is whole. Returns the number of records. */
static u32 model_check_ring(u32 index)
{
	const struct lkst_ring *ring = model_ring(index);
	u64 last = ring->done >> m.sc->shift, i, lost = 0, discarded = 0;
	const struct lkst_block_header *h;
	u32 nr = 0;

	model_check_magics(index);
	if (!ring->done)
		return 0;
	CLAIM(ring->opened - last - 1 <= 1, "%llu blocks are opened, %llu is the last",
	      LLU(ring->opened), LLU(last));
	for (i = 0; i < LKST_LOSS_NR; i++)
		lost += m.st[index / LKST_LEVELS].lost[i];
	for (i = model_oldest(ring); i <= last && !m.failed; i++) {
		h = (const void *)model_at(index, i << m.sc->shift);
		nr += model_check_block((const u8 *)h, index, i, ring->done, false);
		CLAIM(h->events_discarded >= discarded &&
			      h->events_discarded <= (index % LKST_LEVELS ? 0 : lost),
		      "block %llu: %llu events discarded, %llu before, %llu now", LLU(i),
		      LLU(h->events_discarded), LLU(discarded), LLU(lost));
		discarded = h->events_discarded;
	}
	return nr;
}

static u32 model_check_dump(void)
{
	u32 index, nr = 0;

	m.nr_checks++;
	for (index = 0; index < model_nr_rings() && !m.failed; index++)
		nr += model_check_ring(index);
	return nr;
}

/* The word at @offset of a block has changed: a reader must not have held it. */
static void model_check_store(u32 index, u32 block, u32 offset)
{
	const struct lkst_ring *ring = &m.shadow_rings[index];
	u64 last = ring->done >> m.sc->shift, number = ring->opened - 1;

	if (!ring->opened || !ring->done)
		return;
	/* The block that lives here, as long as no other is opened. */
	number -= (number - block) & ring->mask;
	if ((s64)number < 0 || number > last)
		return;
	if (number == last && (ring->done & ((1U << m.sc->shift) - 1)) == LKST_BLOCK_HEADER &&
	    offset == offsetof(struct lkst_block_header, timestamp_begin))
		return;
	if (number == last && (offset >= (ring->done & ((1U << m.sc->shift) - 1)) ||
			       offset == offsetof(struct lkst_block_header, timestamp_end) ||
			       offset == offsetof(struct lkst_block_header, content_size)))
		return;
	model_fail("what is published does not change", "ring %u, block %llu, byte %u", index,
		   LLU(number), offset);
}

/* Looks at each word that has changed; true if one of them is in a header. */
static bool model_check_stores(void)
{
	u32 size = 1U << m.sc->shift, index, block, offset;
	const u8 *is = m.memory, *was = m.shadow;
	bool header = false;

	for (index = 0; index < model_nr_rings(); index++)
		for (block = 0; block < m.sc->nr_blocks; block++, is += size, was += size) {
			if (!memcmp(is, was, size))
				continue;
			header |= memcmp(is, was, LKST_BLOCK_HEADER) != 0;
			/* The parts of a header do not lie at multiples of 8. */
			for (offset = 0; offset < size; offset += 4)
				if (memcmp(is + offset, was + offset, 4))
					model_check_store(index, block, offset & ~7U);
		}
	return header;
}

/* At each step: what has changed since the step before? */
static void model_observe(void)
{
	bool dump = false;
	u32 index;

	if (m.failed || !model_is_fresh())
		return;
	for (index = 0; index < model_nr_rings(); index++) {
		const struct lkst_ring *is = model_ring(index), *was = &m.shadow_rings[index];

		CLAIM(is->done >= was->done && is->opened >= was->opened && is->last >= was->last,
		      "ring %u: done %llu, opened %llu or last %llu has fallen", index,
		      LLU(is->done), LLU(is->opened), LLU(is->last));
		dump |= is->done != was->done || is->opened != was->opened;
	}
	if (m.nr_changes == m.shadow_changes)
		return;
	/* A dump shows the same unless a header, `done` or `opened` has changed. */
	dump |= model_check_stores();
	if (dump)
		model_check_dump();
	model_sync_shadow();
}

/* Ring @index, and the byte at @position of it, as the reader sees them. */
static const struct lkst_ring *model_seen_ring(u32 index)
{
	return m.sc->is_unordered ? &m.seen.rings[index] : model_ring(index);
}

static const u8 *model_seen_at(u32 index, u64 position)
{
	const u8 *at = model_at(index, position);

	return m.sc->is_unordered ? m.seen.memory + (at - m.memory) : at;
}

/* A reader's next action; false: it has none. It copies the header, then the records, then looks at `opened`. */
static bool model_reader_acts(void)
{
	struct model_reader *r = &m.reader;
	u32 size = 1U << m.sc->shift, piece;

	model_see_some();
	if (r->phase == READER_IDLE) {
		if (m.sc->is_short)
			r->phase = READER_DONE;
		r->ring = m.random ? model_random(model_nr_rings()) : model_decide(m.sc->is_short ? 1 : 2);
		r->done = model_seen_ring(r->ring)->done;
		if (!r->done)
			return false;
		r->number = r->done >> m.sc->shift;
		piece = m.random ? model_random(2) : model_decide(2);
		r->number -= piece && r->number;
		/* An empty block holds nothing for a reader. */
		if (r->done == (r->number << m.sc->shift) + LKST_BLOCK_HEADER)
			return false;
		r->copied = 0;
		r->phase = READER_COPIES;
		/* As soon as it can be: later, more would be seen. */
		if (m.sc->waits & WAITS_BEFORE)
			model_see_all();
	} else if (r->copied < size) {
		piece = r->copied ? size - LKST_BLOCK_HEADER : m.sc->is_short ? size : LKST_BLOCK_HEADER;
		memcpy(r->copy + r->copied,
		       model_seen_at(r->ring, (r->number << m.sc->shift) + r->copied), piece);
		r->copied += piece;
		if (r->copied == size && m.sc->waits & WAITS_BEHIND)
			model_see_all();
	} else {
		r->phase = m.random ? READER_IDLE : READER_DONE;
		if (model_oldest(model_seen_ring(r->ring)) <= r->number) {
			m.nr_accepted++;
			model_check_block(r->copy, r->ring, r->number, r->done, true);
		} else {
			m.nr_dropped++;
		}
	}
	return true;
}

/* When all writers have left, everything is published and every loss is counted. */
static void model_check_rest(void)
{
	u32 nr_writers = m.run.nr_writers, nr = 0, i;
	const struct writer *w;
	u64 lost = 0;

	if (m.failed)
		return;
	model_observe();
	for (i = 0; i < model_nr_pages(); i++) {
		CLAIM(m.st[i].nest == 0, "nest of page %u is %u", i, m.st[i].nest);
		lost += m.st[i].lost[LKST_LOSS_LEVEL];
	}
	CLAIM(lost == m.run.nr_lost, "%llu losses are counted, %u happened", LLU(lost),
	      m.run.nr_lost);
	/* Of more writers than these the records are overwritten. */
	for (i = nr_writers > MODEL_RECENT ? nr_writers - MODEL_RECENT : 0; i < nr_writers; i++) {
		const struct lkst_ring *ring;

		w = &m.writers[i % MODEL_WRITERS];
		ring = model_ring(w->ring < MODEL_RINGS ? w->ring : 0);
		nr += w->fate == FATE_FILLED && w->position < ring->done &&
		      w->position >> m.sc->shift >= model_oldest(ring);
	}
	CLAIM(model_check_dump() == nr, "%u records should be there", nr);
}

#endif
