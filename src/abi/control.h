/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control page, mapped by every command and read by every kernel program: which masksets
 * there are, which one is active, and where each event goes. A change is one store.
 *
 * An event's entry names a buffer by its number, and a table names, per CPU, the state page that is active
 * for that number. Usually that is the buffer's own page. Where it is another buffer's, the CPU writes to that
 * buffer instead, from the next record on, and the buffer it left keeps what it has. A CPU switches when it
 * is told to, when a buffer that names a next one is full, and when a buffer is to be left at some time.
 */
#ifndef LKST_ABI_CONTROL_H
#define LKST_ABI_CONTROL_H

#include "abi/block.h"
#include "abi/incident.h"
#include "abi/types.h"

enum {
	LKST_CONTROL_MAGIC = 0x4c43534b, /* "KSCL", by its bytes in memory */
	LKST_MASKSETS = 16,
	LKST_MASKSET_NAME = 32, /* with its NUL */
	LKST_EVENT_SPACE = LKST_ID_MAX + 1,
	LKST_HANDLER_DEFAULT = 1,   /* record (doc/heritage.md, row C01) */
	LKST_HANDLER_NOTHING = 255, /* do nothing (row C02 of doc/heritage.md) */
	/*
	 * In a maskset's entry for an event, beside the handler's number: the event is left out for now, to keep
	 * to the cost limit (abi/budget.h). So other handlers have the numbers 2 to 126;
	 * LKST_HANDLER_NOTHING has all bits anyway.
	 */
	LKST_HANDLER_SHED = 0x80,
	LKST_BUFFER_MAIN = 0,
	LKST_BUFFER_LIFE = 1, /* fork, exec, exit, rename: rare, and of value for hours */
	LKST_BUFFERS_AT_START = 2,
	LKST_NR_BUFFERS = 16, /* that can be; each has a state page per CPU, whether it is there or not */
	LKST_POSSIBLE_CPUS_MAX = 4096,
	LKST_BUFFER_NAME = 16, /* with its NUL */
};

/* By what the time between two samples is measured. */
enum lkst_sample_clock {
	LKST_SAMPLE_CPU_CLOCK, /* a timer of the kernel: PERF_COUNT_SW_CPU_CLOCK */
	LKST_SAMPLE_CYCLES,    /* cycles that the CPU counts: PERF_COUNT_HW_CPU_CYCLES */
};

/* The masksets that every recording has and nobody may change; from 3 on they are the user's. */
enum {
	LKST_MASKSET_RNOTHING, /* nothing but what every maskset has: the lives of threads */
	LKST_MASKSET_RALL,     /* everything */
	LKST_MASKSET_RDEFAULT, /* everything but the acquire and release of locks */
	LKST_MASKSET_USER,
};

/* What an event entry of a maskset says: the handler in bits 0..7, the buffer in 8..15. */
static inline u16 lkst_route(u8 handler, u8 buffer)
{
	return (u16)(handler | buffer << 8);
}

/* The handler in an entry, also of an event that is left out for now; and whether it is. */
static inline u8 lkst_route_handler(u16 route)
{
	u8 handler = (u8)route;

	return handler == LKST_HANDLER_NOTHING ? handler : (u8)(handler & ~LKST_HANDLER_SHED);
}

static inline int lkst_route_is_shed(u16 route)
{
	return (u8)route != LKST_HANDLER_NOTHING && route & LKST_HANDLER_SHED;
}

struct lkst_control {
	u32 magic;
	u32 version; /* LKST_ABI_VERSION */
	u32 active;  /* index of the active maskset */
	u32 nr_cpus;
	u64 start_ns; /* CLOCK_MONOTONIC when recording began */
	u8 uuid[16];	  /* of the trace */
	u8 memory_id[16]; /* what pages in memory have in its place: random, and never part of a trace */
	u16 route[LKST_MASKSETS][LKST_EVENT_SPACE];
	/* Element of the active state page; that of a buffer that is not there is main's. */
	u32 page[LKST_NR_BUFFERS][LKST_POSSIBLE_CPUS_MAX];
	u32 next[LKST_NR_BUFFERS]; /* where to continue when a buffer is full; itself: there, overwriting the oldest */
	/* Records of this time or later go on to leave_to, which is stored first; 0: they stay. */
	u64 leave_at[LKST_NR_BUFFERS];
	u32 leave_to[LKST_NR_BUFFERS];
	struct lkst_banks banks;
	struct lkst_bank bank[LKST_NR_BUFFERS];
	/* Written and read by user space only. */
	char name[LKST_MASKSETS][LKST_MASKSET_NAME];	     /* "": there is no such maskset */
	char buffer_name[LKST_NR_BUFFERS][LKST_BUFFER_NAME]; /* "": there is no such buffer */
	u32 armed; /* by number: its hooks stay attached while another one is active */
	u32 nr_declared; /* events that handlers have added to the catalogue since recording began */
	/*
	 * CLOCK_MONOTONIC when what is recorded last changed: what began before may have ended unseen.
	 * The kernel programs that switch masksets, settle or leave out kinds of events write it.
	 */
	u64 changed_ns;
	u64 wish_ns; /* the history that the size of main was chosen for; 0: for none */
	/* What takes samples, and how often; only what asks for stacks reads these (doc/samples.md). */
	u64 sample_ns;	  /* CPU time from one sample to the next; 0: none are taken */
	u64 off_cpu_ns;	  /* a shorter time off the CPU is not recorded */
	u32 sample_clock; /* enum lkst_sample_clock */
	u32 stack_epoch;  /* stacks that were written at another one are written again */
	u8 address_key[16]; /* random; with it `lkst serve` hides the kernel's addresses; it never leaves the kernel */
	u32 is_unordered; /* what a CPU stores others may see in another order: live/rings/rings.h */
	u32 pad;
};

#endif
