/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds at one moment. */
#include "live/drain/snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/drain/drain.h"
#include "live/state/life.h"
#include "live/state/state_stream.h"
#include "live/state/write_symbols.h"
#include "trace/format/block.h"

struct saving {
	const struct lkst_session *s;
	struct lkst_writer *w;
	struct lkst_life_log *life;
	struct lkst_addresses *addresses;
	u64 until_ns;
	u8 *piece; /* room for a block */
};

/* Writes those records of one block that are not later than the end. */
static int write_until(struct lkst_err *e, const struct saving *saving, u64 instance,
		       const u8 *bytes, size_t size)
{
	struct lkst_block_cursor cursor, good;
	struct lkst_record record;
	struct lkst_block block;

	if (lkst_block_parse(NULL, bytes, size, NULL, &block) || block.end_ns <= saving->until_ns)
		return lkst_writer_append(e, saving->w, instance, bytes, size);
	lkst_block_cursor_init(&cursor, &block);
	for (good = cursor;
	     lkst_block_next(NULL, &cursor, lkst_session_catalog(saving->s), &record) > 0 &&
	     record.ns <= saving->until_ns;
	     good = cursor)
		;
	if (good.offset == LKST_BLOCK_HEADER)
		return 0;
	lkst_block_piece(&block, LKST_BLOCK_HEADER, good.offset, block.begin_ns, good.ns,
			 saving->piece);
	return lkst_writer_append(e, saving->w, instance, saving->piece, size);
}

static int snapshot_take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	const struct saving *saving = ctx;
	const size_t size = 1UL << lkst_session_rings(saving->s)->block_shift;
	const u8 *bytes = blocks;
	size_t at;
	int err = 0;

	if (lkst_instance_buffer(instance) == LKST_BUFFER_LIFE &&
	    lkst_life_feed(saving->life, blocks, length))
		return lkst_err_sys(e, -ENOMEM, "saving");
	lkst_addresses_feed(saving->addresses, blocks, length);
	/* Programs describe their events, which are known when their marks are read. */
	err = lkst_writer_renew(e, saving->w, lkst_session_catalog(saving->s));
	if (err)
		return err;
	if (!saving->until_ns)
		return lkst_writer_append(e, saving->w, instance, blocks, length);
	for (at = 0; at < length && !err; at += size)
		err = write_until(e, saving, instance, bytes + at, size);
	return err;
}

/* The state as it was when the trace begins, although it is taken now. */
static int save_state(struct lkst_err *e, const struct lkst_session *s, const struct saving *saving,
		      const struct lkst_drain *drain)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list threads = {};
	int err = lkst_state_list_threads(e, s, &threads);

	if (err)
		return err;
	if (lkst_life_undo(saving->life, &threads))
		return lkst_err_sys(e, -ENOMEM, "saving");
	return lkst_state_write_machine(e, s, saving->w, &threads) ?:
	       lkst_addresses_write(e, saving->addresses, saving->w) ?:
	       lkst_drain_write_lost(e, drain, saving->w) ?:
	       lkst_state_write_ledger(e, s, saving->w, NULL);
}

/* ---- the kernel's counters ----------------------------------------------------------- */

static int later(void *ctx, u64 instance, const struct lkst_lost *lost)
{
	u64 *since = ctx;

	/* The life buffer gives only names and created threads, and these are compared by the buffer's own losses. */
	if (lkst_instance_buffer(instance) != LKST_BUFFER_LIFE && lost->to_ns > *since)
		*since = lost->to_ns;
	return 0;
}

/* When a buffer that is in the snapshot was made or wiped last. */
static u64 last_wiped(const struct lkst_session *s, u32 buffers)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	u64 since = 0, ns;
	u32 buffer, cpu;

	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < r->nr_cpus && lkst_rings_has(r, buffer); cpu++) {
			ns = lkst_rings_state(r, cpu, buffer)->marks.since_ns;
			if ((!buffers || buffers >> buffer & 1) && ns > since)
				since = ns;
		}
	return since;
}

/* The time from which the snapshot has all records: earlier readings cannot be compared with them. */
static u64 snapshot_covered_since(const struct lkst_session *s, const struct lkst_snapshot_options *options,
				  const struct lkst_drain *drain, u64 since_ns)
{
	u64 wiped = last_wiped(s, options->buffers), since = since_ns > wiped ? since_ns : wiped;
	u32 bank;

	lkst_drain_each_lost(drain, later, &since);
	/* A bank begins when CPUs came to it, each with its next record. */
	for (bank = 0; bank < LKST_NR_BUFFERS && options->until_ns; bank++)
		if (bank != LKST_BUFFER_LIFE && options->buffers >> bank & 1) {
			u64 ns = lkst_rings_covered_ns(lkst_session_rings(s), bank);

			since = ns > since ? ns : since;
		}
	return since;
}

/* Whether all of reading @i lies in what the snapshot covers, or is the first one after that. */
static bool is_within(const struct lkst_snapshot_options *options, u32 i, u64 since_ns)
{
	const struct lkst_counters *c = &options->readings->list[i];
	const struct lkst_thread_counts *t = &options->readings->threads[i];
	const bool is_after = i && i == options->readings->after;
	const u64 until_ns = options->until_ns && !is_after ? options->until_ns : UINT64_MAX;
	bool is = t->from_ns >= since_ns && t->to_ns <= until_ns;
	u32 k;

	for (k = 0; k < c->nr; k++)
		is &= c->list[k].from_ns >= since_ns && c->list[k].to_ns <= until_ns;
	return is;
}

/* Writes the readings that lie in what the snapshot covers, and the first one after that. */
static int write_readings(struct lkst_err *e, const struct lkst_session *s,
			  const struct lkst_snapshot_options *options, struct lkst_writer *w,
			  u64 since_ns)
{
	struct lkst_thread_counts threads[LKST_READINGS_MAX + 1];
	u32 i, nr = 0;
	int err = 0;

	if (!options->readings)
		return 0;
	for (i = 0; i < options->readings->nr && !err; i++) {
		if (!is_within(options, i, since_ns))
			continue;
		threads[nr++] = options->readings->threads[i];
		err = lkst_counters_write(e, s, w, &options->readings->list[i], false,
					  options->buffers);
	}
	return err ? err
		   : lkst_thread_counts_write(e, s, w, threads, nr, LKST_THREAD_COUNTS_MAX,
					      options->buffers);
}

static int snapshot_save(struct lkst_err *e, const struct lkst_session *s,
			 const struct lkst_snapshot_options *options, struct saving *saving)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	u64 now = lkst_monotonic_ns(), last = options->last_ns;
	u64 since_ns = options->since_ns ?: last && last < now ? now - last : 0;
	u64 until_ns = options->until_ns ?: UINT64_MAX;
	int err = lkst_drain_new(e, s, saving->w, since_ns, &drain);

	if (err)
		return err;
	lkst_drain_set_taker(drain, snapshot_take, saving);
	lkst_drain_reach_back(drain);
	if (options->buffers)
		lkst_drain_choose(drain, options->buffers, options->marks_ns ?: UINT64_MAX, options->until_ns);
	/* Events first: the oldest are being overwritten all the time. */
	err = lkst_drain_finish(e, drain) ?: save_state(e, s, saving, drain);
	if (err)
		return err;
	since_ns = snapshot_covered_since(s, options, drain, since_ns);
	err = write_readings(e, s, options, saving->w, since_ns);
	return err ?: lkst_drain_write_end(e, drain, saving->w, LKST_ENDING_COMPLETE, until_ns);
}

int lkst_snapshot_write(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_snapshot_options *options, struct lkst_writer *w)
{
	_cleanup_free_ u8 *piece = malloc(1UL << lkst_session_rings(s)->block_shift);
	struct saving saving = { s,
				 w,
				 lkst_life_new(lkst_session_catalog(s)),
				 lkst_addresses_new(s, options->symbols, options->is_by_address),
				 options->until_ns,
				 piece };
	int err = saving.life && saving.addresses && piece ? snapshot_save(e, s, options, &saving)
							   : lkst_err_sys(e, -ENOMEM, "saving");

	lkst_life_free(saving.life);
	lkst_addresses_free(saving.addresses);
	return err;
}
