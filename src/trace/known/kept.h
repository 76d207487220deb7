/* SPDX-License-Identifier: GPL-2.0-only */
/* State records that whoever cuts a trace keeps, to write them again as they are. */
#ifndef LKST_TRACE_KNOWN_KEPT_H
#define LKST_TRACE_KNOWN_KEPT_H

#include "trace/format/block.h"

/* All zero is an empty one. */
struct lkst_kept {
	u8 *bytes;
	size_t used, room;
	u32 *slots; /* a hash table of what there is: places in units of 8, plus 1 */
	u32 nr_slots, nr;
};

/* One of them; its bytes follow. The next one begins at a multiple of 8. */
struct lkst_kept_record {
	u64 ns;
	u32 length, pad;
};

/* Which records are the same, of which only the newest is kept. */
enum lkst_kept_same {
	LKST_KEPT_ALL,	   /* none: the ledgers of two parts may say the same, and both count */
	LKST_KEPT_CONTENT, /* those that say the same: each part of a recording has the same machine */
	LKST_KEPT_THREAD,  /* state_thread as this program knows it: those of one thread number */
};

/* Keeps @r. 0, -ENOMEM, or -EFBIG: there are more than a trace has, 64 MiB. */
int lkst_kept_add(struct lkst_err *e, struct lkst_kept *k, const struct lkst_record *r,
		  enum lkst_kept_same same);

/* The record at *@at, 0 at first, which then is where the next one begins; NULL: there is none. */
const u8 *lkst_kept_next(const struct lkst_kept *k, size_t *at, struct lkst_kept_record *ret_record);

void lkst_kept_fini(struct lkst_kept *k);

#endif
