/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds at one moment, as a trace. */
#ifndef LKST_LIVE_DRAIN_SNAPSHOT_H
#define LKST_LIVE_DRAIN_SNAPSHOT_H

#include "live/session/session.h"
#include "live/state/readings.h"
#include "trace/write/writer.h"

/* What a snapshot has of a recording. All zero: everything. */
struct lkst_snapshot_options {
	u64 last_ns;  /* not 0: only so much */
	u64 since_ns; /* not 0: nothing older, in place of last_ns */
	u64 until_ns; /* not 0: no later records */
	u32 buffers;  /* by number; 0: all */
	u64 marks_ns; /* with `buffers`: not 0: and what programs have marked since then */
	const struct lkst_readings *readings; /* of the kernel's counters, made before; NULL: none */
	bool symbols; /* with the names of what lies at the addresses in it (live/state/write_symbols.h) */
	bool is_by_address; /* each address with a name of its own, for addresses that are hashed afterwards */
};

/*
 * Writes to @w what the rings of @s hold, as far as @options want it, and the state of the machine when that
 * begins. Recording goes on meanwhile; what is overwritten before it is copied is missing, and shows as a gap.
 * A snapshot only reads, and so takes no lock (live/hooks/pins.h).
 */
int lkst_snapshot_write(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_snapshot_options *options, struct lkst_writer *w);

#endif
