/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up machine, whose scheduler, programs and devices do what bytes say, within the kernel's own rules; what a
 * recorder would write of it, all of it, or with kinds of events left out as the cost limit would: at any moment, with
 * its own records and the ledger's lines.
 */
#ifndef LKST_TESTS_MACHINE_H
#define LKST_TESTS_MACHINE_H

#include "fuzz/source.h"
#include "lib/make_trace.h"

enum {
	MACHINE_CPUS = 3,
	MACHINE_THREADS = 40, /* in all: no number is given out twice */
	MACHINE_FIRST_TID = 100,
	MACHINE_CALL_ARGS = 6,
	MACHINE_KINDS_MAX = 32,
	MACHINE_SPANS = 2, /* in which a kind is left out, at most */

	/* Bits of what such a machine is like. */
	MACHINE_HAS_WHERE = 1, /* its switches and wakings say where threads are, and what wakes */
	MACHINE_HAS_WAKEUPS = 2,     /* sched_wakeup is recorded */
	MACHINE_HAS_FAULT_EXITS = 4, /* page_fault_exit is recorded */
	MACHINE_HAS_MIGRATIONS = 8,  /* sched_migrate_task is recorded */
	MACHINE_KINDS_OF = 15,
};

struct machine_thread {
	u8 run; /* enum lkst_run */
	bool is_kernel, is_waking;
	bool is_behind;	  /* on its way out of `call` */
	bool has_to_exit; /* of which no exit was recorded yet */
	s8 call;	  /* in machine_calls[]; -1: none */
	u8 in_fault;	  /* 1: its program's, 2: the kernel's, in a call */
	s16 cpu;
	u32 state; /* while it waits */
	u64 args[MACHINE_CALL_ARGS];
	u64 lock, work; /* 0: none */
};

/* A record; its text is machine.text + text. */
struct machine_record {
	u64 ns;
	size_t text;
	u8 kind; /* in machine_kinds[], 0: one that always stays */
};

struct machine_span {
	u64 from_ns, to_ns; /* as the records of the limit say */
	u64 lost_from_ns,
		lost_to_ns; /* since records are missing somewhat before, and until somewhat after */
};

struct made_machine {
	struct source *in;
	u8 is; /* MACHINE_* bits */
	u64 now;
	s32 current[MACHINE_CPUS]; /* a tid */
	u32 nr_threads;
	struct machine_thread threads[MACHINE_THREADS];

	char *text;
	size_t used, room;
	struct machine_record *records;
	u32 nr_records;

	struct machine_span
		left_out[MACHINE_KINDS_MAX]
			[MACHINE_SPANS]; /* by kind; to_ns 0: none, UINT64_MAX: to the end */
};

/* The kinds that may be left out, as the limit calls them; [0] is "". */
extern const char *const machine_kinds[];
extern const unsigned int machine_nr_kinds;

/* Lets a machine of properties @is run for @steps. @in must stay. */
struct made_machine *machine_run(struct source *in, u8 is, u32 steps);
void machine_free(struct made_machine *m);

/* Chooses what is left out, and when: all that may be, from the beginning on, or what the bytes say. */
void machine_leave_out_all(struct made_machine *m);
void machine_leave_out_some(struct made_machine *m);

/* Writes the trace to @dir, which is there and empty, or not there. */
void machine_write(const struct made_machine *m, const char *dir, bool is_whole);

#endif
