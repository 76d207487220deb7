/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept in kernel memory in addition to the rings, so that whoever reads the rings, a later command or
 * one that searches a crash dump, needs nothing else: notes (abi/note.h) in an array map.
 */
#ifndef LKST_LIVE_RINGS_KERNEL_NOTES_H
#define LKST_LIVE_RINGS_KERNEL_NOTES_H

#include "live/rings/memory.h"
#include "trace/format/catalog.h"
#include "trace/format/note.h"

struct lkst_kernel_notes {
	int fd; /* of the map; -1: there is none */
	struct lkst_note *pages;
	u32 nr_pages;
	u32 first_state; /* the pages before it: twice when recording began, and the catalogue */
};

/*
 * Makes the map and writes when recording began, and the catalogue, twice each: a dump may lack a
 * page. All pages get @memory_id. There is room for the state of a machine of twice as many threads as it has now.
 */
int lkst_kernel_notes_new(struct lkst_err *e, const struct lkst_catalog *c,
			  const struct lkst_memory *memory, const u8 *memory_id,
			  struct lkst_kernel_notes *ret_keep);

/* Opens what another command made; takes over @fd, also on failure. */
int lkst_kernel_notes_open(struct lkst_err *e, int fd, struct lkst_kernel_notes *ret_keep);
void lkst_kernel_notes_close(struct lkst_kernel_notes *k);

/*
 * Keeps @c, which has all events of the catalogue that was kept, in its place. There is a whole one at
 * every moment. -ENOSPC: it is too large.
 */
int lkst_kernel_notes_put_catalog(struct lkst_err *e, struct lkst_kernel_notes *k,
				  const struct lkst_catalog *c);

/* The catalogue that is kept; the caller frees it. */
int lkst_kernel_notes_catalog(struct lkst_err *e, const struct lkst_kernel_notes *k,
			      struct lkst_catalog **ret_catalog);

/*
 * Keeps records of the state stream, in place of those that were kept before. The earlier ones count until all
 * are written. Records that have no room are left out: put what matters first.
 */
struct lkst_kernel_notes_state {
	struct lkst_kernel_notes *keep;
	u64 ns;
	u32 first, nr, next; /* pages */
	size_t used;	     /* of `bytes` */
	u64 left_out;
	u8 bytes[LKST_NOTE_ROOM];
};
void lkst_kernel_notes_state_begin(struct lkst_kernel_notes_state *s, struct lkst_kernel_notes *k,
				   u64 ns);
void lkst_kernel_notes_state_add(struct lkst_kernel_notes_state *s, const void *record,
				 size_t length);
void lkst_kernel_notes_state_end(struct lkst_kernel_notes_state *s);

#endif
