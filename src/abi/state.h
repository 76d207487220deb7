/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state page: what the writers of one CPU and one buffer share, and what a reader needs to
 * follow them. The first pages of the memory array are state pages, block by block thereafter:
 *
 *   element buffer * nr_cpus + cpu            the state page (its first 4096 bytes)
 *   element base + (block number & mask)      a block
 *
 * Writers on one CPU nest (a thread, a softirq, an interrupt, an NMI) but never run side by
 * side. Each level of nesting has a ring of its own, so that a ring has one writer at a time. Nearly
 * all records are in the ring of level 0: only a writer that interrupts another one while it writes,
 * which takes some tens of ns, is at level 1.
 *
 * Positions (`done`) count bytes from the start of recording and never wrap; a position divided by
 * the block size is a block number, and that is the block's packet_seq_num. A position never lies on a
 * block boundary, except 0: nothing was recorded.
 *
 * Who writes what: user space fills the page before anything is recorded to the buffer and only reads it
 * from then on; after that only code running on CPU `cpu` writes, or user space in its place while it is
 * offline. But a `turn_at` that comes sooner may be stored from anywhere (src/bpf/ring.h).
 */
#ifndef LKST_ABI_STATE_H
#define LKST_ABI_STATE_H

#include "abi/types.h"

enum {
	LKST_STATE_MAGIC = 0x54534b4c, /* "LKST", by its bytes in memory */
	LKST_ABI_VERSION = 13,
	LKST_STATE_SIZE = 4096,
	/* A thread, softirq, interrupt and NMI: the contexts that can nest on a CPU. */
	LKST_LEVELS = 4,
	LKST_MARKS = 32,
};

/* Why a record is missing. The order is that of lkst_loss_names[]. */
enum lkst_loss {
	LKST_LOSS_LEVEL,     /* writers nested deeper than LKST_LEVELS */
	LKST_LOSS_TRUNCATED, /* recorded, but a string was cut (no record is missing) */
	LKST_LOSS_TOO_LONG,  /* a by-name tracepoint's record beyond LKST_TRACEPOINT_MAX */
	LKST_LOSS_UNREAD, /* a path could not be kept to be read at exit (no record is missing) */
	LKST_LOSS_UNFOLLOWED, /* a process whose parent is recorded could not be added */
	LKST_LOSS_STACK, /* no room to keep the stack of a thread that waits (its off_cpu is missing) */
	LKST_LOSS_MAPPING, /* the memory of a program was being changed: what code it has there is not known */
	LKST_LOSS_NR,
};

/* True if each count for @cause is a record that is missing. */
static inline int lkst_loss_is_of_records(u32 cause)
{
	return cause == LKST_LOSS_LEVEL || cause == LKST_LOSS_TOO_LONG;
}

/* The ring of one level: a cache line. */
struct lkst_ring {
	u32 element; /* index of the block opened last; first member, because its address is the key of a look-up */
	u32 base;    /* index of the ring's first block */
	u32 mask;    /* number of blocks - 1 */
	u32 level;   /* which of the page's rings it is */
	u32 page;    /* index of the state page */
	u32 pad;
	u64 first;   /* number of the first block that counts: those before were cleared */
	u64 done;    /* position of the end of the last complete record */
	u64 last;    /* time of the last record or opening, ns; never falls */
	u64 turn_at; /* a record of this time or later opens a block */
	u64 opened;  /* blocks opened since the start */
};
_Static_assert(sizeof(struct lkst_ring) == 64, "one cache line");

/*
 * When the CPU came to the buffer or left it, and how far the ring of level 0 was then. From these it is known
 * when the records that the ring has overwritten since were made (src/trace/read/lost.h). Nothing else shows that.
 */
struct lkst_mark {
	u64 at; /* its `done`; with LKST_MARK_OPENS, what follows begins a block */
	u64 ns;
};

#define LKST_MARK_OPENS (1ULL << 63)

struct lkst_marks {
	u64 since_ns; /* when the buffer was made or wiped; 0: when recording began */
	u64 nr;	      /* of marks so far; mark n is in place n % LKST_MARKS */
	struct lkst_mark mark[LKST_MARKS];
};

struct lkst_state {
	u32 magic;
	u8 memory_id[16]; /* lkst_control.memory_id */
	u32 version;
	u32 cpu;
	u32 buffer;
	u32 block_shift;
	u32 nr_cpus;
	u32 nest;   /* writers now between reserve and commit */
	u32 serves; /* number of the buffer whose records come here, or came when they last did */
	u8 uuid[16]; /* of the trace */
	struct lkst_ring ring[LKST_LEVELS];
	u64 lost[LKST_LOSS_NR];
	struct lkst_marks marks;
	u8 pad1[LKST_STATE_SIZE - 64 - 64 * LKST_LEVELS - 8 * LKST_LOSS_NR - 16 - 16 * LKST_MARKS];
};
_Static_assert(sizeof(struct lkst_state) == LKST_STATE_SIZE, "one page");
_Static_assert(offsetof(struct lkst_state, ring) == 64, "a ring starts a cache line");

#endif
