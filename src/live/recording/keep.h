/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept in kernel memory in addition to the rings, so that whoever reads the rings, a later command or
 * one that searches a crash dump, needs nothing else: notes (abi/note.h) in an array map.
 */
#ifndef LKST_LIVE_RECORDING_KEEP_H
#define LKST_LIVE_RECORDING_KEEP_H

#include "live/load/memory.h"
#include "trace/catalog.h"
#include "trace/note.h"

struct lkst_keep {
	int fd; /* of the map; -1: there is none */
	struct lkst_note *pages;
	u32 nr_pages;
	u32 first_state; /* the pages before it: twice when recording began, and the catalogue */
};

/*
 * Makes the map and writes when recording began, and the catalogue, twice each: a dump may lack a
 * page. All pages get @memory_id. There is room for the state of a machine of twice as many threads as it has now.
 */
int lkst_keep_new(struct lkst_err *e, const struct lkst_catalog *c,
		  const struct lkst_memory *memory, const u8 *memory_id,
		  struct lkst_keep *ret_keep);

/* Opens what another command made; takes over @fd, also on failure. */
int lkst_keep_open(struct lkst_err *e, int fd, struct lkst_keep *ret_keep);
void lkst_keep_close(struct lkst_keep *k);

/*
 * Keeps @c, which has all events of the catalogue that was kept, in its place. There is a whole one at
 * every moment. -ENOSPC: it is too large.
 */
int lkst_keep_put_catalog(struct lkst_err *e, struct lkst_keep *k, const struct lkst_catalog *c);

/* The catalogue that is kept; the caller frees it. */
int lkst_keep_catalog(struct lkst_err *e, const struct lkst_keep *k,
		      struct lkst_catalog **ret_catalog);

/*
 * Keeps records of the state stream, in place of those that were kept before. The earlier ones count until all
 * are written. Records that have no room are left out: put what matters first.
 */
struct lkst_keep_state {
	struct lkst_keep *keep;
	u64 ns;
	u32 first, nr, next; /* pages */
	size_t used;	     /* of `bytes` */
	u64 left_out;
	u8 bytes[LKST_NOTE_ROOM];
};
void lkst_keep_state_begin(struct lkst_keep_state *s, struct lkst_keep *k, u64 ns);
void lkst_keep_state_add(struct lkst_keep_state *s, const void *record, size_t length);
void lkst_keep_state_end(struct lkst_keep_state *s);

#endif
