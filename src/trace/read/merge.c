/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of several sources of blocks in one order of time: a tournament of the sources, by the time of the
 * record that each has ready. The winner is read on, without another round, as long as its records come
 * before those of all others.
 */
#include "trace/read/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "trace/format/block_walk.h"

enum { GAPS_MAX = 1 << 16 };

/* Who plays: a source by its number, which is also its order at equal times. */
struct player {
	u64 ns; /* of the source's record that is ready; UINT64_MAX: it has none */
	u32 source;
};

struct lkst_merge {
	struct lkst_merge_source *top; /* whose record was given out last, or NULL */
	u64 limit;  /* the top's records below this time come before all others */
	u32 top_nr; /* the top's number */
	const struct lkst_catalog *catalog;
	u64 from_ns, to_ns; /* where gaps are of interest */
	u64 until_ns;	    /* of the records that are given out */
	bool has_begun;	    /* since lkst_merge_begin() */

	struct lkst_merge_source **sources;
	u32 nr_sources, next_first; /* the source from which to look on for those that come first */
	/*
	 * The tournament: nr_leaves is a power of two, source s plays first in node (nr_leaves + s) / 2,
	 * winners of node n play on in n / 2, and a node holds who lost there.
	 */
	struct player *losers;
	u32 nr_leaves;

	struct lkst_gaps gaps;	/* met, and not taken yet */
	struct lkst_gaps holes; /* that are to come, by time */
};

/* ---- gaps ------------------------------------------------------------------------- */

static void merge_put_gap(struct lkst_merge *m, struct lkst_gap *gap)
{
	if (gap->to_ns < gap->from_ns)
		gap->to_ns = gap->from_ns;
	/* The state stream has no place in time, so its gaps concern every pass. */
	if (gap->buffer == LKST_BUFFER_STATE ||
	    (gap->to_ns >= m->from_ns && gap->from_ns <= m->to_ns))
		lkst_gaps_add(&m->gaps, gap);
}

void lkst_merge_add_gap(struct lkst_merge *m, const struct lkst_merge_source *s,
			struct lkst_gap gap)
{
	gap.cpu = lkst_instance_cpu(s->instance);
	gap.buffer = lkst_instance_buffer(s->instance);
	merge_put_gap(m, &gap);
}

void lkst_merge_add_hole(struct lkst_merge *m, const struct lkst_gap *hole)
{
	lkst_gaps_insert(&m->holes, hole);
}

static u64 next_hole_ns(const struct lkst_merge *m)
{
	return m->holes.nr ? lkst_gaps_at(&m->holes, 0)->from_ns : UINT64_MAX;
}

/* The holes that begin before @ns. */
static void note_holes(struct lkst_merge *m, u64 ns)
{
	struct lkst_gap gap;

	while (next_hole_ns(m) < ns && lkst_gaps_take(&m->holes, &gap))
		merge_put_gap(m, &gap);
}

int lkst_merge_gap(struct lkst_merge *m, struct lkst_gap *ret_gap)
{
	return lkst_gaps_take(&m->gaps, ret_gap);
}

/* ---- one source ------------------------------------------------------------------- */

/* What is missing between the block that was read and @next. */
static void merge_note_missing(struct lkst_merge *m, const struct lkst_merge_source *s,
			       const struct lkst_block *next)
{
	const struct lkst_block *last = &s->block;
	struct lkst_block_missing missing = lkst_block_missing(last, next);

	if (missing.blocks)
		lkst_merge_add_gap(m, s,
				   (struct lkst_gap){
					   .from_ns = last->end_ns,
					   .to_ns = next->begin_ns,
					   .blocks = missing.blocks,
					   .why = s->why_missing,
					   .is_damage = s->has_damage,
				   });
	if (missing.events)
		lkst_merge_add_gap(m, s,
				   (struct lkst_gap){
					   .from_ns = last->begin_ns,
					   .to_ns = next->begin_ns,
					   .events = missing.events,
					   .why = "the recorder had to discard records",
				   });
}

/* Reports that the rest of the block makes no sense, and skips it. */
static void merge_note_fault(struct lkst_merge *m, struct lkst_merge_source *s,
			     enum lkst_block_fault fault)
{
	lkst_merge_add_gap(m, s,
			   (struct lkst_gap){
				   .from_ns = s->cursor.ns,
				   .to_ns = s->block.end_ns,
				   .why = lkst_block_fault_text(fault),
				   .is_damage = true,
			   });
	s->cursor.offset = s->block.content;
}

/* Gets the source's next record ready, over damage and the ends of blocks: 1, or as next() of its ops. */
static int advance(struct lkst_merge *m, struct lkst_merge_source *s)
{
	struct lkst_block next;
	int r;

	for (;;) {
		if (s->cursor.block) {
			r = lkst_block_step(&s->cursor, m->catalog, &s->head);
			if (r > 0)
				return 1;
			if (r < 0)
				merge_note_fault(m, s, (enum lkst_block_fault) - r);
			s->read_ns = s->cursor.ns;
		}
		r = s->ops->next(m, s, &next);
		if (r <= 0)
			return r;
		if (s->cursor.block)
			merge_note_missing(m, s, &next);
		s->block = next;
		s->read_ns = next.begin_ns;
		lkst_block_cursor_init(&s->cursor, &s->block);
	}
}

/* The same for the first record, if it has none ready, that is not before the time of the pass. */
static int merge_start(struct lkst_merge *m, struct lkst_merge_source *s)
{
	int r = 1;

	while (r > 0 && (!s->has_head || (!s->comes_first && s->head.ns < m->from_ns))) {
		r = advance(m, s);
		s->has_head = r > 0;
	}
	return r;
}

bool lkst_merge_get_ready(struct lkst_merge *m)
{
	bool is_ready = true;
	u32 i;

	for (i = 0; i < m->nr_sources; i++)
		if (merge_start(m, m->sources[i]) < 0)
			is_ready = false;
	return is_ready;
}

/* ---- the tournament ----------------------------------------------------------------- */

/* Without a branch: the winner is as good as random. */
static inline bool merge_is_before(struct player a, struct player b)
{
	return (a.ns < b.ns) | ((a.ns == b.ns) & (a.source < b.source));
}

/* @p goes up from its leaf. Returns the winner. */
static struct player merge_play(struct player *losers, u32 nr_leaves, struct player p)
{
	u32 node;

	for (node = (nr_leaves + p.source) / 2; node; node /= 2) {
		struct player other = losers[node];
		u64 swap = -(u64)merge_is_before(other, p);
		u64 ns = (other.ns ^ p.ns) & swap;
		u32 source = (other.source ^ p.source) & (u32)swap;

		losers[node] = (struct player){ other.ns ^ ns, other.source ^ source };
		p.ns ^= ns;
		p.source ^= source;
	}
	return p;
}

/* The time up to which the records of source @winner come before all others. */
static u64 merge_limit_of(const struct lkst_merge *m, u32 winner)
{
	u64 limit = m->until_ns == UINT64_MAX ? UINT64_MAX : m->until_ns + 1,
	    hole_ns = next_hole_ns(m);
	u32 node;

	if (hole_ns < limit)
		limit = hole_ns + 1;

	/* The second best has lost against the winner, so it is on the winner's way up. */
	for (node = (m->nr_leaves + winner) / 2; node; node /= 2) {
		const struct player *p = &m->losers[node];
		u64 ns = p->ns + (winner < p->source && p->ns != UINT64_MAX);

		limit = ns < limit ? ns : limit;
	}
	return limit;
}

/* The next record of the sources that come first, if there is one left. */
static int next_first(struct lkst_merge *m, struct lkst_record *ret_record)
{
	for (; m->next_first < m->nr_sources; m->next_first++) {
		struct lkst_merge_source *s = m->sources[m->next_first];

		if (s->comes_first && advance(m, s) > 0) {
			*ret_record = s->head;
			return 1;
		}
	}
	return 0;
}

/* How source @i enters the tournament: with the record that it has ready, if it is given out at all. */
static struct player player_of(const struct lkst_merge *m, u32 i)
{
	const struct lkst_merge_source *s = i < m->nr_sources ? m->sources[i] : NULL;
	bool plays = s && s->has_head && s->head.ns <= m->until_ns;

	return (struct player){ plays ? s->head.ns : UINT64_MAX, i };
}

/* The first round: everyone goes up until they meet an empty node, and waits there. */
static struct player first_round(struct lkst_merge *m)
{
	struct player winner = { UINT64_MAX, 0 };
	u32 i, node;

	for (i = 1; i < m->nr_leaves; i++)
		m->losers[i].source = UINT32_MAX;
	for (i = 0; i < m->nr_leaves; i++) {
		struct player p = player_of(m, i);

		for (node = (m->nr_leaves + i) / 2; node; node /= 2) {
			struct player other = m->losers[node];

			if (other.source == UINT32_MAX) {
				m->losers[node] = p;
				break;
			}
			m->losers[node] = merge_is_before(other, p) ? p : other;
			p = merge_is_before(other, p) ? other : p;
		}
		if (!node)
			winner = p;
	}
	return winner;
}

/* The top plays with its next record; @has_head: that is ready. False: nothing may be given out. */
static bool next_round(struct lkst_merge *m, bool has_head, struct player *ret_winner)
{
	int r = has_head ? 1 : advance(m, m->top);

	m->top->has_head = r > 0;
	*ret_winner = merge_play(m->losers, m->nr_leaves, player_of(m, m->top_nr));
	return r >= 0;
}

static void give_out(struct lkst_merge *m, struct player winner, struct lkst_record *ret_record)
{
	note_holes(m, winner.ns);
	m->top_nr = winner.source;
	m->top = m->sources[winner.source];
	m->top->has_head = false;
	m->limit = merge_limit_of(m, winner.source);
	*ret_record = m->top->head;
}

/*
 * Everything but the plain next record of the same source. @has_record: that one is ready, but
 * others may come before it.
 */
static __attribute__((noinline)) int next_slowly(struct lkst_merge *m, bool has_record,
						 struct lkst_record *ret_record)
{
	struct player winner = { UINT64_MAX, 0 };
	bool goes_on = true;

	if (m->top) {
		goes_on = next_round(m, has_record, &winner);
	} else if (m->has_begun) {
		return 0;
	} else {
		if (next_first(m, ret_record))
			return 1;
		m->has_begun = true;
		goes_on = lkst_merge_get_ready(m);
		if (goes_on)
			winner = first_round(m);
	}
	if (goes_on && winner.ns != UINT64_MAX) {
		give_out(m, winner, ret_record);
		return 1;
	}
	if (goes_on)
		note_holes(m, m->until_ns == UINT64_MAX ? UINT64_MAX : m->until_ns + 1);
	m->top = NULL;
	return 0;
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

static void give_gaps(struct lkst_merge *m, const struct lkst_merge_calls *calls, void *ctx)
{
	struct lkst_gap gap;

	while (lkst_gaps_take(&m->gaps, &gap))
		calls->gap(ctx, &gap);
}

/*
 * Gives out what the top has that comes before the records of all others. *@ret_has_record: there is one more
 * ready after it.
 */
static int merge_give_run(struct lkst_merge *m, const struct lkst_merge_calls *calls, void *ctx,
			  bool *ret_has_record)
{
	struct lkst_merge_source *top = m->top;
	const u64 limit = m->limit;
	struct lkst_block_cursor cursor;
	struct lkst_block block;
	struct lkst_record r;
	int err = 0, got = 0;

	*ret_has_record = false;
	/* Those that come first, whatever their time, are given out without a top. */
	if (!top)
		return 0;
	/* Copies that no call can change: the compiler need not read them again after each. */
	block = top->block;
	cursor = top->cursor;
	cursor.block = &block;
	r.cpu = block.cpu;
	r.buffer = lkst_instance_buffer(block.instance);
	while (!err && (got = lkst_block_step_within(&cursor, m->catalog, &r)) > 0 && r.ns < limit)
		err = calls->record(ctx, &r);
	cursor.block = &top->block;
	top->cursor = cursor;
	*ret_has_record = !err && got > 0;
	if (*ret_has_record)
		top->head = r;
	return err;
}

int lkst_merge_each(struct lkst_merge *m, const struct lkst_merge_calls *calls, void *ctx)
{
	struct lkst_record r;
	int err = 0, got = lkst_merge_next(m, &r);
	bool has_record;

	while (got > 0) {
		if (__builtin_expect(m->gaps.nr, 0))
			give_gaps(m, calls, ctx);
		err = calls->record(ctx, &r) ?: merge_give_run(m, calls, ctx, &has_record);
		got = err ? 0 : next_slowly(m, has_record, &r);
	}
	give_gaps(m, calls, ctx);
	return err;
}

/* ---- making one ------------------------------------------------------------------- */

void lkst_merge_begin(struct lkst_merge *m, u64 until_ns)
{
	m->until_ns = until_ns;
	m->top = NULL;
	m->has_begun = false;
}

/* Makes room for one more source. */
static int merge_grow(struct lkst_merge *m)
{
	u32 nr = m->nr_leaves ? 2 * m->nr_leaves : 1;
	struct lkst_merge_source **sources;
	struct player *losers;

	if (m->nr_sources < m->nr_leaves)
		return 0;
	sources = reallocarray(m->sources, nr, sizeof(struct lkst_merge_source *));
	if (!sources)
		return -ENOMEM;
	m->sources = sources;
	losers = reallocarray(m->losers, nr, sizeof(*losers));
	if (!losers)
		return -ENOMEM;
	m->losers = losers;
	m->nr_leaves = nr;
	return 0;
}

int lkst_merge_add(struct lkst_err *e, struct lkst_merge *m, struct lkst_merge_source *s)
{
	int err = merge_grow(m);

	if (err) {
		s->ops->free(s);
		return lkst_err_sys(e, err, "cannot merge the streams");
	}
	m->sources[m->nr_sources++] = s;
	lkst_merge_begin(m, m->until_ns);
	return 0;
}

unsigned int lkst_merge_nr_sources(const struct lkst_merge *m)
{
	return m->nr_sources;
}

struct lkst_merge_source *lkst_merge_source(const struct lkst_merge *m, unsigned int i)
{
	return m->sources[i];
}

int lkst_merge_new_empty(struct lkst_err *e, const struct lkst_catalog *catalog, u64 from_ns,
			 u64 to_ns, struct lkst_merge **ret_merge)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = calloc(1, sizeof(*m));

	if (!m || lkst_gaps_init(&m->gaps, GAPS_MAX) || lkst_gaps_init(&m->holes, GAPS_MAX) ||
	    merge_grow(m))
		return lkst_err_sys(e, -ENOMEM, "cannot merge the streams");
	m->catalog = catalog;
	m->from_ns = from_ns;
	m->to_ns = m->until_ns = to_ns;
	*ret_merge = lkst_take(m);
	return 0;
}

void lkst_merge_free(struct lkst_merge *m)
{
	u32 i;

	if (!m)
		return;
	for (i = 0; i < m->nr_sources; i++)
		m->sources[i]->ops->free(m->sources[i]);
	lkst_gaps_fini(&m->gaps);
	lkst_gaps_fini(&m->holes);
	free(m->sources);
	free(m->losers);
	free(m);
}
