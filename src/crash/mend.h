/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block as it was when the kernel stopped, made into one that a file may hold: cut where its
 * complete records end, its header closed. What was cut off is tried apart.
 */
#ifndef LKST_CRASH_MEND_H
#define LKST_CRASH_MEND_H

#include "crash/ring.h"
#include "trace/catalog.h"

struct lkst_mended {
	u32 size;    /* of the block */
	u32 content; /* bytes of header and complete records; LKST_BLOCK_HEADER: none is complete */
	u64 begin_ns, end_ns; /* of its first and last record */
	u64 records;
	u32 torn_from;	 /* where what is not complete begins */
	u32 torn_to;	 /* and ends; equal: there is none */
	bool is_torn;	 /* it was being written, or to be */
	bool is_damaged; /* the records before torn_from should be whole and are not */
};

/*
 * Mends the block at @bytes, of which @available are there, in place: number @seq of the ring @ring
 * (NULL: its state page is missing). What lies behind its content stays as it is. False: its header
 * makes no sense.
 */
bool lkst_mend(u8 *bytes, u32 available, u64 seq, const struct lkst_dump_ring *ring,
	       const struct lkst_catalog *catalog, struct lkst_mended *ret_mended);

/*
 * Moves the records of the torn part, as far as they make sense, to the block's beginning, and makes
 * it a block of these. Returns how many there are; 0: none, and @bytes are as they were.
 */
u64 lkst_mend_torn(u8 *bytes, const struct lkst_mended *m, const struct lkst_catalog *catalog);

#endif
