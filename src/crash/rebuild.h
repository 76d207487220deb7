/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace of the blocks of a recording that were found in dumps: copies are dropped, the
 * blocks are put in order, and what was torn at the moment of the crash is cut off and counted.
 */
#ifndef LKST_CRASH_REBUILD_H
#define LKST_CRASH_REBUILD_H

#include "crash/recording.h"
#include "trace/write/writer.h"

/* What became of the blocks. */
struct lkst_rebuild {
	u64 streams;
	u64 blocks, records; /* good, in the trace */
	u64 bytes;
	u64 begin_ns, end_ns; /* of the first and last record, CLOCK_MONOTONIC */
	u64 torn_records;     /* that were being written: cut off */
	u64 doubtful_records; /* of them, those that look whole nevertheless */
	u64 damaged_blocks;   /* cut where they make no sense */
	u64 missing_blocks;   /* that the rings should hold and the dump does not */
	u64 copies;	      /* of blocks that were found twice */
	u64 stale_blocks;     /* that their ring had overwritten: copies from another time */
	u64 lost_events;      /* counted by the writers, since recording began */
	u64 rings_without_state;
};

struct lkst_rebuild_options {
	struct lkst_writer *trace;    /* NULL: only count */
	struct lkst_writer *doubtful; /* NULL: throw away what is not certain */
	lkst_hits_progress *progress; /* may be NULL */
	void *progress_arg;
	/* Adds to `trace` what else there is up to @end_ns, before its end is written. May be NULL. */
	int (*add)(struct lkst_err *e, void *ctx, u64 end_ns);
	void *add_ctx;
};

/* Salvages recording @r, which has a catalogue, out of @dumps. */
int lkst_rebuild(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		 const struct lkst_recording *r, const struct lkst_rebuild_options *options,
		 struct lkst_rebuild *ret_rebuild);

#endif
