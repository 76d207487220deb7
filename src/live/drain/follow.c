/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a running recording in one order of time, as they come: a queue of blocks for each ring is
 * filled, and a merge reads the queues.
 */
#include "live/drain/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/drain/drain.h"
#include "trace/read/merge.h"

enum { QUEUE_BYTES = 8 << 20 }; /* of one ring, at most */

static const char overwritten[] = "blocks were overwritten before they were read";

/* Blocks as they came. */
struct chunk {
	struct chunk *next;
	const u8 *bytes;
	size_t length;
	void *memory; /* that they are in */
};

/* What came from a ring and was not read yet: a source of the merge. */
struct queue {
	struct lkst_merge_source base;
	struct lkst_follow *follow;
	struct chunk *first, **last;
	size_t bytes;  /* of all chunks */
	size_t at;     /* of the block that comes next, in the first chunk */
	bool is_short; /* its ring has more than it could take */
};

struct lkst_follow {
	struct lkst_merge *merge; /* of queues */
	struct lkst_drain *drain;
	unsigned int last_queue;
	struct chunk *done; /* chunks that were read: records may still be in use */
	bool has_more;
	u64 until_ns;  /* of the records that the merge gives out */
	u64 filled_ns; /* when the rings were looked at last; 0: never */
};

/* ---- a queue ------------------------------------------------------------------------ */

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c->memory);
		free(c);
		c = next;
	}
}

/* Goes on to the next chunk. Records of the first one may still be in use. */
static void drop_first(struct queue *q)
{
	struct chunk *c = q->first;

	q->first = c->next;
	if (!q->first)
		q->last = &q->first;
	q->bytes -= c->length;
	q->at = 0;
	c->next = q->follow->done;
	q->follow->done = c;
}

/* The next block that makes sense. */
static int next_block(struct lkst_merge *m, struct lkst_merge_source *source,
		      struct lkst_block *ret_block)
{
	struct queue *q = (struct queue *)source;

	for (; q->first; drop_first(q))
		while (q->at < q->first->length) {
			const u8 *bytes = q->first->bytes + q->at;

			if (!lkst_block_parse(NULL, bytes, q->first->length - q->at, NULL,
					      ret_block)) {
				q->at += ret_block->size;
				return 1;
			}
			q->at += 1 << LKST_BLOCK_SHIFT_MIN;
		}
	/* The records that its ring has not given yet may come before those of the others. */
	q->follow->has_more |= q->is_short;
	return q->is_short ? -EAGAIN : 0;
}

static void free_queue(struct lkst_merge_source *source)
{
	free_chunks(((struct queue *)source)->first);
	free(source);
}

static const struct lkst_merge_source_ops ops = { next_block, free_queue };

static struct queue *queue_at(const struct lkst_follow *f, unsigned int i)
{
	return (struct queue *)lkst_merge_source(f->merge, i);
}

/* The queue of a ring, or NULL if it has given no block yet. */
static struct queue *find_queue(struct lkst_follow *f, u64 instance)
{
	unsigned int nr = lkst_merge_nr_sources(f->merge), i;

	/* Rings give their blocks in the same order each time. */
	for (i = 0; i < nr; i++) {
		unsigned int k = (f->last_queue + i) % nr;

		if (queue_at(f, k)->base.instance == instance) {
			f->last_queue = k;
			return queue_at(f, k);
		}
	}
	return NULL;
}

static int add_queue(struct lkst_err *e, struct lkst_follow *f, u64 instance,
		     struct queue **ret_queue)
{
	struct queue *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	q->base.ops = &ops;
	q->base.instance = instance;
	q->base.why_missing = overwritten;
	q->follow = f;
	q->last = &q->first;
	err = lkst_merge_add(e, f->merge, &q->base);
	if (!err)
		*ret_queue = q;
	return err;
}

/* ---- filling ------------------------------------------------------------------------ */

static struct chunk *new_chunk(struct lkst_follow *f, const void *blocks, size_t length)
{
	struct chunk *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->length = length;
	c->bytes = lkst_drain_keep(f->drain, blocks, length, &c->memory);
	if (c->bytes)
		return c;
	c->memory = malloc(length);
	if (!c->memory) {
		free(c);
		return NULL;
	}
	memcpy(c->memory, blocks, length);
	c->bytes = c->memory;
	return c;
}

static int follow_take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct lkst_follow *f = ctx;
	struct queue *q = find_queue(f, instance);
	struct chunk *c;
	int err;

	err = q ? 0 : add_queue(e, f, instance, &q);
	if (err)
		return err;
	q->is_short = q->bytes && q->bytes + length > QUEUE_BYTES;
	if (q->is_short)
		return -EAGAIN;
	c = new_chunk(f, blocks, length);
	if (!c)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	*q->last = c;
	q->last = &c->next;
	q->bytes += length;
	return 0;
}

/* ---- holes in the middle of a CPU's history ------------------------------------------- */

/*
 * From when on the history of @cpu is given out: since the last look, or the oldest that is ready. 0: there
 * is none.
 */
static u64 begin_of(const struct lkst_follow *f, u32 cpu)
{
	u64 begin_ns = 0;
	unsigned int i;

	if (f->filled_ns)
		return f->filled_ns;
	for (i = 0; i < lkst_merge_nr_sources(f->merge); i++) {
		const struct lkst_merge_source *s = lkst_merge_source(f->merge, i);

		if (s->has_head && lkst_instance_cpu(s->instance) == cpu &&
		    lkst_lost_from_history(s->instance) && (!begin_ns || s->head.ns < begin_ns))
			begin_ns = s->head.ns;
	}
	return begin_ns;
}

/* A stretch that stream @instance has lost is a hole if there are older records of the CPU. */
static int add_hole(void *ctx, u64 instance, const struct lkst_lost *lost)
{
	struct lkst_follow *f = ctx;
	struct lkst_gap hole = { .cpu = lkst_instance_cpu(instance),
				 .buffer = lkst_instance_buffer(instance),
				 .from_ns = lost->from_ns,
				 .to_ns = lost->to_ns,
				 .blocks = lost->blocks,
				 .why = overwritten };
	u64 begin_ns = begin_of(f, hole.cpu);

	if (!begin_ns || hole.to_ns <= begin_ns)
		return 0;
	if (hole.from_ns < begin_ns) {
		hole.from_ns = begin_ns;
		hole.blocks = 0;
	}
	lkst_merge_add_hole(f->merge, &hole);
	return 0;
}

int lkst_follow_fill(struct lkst_err *e, struct lkst_follow *f)
{
	u64 bytes, now = lkst_monotonic_ns();
	unsigned int i;
	int err;

	free_chunks(f->done);
	f->done = NULL;
	f->has_more = false;
	for (i = 0; i < lkst_merge_nr_sources(f->merge); i++)
		queue_at(f, i)->is_short = false;
	err = lkst_drain_copy(e, f->drain, &bytes);
	if (!err)
		err = lkst_drain_cut(e, f->drain);
	lkst_merge_begin(f->merge, f->until_ns);
	lkst_merge_get_ready(f->merge);
	if (err)
		return err;
	/* What was lost before the first block of each ring that has given one out since the last look. */
	err = lkst_drain_each_lost(f->drain, add_hole, f);
	if (err)
		return lkst_err_sys(e, err, "following the recording");
	lkst_drain_keep_told(f->drain);
	f->filled_ns = now;
	return 0;
}

/* ---- reading ------------------------------------------------------------------------ */

static void set_until(struct lkst_follow *f, u64 until_ns)
{
	if (until_ns == f->until_ns)
		return;
	lkst_merge_begin(f->merge, until_ns);
	f->until_ns = until_ns;
}

int lkst_follow_next(struct lkst_follow *f, u64 until_ns, struct lkst_record *ret_record)
{
	set_until(f, until_ns);
	return lkst_merge_next(f->merge, ret_record);
}

int lkst_follow_each(struct lkst_follow *f, u64 until_ns, const struct lkst_merge_calls *calls,
		     void *ctx)
{
	set_until(f, until_ns);
	return lkst_merge_each(f->merge, calls, ctx);
}

int lkst_follow_gap(struct lkst_follow *f, struct lkst_gap *ret_gap)
{
	return lkst_merge_gap(f->merge, ret_gap);
}

bool lkst_follow_has_more(const struct lkst_follow *f)
{
	return f->has_more;
}

unsigned int lkst_follow_pause_ms(const struct lkst_follow *f)
{
	return f->has_more ? 0 : lkst_drain_pause_ms(f->drain);
}

unsigned int lkst_follow_quarter_ms(const struct lkst_follow *f)
{
	return f->has_more ? 0 : lkst_drain_quarter_ms(f->drain);
}

u64 lkst_follow_begin_ns(const struct lkst_follow *f)
{
	u64 begin_ns = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < lkst_merge_nr_sources(f->merge); i++) {
		const struct lkst_merge_source *s = lkst_merge_source(f->merge, i);

		if (s->has_head && s->head.ns < begin_ns)
			begin_ns = s->head.ns;
	}
	return begin_ns == UINT64_MAX ? 0 : begin_ns;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_follow_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns,
		    struct lkst_follow **ret_follow)
{
	_cleanup_(lkst_follow_freep) struct lkst_follow *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	err = lkst_merge_new_empty(e, lkst_session_catalog(s), 0, UINT64_MAX, &f->merge);
	if (err)
		return err;
	err = lkst_drain_new(e, s, NULL, since_ns, &f->drain);
	if (err)
		return err;
	lkst_drain_set_taker(f->drain, follow_take, f);
	*ret_follow = lkst_take(f);
	return 0;
}

void lkst_follow_choose(struct lkst_follow *f, u32 buffers)
{
	lkst_drain_choose(f->drain, buffers, UINT64_MAX, 0);
}

void lkst_follow_free(struct lkst_follow *f)
{
	if (!f)
		return;
	lkst_merge_free(f->merge);
	free_chunks(f->done);
	lkst_drain_free(f->drain);
	free(f);
}
