/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block as it was when the kernel stopped, made into one that a file may hold: cut where its
 * complete records end, its header closed.
 */
#ifndef LKST_CRASH_REPAIR_H
#define LKST_CRASH_REPAIR_H

#include "crash/dump_ring.h"
#include "trace/format/catalog.h"

struct lkst_repaired {
	u32 size;	      /* of the block */
	u32 content;	      /* bytes of header and complete records */
	u64 begin_ns, end_ns; /* of its first and last record */
	u64 records;
	u32 torn_at;	 /* where the record is that was being written; 0: there is none */
	bool is_damaged; /* the records before its end should be whole and are not */
};

/*
 * Repairs the block at @bytes, of which @available are there, in place: number @seq of the ring @ring
 * (NULL: its state page is missing). No record is younger than @limit_ns. What follows its content
 * stays as it is. False: its header makes no sense.
 */
bool lkst_repair(u8 *bytes, u32 available, u64 seq, const struct lkst_dump_ring *ring, u64 limit_ns,
		 const struct lkst_catalog *catalog, struct lkst_repaired *ret_repaired);

/*
 * If the record that was being written is whole nevertheless, makes @bytes a block of it alone and
 * returns true.
 */
bool lkst_repair_torn(u8 *bytes, const struct lkst_repaired *m, const struct lkst_catalog *catalog);

#endif
