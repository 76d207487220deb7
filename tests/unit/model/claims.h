/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/ring.h promises, checked on the memory of model/machine.h: as a crash dump would find it
 * at any step, as a live reader copies it, and when all writers have left. Only
 * tests/unit/ring_model.c includes it. The decoder here is its own, not the one of trace/.
 *
 * A live reader is covered twice. model_check_stores() says that no store ever hits what a reader
 * may hold: what was published and has not been lapped by the head. So it does not matter when, in
 * which order or in which pieces a reader copies. model_reader_acts() is such a reader, in steps.
 */
#ifndef LKST_TESTS_MODEL_CLAIMS_H
#define LKST_TESTS_MODEL_CLAIMS_H

#include "machine.h"

#define LLU(x) ((unsigned long long)(x))

static u64 model_block_before(u64 position)
{
	return (position - 1) >> m.sc->shift;
}

static void model_check_header(const struct lkst_block_header *h, const struct note *n)
{
	u64 uuid[2];

	memcpy(uuid, h->uuid, sizeof(uuid));
	CLAIM(n->number == h->packet_seq_num, "block %llu is numbered %llu", LLU(n->number),
	      LLU(h->packet_seq_num));
	CLAIM(h->magic == LKST_BLOCK_MAGIC && uuid[0] == MODEL_UUID_LO &&
		      uuid[1] == MODEL_UUID_HI && h->stream_id == LKST_STREAM_CLASS &&
		      h->stream_instance_id == lkst_stream_instance(MODEL_CPU, MODEL_BUFFER) &&
		      h->packet_size == 8ULL << m.sc->shift && h->cpu_id == MODEL_CPU,
	      "header of block %llu", LLU(n->number));
	CLAIM(h->timestamp_begin == n->ts && h->tid == n->tid, "block %llu was opened by %d",
	      LLU(n->number), n->tid);
}

/*
 * One record at @position, which the bytes at @rec are: complete, whole, where its writer put it
 * and of the right time. Returns its size, 0 if that cannot be known.
 */
static u32 model_check_record(const u8 *rec, u64 position, u64 *ns)
{
	const struct writer *w;
	u64 id_time;
	u32 tid, i;

	memcpy(&id_time, rec, sizeof(id_time));
	memcpy(&tid, rec + sizeof(id_time), sizeof(tid));
	w = &m.writers[tid % MODEL_WRITERS];
	if (w->number != tid || w->position != position || w->fate != FATE_FILLED) {
		model_fail("a record is its writer's", "at %llu: thread %u", LLU(position), tid);
		return 0;
	}
	CLAIM((id_time & 0xffff) == model_id(tid), "writer %u: id %llu", tid,
	      LLU(id_time & 0xffff));
	for (i = LKST_PAD_MIN - 4; i < w->size; i++)
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
 * Block @number, of which the records below @done are published, from its @bytes. Returns how many
 * there are.
 */
static u32 model_check_block(const u8 *bytes, u64 number, u64 done, bool is_copy)
{
	const struct note *n = &m.run.notes[number % MODEL_NOTES];
	u64 begin = number << m.sc->shift, ns, before;
	u32 limit = done - begin, at, end = LKST_BLOCK_HEADER, size, nr = 0;
	bool is_closed = done > begin + (1ULL << m.sc->shift);
	struct lkst_block_header h;

	memcpy(&h, bytes, sizeof(h));
	model_check_header(&h, n);
	/* A dump has no other sign than the times; a copying reader goes by `done` alone. */
	if (is_closed || (!is_copy && h.timestamp_end >= h.timestamp_begin))
		CLAIM(n->content && h.content_size == 8 * n->content,
		      "block %llu counts %llu bits, holds %llu bytes", LLU(number),
		      LLU(h.content_size), LLU(n->content));
	if (is_closed)
		limit = n->content;
	ns = before = h.timestamp_begin;
	for (at = end; at < limit && !m.failed; at = (end + 7) & ~7U) {
		size = model_check_record(bytes + at, begin + at, &ns);
		if (!size)
			return nr;
		nr++;
		CLAIM(ns >= before, "time falls in block %llu", LLU(number));
		before = ns;
		end = at + size;
	}
	CLAIM(end == limit, "block %llu ends at byte %u, not %u", LLU(number), end, limit);
	CLAIM(end > LKST_BLOCK_HEADER, "block %llu is empty", LLU(number));
	if (!is_closed)
		return nr;
	CLAIM(h.timestamp_end >= ns, "block %llu has a younger record", LLU(number));
	n = &m.run.notes[(number + 1) % MODEL_NOTES];
	CLAIM(n->number == number + 1 && h.timestamp_end <= n->ts,
	      "block %llu ends after the next begins", LLU(number));
	return nr;
}

/* Every header with a magic is whole, whatever is going on. */
static void model_check_magics(void)
{
	struct lkst_block_header h;
	const struct note *n;
	u32 i;

	for (i = 0; i < m.sc->nr_blocks; i++) {
		memcpy(&h, m.memory + ((size_t)i << m.sc->shift), sizeof(h));
		if (h.magic != LKST_BLOCK_MAGIC)
			continue;
		n = &m.run.notes[h.packet_seq_num % MODEL_NOTES];
		CLAIM((h.packet_seq_num & m.st.mask) == i, "block %llu is in place %u",
		      LLU(h.packet_seq_num), i);
		model_check_header(&h, n);
	}
}

/* Number of the oldest block that is still there; there is one if `head` is not 0. */
static u64 model_oldest(void)
{
	u64 newest = model_block_before(m.st.head);

	return newest > m.st.mask ? newest - m.st.mask : 0;
}

/* Memory as a dump would show it now: all below `done` is whole. Returns the number of records. */
static u32 model_check_dump(void)
{
	u64 head = m.st.head, done = m.st.done, first, last, i, lost = 0, discarded = 0;
	u32 nr = 0;
	const struct lkst_block_header *h;

	m.nr_checks++;
	model_check_magics();
	CLAIM(done <= head, "done %llu, head %llu", LLU(done), LLU(head));
	if (!head)
		return 0;
	last = done ? model_block_before(done) : 0;
	first = model_oldest();
	CLAIM(first <= last, "the last published block %llu is lapped", LLU(last));
	for (i = 0; i < LKST_LOSS_NR; i++)
		lost += m.st.lost[i];
	for (i = first; done && i <= last && !m.failed; i++) {
		h = (const void *)model_at(i << m.sc->shift);
		nr += model_check_block((const u8 *)h, i, done, false);
		CLAIM(h->events_discarded >= discarded && h->events_discarded <= lost,
		      "block %llu: %llu events discarded, %llu before, %llu now", LLU(i),
		      LLU(h->events_discarded), LLU(discarded), LLU(lost));
		discarded = h->events_discarded;
	}
	return nr;
}

/* The word at @offset of a block has changed: a reader must not have held it. */
static void model_check_store(u32 block, u32 offset)
{
	u64 head = m.shadow_hot[0], done = m.shadow_hot[1], number, begin;

	if (!head || !done)
		return;
	/* The block that lives here, as long as the head is where it was. */
	number = model_block_before(head);
	number -= (number - block) & m.st.mask;
	begin = number << m.sc->shift;
	if ((s64)number < 0 || done <= begin)
		return;
	if (done <= begin + (1ULL << m.sc->shift) &&
	    (offset >= done - begin ||
	     offset == offsetof(struct lkst_block_header, timestamp_end) ||
	     offset == offsetof(struct lkst_block_header, content_size)))
		return;
	model_fail("what is published does not change", "block %llu, byte %u", LLU(number), offset);
}

/* Looks at each word that has changed; true if one of them is in a header. */
static bool model_check_stores(void)
{
	u32 size = 1U << m.sc->shift, block, offset;
	const u8 *is = m.memory, *was = m.shadow;
	bool header = false;

	for (block = 0; block < m.sc->nr_blocks; block++, is += size, was += size) {
		if (!memcmp(is, was, size))
			continue;
		header |= memcmp(is, was, LKST_BLOCK_HEADER) != 0;
		for (offset = 0; offset < size; offset += 8)
			if (memcmp(is + offset, was + offset, 8))
				model_check_store(block, offset);
	}
	return header;
}

/* At each step: what has changed since the step before? */
static void model_observe(void)
{
	static const char *const names[] = { "head",	"done",	   "last[0]",
					     "last[1]", "last[2]", "last[3]" };
	const u64 *hot = &m.st.head;
	bool dump;
	u32 i;

	if (m.failed || !model_is_fresh())
		return;
	/* Head, done, the four times; `nest` and what follows it may fall. */
	for (i = 0; i < 2 + LKST_LEVELS; i++)
		CLAIM(hot[i] >= m.shadow_hot[i], "%s falls to %llu", names[i], LLU(hot[i]));
	memcpy(m.shadow_hot + 2, hot + 2, sizeof(m.st.last));
	if (m.nr_changes == m.shadow_changes)
		return;
	/* A dump shows the same unless a header, `done`, or the block of the head has changed. */
	dump = model_check_stores() || m.st.done != m.shadow_hot[1] ||
	       model_block_before(m.st.head) != model_block_before(m.shadow_hot[0]);
	if (dump)
		model_check_dump();
	model_sync_shadow();
}

/* A reader's next action; false: it has none. It copies the header, then the records. */
static bool model_reader_acts(void)
{
	struct model_reader *r = &m.reader;
	u32 size = 1U << m.sc->shift, piece;

	if (r->phase == READER_IDLE) {
		r->done = m.st.done;
		if (!r->done)
			return false;
		r->number = model_block_before(r->done);
		piece = m.random ? model_random(2) : model_decide(2);
		r->number -= piece && r->number;
		r->copied = 0;
		r->phase = READER_COPIES;
	} else if (r->copied < size) {
		piece = r->copied ? size - LKST_BLOCK_HEADER : LKST_BLOCK_HEADER;
		memcpy(r->copy + r->copied, model_at((r->number << m.sc->shift) + r->copied),
		       piece);
		r->copied += piece;
	} else {
		r->phase = m.random ? READER_IDLE : READER_DONE;
		if (model_block_before(m.st.head) - r->number <= m.st.mask) {
			m.nr_accepted++;
			model_check_block(r->copy, r->number, r->done, true);
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
	for (i = 0; i < LKST_LOSS_NR; i++)
		lost += m.st.lost[i];
	CLAIM(m.st.nest == 0, "nest is %u", m.st.nest);
	CLAIM(lost == m.run.nr_lost && m.st.lost[LKST_LOSS_LEVEL] == m.run.nr_lost_level,
	      "%llu losses are counted, %u happened", LLU(lost), m.run.nr_lost);
	/* ring.h publishes in a bounded number of tries; then the next writer does it. */
	CLAIM(m.st.done == m.st.head || m.run.nr_exhausted, "done %llu, head %llu", LLU(m.st.done),
	      LLU(m.st.head));
	/* More writers than the blocks can hold records of: those before are overwritten. */
	for (i = nr_writers > MODEL_RECENT ? nr_writers - MODEL_RECENT : 0; i < nr_writers; i++) {
		w = &m.writers[i % MODEL_WRITERS];
		nr += w->fate == FATE_FILLED && w->position < m.st.done &&
		      w->position >> m.sc->shift >= model_oldest();
	}
	CLAIM(model_check_dump() == nr, "%u records should be there", nr);
}

#endif
