/* SPDX-License-Identifier: GPL-2.0-only */
/* From rings to a trace directory. */
#include "live/drain.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "live/state.h"

enum {
	BATCH_BYTES = 1 << 20, /* copied and written at once; at least one block of any size */
	PAUSE_MS_MIN = 1,
	PAUSE_MS_MAX = 100,
};

struct lkst_drain {
	const struct lkst_session *session;
	struct lkst_writer *writer;
	struct lkst_ring_reader *readers; /* by buffer, then CPU, then level */
	unsigned int nr_readers;
	u8 *batch;
	u64 last_copy_ns;
	double fill; /* of the fullest ring, rings per second */
};

int lkst_drain_new(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
		   u64 since_ns, struct lkst_drain **ret_stream)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *st = calloc(1, sizeof(*st));
	const struct lkst_rings *rings = lkst_session_rings(s);
	unsigned int i;

	if (!st)
		return lkst_err_sys(e, -ENOMEM, "preparing to copy the buffers");
	st->session = s;
	st->writer = w;
	st->nr_readers = rings->nr_cpus * LKST_NR_BUFFERS * LKST_LEVELS;
	st->readers = calloc(st->nr_readers, sizeof(*st->readers));
	st->batch = malloc(BATCH_BYTES);
	if (!st->readers || !st->batch)
		return lkst_err_sys(e, -ENOMEM, "preparing to copy the buffers");
	for (i = 0; i < st->nr_readers; i++) {
		u32 level = i % LKST_LEVELS, page = i / LKST_LEVELS;
		u32 buffer = page / rings->nr_cpus;

		lkst_ring_reader_init(&st->readers[i], rings, page % rings->nr_cpus, buffer, level);
		if (since_ns && buffer != LKST_BUFFER_LIFE)
			lkst_ring_reader_seek(&st->readers[i], since_ns);
		lkst_ring_reader_rebase(&st->readers[i]);
	}
	st->last_copy_ns = lkst_monotonic_ns();
	*ret_stream = lkst_take(st);
	return 0;
}

void lkst_drain_free(struct lkst_drain *st)
{
	if (!st)
		return;
	free(st->readers);
	free(st->batch);
	free(st);
}

void lkst_drain_freep(struct lkst_drain **st)
{
	lkst_drain_free(*st);
}

/* Copies what is closed of one ring, but not for ever: at most what the ring holds. */
static int copy_ring(struct lkst_err *e, struct lkst_drain *st, struct lkst_ring_reader *reader,
		     u64 *ret_blocks)
{
	u32 shift = reader->rings->block_shift;
	u64 most = (u64)reader->ring->mask + 1;
	unsigned int nr;
	int err;

	for (*ret_blocks = 0; *ret_blocks < most; *ret_blocks += nr) {
		nr = lkst_ring_reader_closed(reader, st->batch, BATCH_BYTES >> shift);
		if (!nr)
			break;
		err = lkst_writer_append(e, st->writer, reader->instance, st->batch,
					 (size_t)nr << shift);
		if (err)
			return err;
	}
	return 0;
}

int lkst_drain_copy(struct lkst_err *e, struct lkst_drain *st, u64 *ret_bytes)
{
	u64 now = lkst_monotonic_ns();
	double seconds = (now - st->last_copy_ns) / 1e9, fill = 0;
	unsigned int i;

	*ret_bytes = 0;
	for (i = 0; i < st->nr_readers; i++) {
		struct lkst_ring_reader *reader = &st->readers[i];
		double share;
		u64 blocks;
		int err;

		err = copy_ring(e, st, reader, &blocks);
		if (err)
			return err;
		*ret_bytes += blocks << reader->rings->block_shift;
		share = (double)blocks / (reader->ring->mask + 1);
		fill = share > fill ? share : fill;
	}
	st->fill = seconds > 0 ? fill / seconds : 0;
	st->last_copy_ns = now;
	return 0;
}

static int finish_ring(struct lkst_err *e, struct lkst_drain *st, struct lkst_ring_reader *reader)
{
	int found, err, tries;
	u64 blocks;

	/* The open block may be closed before it is copied; then there is a new one. */
	for (tries = 0; tries < 100; tries++) {
		err = copy_ring(e, st, reader, &blocks);
		if (err)
			return err;
		found = lkst_ring_reader_open_block(reader, st->batch);
		if (!found)
			return 0;
		if (found > 0)
			return lkst_writer_append(e, st->writer, reader->instance, st->batch,
						  1UL << reader->rings->block_shift);
	}
	return 0;
}

int lkst_drain_finish(struct lkst_err *e, struct lkst_drain *st)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < st->nr_readers && !err; i++)
		err = finish_ring(e, st, &st->readers[i]);
	return err;
}

unsigned int lkst_drain_pause_ms(const struct lkst_drain *st)
{
	double ms = st->fill > 0 ? 250.0 / st->fill : PAUSE_MS_MAX;

	return ms < PAUSE_MS_MIN ? PAUSE_MS_MIN : ms > PAUSE_MS_MAX ? PAUSE_MS_MAX : ms;
}

u64 lkst_drain_overtaken(const struct lkst_drain *st)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < st->nr_readers; i++)
		sum += st->readers[i].overtaken;
	return sum;
}
