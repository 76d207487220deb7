/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a running recording in one order of time, as they come: a queue of blocks for each ring,
 * and a heap of the queues by the time of the record that each has ready.
 */
#include "live/drain/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/drain/drain.h"

enum {
	QUEUE_BYTES = 8 << 20, /* of one ring, at most */
	GAPS_MAX = 256,	       /* beyond, the last one takes them in */
};

/* Blocks as they came. */
struct chunk {
	struct chunk *next;
	size_t length;
	u8 bytes[];
};

struct queue {
	u64 instance;
	struct chunk *first, **last;
	size_t bytes; /* of all chunks */
	size_t at;    /* of the block that is read, in the first chunk */
	bool in_block, has_head;
	bool is_short; /* its ring has more than it could take */
	struct lkst_block block, before;
	bool has_before;
	struct lkst_block_cursor cursor;
	struct lkst_record head;
};

struct lkst_follow {
	const struct lkst_session *session;
	struct lkst_drain *drain;
	struct queue **queues; /* they do not move, since cursors point into them */
	unsigned int nr_queues, last_queue;
	struct queue **heap; /* those with a record ready */
	unsigned int nr_heap;
	struct chunk *done; /* chunks that were read: records may still be in use */
	bool has_more;
	struct lkst_gap gaps[GAPS_MAX];
	unsigned int first_gap, nr_gaps;
	/* Holes that no queue meets, by time: they are gaps when it is their turn. */
	struct lkst_gap *holes;
	unsigned int nr_holes, next_hole;
	u64 filled_ns; /* when the rings were looked at last; 0: never */
};

/* ---- gaps --------------------------------------------------------------------------- */

static void put_gap(struct lkst_follow *f, struct lkst_gap gap)
{
	struct lkst_gap *last;

	if (gap.to_ns < gap.from_ns)
		gap.to_ns = gap.from_ns;
	if (f->nr_gaps < GAPS_MAX) {
		f->gaps[(f->first_gap + f->nr_gaps++) % GAPS_MAX] = gap;
		return;
	}
	last = &f->gaps[(f->first_gap + f->nr_gaps - 1) % GAPS_MAX];
	last->why = "several gaps, too many to keep apart";
	last->events += gap.events;
	last->blocks += gap.blocks;
	last->to_ns = gap.to_ns > last->to_ns ? gap.to_ns : last->to_ns;
}

static void add_gap(struct lkst_follow *f, const struct queue *q, struct lkst_gap gap)
{
	gap.cpu = lkst_instance_cpu(q->instance);
	gap.buffer = lkst_instance_buffer(q->instance);
	put_gap(f, gap);
}

/* The holes that begin before @ns. */
static void note_holes(struct lkst_follow *f, u64 ns)
{
	while (f->next_hole < f->nr_holes && f->holes[f->next_hole].from_ns < ns)
		put_gap(f, f->holes[f->next_hole++]);
}

int lkst_follow_gap(struct lkst_follow *f, struct lkst_gap *ret_gap)
{
	if (!f->nr_gaps)
		return 0;
	*ret_gap = f->gaps[f->first_gap];
	f->first_gap = (f->first_gap + 1) % GAPS_MAX;
	f->nr_gaps--;
	return 1;
}

/* What is missing between the last block of the queue and this one. */
static void note_missing(struct lkst_follow *f, const struct queue *q)
{
	const struct lkst_block *last = &q->before, *next = &q->block;

	if (!q->has_before)
		return;
	if (next->seq - last->seq > 1)
		add_gap(f, q,
			(struct lkst_gap){
				.from_ns = last->end_ns,
				.to_ns = next->begin_ns,
				.blocks = next->seq - last->seq - 1,
				.why = "blocks were overwritten before they were read" });
	if (next->discarded > last->discarded)
		add_gap(f, q,
			(struct lkst_gap){ .from_ns = last->begin_ns,
					   .to_ns = next->begin_ns,
					   .events = next->discarded - last->discarded,
					   .why = "the recorder had to discard records" });
}

/* ---- a queue ------------------------------------------------------------------------ */

/* Goes to the next block that makes sense. False: there is none yet. */
static bool next_block(struct lkst_follow *f, struct queue *q)
{
	for (;;) {
		struct chunk *c = q->first;

		if (q->in_block) {
			q->at += q->block.size;
			q->before = q->block;
			q->has_before = true;
			q->in_block = false;
		}
		if (!c)
			return false;
		if (q->at < c->length) {
			if (lkst_block_parse(NULL, c->bytes + q->at, c->length - q->at, NULL,
					     &q->block)) {
				q->at += 1 << LKST_BLOCK_SHIFT_MIN;
				continue;
			}
			note_missing(f, q);
			lkst_block_cursor_init(&q->cursor, &q->block);
			q->in_block = true;
			return true;
		}
		q->first = c->next;
		if (!q->first)
			q->last = &q->first;
		q->bytes -= c->length;
		q->at = 0;
		c->next = f->done;
		f->done = c;
	}
}

/* Gets the queue's next record ready. False: there is none yet. */
static bool advance(struct lkst_follow *f, struct queue *q)
{
	int r;

	q->has_head = false;
	for (;;) {
		r = q->in_block ? lkst_block_next(NULL, &q->cursor,
						  lkst_session_catalog(f->session), &q->head)
				: 0;
		if (r > 0)
			break;
		if (r < 0)
			add_gap(f, q,
				(struct lkst_gap){ .from_ns = q->cursor.ns,
						   .to_ns = q->block.end_ns,
						   .why = "a block makes no sense" });
		if (!next_block(f, q))
			return false;
	}
	q->has_head = true;
	return true;
}

/* The queue of a ring, made when it gives its first block. */
static struct queue *get_queue(struct lkst_follow *f, u64 instance)
{
	struct queue *q, **grown;
	unsigned int i;

	/* Rings give their blocks in the same order each time. */
	for (i = 0; i < f->nr_queues; i++) {
		unsigned int k = (f->last_queue + i) % f->nr_queues;

		if (f->queues[k]->instance == instance) {
			f->last_queue = k;
			return f->queues[k];
		}
	}
	q = calloc(1, sizeof(*q));
	grown = reallocarray(f->queues, f->nr_queues + 1, sizeof(*grown));
	if (grown)
		f->queues = grown;
	if (q && grown)
		grown = reallocarray(f->heap, f->nr_queues + 1, sizeof(*grown));
	if (!q || !grown) {
		free(q);
		return NULL;
	}
	f->heap = grown;
	q->instance = instance;
	q->last = &q->first;
	f->queues[f->nr_queues++] = q;
	return q;
}

/* ---- the heap ----------------------------------------------------------------------- */

static bool is_before(const struct queue *a, const struct queue *b)
{
	return a->head.ns < b->head.ns;
}

static void sift_down(struct lkst_follow *f, unsigned int i)
{
	struct queue *q = f->heap[i];
	unsigned int child;

	for (; (child = 2 * i + 1) < f->nr_heap; i = child) {
		if (child + 1 < f->nr_heap && is_before(f->heap[child + 1], f->heap[child]))
			child++;
		if (!is_before(f->heap[child], q))
			break;
		f->heap[i] = f->heap[child];
	}
	f->heap[i] = q;
}

static void make_heap(struct lkst_follow *f)
{
	unsigned int i;

	f->nr_heap = 0;
	for (i = 0; i < f->nr_queues; i++)
		if (f->queues[i]->has_head || advance(f, f->queues[i]))
			f->heap[f->nr_heap++] = f->queues[i];
	for (i = f->nr_heap / 2; i-- > 0;)
		sift_down(f, i);
}

int lkst_follow_next(struct lkst_follow *f, u64 until_ns, struct lkst_record *ret_record)
{
	struct queue *top;

	if (!f->nr_heap || f->has_more || f->heap[0]->head.ns > until_ns)
		return 0;
	top = f->heap[0];
	note_holes(f, top->head.ns);
	*ret_record = top->head;
	if (!advance(f, top)) {
		/* The records that it has not given yet may come before those of the others. */
		f->has_more = top->is_short;
		f->heap[0] = f->heap[--f->nr_heap];
	}
	if (f->nr_heap)
		sift_down(f, 0);
	return 1;
}

bool lkst_follow_has_more(const struct lkst_follow *f)
{
	return f->has_more;
}

/* ---- filling ------------------------------------------------------------------------ */

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

static int take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct lkst_follow *f = ctx;
	struct queue *q = get_queue(f, instance);
	struct chunk *c;

	if (!q)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	q->is_short = q->bytes + length > QUEUE_BYTES;
	if (q->is_short)
		return -EAGAIN;
	c = malloc(sizeof(*c) + length);
	if (!c)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	c->next = NULL;
	c->length = length;
	memcpy(c->bytes, blocks, length);
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

	for (i = 0; i < f->nr_queues && !f->filled_ns; i++) {
		const struct queue *q = f->queues[i];

		if (lkst_instance_cpu(q->instance) == cpu && q->has_head &&
		    lkst_lost_from_history(q->instance) && (!begin_ns || q->head.ns < begin_ns))
			begin_ns = q->head.ns;
	}
	return f->filled_ns ? f->filled_ns : begin_ns;
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
				 .why = "blocks were overwritten before they were read" };
	u64 begin_ns = begin_of(f, hole.cpu);
	struct lkst_gap *grown;

	if (!begin_ns || hole.to_ns <= begin_ns)
		return 0;
	if (hole.from_ns < begin_ns) {
		hole.from_ns = begin_ns;
		hole.blocks = 0;
	}
	grown = reallocarray(f->holes, f->nr_holes + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->holes = grown;
	grown[f->nr_holes++] = hole;
	return 0;
}

static int compare_holes(const void *a, const void *b)
{
	const struct lkst_gap *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Finds what was lost before the first block of each ring that has given one out since the last look. */
static int find_holes(struct lkst_err *e, struct lkst_follow *f, u64 now)
{
	f->nr_holes -= f->next_hole;
	if (f->nr_holes)
		memmove(f->holes, f->holes + f->next_hole, f->nr_holes * sizeof(*f->holes));
	f->next_hole = 0;
	if (lkst_drain_each_lost(f->drain, add_hole, f))
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	lkst_drain_keep_told(f->drain);
	if (f->nr_holes)
		qsort(f->holes, f->nr_holes, sizeof(*f->holes), compare_holes);
	f->filled_ns = now;
	return 0;
}

int lkst_follow_fill(struct lkst_err *e, struct lkst_follow *f)
{
	u64 bytes, now = lkst_monotonic_ns();
	unsigned int i;
	int code;

	free_chunks(f->done);
	f->done = NULL;
	f->has_more = false;
	for (i = 0; i < f->nr_queues; i++)
		f->queues[i]->is_short = false;
	code = lkst_drain_copy(e, f->drain, &bytes);
	if (!code)
		code = lkst_drain_cut(e, f->drain);
	make_heap(f);
	return code ? code : find_holes(e, f, now);
}

unsigned int lkst_follow_pause_ms(const struct lkst_follow *f)
{
	return f->has_more ? 0 : lkst_drain_pause_ms(f->drain);
}

u64 lkst_follow_begin_ns(const struct lkst_follow *f)
{
	return f->nr_heap ? f->heap[0]->head.ns : 0;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_follow_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns,
		    struct lkst_follow **ret_follow)
{
	_cleanup_(lkst_follow_freep) struct lkst_follow *f = calloc(1, sizeof(*f));
	int code;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "following the recording");
	f->session = s;
	code = lkst_drain_new(e, s, NULL, since_ns, &f->drain);
	if (code)
		return code;
	lkst_drain_set_taker(f->drain, take, f);
	*ret_follow = lkst_take(f);
	return 0;
}

void lkst_follow_free(struct lkst_follow *f)
{
	unsigned int i;

	if (!f)
		return;
	for (i = 0; i < f->nr_queues; i++) {
		free_chunks(f->queues[i]->first);
		free(f->queues[i]);
	}
	free_chunks(f->done);
	free(f->queues);
	free(f->holes);
	free(f->heap);
	lkst_drain_free(f->drain);
	free(f);
}

void lkst_follow_freep(struct lkst_follow **f)
{
	lkst_follow_free(*f);
}
