/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state stream: how things stand on the machine, written beside the events, so that the trace
 * can be read elsewhere and years later: threads and their names, clocks, CPUs, interrupts, disks,
 * network interfaces, and the ledger of losses.
 */
#ifndef LKST_LIVE_STATE_H
#define LKST_LIVE_STATE_H

#include "live/session.h"
#include "trace/writer.h"

/* Who and what there is, and what time it is. */
int lkst_state_write_machine(struct lkst_err *e, const struct lkst_session *s,
			     struct lkst_writer *w);

/*
 * The ledger: what is missing from the rings, by ring and cause, and runs that were skipped. In a
 * snapshot, @is_snapshot, also what had been overwritten before it was taken; a stream has that.
 */
int lkst_state_write_ledger(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    bool is_snapshot);

/* CLOCK_MONOTONIC and what is to be added to it for the time of day, ns. */
u64 lkst_monotonic_ns(void);
u64 lkst_clock_offset_ns(void);

#endif
