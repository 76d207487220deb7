/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams the rings of a recording to files, part by part. */
#include "live/drain/recorder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "live/drain/drain.h"
#include "live/state/counters.h"
#include "live/state/state_stream.h"
#include "live/state/thread_counts.h"
#include "live/state/write_symbols.h"

/* Records of the main buffers may come to a part this much later than their time. */
#define LAG_NS 5000000000ULL

enum {
	FULL_PAUSE_MS = 200, /* between tries while the disk is full */
	/* What a part's ledger and end may take: a line per hook, and lines per CPU. */
	LEDGER_BYTES = 32768,
	LEDGER_CPU_BYTES = 8192,
	/* A part has room for at least so many blocks of records, or is refused. */
	PART_BLOCKS_MIN = 16,
	/* The counts of threads may take this fraction of a part's size (1/n). */
	COUNTS_SHARE = 16,
	/* Reading threads may take this fraction of the time (1/n). */
	COUNTS_COST = 1000,
};

struct lkst_recorder {
	const struct lkst_session *s;
	struct lkst_rotation rotation;
	struct lkst_parts *parts;
	struct lkst_writer *w; /* NULL: the next part could not be begun yet */
	struct lkst_drain *drain;
	struct lkst_life_log *life;		 /* of the last seconds */
	struct lkst_addresses *addresses; /* of this part */
	struct lkst_thread_list threads; /* with which the part begins */
	bool owes_state;		 /* they could not be written yet */
	struct lkst_counters counters;	 /* read last */
	/* The first and the last of the part, while all switches are recorded. */
	struct lkst_thread_counts counts[2], spare;
	u32 nr_counts;
	u32 counts_max;		 /* threads of which a part has room for them */
	u64 counts_from_ns;	 /* when a part began whose threads were read */
	const char *counts_why_not; /* they are not read in this part, or NULL */
	bool is_filtered;
	struct lkst_reported reported;
	u64 *told_overtaken; /* by ring */
	u64 state_number;
	u64 part_ns;	  /* when the part began */
	u64 part_bytes;	  /* of closed blocks that it has */
	u64 done_bytes;	  /* of the parts before this one */
	u64 ledger_bytes; /* kept free in a part */
	u32 nr_parts;
	bool is_full;
	bool has_more; /* the last step did not get to the end */
};

static bool is_full_disk(int err)
{
	/* EFBIG: a file may not become larger (setrlimit(2)); where parts rotate, the next one has room. */
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

/* ---- the ledger --------------------------------------------------------------------- */

static int write_overtaken(struct lkst_err *e, struct lkst_recorder *r)
{
	unsigned int i;
	int err = lkst_drain_write_lost(e, r->drain, r->w);

	for (i = 0; i < lkst_drain_nr_sources(r->drain) && !err; i++) {
		u64 instance, blocks = lkst_drain_overtaken_of(r->drain, i, &instance);
		const struct lkst_lost lost = { .blocks = blocks - r->told_overtaken[i] };

		if (lost.blocks)
			err = lkst_state_write_overwritten(e, r->s, r->w, instance, &lost);
	}
	return err;
}

/* What was written is in the file: the next ledger continues from there. */
static void keep_told(struct lkst_recorder *r)
{
	unsigned int i;
	u64 instance;

	for (i = 0; i < lkst_drain_nr_sources(r->drain); i++)
		r->told_overtaken[i] = lkst_drain_overtaken_of(r->drain, i, &instance);
	lkst_drain_keep_told(r->drain);
	lkst_reported_keep(&r->reported);
}

/* ---- the kernel's counters ---------------------------------------------------------- */

/* Reads how often threads were switched, unless that is not recorded now. */
static int recorder_count_threads(struct lkst_err *e, struct lkst_recorder *r)
{
	struct lkst_thread_counts *place = &r->counts[r->nr_counts ? 1 : 0], was = *place;
	int err;

	if (r->counts_why_not || !lkst_counters_switches_to(r->s))
		return 0;
	err = lkst_thread_counts_read(e, r->s, &r->spare);
	if (err || !r->spare.recorded_to)
		return err;
	*place = r->spare;
	r->spare = was;
	r->nr_counts = r->nr_counts ? 2 : 1;
	return 0;
}

/* Says for the part that begins whether its threads are read: twice, at its beginning and its end. */
static void plan_counts(struct lkst_recorder *r, u64 now)
{
	const u64 cost_ns = r->counts[0].cost_ns + r->counts[1].cost_ns;

	r->nr_counts = 0;
	r->counts_why_not = NULL;
	if (r->is_filtered)
		r->counts_why_not = "not all threads are recorded";
	else if (r->counts_from_ns && now - r->counts_from_ns < cost_ns * COUNTS_COST)
		r->counts_why_not = "parts follow each other too fast to read threads in each";
	else
		r->counts_from_ns = now;
}

static int read_counters(struct lkst_err *e, struct lkst_recorder *r)
{
	int err = recorder_count_threads(e, r);

	return err ?: lkst_counters_read(e, r->s, &r->counters);
}

/* Of how many threads a part has room for both readings. */
static u32 counts_max(const struct lkst_rotation *rotation)
{
	const u64 fit = rotation->bytes / COUNTS_SHARE / LKST_THREAD_COUNTS_PAIR;

	return rotation->bytes && fit < LKST_THREAD_COUNTS_MAX ? (u32)fit : LKST_THREAD_COUNTS_MAX;
}

static int write_thread_counts(struct lkst_err *e, const struct lkst_recorder *r)
{
	if (r->counts_why_not)
		return lkst_thread_counts_write_why_not(e, r->s, r->w, r->counts_why_not);
	return lkst_thread_counts_write(e, r->s, r->w, r->counts, r->nr_counts, r->counts_max, 0);
}

/* ---- parts -------------------------------------------------------------------------- */

/* How much the drain may write to the part. */
static u64 room_of(const struct lkst_recorder *r)
{
	u64 used = lkst_writer_bytes(r->w) + lkst_addresses_bytes(r->addresses) + r->ledger_bytes;
	u64 limit = r->rotation.bytes;

	if (!limit)
		return UINT64_MAX;
	return used < limit ? limit - used : 0;
}

static int recorder_take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct lkst_recorder *r = ctx;
	int err;

	if (lkst_instance_buffer(instance) == LKST_BUFFER_LIFE &&
	    lkst_life_feed(r->life, blocks, length))
		return lkst_err_sys(e, -ENOMEM, "recording");
	lkst_addresses_feed(r->addresses, blocks, length);
	err = lkst_writer_renew(e, r->w, lkst_session_catalog(r->s));
	return err ?: lkst_writer_append(e, r->w, instance, blocks, length);
}

/*
 * The first part begins before its state is taken if it has a history. Those of the later ones have the
 * records of the last moments of threads that have ended since.
 */
static int patch_threads(struct lkst_recorder *r, u64 now, struct lkst_thread_list *ended)
{
	if (!r->nr_parts)
		return lkst_life_undo(r->life, ended);
	lkst_life_forget(r->life, now > LAG_NS ? now - LAG_NS : 0);
	return lkst_life_add_ended(r->life, ended);
}

/* Turns a full disk into a state, and passes on every other failure. */
static int note_full(struct lkst_recorder *r, int err)
{
	r->is_full = is_full_disk(err);
	return r->is_full ? 0 : err;
}

/* Finds the threads of a part that begins. */
static int find_threads(struct lkst_err *e, struct lkst_recorder *r, u64 now)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list alive = {};
	unsigned int i;
	int err;

	/*
	 * The list first: a thread that ends from now on is in a life record that comes to this part, and one
	 * that has ended before is in a life record that is copied now, at the latest.
	 */
	err = lkst_state_list_threads(e, r->s, &alive);
	if (err)
		return err;
	lkst_drain_set_room(r->drain, room_of(r) == UINT64_MAX ? UINT64_MAX : room_of(r) / 2);
	err = note_full(r, lkst_drain_life(e, r->drain));
	if (err)
		return err;
	r->threads.nr = 0;
	err = patch_threads(r, now, r->nr_parts ? &r->threads : &alive);
	/* The threads that exist come last, since a number may have been given out again. */
	for (i = 0; i < alive.nr && !err; i++)
		err = lkst_thread_list_add(&r->threads, &alive.list[i]);
	free(r->threads.renewed);
	r->threads.renewed = alive.renewed;
	r->threads.nr_renewed = alive.nr_renewed;
	alive.renewed = NULL;
	free(r->threads.waits);
	r->threads.waits = alive.waits;
	r->threads.nr_waits = alive.nr_waits;
	alive.waits = NULL;
	for (i = 0; i < alive.nr_idle_tasks && !err; i++)
		err = lkst_thread_list_set_idle(&r->threads, i, alive.idle_tasks[i]);
	return err ? lkst_err_sys(e, err, "beginning a part") : 0;
}

/* Writes the state with which the part begins, if that is still to be done. */
static int write_state(struct lkst_err *e, struct lkst_recorder *r)
{
	int err;

	if (!r->owes_state)
		return 0;
	/* The last: a full disk must not keep the part from saying how it ends. */
	err = lkst_state_write_machine(e, r->s, r->w, &r->threads) ?:
	      lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0) ?:
	      lkst_writer_reserve(e, r->w, r->ledger_bytes);
	r->owes_state = err != 0;
	return err;
}

/* Begins a part. With a full disk the next step tries to begin it, or to write its state, again. */
static int recorder_begin_part(struct lkst_err *e, struct lkst_recorder *r)
{
	u64 now = lkst_monotonic_ns();
	int err = lkst_parts_next(e, r->parts, lkst_session_catalog(r->s),
				  now + lkst_clock_offset_ns(), r->state_number, &r->w);

	err = err ?: find_threads(e, r, now);
	/* All records from now on are in this part; of earlier ones only what the part before had no room for. */
	plan_counts(r, now);
	err = err ?: read_counters(e, r);
	if (err)
		return err;
	r->owes_state = true;
	r->part_ns = now;
	r->part_bytes = 0;
	r->nr_parts++;
	/* Each part has the stacks of its samples: the parts before it may be removed. */
	__atomic_add_fetch(&lkst_session_control(r->s)->stack_epoch, 1, __ATOMIC_RELAXED);
	return write_state(e, r);
}

/* Writes what a part ends with: its ledger, and that it ends and how. */
static int write_end(struct lkst_err *e, struct lkst_recorder *r, u32 how)
{
	return write_state(e, r) ?:
	       lkst_addresses_write(e, r->addresses, r->w) ?:
	       write_overtaken(e, r) ?:
	       lkst_state_write_ledger(e, r->s, r->w, &r->reported) ?:
	       lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0) ?:
	       write_thread_counts(e, r) ?:
	       lkst_drain_write_end(e, r->drain, r->w, how, UINT64_MAX);
}

/* Completes the part. If its ledger can't be written, the lines are in that of the next part. */
static int end_part(struct lkst_err *e, struct lkst_recorder *r, u32 how)
{
	int err, close_err;

	err = write_end(e, r, how);
	r->state_number = lkst_writer_state_number(r->w);
	r->done_bytes += lkst_writer_bytes(r->w);
	err = lkst_writer_close(e, r->w, err);
	r->w = NULL;
	if (!err)
		keep_told(r);
	if (is_full_disk(err))
		r->is_full = true;
	else if (err)
		return err;
	close_err = lkst_parts_done(err ? NULL : e, r->parts);
	return err ?: close_err;
}

int lkst_recorder_switch(struct lkst_err *e, struct lkst_recorder *r)
{
	int err;

	if (!r->rotation.is_on || !r->w)
		return 0;
	/* The names of threads, and what idle CPUs have recorded, belong to the part of their time. */
	lkst_drain_set_room(r->drain, room_of(r));
	/* Counters before the last records are copied, so that those of the same time are among them. */
	err = write_state(e, r) ?:
	      read_counters(e, r) ?:
	      lkst_drain_life(e, r->drain) ?:
	      lkst_drain_cut(e, r->drain);
	return note_full(r, err) ?:
	       note_full(r, end_part(e, r, LKST_ENDING_GOES_ON)) ?:
	       note_full(r, recorder_begin_part(e, r));
}

static bool recorder_is_over(const struct lkst_recorder *r)
{
	return r->rotation.ns && lkst_monotonic_ns() - r->part_ns >= r->rotation.ns;
}

/* ---- steps -------------------------------------------------------------------------- */

/*
 * How many bytes of closed blocks may go to the part. It keeps room for a cut, which gives the open block of each
 * ring, and for as much again of life records that come meanwhile, since they have the names of threads: but
 * no more than half of the part, on machines with many CPUs. A part whose state alone is too large still takes
 * something, or parts would follow each other without an end.
 */
static u64 room_to_copy(const struct lkst_recorder *r)
{
	u64 least = PART_BLOCKS_MIN << lkst_session_rings(r->s)->block_shift;
	u64 room = room_of(r), kept = 2 * lkst_drain_cut_bytes(r->drain);

	if (room == UINT64_MAX)
		return room;
	kept = kept < r->rotation.bytes / 2 ? kept : r->rotation.bytes / 2;
	room = room > kept ? room - kept : 0;
	return room < least && r->part_bytes < least ? least : room;
}

int lkst_recorder_step(struct lkst_err *e, struct lkst_recorder *r)
{
	const bool was_full = r->is_full;
	u64 bytes;
	int err = 0;

	r->has_more = false;
	if (!r->w)
		err = note_full(r, recorder_begin_part(e, r));
	if (err || !r->w)
		return err;
	err = note_full(r, write_state(e, r));
	if (err)
		return err;
	lkst_drain_set_room(r->drain, room_to_copy(r));
	err = lkst_drain_copy(e, r->drain, &bytes);
	if (err <= 0)
		err = note_full(r, err);
	if (err < 0)
		return err;
	r->part_bytes += bytes;
	/* If nothing was to be written, it is still not known whether there is space. */
	if (!bytes && was_full)
		r->is_full = true;
	r->has_more = err > 0;
	return r->has_more || recorder_is_over(r) ? lkst_recorder_switch(e, r) : 0;
}

int lkst_recorder_finish(struct lkst_err *e, struct lkst_recorder *r)
{
	int err = 0;

	/* All that is left belongs to the last part, if that has room, or to further ones. */
	do
		err = lkst_recorder_step(e, r);
	while (!err && r->has_more && !r->is_full);
	if (err)
		return err;
	err = r->w ? 0 : recorder_begin_part(e, r);
	if (err)
		return err;
	err = write_state(e, r) ?: read_counters(e, r) ?: lkst_drain_finish(e, r->drain);
	if (err && !is_full_disk(err))
		return err;
	r->is_full = err != 0;
	if (err) {
		lkst_err_add(e, "the rest of the recording could not be written");
		end_part(NULL, r, LKST_ENDING_DISK_FULL);
		return err;
	}
	return end_part(e, r, LKST_ENDING_COMPLETE);
}

int lkst_recorder_count(struct lkst_err *e, struct lkst_recorder *r)
{
	if (!r->w)
		return note_full(r, 0);
	return note_full(r, write_state(e, r) ?:
				    read_counters(e, r) ?:
				    lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0));
}

int lkst_recorder_write_pages(struct lkst_err *e, struct lkst_recorder *r, pid_t pid,
			      bool *ret_is_cut)
{
	*ret_is_cut = false;
	if (!r->w)
		return note_full(r, 0);
	return note_full(r, write_state(e, r) ?:
				    lkst_state_write_pages(e, r->s, r->w, pid, ret_is_cut));
}

int lkst_recorder_write_descriptors(struct lkst_err *e, struct lkst_recorder *r)
{
	if (!r->w)
		return note_full(r, 0);
	return note_full(r, write_state(e, r) ?: lkst_state_write_descriptors(e, r->s, r->w, &r->threads));
}

bool lkst_recorder_is_packing(const struct lkst_recorder *r)
{
	return lkst_parts_is_busy(r->parts);
}

unsigned int lkst_recorder_pause_ms(const struct lkst_recorder *r)
{
	if (r->is_full)
		return FULL_PAUSE_MS;
	return r->has_more ? 0 : lkst_drain_pause_ms(r->drain);
}

struct lkst_recorder_status lkst_recorder_status(const struct lkst_recorder *r)
{
	return (struct lkst_recorder_status){
		.name = lkst_parts_name(r->parts),
		.bytes = r->done_bytes + (r->w ? lkst_writer_bytes(r->w) : 0),
		.overtaken = lkst_drain_overtaken(r->drain),
		.nr_parts = r->nr_parts,
		.is_full = r->is_full,
	};
}

/* ---- lifetime ----------------------------------------------------------------------- */

/* A part must hold more than what every part begins and ends with. */
static int recorder_check_size(struct lkst_err *e, const struct lkst_recorder *r)
{
	const u64 block = 1ULL << lkst_session_rings(r->s)->block_shift;
	const u64 counts = (u64)r->counts_max * LKST_THREAD_COUNTS_PAIR;
	char size[LKST_SIZE_TEXT], least[LKST_SIZE_TEXT];

	if (room_of(r) && room_of(r) + counts >= 2 * PART_BLOCKS_MIN * block)
		return 0;
	lkst_size_format(r->rotation.bytes, size);
	lkst_size_format(lkst_writer_bytes(r->w) + r->ledger_bytes - counts +
				 4 * PART_BLOCKS_MIN * block,
			 least);
	return lkst_err_set(e, -EINVAL,
			    "parts of %s are too small: each has the metadata and the names of all "
			    "threads; %s is the least",
			    size, least);
}

/* Opens what @r writes to and reads from, and begins the first part. */
static int open_recorder(struct lkst_err *e, struct lkst_recorder *r,
			 const struct lkst_recorder_options *options)
{
	int err;

	r->life = lkst_life_new(lkst_session_catalog(r->s));
	r->addresses = lkst_addresses_new(r->s, options->symbols, false);
	if (!r->life || !r->addresses)
		return lkst_err_sys(e, -ENOMEM, "preparing to write");
	err = lkst_parts_open(e, options->access, options->name, &options->rotation, options->compress, &r->parts);
	err = err ?: lkst_drain_new(e, r->s, NULL, options->since_ns, &r->drain);
	if (err)
		return err;
	r->told_overtaken = calloc(lkst_drain_nr_sources(r->drain), sizeof(*r->told_overtaken));
	if (!r->told_overtaken)
		return lkst_err_sys(e, -ENOMEM, "preparing to write");
	lkst_drain_set_taker(r->drain, recorder_take, r);
	return recorder_begin_part(e, r) ?: recorder_check_size(e, r);
}

int lkst_recorder_new(struct lkst_err *e, const struct lkst_session *s,
		      const struct lkst_recorder_options *options,
		      struct lkst_recorder **ret_recorder)
{
	struct lkst_recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return lkst_err_sys(e, -ENOMEM, "preparing to write the recording");
	r->s = s;
	r->rotation = options->rotation;
	r->is_filtered = options->is_filtered;
	r->ledger_bytes = LEDGER_BYTES + (u64)lkst_session_rings(s)->nr_cpus * LEDGER_CPU_BYTES;
	r->counts_max = counts_max(&options->rotation);
	r->ledger_bytes += (u64)r->counts_max * LKST_THREAD_COUNTS_PAIR;
	err = open_recorder(e, r, options);
	if (err)
		lkst_recorder_free(NULL, r);
	else
		*ret_recorder = r;
	return err;
}

int lkst_recorder_free(struct lkst_err *e, struct lkst_recorder *r)
{
	int err, parts_err;

	if (!r)
		return 0;
	err = lkst_writer_close(e, r->w, 0);
	parts_err = lkst_parts_close(err ? NULL : e, r->parts);
	lkst_drain_free(r->drain);
	lkst_life_free(r->life);
	lkst_addresses_free(r->addresses);
	lkst_thread_list_fini(&r->threads);
	lkst_counters_fini(&r->counters);
	lkst_thread_counts_fini(&r->counts[0]);
	lkst_thread_counts_fini(&r->counts[1]);
	lkst_thread_counts_fini(&r->spare);
	lkst_reported_fini(&r->reported);
	free(r->told_overtaken);
	free(r);
	return err ?: parts_err;
}
