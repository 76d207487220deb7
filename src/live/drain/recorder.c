/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams the rings of a recording to files, part by part. */
#include "live/drain/recorder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "live/drain/drain.h"
#include "live/drain/state_stream.h"
#include "live/drain/write_symbols.h"
#include "live/recording/counters.h"
#include "live/recording/thread_counts.h"

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
	struct lkst_told told;
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

static bool is_full_disk(int code)
{
	/* EFBIG: a file may not become larger (setrlimit(2)); where parts rotate, the next one has room. */
	return code == -ENOSPC || code == -EDQUOT || code == -EFBIG;
}

/* ---- the ledger --------------------------------------------------------------------- */

static int write_overtaken(struct lkst_err *e, struct lkst_recorder *r)
{
	unsigned int i;
	int code = lkst_drain_write_lost(e, r->drain, r->w);

	for (i = 0; i < lkst_drain_nr_sources(r->drain) && !code; i++) {
		u64 instance, blocks = lkst_drain_overtaken_of(r->drain, i, &instance);
		const struct lkst_lost lost = { .blocks = blocks - r->told_overtaken[i] };

		if (lost.blocks)
			code = lkst_state_write_overwritten(e, r->s, r->w, instance, &lost);
	}
	return code;
}

/* What was written is in the file: the next ledger continues from there. */
static void keep_told(struct lkst_recorder *r)
{
	unsigned int i;
	u64 instance;

	for (i = 0; i < lkst_drain_nr_sources(r->drain); i++)
		r->told_overtaken[i] = lkst_drain_overtaken_of(r->drain, i, &instance);
	lkst_drain_keep_told(r->drain);
	lkst_told_keep(&r->told);
}

/* ---- the kernel's counters ---------------------------------------------------------- */

/* Reads how often threads were switched, unless that is not recorded now. */
static int count_threads(struct lkst_err *e, struct lkst_recorder *r)
{
	struct lkst_thread_counts *place = &r->counts[r->nr_counts ? 1 : 0], was = *place;
	int code;

	if (r->counts_why_not || !lkst_counters_switches_to(r->s))
		return 0;
	code = lkst_thread_counts_read(e, r->s, &r->spare);
	if (code || !r->spare.recorded_to)
		return code;
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
	int code = count_threads(e, r);

	return code ? code : lkst_counters_read(e, r->s, &r->counters);
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

static int take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct lkst_recorder *r = ctx;
	int code;

	if (lkst_instance_buffer(instance) == LKST_BUFFER_LIFE &&
	    lkst_life_feed(r->life, blocks, length))
		return lkst_err_sys(e, -ENOMEM, "recording");
	lkst_addresses_feed(r->addresses, blocks, length);
	code = lkst_writer_renew(e, r->w, lkst_session_catalog(r->s));
	return code ? code : lkst_writer_append(e, r->w, instance, blocks, length);
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
static int note_full(struct lkst_recorder *r, int code)
{
	r->is_full = is_full_disk(code);
	return r->is_full ? 0 : code;
}

/* Finds the threads of a part that begins. */
static int find_threads(struct lkst_err *e, struct lkst_recorder *r, u64 now)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list alive = {};
	unsigned int i;
	int code;

	/*
	 * The list first: a thread that ends from now on is in a life record that comes to this part, and one
	 * that has ended before is in a life record that is copied now, at the latest.
	 */
	code = lkst_state_list_threads(e, r->s, &alive);
	if (code)
		return code;
	lkst_drain_set_room(r->drain, room_of(r) == UINT64_MAX ? UINT64_MAX : room_of(r) / 2);
	code = note_full(r, lkst_drain_life(e, r->drain));
	if (code)
		return code;
	r->threads.nr = 0;
	code = patch_threads(r, now, r->nr_parts ? &r->threads : &alive);
	/* The threads that exist come last, since a number may have been given out again. */
	for (i = 0; i < alive.nr && !code; i++)
		code = lkst_thread_list_add(&r->threads, &alive.list[i]);
	for (i = 0; i < alive.nr_idle_tasks && !code; i++)
		code = lkst_thread_list_set_idle(&r->threads, i, alive.idle_tasks[i]);
	return code ? lkst_err_sys(e, code, "beginning a part") : 0;
}

/* Writes the state with which the part begins, if that is still to be done. */
static int write_state(struct lkst_err *e, struct lkst_recorder *r)
{
	int code = r->owes_state ? lkst_state_write_machine(e, r->s, r->w, &r->threads) : 0;

	if (!code && r->owes_state)
		code = lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0);
	/* A full disk must not keep the part from saying how it ends. */
	if (!code && r->owes_state)
		code = lkst_writer_reserve(e, r->w, r->ledger_bytes);
	if (!code)
		r->owes_state = false;
	return code;
}

/* Begins a part. With a full disk the next step tries to begin it, or to write its state, again. */
static int begin_part(struct lkst_err *e, struct lkst_recorder *r)
{
	u64 now = lkst_monotonic_ns();
	int code;

	code = lkst_parts_next(e, r->parts, lkst_session_catalog(r->s),
			       now + lkst_clock_offset_ns(), r->state_number, &r->w);
	if (!code)
		code = find_threads(e, r, now);
	/* Records from now on are in this part: earlier ones have been copied or cut. */
	plan_counts(r, now);
	if (!code)
		code = read_counters(e, r);
	if (code)
		return code;
	r->owes_state = true;
	r->part_ns = now;
	r->part_bytes = 0;
	r->nr_parts++;
	return write_state(e, r);
}

/*
 * Completes the part with its ledger, and says that it ends and how. If the ledger can't be written, its lines
 * are in that of the next part.
 */
static int end_part(struct lkst_err *e, struct lkst_recorder *r, u32 how)
{
	int code, close_code;
	struct lkst_err close_e;

	code = write_state(e, r);
	if (!code)
		code = lkst_addresses_write(e, r->addresses, r->w);
	if (!code)
		code = write_overtaken(e, r);
	if (!code)
		code = lkst_state_write_ledger(e, r->s, r->w, &r->told);
	if (!code)
		code = lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0);
	if (!code)
		code = write_thread_counts(e, r);
	if (!code)
		code = lkst_drain_write_end(e, r->drain, r->w, how, UINT64_MAX);
	r->state_number = lkst_writer_state_number(r->w);
	r->done_bytes += lkst_writer_bytes(r->w);
	code = lkst_writer_close(e, r->w, code);
	r->w = NULL;
	if (!code)
		keep_told(r);
	if (is_full_disk(code))
		r->is_full = true;
	else if (code)
		return code;
	close_code = lkst_parts_done(&close_e, r->parts);
	if (close_code && !code)
		*e = close_e;
	return code ?: close_code;
}

int lkst_recorder_switch(struct lkst_err *e, struct lkst_recorder *r)
{
	int code = 0;

	if (!r->rotation.is_on || !r->w)
		return 0;
	/* The names of threads, and what idle CPUs have recorded, belong to the part of their time. */
	lkst_drain_set_room(r->drain, room_of(r));
	code = write_state(e, r);
	/* Before the last records are copied, so that those of the same time are among them. */
	if (!code)
		code = read_counters(e, r);
	if (!code)
		code = lkst_drain_life(e, r->drain);
	if (!code)
		code = lkst_drain_cut(e, r->drain);
	code = note_full(r, code);
	if (code)
		return code;
	code = note_full(r, end_part(e, r, LKST_ENDING_GOES_ON));
	return code ? code : note_full(r, begin_part(e, r));
}

static bool is_over(const struct lkst_recorder *r)
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
	int code = 0;

	r->has_more = false;
	if (!r->w)
		code = note_full(r, begin_part(e, r));
	if (!code && r->w)
		code = note_full(r, write_state(e, r));
	if (code || !r->w)
		return code;
	lkst_drain_set_room(r->drain, room_to_copy(r));
	code = lkst_drain_copy(e, r->drain, &bytes);
	if (code <= 0)
		code = note_full(r, code);
	if (code < 0)
		return code;
	r->part_bytes += bytes;
	/* If nothing was to be written, it is still not known whether there is space. */
	if (!bytes && was_full)
		r->is_full = true;
	r->has_more = code > 0;
	return r->has_more || is_over(r) ? lkst_recorder_switch(e, r) : 0;
}

int lkst_recorder_finish(struct lkst_err *e, struct lkst_recorder *r)
{
	int code = 0;

	/* All that is left belongs to the last part, if that has room, or to further ones. */
	do
		code = lkst_recorder_step(e, r);
	while (!code && r->has_more && !r->is_full);
	if (code)
		return code;
	if (!r->w) {
		code = begin_part(e, r);
		if (code)
			return code;
	}
	code = write_state(e, r);
	if (!code)
		code = read_counters(e, r);
	if (!code)
		code = lkst_drain_finish(e, r->drain);
	if (code && !is_full_disk(code))
		return code;
	r->is_full = is_full_disk(code);
	if (code) {
		struct lkst_err ledger_e;

		lkst_err_add(e, "the rest of the recording could not be written");
		end_part(&ledger_e, r, LKST_ENDING_DISK_FULL);
		return code;
	}
	return end_part(e, r, LKST_ENDING_COMPLETE);
}

int lkst_recorder_count(struct lkst_err *e, struct lkst_recorder *r)
{
	int code = r->w ? write_state(e, r) : 0;

	if (!code && r->w)
		code = read_counters(e, r);
	if (!code && r->w)
		code = lkst_counters_write(e, r->s, r->w, &r->counters, r->is_filtered, 0);
	return note_full(r, code);
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
static int check_size(struct lkst_err *e, const struct lkst_recorder *r)
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

int lkst_recorder_new(struct lkst_err *e, const struct lkst_session *s,
		      const struct lkst_recorder_options *options,
		      struct lkst_recorder **ret_recorder)
{
	struct lkst_recorder *r = calloc(1, sizeof(*r));
	struct lkst_err ignored;
	int code;

	if (!r)
		return lkst_err_sys(e, -ENOMEM, "preparing to write the recording");
	r->s = s;
	r->rotation = options->rotation;
	r->is_filtered = options->is_filtered;
	r->ledger_bytes = LEDGER_BYTES + (u64)lkst_session_rings(s)->nr_cpus * LEDGER_CPU_BYTES;
	r->counts_max = counts_max(&options->rotation);
	r->ledger_bytes += (u64)r->counts_max * LKST_THREAD_COUNTS_PAIR;
	r->life = lkst_life_new(lkst_session_catalog(s));
	r->addresses = lkst_addresses_new(s, options->symbols, false);
	code = r->life && r->addresses ? 0 : lkst_err_sys(e, -ENOMEM, "preparing to write");
	if (!code)
		code = lkst_parts_open(e, options->name, &options->rotation, options->compress,
				       &r->parts);
	if (!code)
		code = lkst_drain_new(e, s, NULL, options->since_ns, &r->drain);
	if (!code) {
		r->told_overtaken =
			calloc(lkst_drain_nr_sources(r->drain), sizeof(*r->told_overtaken));
		if (!r->told_overtaken)
			code = lkst_err_sys(e, -ENOMEM, "preparing to write");
	}
	if (!code) {
		lkst_drain_set_taker(r->drain, take, r);
		code = begin_part(e, r);
	}
	if (!code)
		code = check_size(e, r);
	if (code) {
		lkst_recorder_free(&ignored, r);
		return code;
	}
	*ret_recorder = r;
	return 0;
}

int lkst_recorder_free(struct lkst_err *e, struct lkst_recorder *r)
{
	int code, parts_code;
	struct lkst_err parts_e;

	if (!r)
		return 0;
	code = lkst_writer_close(e, r->w, 0);
	parts_code = lkst_parts_close(code ? &parts_e : e, r->parts);
	lkst_drain_free(r->drain);
	lkst_life_free(r->life);
	lkst_addresses_free(r->addresses);
	lkst_thread_list_fini(&r->threads);
	lkst_counters_fini(&r->counters);
	lkst_thread_counts_fini(&r->counts[0]);
	lkst_thread_counts_fini(&r->counts[1]);
	lkst_thread_counts_fini(&r->spare);
	lkst_told_fini(&r->told);
	free(r->told_overtaken);
	free(r);
	return code ?: parts_code;
}
