// SPDX-License-Identifier: GPL-2.0-only
/* Marks as blocks of a trace's streams. */
#include "marks/marks_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/state.h"
#include "trace/format/block.h"

enum { GIVEN_BYTES = 65536 }; /* at once; at least one block of any size */

/* A stream of the trace: a CPU's, at a level. */
struct marks_streams_stream {
	u64 seq;     /* number of the block that comes next */
	u64 last_ns; /* time of the last record */
	u8 *blocks;  /* those that are not given out yet; NULL: there were none */
	u32 length;  /* of those that are full */
	u32 used;    /* bytes of the one behind them, which is being filled; 0: it is not open */
	u64 begin_ns;
};

struct lkst_marks_streams {
	u32 nr_cpus, block_shift;
	const u8 *uuid;
	struct marks_streams_stream list[]; /* by CPU, then level */
};

static u64 instance_of(const struct lkst_marks_streams *all, const struct marks_streams_stream *s)
{
	const u32 index = (u32)(s - all->list);

	return lkst_stream_instance(index / LKST_LEVELS, LKST_BUFFER_MARKS, index % LKST_LEVELS);
}

static u32 marks_streams_room_of(const struct lkst_marks_streams *all)
{
	const u32 size = 1U << all->block_shift;

	return size > GIVEN_BYTES ? size : GIVEN_BYTES;
}

/* Gives out the full blocks of a stream. */
static int give_blocks(const struct lkst_marks_streams *all, const struct lkst_marks_taker *to,
		       struct marks_streams_stream *s)
{
	int err;

	if (!s->length)
		return 0;
	err = to->give(to->e, to->ctx, instance_of(all, s), s->blocks, s->length);
	/* Numbers that are left out show that something is missing. */
	s->length = 0;
	return err == -EAGAIN ? 0 : err;
}

/* Completes the block of a stream that is being filled; there is room for another one then. */
static int close_block(const struct lkst_marks_streams *all, const struct lkst_marks_taker *to,
		       struct marks_streams_stream *s)
{
	const size_t size = 1UL << all->block_shift;
	const u64 instance = instance_of(all, s);
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
				       .stream_id = LKST_STREAM_CLASS,
				       .stream_instance_id = instance,
				       .timestamp_begin = s->begin_ns,
				       .timestamp_end = s->last_ns,
				       .content_size = s->used * 8ULL,
				       .packet_size = size * 8,
				       .packet_seq_num = s->seq,
				       .cpu_id = lkst_instance_cpu(instance) };
	u8 *block;

	if (!s->used)
		return 0;
	block = s->blocks + s->length;
	memcpy(h.uuid, all->uuid, sizeof(h.uuid));
	memcpy(block, &h, sizeof(h));
	memset(block + s->used, 0, size - s->used);
	s->used = 0;
	s->seq++;
	s->length += (u32)size;
	return s->length + size > marks_streams_room_of(all) ? give_blocks(all, to, s) : 0;
}

/* The stream of the CPU whose last record is not younger; NULL: none, after records that were late several times. */
static struct marks_streams_stream *stream_for(struct lkst_marks_streams *all, const struct lkst_marks_taken *t)
{
	u32 level;

	for (level = 0; level < LKST_LEVELS; level++) {
		struct marks_streams_stream *s = &all->list[t->cpu * LKST_LEVELS + level];

		if (s->last_ns <= t->ns)
			return s;
	}
	return NULL;
}

int lkst_marks_streams_put(struct lkst_marks_streams *all, const struct lkst_marks_taker *to,
			   const struct lkst_marks_taken *t)
{
	const u32 size = 1U << all->block_shift, head = sizeof(struct lkst_record_head);
	const u32 length = t->size - (LKST_MARK_RECORD_FIELDS - head);
	struct marks_streams_stream *s = stream_for(all, t);
	u64 word = t->ns << 16 | t->id;
	u8 *block;
	u32 at;
	int err = 0;

	if (!s)
		return 1;
	at = (s->used + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
	if (s->used &&
	    (at + length > size - LKST_RECORD_ALIGN || t->ns - s->last_ns >= LKST_TIME_GAP_MAX))
		err = close_block(all, to, s);
	if (err)
		return err;
	if (!s->blocks)
		s->blocks = malloc(marks_streams_room_of(all));
	if (!s->blocks)
		return lkst_err_sys(to->e, -ENOMEM, "gathering marks");
	if (!s->used) {
		s->begin_ns = t->ns;
		at = LKST_BLOCK_HEADER;
	}
	block = s->blocks + s->length;
	memset(block + s->used, 0, at - s->used);
	memcpy(block + at, t->bytes, head);
	memcpy(block + at + head, t->bytes + LKST_MARK_RECORD_FIELDS, length - head);
	memcpy(block + at, &word, sizeof(word));
	s->used = at + length;
	s->last_ns = t->ns;
	return 0;
}

int lkst_marks_streams_flush(struct lkst_marks_streams *all, const struct lkst_marks_taker *to)
{
	u32 i;
	int err = 0;

	for (i = 0; i < all->nr_cpus * LKST_LEVELS && !err; i++)
		err = close_block(all, to, &all->list[i]) ?: give_blocks(all, to, &all->list[i]);
	return err;
}

int lkst_marks_streams_each(const struct lkst_marks_streams *all, int (*each)(void *ctx, u64 instance), void *ctx)
{
	u32 i;
	int err = 0;

	for (i = 0; i < all->nr_cpus * LKST_LEVELS && !err; i++)
		if (all->list[i].seq)
			err = each(ctx, instance_of(all, &all->list[i]));
	return err;
}

int lkst_marks_streams_new(struct lkst_err *e, u32 nr_cpus, u32 block_shift, const u8 *uuid,
			   struct lkst_marks_streams **ret_streams)
{
	struct lkst_marks_streams *all =
		calloc(1, sizeof(*all) + (size_t)nr_cpus * LKST_LEVELS * sizeof(all->list[0]));

	if (!all)
		return lkst_err_sys(e, -ENOMEM, "gathering marks");
	all->nr_cpus = nr_cpus;
	all->block_shift = block_shift;
	all->uuid = uuid;
	*ret_streams = all;
	return 0;
}

void lkst_marks_streams_free(struct lkst_marks_streams *all)
{
	u32 i;

	if (!all)
		return;
	for (i = 0; i < all->nr_cpus * LKST_LEVELS; i++)
		free(all->list[i].blocks);
	free(all);
}
