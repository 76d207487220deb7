/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space tells the kernel programs before they are loaded. It is read-only from then
 * on, so that the verifier takes each value as a constant and removes what it rules out.
 */
#ifndef LKST_ABI_PROGRAM_H
#define LKST_ABI_PROGRAM_H

#include "abi/events.h"
#include "abi/perf_counter.h"
#include "abi/types.h"

enum {
	LKST_FILTER_MAX = 65536, /* processes a restricted recording can follow */
	LKST_SYSCALL_MAX = 512,	 /* system call numbers in a table; beyond: the "unknown" events */
	LKST_SYSCALL_ARGS = 6,
	LKST_STRING_MAX = 512, /* bytes of a recorded string with its NUL; longer: cut, counted */
	LKST_COMMAND_LINE_MAX = 256, /* the same of a program's arguments, a multiple of 8; their record says if cut */
	LKST_PATHS_MAX = 2,    /* strings in one system call's record */
	LKST_TRACEPOINT_MAX = 1024, /* bytes of a by-name tracepoint's record */
	LKST_DYNAMIC_MAX = 4,	    /* its variable fields */
	LKST_TRACEPOINTS = 1024,    /* by-name tracepoints in one recording */
	LKST_WAITING_MAX = 65536,   /* threads whose stacks are kept while they are off the CPU */
	LKST_KNOWN_STACKS = 1024,   /* that a CPU remembers to have written; a power of two */
	LKST_RESTARTS = 6,	    /* functions that go on with an interrupted call */
};

enum lkst_filter_mode {
	LKST_FILTER_NONE,
	LKST_FILTER_PIDS, /* only the processes in the filter map */
	LKST_FILTER_TREE, /* and those they create: the fork program adds them */
};

/* Of which hierarchy a thread's cgroup is recorded (live/kernel/cgroup_mount.h says how it is chosen). */
enum lkst_cgroup_of {
	LKST_CGROUP_NONE,    /* of none: there is no cgroup file system */
	LKST_CGROUP_UNIFIED, /* version 2 */
	LKST_CGROUP_MEMORY,  /* version 1: that of this controller */
	LKST_CGROUP_PIDS,
	LKST_CGROUP_CPU,
};

/*
 * A call that has the address of a socket, which is recorded by an event of its own: in the upper half of `paths`,
 * whose lower half is then LKST_PATHS_ADDRESS. The descriptor is its first argument, the address its second.
 */
enum lkst_address_call {
	LKST_ADDRESS_NONE,
	LKST_ADDRESS_CONNECT, /* its third argument is how long the address is */
	LKST_ADDRESS_BIND,    /* likewise */
	LKST_ADDRESS_ACCEPT,  /* its third argument points to that */
	LKST_PATHS_ADDRESS = 15,
};

/*
 * How one system call is recorded. All zero: by the "unknown" event. A call with paths has their
 * strings after the arguments, and in its exit record those that entry could not read.
 */
struct lkst_syscall_plan {
	u16 entry_id;
	u16 exit_id;
	u8 nr_args;
	u8 wide;  /* bit i: argument i takes 8 bytes, else 4 */
	/* Arguments that point to a recorded string: index + 1 in bits 0..3 and 4..7; or an enum lkst_address_call. */
	u8 paths;
	u8 size;  /* of the entry record without strings, head included */
} __attribute__((aligned(8)));
_Static_assert(sizeof(struct lkst_syscall_plan) == 8, "one load");

/*
 * A probe that was set through tracefs is a tracepoint by its name and description, but the kernel
 * gives a program the CPU's registers and not the record. So these have fields of our own.
 */
enum lkst_tracefs_probe {
	LKST_PROBE_NONE,
	LKST_PROBE_ENTRY,  /* u64 ip, arg1 .. arg5: registers of a function's arguments */
	LKST_PROBE_RETURN, /* u64 ip (of the function's caller), s64 ret */
	LKST_PROBE_ARGS = 5,
};

/* How a tracepoint outside the catalogue is recorded: its classic record, less the common part. */
struct lkst_tracepoint_plan {
	u16 id;
	u16 size;	/* bytes of the fixed part, the 8 common bytes included */
	u16 nr_dynamic; /* variable fields: each has a word (length << 16 | offset) in the fixed part */
	u16 dynamic[LKST_DYNAMIC_MAX]; /* offset of that word */
	u16 probe; /* enum lkst_tracefs_probe: it is not laid out as its classic record */
};
_Static_assert(sizeof(struct lkst_tracepoint_plan) == 16, "no holes");

/*
 * A function by which the kernel goes on with a call that a signal interrupted (restart_block.fn), and which call that
 * is: by its number, another where its first argument is a clock.
 */
struct lkst_restart {
	u64 function;
	u16 call, call_by_clock;
	u32 is_by_word; /* only where the futex that restart_block has is the first argument */
};

/* The map by which the second build does what the first has an instruction for; the first has none (bpf/compat.h). */
#define LKST_CLAIMS_MAP "lkst_claims"

struct lkst_program_config {
	u64 memory_id[2];
	u32 block_shift;
	u32 nr_cpus;
	u32 filter;	/* enum lkst_filter_mode */
	u32 has_compat; /* the kernel serves 32-bit callers */
	u32 handler;	/* which one the programs are: they handle events that have this one in the maskset */
	u32 has_names;	/* a handler wants the names that bpf/names.h keeps */
	u32 cgroup_of;	/* enum lkst_cgroup_of */
	s32 cgroup_hierarchy; /* its number, as in /proc/cgroups */
	u32 page_shift; /* of the kernel's pages */
	u32 stack_frames; /* most frames that the kernel gives of a stack, LKST_STACK_FRAMES at most */
	s64 count_from_rq; /* x86: from a CPU's run queue to its preemption count */
	u32 may_copy; /* programs may copy kernel memory by address */
	u32 softirq_bit, interrupt_bits; /* of that count (bpf/preempt_count.h); 0: not known */
	u32 has_ticks; /* the following are known: bytes from a CPU's run queue to what bpf/tick.h looks at */
	s64 interrupted_from_rq, ticked_from_rq, stalled_from_rq;
	u32 restart_call; /* the number of restart_syscall; 0: what it goes on with is not known */
	u32 nr_restarts;
	struct lkst_restart restarts[LKST_RESTARTS];
	u8 call_args[2][LKST_SYSCALL_MAX]; /* how many arguments a call has; the second: a 32-bit program's */
	u8 counters[LKST_PERF_AT_ONCE]; /* what perf_counters counts, enum lkst_perf_counter */
	u16 id[LKST_NR_EVENTS + 1]; /* the id given to each catalogue event, 0: none */
	u8 is_floor; /* they are the second build (bpf/compat.h) */
};

#endif
