/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All records of a trace in one order of time: a tournament of its streams, by the time of the record
 * that each has ready. The winner is read on, without another round, as long as its records come
 * before those of all others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "trace/block_walk.h"
#include "trace/trace.h"

enum {
	GAPS_MIN = 64,
	GAPS_MAX = 1 << 16, /* beyond, gaps are added up in the last one */
};

/* A stream on its way through the pass. */
struct way {
	struct lkst_block_cursor cursor; /* in `block` */
	struct lkst_record head;	 /* the record that is ready, unless the stream is on top */
	struct lkst_block block;
	const struct lkst_stream *stream;
	u32 next_block; /* after `block` */
	size_t passed;	/* lkst_stream_pass() */
	u64 last_ns;	/* how far the stream has been read */
};

/* Who plays: a way by its number, which is also its order at equal times. */
struct player {
	u64 ns; /* of the way's record that is ready; UINT64_MAX: it has none left */
	u32 way;
};

struct lkst_merge {
	struct way *top; /* the way whose record was given out last; NULL at the start */
	u64 limit;	 /* the top's records below this time come before all others */
	const struct lkst_catalog *catalog;
	const struct lkst_trace *trace;
	u64 from_ns, to_ns;

	struct way *ways; /* one for each stream of the trace */
	/*
	 * The tournament: nr_leaves is a power of two, way w plays first in node (nr_leaves + w) / 2,
	 * winners of node n play on in n / 2, and a node holds who lost there.
	 */
	struct player *losers;
	u32 nr_leaves;
	bool has_begun;
	unsigned int next_state; /* the way from which to look for state streams on */

	unsigned int next_hole; /* of the trace's */
	struct lkst_gap *gaps;	/* a ring */
	u32 gaps_room, first_gap, nr_gaps;
};

/* ---- gaps ------------------------------------------------------------------------- */

/* Makes room for one more gap. False if there is none to be had. */
static bool grow_gaps(struct lkst_merge *m)
{
	u32 room = m->gaps_room * 2, i;
	struct lkst_gap *grown;

	if (m->nr_gaps < m->gaps_room)
		return true;
	if (room > GAPS_MAX)
		return false;
	grown = calloc(room, sizeof(*grown));
	if (!grown)
		return false;
	for (i = 0; i < m->nr_gaps; i++)
		grown[i] = m->gaps[(m->first_gap + i) & (m->gaps_room - 1)];
	free(m->gaps);
	m->gaps = grown;
	m->gaps_room = room;
	m->first_gap = 0;
	return true;
}

static void put_gap(struct lkst_merge *m, struct lkst_gap gap)
{
	struct lkst_gap *last;

	if (gap.to_ns < gap.from_ns)
		gap.to_ns = gap.from_ns;
	/* The state stream has no place in time, so its gaps concern every pass. */
	if (gap.buffer != LKST_BUFFER_STATE && (gap.to_ns < m->from_ns || gap.from_ns > m->to_ns))
		return;
	if (grow_gaps(m)) {
		m->gaps[(m->first_gap + m->nr_gaps++) & (m->gaps_room - 1)] = gap;
		return;
	}
	last = &m->gaps[(m->first_gap + m->nr_gaps - 1) & (m->gaps_room - 1)];
	last->why = "several gaps, too many to keep apart";
	if (gap.to_ns > last->to_ns)
		last->to_ns = gap.to_ns;
	if (__builtin_add_overflow(last->events, gap.events, &last->events))
		last->events = UINT64_MAX;
	if (__builtin_add_overflow(last->blocks, gap.blocks, &last->blocks))
		last->blocks = UINT64_MAX;
}

/* A gap in the stream of @w. */
static void add_gap(struct lkst_merge *m, const struct way *w, struct lkst_gap gap)
{
	gap.cpu = w->stream->info.cpu;
	gap.buffer = w->stream->info.buffer;
	put_gap(m, gap);
}

/* When the next hole begins that no stream will come to. */
static u64 next_hole_ns(const struct lkst_merge *m)
{
	const struct lkst_holes *holes = &m->trace->holes;

	return m->next_hole < holes->nr ? holes->list[m->next_hole].gap.from_ns : UINT64_MAX;
}

/* The holes that begin before @ns. */
static void note_holes(struct lkst_merge *m, u64 ns)
{
	while (next_hole_ns(m) < ns)
		put_gap(m, m->trace->holes.list[m->next_hole++].gap);
}

int lkst_merge_gap(struct lkst_merge *m, struct lkst_gap *ret_gap)
{
	if (!m->nr_gaps)
		return 0;
	*ret_gap = m->gaps[m->first_gap];
	m->first_gap = (m->first_gap + 1) & (m->gaps_room - 1);
	m->nr_gaps--;
	return 1;
}

/* ---- one stream ------------------------------------------------------------------- */

static bool is_state(const struct way *w)
{
	return w->stream->info.buffer == LKST_BUFFER_STATE;
}

/* What is missing between the block that was read and @next. */
static void note_missing(struct lkst_merge *m, struct way *w, const struct lkst_block *next)
{
	const struct lkst_block *last = &w->block;

	if (next->seq > last->seq && next->seq - last->seq > 1)
		add_gap(m, w,
			(struct lkst_gap){
				.from_ns = last->end_ns,
				.to_ns = next->begin_ns,
				.blocks = next->seq - last->seq - 1,
				.why = w->stream->info.nr_bad_blocks
					       ? "blocks are missing or cannot be read"
					       : "blocks are missing",
			});
	if (next->discarded > last->discarded)
		add_gap(m, w,
			(struct lkst_gap){
				.from_ns = last->begin_ns,
				.to_ns = next->begin_ns,
				.events = next->discarded - last->discarded,
				.why = "the recorder had to discard records",
			});
}

/* Blocks at the start or the end of the file that cannot be read and leave no hole in the numbers. */
static void note_bad(struct lkst_merge *m, struct way *w, bool at_end)
{
	u64 tail = w->stream->nr_bad_tail, extra = w->stream->nr_bad_extra;
	u64 blocks = tail < extra ? tail : extra;
	struct lkst_gap gap = { .from_ns = w->last_ns, .to_ns = m->trace->end_ns };

	gap.blocks = at_end ? blocks : extra - blocks;
	gap.why = "blocks cannot be read";
	if (!w->cursor.block)
		gap.from_ns = m->trace->begin_ns;
	if (!at_end) {
		gap.to_ns =
			w->stream->info.nr_blocks ? lkst_stream_begin(w->stream, 0) : gap.from_ns;
		if (gap.from_ns > gap.to_ns)
			gap.from_ns = gap.to_ns;
	}
	if (gap.blocks)
		add_gap(m, w, gap);
}

static bool next_block(struct lkst_merge *m, struct way *w)
{
	struct lkst_block next;
	bool is_first = !w->cursor.block;

	/* The first part's state comes before all else, that of the others at its time. */
	if (is_state(w) && !m->has_begun && w->next_block >= w->stream->nr_first &&
	    w->next_block < w->stream->info.nr_blocks)
		return false;
	if (w->next_block == w->stream->info.nr_blocks) {
		note_bad(m, w, true);
		return false;
	}
	lkst_stream_pass(w->stream, &w->passed, lkst_stream_offset(w->stream, w->next_block));
	lkst_stream_block(w->stream, w->next_block++, &next);
	if (!is_first)
		note_missing(m, w, &next);
	w->block = next;
	w->last_ns = next.begin_ns;
	lkst_block_cursor_init(&w->cursor, &w->block);
	return true;
}

/* Gets the stream's next record ready, over damage and the ends of blocks. False at its end. */
static bool advance(struct lkst_merge *m, struct way *w)
{
	for (;;) {
		int r = 0;

		if (w->cursor.block)
			r = lkst_block_step(&w->cursor, m->catalog, &w->head);
		if (r > 0)
			return true;
		if (r < 0)
			add_gap(m, w,
				(struct lkst_gap){
					.from_ns = w->cursor.ns,
					.to_ns = w->block.end_ns,
					.why = lkst_block_fault_text((enum lkst_block_fault) - r),
				});
		if (w->cursor.block)
			w->last_ns = w->cursor.ns;
		if (!next_block(m, w))
			return false;
	}
}

/* The number of the last block that begins before @ns, or 0. */
static u32 seek(const struct lkst_stream *s, u64 ns)
{
	u32 low = 0, high = s->info.nr_blocks;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (lkst_stream_begin(s, middle) < ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Gets the first record of the pass ready. */
static bool start(struct lkst_merge *m, struct way *w)
{
	if (!is_state(w) && w->stream->info.nr_blocks)
		w->next_block = seek(w->stream, m->from_ns);
	if (!w->next_block)
		note_bad(m, w, false);
	do {
		if (!advance(m, w))
			return false;
	} while (!is_state(w) && w->head.ns < m->from_ns);
	return is_state(w) || w->head.ns <= m->to_ns;
}

/* ---- the tournament ----------------------------------------------------------------- */

/* Without a branch: the winner is as good as random. */
static inline bool is_before(struct player a, struct player b)
{
	return (a.ns < b.ns) | ((a.ns == b.ns) & (a.way < b.way));
}

/* @p goes up from its leaf. Returns the winner. */
static struct player play(struct player *losers, u32 nr_leaves, struct player p)
{
	u32 node;

	for (node = (nr_leaves + p.way) / 2; node; node /= 2) {
		struct player other = losers[node];
		u64 swap = -(u64)is_before(other, p);
		u64 ns = (other.ns ^ p.ns) & swap;
		u32 way = (other.way ^ p.way) & (u32)swap;

		losers[node] = (struct player){ other.ns ^ ns, other.way ^ way };
		p.ns ^= ns;
		p.way ^= way;
	}
	return p;
}

/* The time up to which the records of way @winner come before all others. */
static u64 limit_of(const struct lkst_merge *m, u32 winner)
{
	u64 limit = m->to_ns == UINT64_MAX ? UINT64_MAX : m->to_ns + 1, hole_ns = next_hole_ns(m);
	u32 node;

	if (hole_ns < limit)
		limit = hole_ns + 1;

	/* The second best has lost against the winner, so it is on the winner's way up. */
	for (node = (m->nr_leaves + winner) / 2; node; node /= 2) {
		const struct player *p = &m->losers[node];
		u64 ns = p->ns + (winner < p->way && p->ns != UINT64_MAX);

		limit = ns < limit ? ns : limit;
	}
	return limit;
}

/* The next record of a state stream, if there is one left. */
static int next_state(struct lkst_merge *m, struct lkst_record *ret_record)
{
	for (; m->next_state < m->trace->nr_streams; m->next_state++) {
		struct way *w = &m->ways[m->next_state];

		if (is_state(w) && (w->cursor.block ? advance(m, w) : start(m, w))) {
			*ret_record = w->head;
			return 1;
		}
	}
	return 0;
}

/* Gets the first record of a stream ready that has its place in the order of time. */
static bool start_in_order(struct lkst_merge *m, struct way *w)
{
	if (!is_state(w))
		return start(m, w);
	return w->next_block < w->stream->info.nr_blocks && advance(m, w) && w->head.ns <= m->to_ns;
}

/* The first round: everyone goes up until they meet an empty node, and waits there. */
static struct player begin(struct lkst_merge *m)
{
	struct player winner = { UINT64_MAX, 0 };
	u32 i, node;

	for (i = 1; i < m->nr_leaves; i++)
		m->losers[i].way = UINT32_MAX;
	for (i = 0; i < m->nr_leaves; i++) {
		bool has_record = i < m->trace->nr_streams && start_in_order(m, &m->ways[i]);
		struct player p = { has_record ? m->ways[i].head.ns : UINT64_MAX, i };

		for (node = (m->nr_leaves + i) / 2; node; node /= 2) {
			struct player other = m->losers[node];

			if (other.way == UINT32_MAX) {
				m->losers[node] = p;
				break;
			}
			m->losers[node] = is_before(other, p) ? p : other;
			p = is_before(other, p) ? other : p;
		}
		if (!node)
			winner = p;
	}
	return winner;
}

/*
 * Everything but the plain next record of the same stream. @has_record: that one is ready, but
 * others may come before it.
 */
static __attribute__((noinline)) int next_slowly(struct lkst_merge *m, bool has_record,
						 struct lkst_record *ret_record)
{
	struct way *top = m->top;
	struct player p;

	if (top) {
		has_record = (has_record || advance(m, top)) && top->head.ns <= m->to_ns;
		p.way = (u32)(top - m->ways);
		p.ns = has_record ? top->head.ns : UINT64_MAX;
		p = play(m->losers, m->nr_leaves, p);
	} else {
		if (m->has_begun)
			return 0;
		if (next_state(m, ret_record))
			return 1;
		m->has_begun = true;
		p = begin(m);
	}
	note_holes(m, p.ns);
	if (p.ns == UINT64_MAX) {
		m->top = NULL;
		return 0;
	}
	m->top = &m->ways[p.way];
	m->limit = limit_of(m, p.way);
	*ret_record = m->top->head;
	return 1;
}

int lkst_merge_next(struct lkst_merge *m, struct lkst_record *ret_record)
{
	/* In registers until it is known where it goes: a copy right after its making would stall. */
	struct lkst_record record;
	int r = 0;

	if (__builtin_expect(m->top != NULL, 1)) {
		r = lkst_block_step(&m->top->cursor, m->catalog, &record);
		if (r > 0 && record.ns < m->limit) {
			*ret_record = record;
			return 1;
		}
		if (r > 0) {
			m->top->head = record;
			/* With many streams, each is forgotten by the caches before its next turn. */
			__builtin_prefetch(record.bytes + record.size + 64);
		}
	}
	return next_slowly(m, r > 0, ret_record);
}

/* ---- making one ------------------------------------------------------------------- */

int lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		   struct lkst_merge **ret_merge)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (!m)
		return lkst_err_sys(e, -ENOMEM, "cannot merge the streams");
	m->trace = t;
	m->catalog = t->catalog;
	m->from_ns = from_ns;
	m->to_ns = to_ns;
	m->gaps_room = GAPS_MIN;
	m->gaps = calloc(GAPS_MIN, sizeof(*m->gaps));
	m->ways = calloc(t->nr_streams + 1, sizeof(*m->ways));
	for (m->nr_leaves = 1; m->nr_leaves < t->nr_streams; m->nr_leaves *= 2)
		;
	m->losers = calloc(m->nr_leaves, sizeof(*m->losers));
	if (!m->gaps || !m->ways || !m->losers)
		return lkst_err_sys(e, -ENOMEM, "cannot merge the streams");
	for (i = 0; i < t->nr_streams; i++)
		m->ways[i].stream = t->streams[i];
	*ret_merge = lkst_take(m);
	return 0;
}

void lkst_merge_free(struct lkst_merge *m)
{
	if (!m)
		return;
	free(m->gaps);
	free(m->ways);
	free(m->losers);
	free(m);
}

void lkst_merge_freep(struct lkst_merge **m)
{
	lkst_merge_free(*m);
}
