/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state stream: how things stand on the machine, written beside the events, so that the trace
 * can be read elsewhere and years later: threads and their names, clocks, CPUs, interrupts, disks,
 * network interfaces, and the ledger of losses.
 */
#ifndef LKST_LIVE_DRAIN_STATE_STREAM_H
#define LKST_LIVE_DRAIN_STATE_STREAM_H

#include "live/drain/life.h"
#include "live/recording/session.h"
#include "trace/lost.h"
#include "trace/writer.h"

/* Adds the threads that there are to @list. */
int lkst_state_list_threads(struct lkst_err *e, const struct lkst_session *s,
			    struct lkst_thread_list *list);

/*
 * Who and what there is, and what time it is. Of a thread that @threads has twice the later record
 * holds.
 */
int lkst_state_write_machine(struct lkst_err *e, const struct lkst_session *s,
			     struct lkst_writer *w, const struct lkst_thread_list *threads);

/*
 * What the ledger of an earlier part has told already. Zeroed, it has told nothing; told_fini() frees what
 * grows in it.
 */
struct lkst_told {
	u64 *counts, *pending;
	unsigned int nr;
};
void lkst_told_fini(struct lkst_told *told);

/* What was written with @told is in a file now: the next ledger begins behind it. */
void lkst_told_keep(struct lkst_told *told);

/*
 * The same to kernel memory, in place of what was kept there before: for who finds the rings in a
 * crash dump, where nobody can be asked any more.
 */
int lkst_state_keep_machine(struct lkst_err *e, struct lkst_session *s);

/*
 * The ledger: what the writers could not record, by ring and cause, and runs that were skipped. Since
 * recording began, or, in a part of a recording, since @told, which is NULL in a snapshot.
 */
int lkst_state_write_ledger(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    struct lkst_told *told);

/*
 * A line of the ledger: what of the ring of stream @instance was overwritten before it was read. Times of 0
 * say that it is missing between other blocks, whose numbers tell where.
 */
int lkst_state_write_overwritten(struct lkst_err *e, const struct lkst_session *s,
				 struct lkst_writer *w, u64 instance, const struct lkst_lost *lost);

/* A function of the kernel, for addresses in the trace. */
int lkst_state_write_symbol(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    u64 address, u32 bytes, const char *name);

#endif
