/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state page: what the writers of one CPU and one buffer share, and what a reader needs to
 * follow them. The first pages of the memory array are state pages, block by block thereafter:
 *
 *   element buffer * nr_cpus + cpu            the state page (its first 4096 bytes)
 *   element base + (block number & mask)      a block
 *
 * Positions (`head`, `done`) count bytes from the start of recording and never wrap; a position
 * divided by the block size is a block number, and that is the block's packet_seq_num.
 *
 * Who writes what: user space fills the page before the first hook is attached and only reads
 * it from then on; after that only code running on CPU `cpu` writes, and writers nest (thread,
 * soft interrupt, interrupt, NMI) but never run side by side.
 */
#ifndef LKST_ABI_STATE_H
#define LKST_ABI_STATE_H

#include "abi/types.h"

enum {
	LKST_STATE_MAGIC = 0x54534b4c, /* "LKST" */
	LKST_ABI_VERSION = 1,
	LKST_STATE_SIZE = 4096,
	/* A thread, soft interrupt, interrupt and NMI: the contexts that can nest on a CPU. */
	LKST_LEVELS = 4,
};

/* Why a record is missing. The order is that of lkst_loss_names[]. */
enum lkst_loss {
	LKST_LOSS_LAP,	     /* the ring would have run past an unfinished record */
	LKST_LOSS_TRIES,     /* interrupted at every try to reserve */
	LKST_LOSS_LEVEL,     /* writers nested deeper than LKST_LEVELS */
	LKST_LOSS_TRUNCATED, /* recorded, but a string was cut (no record is missing) */
	LKST_LOSS_TOO_LONG,  /* a by-name tracepoint's record beyond LKST_TRACEPOINT_MAX */
	LKST_LOSS_NR,
};

struct lkst_state {
	u32 magic;
	u8 uuid[16];
	u32 version;
	u32 cpu;
	u32 buffer;
	u32 block_shift;
	u32 nr_cpus;
	u8 pad0[24];

	/* One cache line: all that a writer reads and writes for one record. */
	u64 head;	      /* exact end of the last reserved record */
	u64 done;	      /* every record that ends at or before it is complete */
	u64 last[LKST_LEVELS]; /* the latest time given out at each nesting level; never falls */
	u32 nest;	      /* writers now between reserve and commit */
	u32 base;	      /* element index of the ring's first block */
	u32 mask;	      /* number of blocks - 1 */
	u32 gap_at;	      /* head (low half) at which a long silence ended */

	u64 lost[LKST_LOSS_NR];
	u8 pad2[LKST_STATE_SIZE - 128 - 8 * LKST_LOSS_NR];
};
_Static_assert(sizeof(struct lkst_state) == LKST_STATE_SIZE, "one page");
_Static_assert(offsetof(struct lkst_state, head) == 64, "the hot line starts a cache line");
_Static_assert(offsetof(struct lkst_state, lost) == 128, "the hot line is one cache line");

#endif
