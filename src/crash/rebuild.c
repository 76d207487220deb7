/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a trace of the blocks of a recording. */
#include "crash/rebuild.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/events.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "crash/dump_ring.h"
#include "trace/format/block.h"
#include "trace/format/catalog.h"
#include "trace/format/stream_name.h"
#include "trace/read/lost.h"

enum {
	BLOCK_MAX = 1 << LKST_BLOCK_SHIFT_MAX,
	BATCH = 2 * BLOCK_MAX, /* written at once */
	BLOCKS_BETWEEN_PROGRESS = 4096,
};

/* How much younger than the beginning of the youngest block a record may be. */
#define LIMIT_SLACK_NS (3600ULL * 1000000000)

/* Where a damaged block's page is written, beside the trace of doubtful records. */
static const char pages_dir[] = "pages";

struct rebuilding {
	struct lkst_err *e;
	const struct lkst_recording *r;
	const struct lkst_rebuild_options *options;
	struct lkst_pages *pages;
	struct lkst_rebuild *sum;
	u8 *block, *other; /* BLOCK_MAX each */
	u8 *batch;
	size_t batched;
	u64 limit_ns; /* no record is younger */
};

/* The stream that is being worked on. */
struct rebuilt_stream {
	const struct lkst_dump_ring *ring; /* NULL: its state page is missing */
	u64 instance;
	u64 discarded0; /* events_discarded of its first block */
	u64 cut;	/* blocks so far that were cut within what should be whole */
	bool has_blocks;
	u64 begin_ns; /* of its first block */
	u64 next_seq;
	u32 torn, doubtful; /* records */
};

static int rebuild_flush(struct rebuilding *w, const struct rebuilt_stream *s)
{
	size_t length = w->batched;

	w->batched = 0;
	if (!length || !w->options->trace)
		return 0;
	return lkst_writer_append(w->e, w->options->trace, s->instance, w->batch, length);
}

/* ---- a block as it was when the kernel stopped, made into one that a file may hold ----------- */

struct repaired {
	u32 size;	      /* of the block */
	u32 content;	      /* bytes of header and complete records */
	u64 begin_ns, end_ns; /* of its first and last record */
	u64 records;
	u32 torn_at;	 /* where the record is that was being written; 0: there is none */
	bool is_damaged; /* the records before its end should be whole and are not */
};

enum { PAGE = 1 << LKST_BLOCK_SHIFT_MIN };

/* How far a walk over a block's records came. */
struct crash_repair_walk {
	u32 content; /* end of the last good record */
	u32 at;	     /* where the walk ended */
	u64 first_ns, last_ns;
	u64 records;
	bool has_failed; /* what is at `at` makes no sense */
};

static u64 repair_head_at(const u8 *bytes)
{
	u64 head;

	memcpy(&head, bytes, sizeof(head));
	return le64toh(head);
}

static u32 align(u32 offset)
{
	return (offset + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
}

/* Walks at most @most records from @from on. */
static void repair_walk(const struct lkst_block *block, u32 from, u64 ns, u64 most,
			const struct lkst_catalog *catalog, struct crash_repair_walk *w)
{
	struct lkst_block_cursor cursor = { .block = block, .offset = from, .ns = ns };
	struct lkst_record r;
	struct lkst_err e;
	int got = 0;

	*w = (struct crash_repair_walk){ .content = from, .first_ns = ns, .last_ns = ns };
	while (w->records < most && (got = lkst_block_next(&e, &cursor, catalog, &r)) > 0) {
		if (!w->records++)
			w->first_ns = r.ns;
		w->last_ns = r.ns;
		w->content = cursor.offset;
	}
	w->at = align(cursor.offset);
	w->has_failed = got < 0;
}

/*
 * A block of several pages that lay scattered in memory: where the walk failed, the page is another's,
 * and the record that runs into it is cut in two. What ended before that page is good.
 */
static void repair_withdraw(const struct lkst_block *block, const struct lkst_catalog *catalog,
			    struct crash_repair_walk *w)
{
	struct lkst_block before = *block;

	if (!w->has_failed || w->at < PAGE)
		return;
	before.content = w->at / PAGE * PAGE;
	repair_walk(&before, LKST_BLOCK_HEADER, block->begin_ns, UINT64_MAX, catalog, w);
	w->has_failed = true;
}

static void close_header(struct lkst_block_header *h, const struct crash_repair_walk *w)
{
	h->content_size = htole64(w->content * 8ULL);
	h->timestamp_end = htole64(w->last_ns);
}

/* Where an unfinished record is: its head has the last time that the ring gave out. */
static u32 find_torn(const struct lkst_block *block, const struct crash_repair_walk *w,
		     const struct lkst_dump_ring *ring)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	u64 head, ns;

	if (w->at + sizeof(struct lkst_record_head) > block->size)
		return 0;
	head = repair_head_at(block->bytes + w->at);
	ns = (w->last_ns & ~mask) | head >> 16;
	if (ring)
		return ring->is_writing && head >> 16 == (ring->last & mask) ? w->at : 0;
	return (u16)head == LKST_ID_NONE && ns >= w->last_ns && ns <= block->end_ns ? w->at : 0;
}

/*
 * Repairs the block at @bytes, of which @available are there, in place: number @seq of the ring @ring
 * (NULL: its state page is missing). No record is younger than @limit_ns. What follows its content
 * stays as it is. False: its header makes no sense.
 */
static bool repair(u8 *bytes, u32 available, u64 seq, const struct lkst_dump_ring *ring, u64 limit_ns,
		   const struct lkst_catalog *catalog, struct repaired *ret_repaired)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	u64 size = le64toh(h->packet_size) / 8, content = le64toh(h->content_size) / 8;
	struct lkst_block block = { .bytes = bytes,
				    .begin_ns = le64toh(h->timestamp_begin),
				    .end_ns = le64toh(h->timestamp_end),
				    .cpu = le32toh(h->cpu_id),
				    .instance = le64toh(h->stream_instance_id) };
	bool is_open = ring ? seq >= ring->done >> ring->shift : block.end_ns < block.begin_ns;
	struct repaired m = {};
	struct crash_repair_walk w;

	if (le32toh(h->magic) != LKST_BLOCK_MAGIC || available < PAGE ||
	    block.begin_ns >= LKST_TIME_MAX || size < PAGE || size > 1u << LKST_BLOCK_SHIFT_MAX ||
	    (size & (size - 1)) || (ring && size != 1ULL << ring->shift))
		return false;
	/* One that is about to be entered holds nothing yet. */
	if (ring && is_open)
		content = seq == ring->done >> ring->shift ? ring->done & (size - 1) : 0;
	if (content < LKST_BLOCK_HEADER)
		content = LKST_BLOCK_HEADER;
	if ((!ring && is_open) || content > size)
		content = size;
	/* No record is further from its block's begin: the recorder opens a new one before. */
	if (is_open || block.end_ns > block.begin_ns + LKST_TIME_GAP_MAX)
		block.end_ns = block.begin_ns + LKST_TIME_GAP_MAX;
	if (is_open && block.end_ns > limit_ns)
		block.end_ns = limit_ns;
	block.size = available < size ? available : (u32)size;
	block.content = content < available ? (u32)content : available;
	repair_walk(&block, LKST_BLOCK_HEADER, block.begin_ns, UINT64_MAX, catalog, &w);
	repair_withdraw(&block, catalog, &w);
	/* Without its state page an open block ends in whatever was there before. */
	m.is_damaged = block.content < content || (w.has_failed && (ring || !is_open));
	if (is_open && !m.is_damaged)
		m.torn_at = find_torn(&block, &w, ring);
	m.size = (u32)size;
	m.content = w.content;
	m.records = w.records;
	m.begin_ns = w.first_ns;
	m.end_ns = w.last_ns;
	if (is_open || m.is_damaged || w.content != content)
		close_header(h, &w);
	*ret_repaired = m;
	return true;
}

/*
 * If the record that was being written is whole nevertheless, makes @bytes a block of it alone and
 * returns true.
 */
static bool repair_torn(u8 *bytes, const struct repaired *m, const struct lkst_catalog *catalog)
{
	struct lkst_block_header *h = (struct lkst_block_header *)bytes;
	struct lkst_block block = { .bytes = bytes, .size = m->size, .content = m->size };
	struct crash_repair_walk w;

	block.begin_ns = le64toh(h->timestamp_begin);
	block.end_ns = block.begin_ns + LKST_TIME_GAP_MAX;
	repair_walk(&block, m->torn_at, m->end_ns, 1, catalog, &w);
	if (!w.records)
		return false;
	memmove(bytes + LKST_BLOCK_HEADER, bytes + m->torn_at, w.content - m->torn_at);
	w.content -= m->torn_at - LKST_BLOCK_HEADER;
	memset(bytes + w.content, 0, m->size - w.content);
	h->timestamp_begin = htole64(w.first_ns);
	close_header(h, &w);
	return true;
}

/* ---- reading blocks -------------------------------------------------------------------- */

static bool rebuild_is_same(const struct lkst_hit *find, const u8 *bytes)
{
	struct lkst_block_header h;

	memcpy(&h, bytes, sizeof(h));
	return le32toh(h.magic) == LKST_BLOCK_MAGIC && !memcmp(h.uuid, find->id, 16) &&
	       le64toh(h.stream_instance_id) == find->a && le64toh(h.packet_seq_num) == find->b;
}

/* Reads what @find stands for to @bytes. Returns how many; 0: it is not there any more. */
static u32 rebuild_load(struct rebuilding *w, const struct lkst_hit *find, u8 *bytes)
{
	struct lkst_block_header h;
	u64 size;
	u32 parts;

	if (!lkst_pages_copy(w->pages, find, 1, bytes) || !rebuild_is_same(find, bytes))
		return 0;
	memcpy(&h, bytes, sizeof(h));
	size = le64toh(h.packet_size) / 8;
	parts = 1;
	/* Its further pages may be elsewhere: the walk over its records will show that. */
	if (size > LKST_PAGE && size <= BLOCK_MAX)
		parts = lkst_pages_copy(w->pages, find, (unsigned int)(size / LKST_PAGE), bytes);
	if (!parts || !rebuild_is_same(find, bytes))
		return 0;
	/* What it has in memory there must not leave. */
	memcpy(bytes + offsetof(struct lkst_block_header, uuid), w->r->uuid, sizeof(w->r->uuid));
	return parts * LKST_PAGE;
}

/* ---- what is doubtful ----------------------------------------------------------------- */

/*
 * Keeps a damaged block for whoever wants to look at it by hand: as it was found. w->block no longer is that
 * if repairing it has closed its header.
 */
static int keep_page(struct rebuilding *w, const struct rebuilt_stream *s, const struct lkst_hit *find)
{
	_cleanup_close_ int dir = -1, fd = -1;
	char stream[LKST_STREAM_NAME_MAX], name[LKST_STREAM_NAME_MAX + 24];
	const struct lkst_access *access;
	int parent, err;
	u32 length;

	if (!w->options->doubtful)
		return 0;
	length = rebuild_load(w, find, w->other);
	parent = lkst_writer_dir(w->options->doubtful);
	access = lkst_writer_access(w->options->doubtful);
	lkst_stream_name(s->instance, stream);
	snprintf(name, sizeof(name), "%s-%llu", stream, (unsigned long long)find->b);
	err = lkst_create_dir(w->e, access, parent, pages_dir, &dir);
	if (!err)
		err = lkst_create_file(w->e, access, dir, name, &fd);
	if (err)
		return err;
	err = lkst_write_all(fd, w->other, length);
	return err ? lkst_err_sys(w->e, err, "cannot keep a damaged block in %s", name) : 0;
}

/* The record that was being written: counted, and if it is whole kept apart. */
static int take_torn(struct rebuilding *w, struct rebuilt_stream *s, const struct repaired *m)
{
	s->torn++;
	memcpy(w->other, w->block, m->size);
	if (!repair_torn(w->other, m, w->r->catalog))
		return 0;
	s->doubtful++;
	if (!w->options->doubtful)
		return 0;
	return lkst_writer_append(w->e, w->options->doubtful, s->instance, w->other, m->size);
}

/* ---- one block ------------------------------------------------------------------------ */

/* Loads the best of @nr copies of a block and repairs it; NULL: none makes sense. */
static const struct lkst_hit *load_best(struct rebuilding *w, const struct rebuilt_stream *s,
					const struct lkst_hit *hits, size_t nr, struct repaired *ret_repaired)
{
	size_t i, best = nr;
	u32 most = 0, length;

	for (i = 0; i < nr && nr > 1; i++) {
		length = rebuild_load(w, &hits[i], w->block);
		if (length &&
		    repair(w->block, length, hits[i].b, s->ring, w->limit_ns, w->r->catalog, ret_repaired) &&
		    ret_repaired->content > most) {
			most = ret_repaired->content;
			best = i;
		}
	}
	if (best == nr)
		best = 0;
	length = rebuild_load(w, &hits[best], w->block);
	if (!length ||
	    !repair(w->block, length, hits[best].b, s->ring, w->limit_ns, w->r->catalog, ret_repaired))
		return NULL;
	return &hits[best];
}

static void rebuild_count_block(struct lkst_rebuild *sum, const struct repaired *m)
{
	if (!sum->records || m->begin_ns < sum->begin_ns)
		sum->begin_ns = m->begin_ns;
	if (m->end_ns > sum->end_ns)
		sum->end_ns = m->end_ns;
	sum->blocks++;
	sum->records += m->records;
	sum->bytes += m->size;
}

/* Adds w->block to the stream. */
static int rebuild_emit(struct rebuilding *w, struct rebuilt_stream *s, const struct repaired *m)
{
	struct lkst_block_header *h = (struct lkst_block_header *)w->block;
	u64 discarded = le64toh(h->events_discarded);

	if (!s->has_blocks) {
		s->discarded0 = discarded;
		s->begin_ns = m->begin_ns;
	}
	s->has_blocks = true;
	/* At least one record is missing after each cut; a reader must see that something is. */
	h->events_discarded =
		htole64((discarded > s->discarded0 ? discarded - s->discarded0 : 0) + s->cut);
	memset(w->block + m->content, 0, m->size - m->content);
	rebuild_count_block(w->sum, m);
	memcpy(w->batch + w->batched, w->block, m->size);
	w->batched += m->size;
	return w->batched > BATCH - BLOCK_MAX ? rebuild_flush(w, s) : 0;
}

/* The @nr copies at @hits of one block. */
static int rebuild_block(struct rebuilding *w, struct rebuilt_stream *s, const struct lkst_hit *hits, size_t nr)
{
	const u64 seq = hits[0].b;
	const struct lkst_hit *best;
	struct repaired m;
	int err = 0;

	w->sum->copies += nr - 1;
	if (s->ring && (seq < lkst_dump_ring_oldest(s->ring) || seq >= s->ring->opened)) {
		w->sum->stale_blocks++;
		return 0;
	}
	if (seq > s->next_seq)
		w->sum->missing_blocks += seq - s->next_seq;
	s->next_seq = seq + 1;
	best = load_best(w, s, hits, nr, &m);
	if (!best) {
		w->sum->damaged_blocks++;
		return 0;
	}
	w->sum->damaged_blocks += m.is_damaged;
	if (m.is_damaged)
		err = keep_page(w, s, best);
	else if (m.torn_at)
		err = take_torn(w, s, &m);
	if (!err && m.records)
		err = rebuild_emit(w, s, &m);
	s->cut += m.is_damaged;
	return err;
}

/* ---- streams -------------------------------------------------------------------------- */

/* Writes @record of event @name if the trace has it, laid out as this program knows it. */
static int rebuild_put(struct rebuilding *w, const char *name, u64 ns, void *record, size_t length)
{
	const struct lkst_event_class *class = lkst_catalog_find(w->r->catalog, name);
	struct lkst_record_head *head = record;

	if (!class || !class->is_native || !w->options->trace)
		return 0;
	head->id_time = htole64(class->id);
	head->tid = 0;
	return lkst_writer_state(w->e, w->options->trace, ns, record, length);
}

/* Notes in the ledger what the ring had overwritten. @begin_ns: when the rest of it begins. */
static int rebuild_write_lost(struct rebuilding *w, const struct lkst_dump_ring *ring, u64 begin_ns)
{
	const struct lkst_lost_ring lost_ring = { .marks = &ring->marks,
						  .level = lkst_instance_level(ring->instance),
						  .shift = ring->shift,
						  .first = ring->first,
						  .oldest = lkst_dump_ring_oldest(ring),
						  .begin_ns = begin_ns };
	struct lkst_lost lost[LKST_LOST_MAX];
	unsigned int nr = lkst_lost_find(&lost_ring, lost), i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		struct lkst_rec_state_overwritten o = lkst_lost_record(ring->instance, &lost[i]);

		err = rebuild_put(w, "state_overwritten", w->sum->end_ns, &o, sizeof(o));
	}
	return err;
}

/* Ends a stream: notes in the ledger what was cut off. */
static int end_stream(struct rebuilding *w, const struct rebuilt_stream *s)
{
	struct lkst_rec_state_torn t = { .loss_cpu = (s16)lkst_instance_cpu(s->instance),
					 .buffer = (u16)lkst_instance_buffer(s->instance),
					 .records = s->torn,
					 .whole = s->doubtful };
	int err = rebuild_flush(w, s);

	w->sum->torn_records += s->torn;
	w->sum->doubtful_records += s->doubtful;
	if (!err && s->ring)
		err = rebuild_write_lost(w, s->ring, s->has_blocks ? s->begin_ns : s->ring->last);
	return err || !s->torn ? err : rebuild_put(w, "state_torn", w->sum->end_ns, &t, sizeof(t));
}

static int rebuild_stream(struct rebuilding *w, const struct lkst_hit *hits, size_t nr, u64 done)
{
	struct rebuilt_stream s = { .ring = lkst_recording_ring(w->r, hits[0].a), .instance = hits[0].a };
	size_t i, end;
	int err = 0;

	w->sum->streams++;
	w->sum->rings_without_state += !s.ring;
	s.next_seq = s.ring ? lkst_dump_ring_oldest(s.ring) : hits[0].b;
	for (i = 0; i < nr && !err; i = end) {
		for (end = i + 1; end < nr && hits[end].b == hits[i].b; end++)
			;
		err = rebuild_block(w, &s, hits + i, end - i);
		if (w->options->progress &&
		    (done + i) / BLOCKS_BETWEEN_PROGRESS != (done + end) / BLOCKS_BETWEEN_PROGRESS)
			w->options->progress(w->options->progress_arg, done + end, w->r->nr_blocks);
	}
	if (s.ring && s.next_seq < lkst_dump_ring_end(s.ring))
		w->sum->missing_blocks += lkst_dump_ring_end(s.ring) - s.next_seq;
	return err ? err : end_stream(w, &s);
}

static int rebuild_streams(struct rebuilding *w)
{
	const struct lkst_recording *r = w->r;
	size_t i, end;
	int err = 0;

	for (i = 0; i < r->nr_blocks && !err; i = end) {
		for (end = i + 1; end < r->nr_blocks && r->blocks[end].a == r->blocks[i].a; end++)
			;
		err = rebuild_stream(w, r->blocks + i, end - i, i);
	}
	return err;
}

/* ---- the state stream ----------------------------------------------------------------- */

/* What the ring of level 0 says, also for those of the other levels. */
static int write_ledger(struct rebuilding *w, const struct lkst_dump_ring *ring)
{
	u32 cause;
	int err = 0;

	for (cause = 0; cause < LKST_LOSS_NR && !err; cause++) {
		struct lkst_rec_state_loss l = { .loss_cpu = (s16)lkst_instance_cpu(ring->instance),
						 .buffer = (u16)lkst_instance_buffer(ring->instance),
						 .cause = cause,
						 .count = ring->lost[cause] };

		if (lkst_loss_is_of_records(cause))
			w->sum->lost_events += l.count;
		if (l.count)
			err = rebuild_put(w, "state_loss", w->sum->end_ns, &l, sizeof(l));
	}
	return err;
}

/* True if a reader will take the @length bytes at @record for one record of the machine's state. */
static bool is_state_record(const struct lkst_catalog *c, const u8 *record, u32 length)
{
	const struct lkst_event_class *class;
	struct lkst_record_head head;

	memcpy(&head, record, sizeof(head));
	class = le64toh(head.id_time) <= LKST_ID_MAX ? c->classes[le64toh(head.id_time)] : NULL;
	if (!class || class->group != LKST_GROUP_STATE || class->size > length)
		return false;
	/* Those that are not fixed end in a string. */
	return class->is_fixed ? length == class->size
			       : class->size +
						 strnlen((const char *)record + class->size,
							 length - class->size) +
						 1 ==
					 length;
}

/* The records that one kept page holds. */
static int rebuild_write_kept(struct rebuilding *w, const struct lkst_note *note)
{
	const u32 used = le32toh(note->length);
	const u64 written = le64toh(note->written_ns), ns = written < LKST_TIME_MAX ? written : 0;
	u32 at = 0, length;
	int err = 0;

	while (!err && used - at >= sizeof(struct lkst_note_record)) {
		union {
			struct lkst_record_head head;
			u8 bytes[LKST_NOTE_ROOM];
		} record;

		memcpy(&length, note->bytes + at, sizeof(length));
		length = le32toh(length);
		at += sizeof(struct lkst_note_record);
		if (length < sizeof(record.head) || length > used - at)
			break;
		memcpy(record.bytes, note->bytes + at, length);
		if (is_state_record(w->r->catalog, record.bytes, length))
			err = lkst_writer_state(w->e, w->options->trace, ns, &record, length);
		at += (length + 3) / 4 * 4;
		if (at > used)
			break;
	}
	return err;
}

/*
 * What was kept of the machine's state: every writing that is there, the oldest first, so that what
 * is known last counts. A writing that was interrupted, or has lost a page, is good as far as it goes.
 */
static int rebuild_write_state(struct rebuilding *w)
{
	size_t i, n;
	int err = 0;

	if (!w->options->trace)
		return 0;
	for (i = w->r->nr_notes; i-- && !err;) {
		u64 written = w->r->notes[i]->written_ns;
		size_t end = i + 1;

		if (le32toh(w->r->notes[i]->kind) != LKST_NOTE_STATE)
			continue;
		while (i && w->r->notes[i - 1]->written_ns == written &&
		       le32toh(w->r->notes[i - 1]->kind) == LKST_NOTE_STATE)
			i--;
		for (n = i; n < end && !err; n++)
			err = rebuild_write_kept(w, w->r->notes[n]);
	}
	return err;
}

/* A ring of which not one block was found is missing as a whole. */
static bool rebuild_has_blocks(const struct lkst_recording *r, u64 instance)
{
	size_t at = lkst_lower_bound(i, r->nr_blocks, r->blocks[i].a < instance);

	return at < r->nr_blocks && r->blocks[at].a == instance;
}

static u64 missing_of(const struct lkst_dump_ring *ring)
{
	u64 oldest = lkst_dump_ring_oldest(ring), end = lkst_dump_ring_end(ring);

	return end > oldest ? end - oldest : 0;
}

static int write_ledgers(struct rebuilding *w)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < w->r->nr_rings && !err; i++) {
		const struct lkst_dump_ring *ring = &w->r->rings[i];

		if (!rebuild_has_blocks(w->r, ring->instance)) {
			w->sum->missing_blocks += missing_of(ring);
			err = rebuild_write_lost(w, ring, ring->last);
		}
		if (!err && !lkst_instance_level(ring->instance))
			err = write_ledger(w, ring);
	}
	return err;
}

/* The state pages say how far each stream goes; silence lasts until the kernel stopped. */
static int claim_end(struct rebuilding *w, const struct lkst_dump_ring *ring)
{
	u64 end = lkst_dump_ring_end(ring);
	struct lkst_stream_end claim = { .instance = ring->instance,
					 .first = 1,
					 .covered_ns = w->sum->end_ns };

	if (missing_of(ring)) {
		claim.last = end - 1;
		claim.first =
			rebuild_has_blocks(w->r, ring->instance) ? end - 1 : lkst_dump_ring_oldest(ring);
		claim.begin_ns = rebuild_has_blocks(w->r, ring->instance) ? ring->last : w->sum->begin_ns;
	}
	return lkst_writer_claim(w->e, w->options->trace, &claim);
}

static int rebuild_write_end(struct rebuilding *w)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < w->r->nr_rings && !err && w->options->trace; i++)
		err = claim_end(w, &w->r->rings[i]);
	if (!err && w->options->trace)
		err = lkst_writer_end(w->e, w->options->trace, LKST_ENDING_KERNEL, w->sum->end_ns);
	if (!err && w->options->doubtful)
		err = lkst_writer_end(w->e, w->options->doubtful, LKST_ENDING_KERNEL,
				      w->sum->end_ns);
	return err;
}

int lkst_rebuild(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		 const struct lkst_recording *r, const struct lkst_rebuild_options *options,
		 struct lkst_rebuild *ret_rebuild)
{
	_cleanup_(lkst_pages_freep) struct lkst_pages *pages = NULL;
	_cleanup_free_ u8 *memory = malloc(2 * BLOCK_MAX + BATCH);
	struct lkst_rebuild sum = {};
	struct rebuilding w = { .e = e, .r = r, .options = options, .sum = &sum };
	int err;

	if (!memory)
		return lkst_err_sys(e, -ENOMEM, "preparing to copy blocks");
	w.block = memory;
	w.other = memory + BLOCK_MAX;
	w.batch = memory + 2 * BLOCK_MAX;
	w.limit_ns = r->newest_ns + LIMIT_SLACK_NS;
	if (!r->catalog)
		return lkst_err_set(e, -ENODATA, "the recording's metadata was not found");
	err = lkst_pages_new(e, dumps, nr_dumps, &pages);
	if (err)
		return err;
	w.pages = pages;
	err = rebuild_write_state(&w) ?: rebuild_streams(&w) ?: write_ledgers(&w);
	if (!err && options->trace && options->add)
		err = options->add(e, options->add_ctx, sum.end_ns);
	err = err ?: rebuild_write_end(&w);
	if (err)
		return err;
	*ret_rebuild = sum;
	return 0;
}
