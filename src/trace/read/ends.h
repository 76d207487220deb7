/* SPDX-License-Identifier: GPL-2.0-only */
/* How a trace ends: what its end marks (state_stream and state_end) say. */
#ifndef LKST_TRACE_READ_ENDS_H
#define LKST_TRACE_READ_ENDS_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_trace;

/* How the trace ends, as its end marks say. */
enum lkst_trace_ending {
	LKST_TRACE_COMPLETE,   /* it was closed when all was written */
	LKST_TRACE_DISK_FULL,  /* it was closed, but its end could not be written */
	LKST_TRACE_UNFINISHED, /* it was not closed: each stream is known to its last record */
	LKST_TRACE_UNPROVEN, /* it is of a program that wrote no end marks, or was cut from such a trace */
	LKST_TRACE_GOES_ON,  /* it is a part, or ends with one, and the recording goes on in the next part */
};
enum lkst_trace_ending lkst_trace_ending(const struct lkst_trace *t);

/* What that means, a part of a sentence whose subject is the trace. */
const char *lkst_trace_ending_text(enum lkst_trace_ending ending);

/*
 * True if parts were opened to be read as one, one of them says that the recording goes on in the next part, and that
 * is not among them. One part that is opened alone lacks none.
 */
bool lkst_trace_lacks_part(const struct lkst_trace *t);

/* What that means, as of an ending. */
const char *lkst_trace_lacks_part_text(void);

/*
 * Until when the history of @cpu is known, but for gaps: everything recorded by then is in the trace, and where
 * nothing is, nothing happened. False: the trace does not say, or has nothing of that CPU.
 */
bool lkst_trace_cpu_end(const struct lkst_trace *t, u32 cpu, u64 *ret_end_ns);

/*
 * From when on records of some CPU may be in the next part, where the recording goes on in one that is not part of
 * @t. UINT64_MAX: it does not.
 */
u64 lkst_trace_goes_on_ns(const struct lkst_trace *t);

/* Why what was counted after that cannot be compared with records. */
const char *lkst_trace_goes_on_text(void);

/* ---- private to src/trace ---- */

struct lkst_ends;
struct lkst_stream_end;

/* Reads them from @t, of which all else has been opened, and opens streams that are missing as a whole. */
int lkst_ends_find(struct lkst_err *e, struct lkst_trace *t);
void lkst_ends_fini(struct lkst_ends *ends);

/* Adds what they show to be missing to the holes of @t. */
int lkst_ends_add_holes(struct lkst_err *e, struct lkst_trace *t);

/* The mark of stream @instance, or NULL. */
const struct lkst_stream_end *lkst_ends_of(const struct lkst_ends *ends, u64 instance);

#endif
