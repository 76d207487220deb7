/* SPDX-License-Identifier: GPL-2.0-only */
/* From rings to wherever their blocks are wanted. */
#include "live/drain/drain.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/drain/drain_marks.h"
#include "live/state/state_stream.h"
#include "trace/format/block.h"

enum {
	BATCH_BYTES = 1 << 20,	  /* copied and written at once; at least one block of any size */
	KEPT_BYTES_MIN = 1 << 16, /* fewer are copied as fast as other memory is found */
	PAUSE_MS_MIN = 1,
	PAUSE_MS_MAX = 100,
	/* More than a CPU that does nothing else has been seen to record. */
	RATE_MAX_BYTES_PER_MS = 300 * 1000,
};

/* The next block of a ring from which nothing is to be given out. */
#define NOTHING UINT64_MAX

/* A ring, and what was given out of the block that comes next. */
struct source {
	struct lkst_ring_reader reader;
	bool is_cut; /* some of the next block's records were given out: */
	u64 cut_seq; /* its number */
	u32 cut_at;  /* where the others begin */
	u64 cut_ns;  /* the time of the last of them */

	/* What is lost before the first block that is given out. */
	bool has_given, has_told;
	u64 wanted;	    /* number of the first block that was to be given out; 0: all */
	u64 oldest;	    /* of the first that is not lost */
	u64 oldest_ns;	    /* when it begins */
	u64 skipped_before; /* blocks that were overtaken before it */

	u64 covered_ns; /* all that was recorded up to then is given out, or was overwritten */
};

struct lkst_drain {
	const struct lkst_session *session;
	struct lkst_writer *writer;
	lkst_drain_take *take;
	void *ctx;
	u64 room;
	struct source *sources; /* by buffer, then CPU, then level */
	unsigned int nr_sources;
	u8 *batch, *piece;
	unsigned int pause_ms_max;
	struct lkst_drain_marks *marks; /* of programs; NULL: they are not wanted */
	u64 last_copy_ns;
	double fill; /* of the fullest ring, rings per second */
	/* What the copy that goes on has copied: bytes, and the most of a ring, of its size. */
	u64 copied_bytes;
	double copied_fill;
};

/*
 * When the first record from @cursor on was made: a piece begins there, not with the end of the one before,
 * because readers of CTF sort by the beginning.
 */
static u64 first_ns(const struct lkst_drain *d, struct lkst_block_cursor cursor)
{
	struct lkst_record record;

	return lkst_block_next(NULL, &cursor, lkst_session_catalog(d->session), &record) > 0
		       ? record.ns
		       : cursor.ns;
}

/* Where those records of @block begin that were not given out yet. */
static struct lkst_block_cursor drain_rest_of(const struct source *s, const struct lkst_block *block)
{
	struct lkst_block_cursor cursor;

	lkst_block_cursor_init(&cursor, block);
	if (s->is_cut && s->cut_seq == block->seq) {
		cursor.offset = s->cut_at;
		cursor.ns = s->cut_ns;
	}
	return cursor;
}

static int take_to_writer(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
			  size_t length)
{
	struct lkst_drain *d = ctx;

	return lkst_writer_append(e, d->writer, instance, blocks, length);
}

void lkst_drain_set_taker(struct lkst_drain *d, lkst_drain_take *take, void *ctx)
{
	d->take = take;
	d->ctx = ctx;
}

const void *lkst_drain_keep(struct lkst_drain *d, const void *blocks, size_t length,
			    void **ret_memory)
{
	const uintptr_t at = (uintptr_t)blocks - (uintptr_t)d->batch;
	u8 *other, *kept;

	/* What lies before them is kept with them: no more than they are. */
	if (length < KEPT_BYTES_MIN || at >= BATCH_BYTES || at > length)
		return NULL;
	other = malloc(BATCH_BYTES);
	if (!other)
		return NULL;
	/* What is behind them is free for others. */
	kept = realloc(d->batch, at + length) ?: d->batch;
	d->batch = other;
	*ret_memory = kept;
	return kept + at;
}

void lkst_drain_choose(struct lkst_drain *d, u32 buffers, u64 marks_ns, u64 until_ns)
{
	unsigned int i;

	if (marks_ns == UINT64_MAX)
		lkst_drain_marks_free(lkst_take(d->marks));
	else
		lkst_drain_marks_set_time(d->marks, marks_ns, until_ns);
	for (i = 0; i < d->nr_sources; i++)
		if (!(buffers >> lkst_instance_buffer(d->sources[i].reader.instance) & 1))
			d->sources[i].reader.next = NOTHING;
}

void lkst_drain_set_room(struct lkst_drain *d, u64 bytes)
{
	d->room = bytes;
}

static u64 drain_size_of(const struct lkst_ring_reader *r)
{
	return ((u64)r->ring->mask + 1) << r->rings->block_shift;
}

/* A burst may follow a silence: it must not fill a ring before the next look at it. */
static unsigned int longest_pause(const struct lkst_drain *d)
{
	u64 bytes = 0, ms;
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++) {
		const u64 size = drain_size_of(&d->sources[i].reader);

		bytes = size > bytes ? size : bytes;
	}
	ms = bytes / 2 / RATE_MAX_BYTES_PER_MS;
	return ms < PAUSE_MS_MIN ? PAUSE_MS_MIN : ms > PAUSE_MS_MAX ? PAUSE_MS_MAX : ms;
}

static u64 ring_bytes(const struct lkst_drain *d)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++)
		sum += drain_size_of(&d->sources[i].reader);
	return sum;
}

/* Has @source begin at block @first, which is not older than its oldest. */
static void begin_source(const struct lkst_drain *d, struct source *source, u64 first)
{
	struct lkst_ring_reader *reader = &source->reader;

	reader->next = first;
	if (first != source->oldest)
		source->wanted = source->oldest = first;
	source->oldest_ns = lkst_ring_reader_next_ns(reader) ?: d->last_copy_ns;
	lkst_ring_reader_rebase(reader);
}

int lkst_drain_new(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
		   u64 since_ns, struct lkst_drain **ret_drain)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *d = calloc(1, sizeof(*d));
	const struct lkst_rings *rings = lkst_session_rings(s);
	unsigned int i;
	int err;

	if (!d)
		return lkst_err_sys(e, -ENOMEM, "preparing to copy the buffers");
	d->session = s;
	d->writer = w;
	d->room = UINT64_MAX;
	d->last_copy_ns = lkst_monotonic_ns();
	lkst_drain_set_taker(d, take_to_writer, d);
	d->nr_sources = rings->nr_cpus * LKST_NR_BUFFERS * LKST_LEVELS;
	d->sources = calloc(d->nr_sources, sizeof(*d->sources));
	d->batch = malloc(BATCH_BYTES);
	d->piece = malloc(1UL << rings->block_shift);
	if (!d->sources || !d->batch || !d->piece)
		return lkst_err_sys(e, -ENOMEM, "preparing to copy the buffers");
	for (i = 0; i < d->nr_sources; i++) {
		struct source *source = &d->sources[i];
		struct lkst_ring_reader *reader = &source->reader;
		u32 level = i % LKST_LEVELS, page = i / LKST_LEVELS;
		u32 buffer = page / rings->nr_cpus;

		lkst_ring_reader_init(reader, rings, page % rings->nr_cpus, buffer, level);
		source->oldest = reader->next;
		if (since_ns && buffer != LKST_BUFFER_LIFE)
			lkst_ring_reader_seek(reader, since_ns);
		begin_source(d, source, reader->next);
	}
	d->pause_ms_max = longest_pause(d);
	err = lkst_drain_marks_new(e, s, since_ns, ring_bytes(d), &d->marks);
	if (err)
		return err;
	*ret_drain = lkst_take(d);
	return 0;
}

void lkst_drain_reach_back(struct lkst_drain *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++) {
		struct source *source = &d->sources[i];
		u64 next = source->reader.next;
		/* 0: it begins with the oldest block. */
		if (source->wanted && next != NOTHING &&
		    next > lkst_ring_oldest(source->reader.ring))
			begin_source(d, source, next - 1);
	}
}

void lkst_drain_free(struct lkst_drain *d)
{
	if (!d)
		return;
	lkst_drain_marks_free(d->marks);
	free(d->sources);
	free(d->batch);
	free(d->piece);
	free(d);
}

/* The first blocks are given out: blocks before them that were overwritten meanwhile are lost like older ones. */
static void begin_giving(struct source *s, u64 first, u64 ns)
{
	s->has_given = true;
	s->skipped_before = first - s->oldest;
	s->oldest = first;
	s->oldest_ns = ns;
}

static void cover(struct source *s, u64 ns)
{
	if (ns > s->covered_ns)
		s->covered_ns = ns;
}

static int drain_give(struct lkst_err *e, struct lkst_drain *d, struct source *s, const void *blocks,
		      size_t length)
{
	size_t size = 1UL << s->reader.rings->block_shift;
	const struct lkst_block_header *first = blocks,
				       *last = (const void *)((const u8 *)blocks + length - size);
	/* Whoever takes them may keep the memory (lkst_drain_keep()). */
	const u64 seq = first->packet_seq_num, begin_ns = first->timestamp_begin,
		  end_ns = last->timestamp_end;
	int err = d->take(e, d->ctx, s->reader.instance, blocks, length);

	if (err)
		return err;
	cover(s, end_ns);
	if (!s->has_given)
		begin_giving(s, seq, begin_ns);
	if (d->room != UINT64_MAX)
		d->room -= length < d->room ? length : d->room;
	return 0;
}

/* ---- closed blocks ------------------------------------------------------------------ */

static u64 seq_of(const u8 *block)
{
	return ((const struct lkst_block_header *)block)->packet_seq_num;
}

/*
 * Leaves those records of the closed block @bytes out that were given out when it was being filled.
 * Returns how many blocks remain: 1, or 0 if there was nothing after them.
 */
static unsigned int leave_out(struct lkst_drain *d, const struct source *s, u8 *bytes)
{
	const size_t size = 1UL << s->reader.rings->block_shift;
	struct lkst_block_cursor rest;
	struct lkst_block block;
	u64 begin_ns;

	/* A reader decides the same about a block that makes no sense, and shows it as damage. */
	if (lkst_block_parse(NULL, bytes, size, NULL, &block))
		return 1;
	rest = drain_rest_of(s, &block);
	if (rest.offset >= block.content)
		return 0;
	begin_ns = first_ns(d, rest);
	lkst_block_piece(&block, rest.offset, block.content, begin_ns,
			 block.end_ns > begin_ns ? block.end_ns : begin_ns, d->piece);
	memcpy(bytes, d->piece, size);
	return 1;
}

/*
 * Gives out at most @most closed blocks of a ring. Returns how many are done with, 0 if none was closed, or
 * a negative errno: then they will come again.
 */
static int give_closed(struct lkst_err *e, struct lkst_drain *d, struct source *s,
		       unsigned int most)
{
	const u32 shift = s->reader.rings->block_shift;
	unsigned int nr = lkst_ring_reader_closed(&s->reader, d->batch, most), first = 0;
	u64 seq;
	int err;

	if (!nr)
		return 0;
	seq = seq_of(d->batch);
	/* Whoever takes the blocks has to know all events that are in them. */
	err = lkst_session_refresh(e, d->session);
	if (err)
		return err;
	if (s->is_cut && s->cut_seq == seq)
		first = 1 - leave_out(d, s, d->batch);
	if (first < nr)
		err = drain_give(e, d, s, d->batch + ((size_t)first << shift),
				 (size_t)(nr - first) << shift);
	if (err) {
		s->reader.next = seq;
		return err;
	}
	s->is_cut = false;
	return (int)nr;
}

static bool is_life(const struct source *s)
{
	return lkst_instance_buffer(s->reader.instance) == LKST_BUFFER_LIFE;
}

/* The blocks that are copied at once, as far as there is room. */
static unsigned int batch_of(const struct lkst_drain *d)
{
	return (d->room < BATCH_BYTES ? d->room : BATCH_BYTES) >>
	       lkst_session_rings(d->session)->block_shift;
}

/* Between batches of a large buffer: while a long copy goes on, the life buffers, which are small, may wrap. */
static int keep_up_with_life(struct lkst_err *e, struct lkst_drain *d)
{
	unsigned int i;
	int nr = 0;

	for (i = 0; i < d->nr_sources && (nr >= 0 || nr == -EAGAIN); i++)
		if (is_life(&d->sources[i]) && batch_of(d))
			nr = give_closed(e, d, &d->sources[i], batch_of(d));
	return nr < 0 && nr != -EAGAIN ? nr : 0;
}

/* Copies the closed blocks of one ring, at most as many as it holds, so that it ends. 1: there is no more room. */
static int copy_ring(struct lkst_err *e, struct lkst_drain *d, struct source *s, u64 *ret_blocks)
{
	u64 most = (u64)s->reader.ring->mask + 1;
	int nr, err = 0;

	for (*ret_blocks = 0; *ret_blocks < most && !err; *ret_blocks += (unsigned int)nr) {
		if (!batch_of(d))
			return 1;
		nr = give_closed(e, d, s, batch_of(d));
		if (nr == -EAGAIN)
			return 0;
		if (nr <= 0)
			return nr;
		err = is_life(s) ? 0 : keep_up_with_life(e, d);
	}
	return err;
}

/* The life buffers' rings, or all others. */
static int copy_rings(struct lkst_err *e, struct lkst_drain *d, bool life)
{
	double fill = 0, share;
	unsigned int i;
	u64 blocks;
	int err = 0;

	for (i = 0; i < d->nr_sources && !err; i++) {
		struct source *s = &d->sources[i];

		if (is_life(s) != life)
			continue;
		err = copy_ring(e, d, s, &blocks);
		d->copied_bytes += blocks << s->reader.rings->block_shift;
		share = (double)blocks / (s->reader.ring->mask + 1);
		fill = share > fill ? share : fill;
	}
	d->copied_fill += fill;
	return err;
}

/* The names of threads come first: without them the rest says little. */
static int copy_all_rings(struct lkst_err *e, struct lkst_drain *d)
{
	return copy_rings(e, d, true) ?: copy_rings(e, d, false);
}

static int give_marks(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct lkst_drain *d = ctx;
	int err = d->take(e, d->ctx, instance, blocks, length);

	if (!err && d->room != UINT64_MAX)
		d->room -= length < d->room ? length : d->room;
	return err;
}

/* While marks are read: any user makes as many as he likes, and the rings are not to be behind them. */
static int keep_up_with_rings(struct lkst_err *e, void *ctx)
{
	int err = copy_all_rings(e, ctx);

	/* Where there is no room the rings have to wait in any case. */
	return err > 0 ? 0 : err;
}

/* Reads the marks of all programs, if there is room for them. */
static int drain_copy_marks(struct lkst_err *e, struct lkst_drain *d, bool is_last)
{
	const struct lkst_marks_look look = { .is_last = is_last,
					      .give = give_marks,
					      .between = is_last ? NULL : keep_up_with_rings,
					      .ctx = d };

	return d->marks && (is_last || d->room) ? lkst_drain_marks_look(e, d->marks, &look) : 0;
}

int lkst_drain_copy(struct lkst_err *e, struct lkst_drain *d, u64 *ret_bytes)
{
	u64 now = lkst_monotonic_ns();
	double seconds = (now - d->last_copy_ns) / 1e9;
	int err;

	d->copied_bytes = 0;
	d->copied_fill = 0;
	err = copy_all_rings(e, d) ?: drain_copy_marks(e, d, false);
	*ret_bytes = d->copied_bytes;
	d->fill = seconds > 0 ? d->copied_fill / seconds : 0;
	d->last_copy_ns = now;
	return err;
}

/* ---- blocks that are being filled --------------------------------------------------- */

/* Gives out the records of the copy of an open block, in d->batch, that were not given out yet. */
static int give_piece(struct lkst_err *e, struct lkst_drain *d, struct source *s)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(d->session);
	struct lkst_block_cursor cursor, rest;
	struct lkst_record record;
	struct lkst_block block;
	int err;

	if (lkst_block_parse(NULL, d->batch, 1UL << s->reader.rings->block_shift, NULL, &block))
		return 0;
	err = lkst_session_refresh(e, d->session);
	if (err)
		return err;
	cursor = rest = drain_rest_of(s, &block);
	if (rest.offset >= block.content)
		return 0;
	/* The time of the last record: the header's may be later than the next one's. */
	while (lkst_block_next(NULL, &cursor, catalog, &record) > 0)
		;
	lkst_block_piece(&block, rest.offset, block.content, first_ns(d, rest), cursor.ns,
			 d->piece);
	err = drain_give(e, d, s, d->piece, block.size);
	if (err)
		return err;
	s->is_cut = true;
	s->cut_seq = block.seq;
	s->cut_at = (block.content + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
	s->cut_ns = cursor.ns;
	return 0;
}

/* Gives out all that a ring has. 1: there is no more room, and the time that is covered ends earlier. */
static int cut_ring(struct lkst_err *e, struct lkst_drain *d, struct source *s)
{
	int err, tries;
	u64 blocks;

	if (s->reader.next == NOTHING)
		return 0;
	/* The open block may be closed before it is copied; then there is a new one. */
	for (tries = 0; tries < 100; tries++) {
		u64 ns = lkst_ring_reader_quiet_ns(&s->reader);

		err = copy_ring(e, d, s, &blocks);
		if (!err && !batch_of(d))
			err = 1;
		if (err)
			return err;
		err = lkst_ring_reader_open_block(&s->reader, d->batch);
		if (err == -EAGAIN)
			continue;
		err = err > 0 ? give_piece(e, d, s) : err;
		if (!err)
			cover(s, ns);
		return err;
	}
	return 0;
}

int lkst_drain_cut(struct lkst_err *e, struct lkst_drain *d)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < d->nr_sources && err >= 0; i++)
		err = cut_ring(e, d, &d->sources[i]);
	return err < 0 ? err : 0;
}

int lkst_drain_life(struct lkst_err *e, struct lkst_drain *d)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < d->nr_sources && err >= 0; i++)
		if (is_life(&d->sources[i]))
			err = cut_ring(e, d, &d->sources[i]);
	return err < 0 ? err : 0;
}

int lkst_drain_finish(struct lkst_err *e, struct lkst_drain *d)
{
	unsigned int i;
	int err;

	d->room = UINT64_MAX;
	/* Closed blocks first, so that all rings end at nearly the same time; marks last: no ring waits for them. */
	err = copy_all_rings(e, d);
	for (i = 0; i < d->nr_sources && !err; i++)
		err = cut_ring(e, d, &d->sources[i]);
	return err ?: drain_copy_marks(e, d, true);
}

/* Blocks with complete records that were not given out. */
static u64 left_of(const struct source *s)
{
	u64 done = __atomic_load_n(&s->reader.ring->done, __ATOMIC_ACQUIRE);
	u32 shift = s->reader.rings->block_shift;
	u64 end = done >> shift, content = done - (end << shift);

	if (s->reader.next == NOTHING || content <= LKST_BLOCK_HEADER)
		return 0;
	/* Some records of the last one may have been. */
	if (!s->is_cut || s->cut_seq != end || content > s->cut_at)
		end++;
	return end > s->reader.next ? end - s->reader.next : 0;
}

int lkst_drain_write_end(struct lkst_err *e, const struct lkst_drain *d, struct lkst_writer *w,
			 u32 how, u64 until_ns)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < d->nr_sources && !err; i++) {
		const struct source *s = &d->sources[i];
		struct lkst_stream_end end = { .instance = s->reader.instance,
					       .first = 1,
					       .covered_ns = s->covered_ns };

		if (how == LKST_ENDING_DISK_FULL)
			end.left = left_of(s);
		/* All records older than those that are left have been given out. */
		if (end.left && lkst_ring_reader_next_ns(&s->reader) > end.covered_ns)
			end.covered_ns = lkst_ring_reader_next_ns(&s->reader);
		if (end.covered_ns > until_ns)
			end.covered_ns = until_ns;
		if (s->reader.next != NOTHING &&
		    lkst_rings_has(s->reader.rings, lkst_instance_buffer(end.instance)))
			err = lkst_writer_claim(e, w, &end);
	}
	if (!err && d->marks)
		err = lkst_drain_marks_claim(e, d->marks, w, until_ns);
	return err ?: lkst_writer_end(e, w, how, lkst_monotonic_ns());
}

/* ---- progress and losses ------------------------------------------------------------ */

unsigned int lkst_drain_quarter_ms(const struct lkst_drain *d)
{
	double ms = d->fill > 0 ? 250.0 / d->fill : UINT_MAX;

	return ms < PAUSE_MS_MIN ? PAUSE_MS_MIN : ms > UINT_MAX ? UINT_MAX : (unsigned int)ms;
}

unsigned int lkst_drain_pause_ms(const struct lkst_drain *d)
{
	unsigned int ms = lkst_drain_quarter_ms(d);

	return ms > d->pause_ms_max ? d->pause_ms_max : ms;
}

u64 lkst_drain_overtaken(const struct lkst_drain *d)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++)
		sum += d->sources[i].reader.overtaken;
	return sum;
}

unsigned int lkst_drain_nr_sources(const struct lkst_drain *d)
{
	return d->nr_sources;
}

u64 lkst_drain_overtaken_of(const struct lkst_drain *d, unsigned int source, u64 *ret_instance)
{
	const struct source *s = &d->sources[source];

	*ret_instance = s->reader.instance;
	return s->reader.overtaken - s->skipped_before;
}

int lkst_drain_each_lost(const struct lkst_drain *d, lkst_drain_lost *call, void *ctx)
{
	struct lkst_lost lost[LKST_LOST_MAX];
	unsigned int i, k, nr;
	int err = 0;

	for (i = 0; i < d->nr_sources && !err; i++) {
		const struct source *s = &d->sources[i];

		if (s->reader.next == NOTHING || s->has_told)
			continue;
		nr = lkst_rings_find_lost(s->reader.rings, s->reader.instance, s->wanted, s->oldest,
					  s->oldest_ns, lost);
		for (k = 0; k < nr && !err; k++)
			err = call(ctx, s->reader.instance, &lost[k]);
	}
	return err;
}

struct ledger {
	struct lkst_err *e;
	const struct lkst_drain *d;
	struct lkst_writer *w;
};

static int drain_write_lost(void *ctx, u64 instance, const struct lkst_lost *lost)
{
	const struct ledger *l = ctx;

	return lkst_state_write_overwritten(l->e, l->d->session, l->w, instance, lost);
}

int lkst_drain_write_lost(struct lkst_err *e, const struct lkst_drain *d, struct lkst_writer *w)
{
	int err = lkst_drain_each_lost(d, drain_write_lost, &(struct ledger){ e, d, w });

	return err || !d->marks ? err : lkst_drain_marks_write_lost(e, d->marks, w);
}

void lkst_drain_keep_told(struct lkst_drain *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++)
		d->sources[i].has_told |= d->sources[i].has_given;
	if (d->marks)
		lkst_drain_marks_keep_told(d->marks);
}

u64 lkst_drain_cut_bytes(const struct lkst_drain *d)
{
	u64 nr = 0;
	unsigned int i;

	for (i = 0; i < d->nr_sources; i++)
		nr += __atomic_load_n(&d->sources[i].reader.ring->done, __ATOMIC_RELAXED) != 0;
	return nr << lkst_session_rings(d->session)->block_shift;
}
