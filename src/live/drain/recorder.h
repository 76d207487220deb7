/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams the rings of a recording to files, part by part. A full disk is no failure: recording goes on
 * in memory, and is written as soon as there is space again; what was overwritten meanwhile is named.
 */
#ifndef LKST_LIVE_DRAIN_RECORDER_H
#define LKST_LIVE_DRAIN_RECORDER_H

#include "live/session/session.h"
#include "trace/write/parts.h"

struct lkst_recorder_options {
	const char *name; /* see lkst_parts_open() */
	const struct lkst_access *access; /* the same; must stay as long as the recorder */
	struct lkst_rotation rotation;
	bool compress;
	bool symbols; /* with the names of what lies at the addresses in it (live/state/write_symbols.h) */
	u64 since_ns; /* records before are left out, 0: none */
	bool is_filtered; /* not all threads are recorded */
};

struct lkst_recorder;

/* Begins the first part. The session must outlive the recorder. */
int lkst_recorder_new(struct lkst_err *e, const struct lkst_session *s,
		      const struct lkst_recorder_options *options,
		      struct lkst_recorder **ret_recorder);

/* Writes what is there, and begins the next part when it is time. */
int lkst_recorder_step(struct lkst_err *e, struct lkst_recorder *r);

/* Begins the next part now. Without rotation it does nothing. */
int lkst_recorder_switch(struct lkst_err *e, struct lkst_recorder *r);

/*
 * Has the trace carry the kernel's counters as they are now. Each part has them at its beginning and end; to be called
 * when what is recorded has changed meanwhile, or is about to.
 */
int lkst_recorder_count(struct lkst_err *e, struct lkst_recorder *r);

/*
 * Writes the rest, and the ledger, and completes the last part. -ENOSPC, with a text, if a full disk has
 * kept some of it away.
 */
int lkst_recorder_finish(struct lkst_err *e, struct lkst_recorder *r);

/* Writes what descriptors refer to. To be called when calls are being recorded already, so that no close is missed. */
int lkst_recorder_write_descriptors(struct lkst_err *e, struct lkst_recorder *r);

/*
 * Writes the pages of memory that process @pid has now, as lkst_state_write_pages() does. To be called when their
 * allocation is being recorded already, so that nothing is missed in between.
 */
int lkst_recorder_write_pages(struct lkst_err *e, struct lkst_recorder *r, pid_t pid,
			      bool *ret_is_cut);

/* Whether parts are still being compressed; freeing ends that, and reports what failed. */
bool lkst_recorder_is_packing(const struct lkst_recorder *r);
int lkst_recorder_free(struct lkst_err *e, struct lkst_recorder *r);

/* How long one may sleep before the next step. */
unsigned int lkst_recorder_pause_ms(const struct lkst_recorder *r);

struct lkst_recorder_status {
	const char *name; /* of the trace, or of the directory of all parts, or of the last part */
	u64 bytes;	  /* written, before compression */
	u64 overtaken;	  /* blocks overwritten before they were written */
	u32 nr_parts;
	bool is_full; /* there is no space now */
};
struct lkst_recorder_status lkst_recorder_status(const struct lkst_recorder *r);

#endif
