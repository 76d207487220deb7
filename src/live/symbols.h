/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's names for the addresses of code that a trace has: who called, which function a timer
 * runs, and stacks that handlers record.
 */
#ifndef LKST_LIVE_SYMBOLS_H
#define LKST_LIVE_SYMBOLS_H

#include "live/session.h"
#include "trace/writer.h"

/* The addresses that have been seen. */
struct lkst_code;

/*
 * Without @all, looks at nothing unless handlers have declared events, such as stacks: for all that other
 * events have it takes as long again as copying the records. NULL: no memory.
 */
struct lkst_code *lkst_code_new(const struct lkst_session *s, bool all);
void lkst_code_free(struct lkst_code *c);

/* Looks through @length bytes of blocks; those addresses that are too many are left out. */
void lkst_code_feed(struct lkst_code *c, const void *blocks, size_t length);

/* What the names of those that were seen may take in the trace, about. */
u64 lkst_code_bytes(const struct lkst_code *c);

/*
 * Writes the functions that the addresses lie in, those that the kernel tells of, to the state stream, and
 * forgets the addresses.
 */
int lkst_code_write(struct lkst_err *e, struct lkst_code *c, struct lkst_writer *w);

#endif
