/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space has the kernel do while recording goes on: programs that are attached to nothing and run
 * when they are asked to. Those that write records are of type raw tracepoint, which run with preemption off
 * (src/bpf/maskset.bpf.c says why).
 */
#ifndef LKST_LIVE_COMMAND_H
#define LKST_LIVE_COMMAND_H

#include "abi/symbol.h"
#include "base/err.h"

enum lkst_command {
	LKST_COMMAND_SWITCH,  /* maskset */
	LKST_COMMAND_SETTLED, /* number of hooks */
	LKST_COMMAND_JUMP,    /* number of the buffer whose records are meant, buffer to go to */
	LKST_COMMAND_KEEP,    /* how long to go on, ns; returns the incident's number */
	LKST_COMMAND_FIRE,    /* post-trigger time, ns; length of the reason; its characters */
	LKST_COMMAND_SYMBOL,  /* lkst_command_ask(): what lies at an address */
	LKST_COMMAND_CACHE,   /* lkst_command_ask(): the name of the slab cache at an address */
	LKST_NR_COMMANDS,
};
/* As many arguments as the kernel takes (MAX_BPF_FUNC_ARGS). */
enum { LKST_COMMAND_ARGS = 12, LKST_COMMAND_ANY_CPU = -1 };

/* The programs' names. */
extern const char *const lkst_command_programs[LKST_NR_COMMANDS];

struct lkst_session;

/*
 * Runs the program with @args, LKST_COMMAND_ARGS of them, on @cpu. Returns what it returns. -ENOENT: this
 * kernel rejected the program, -ENXIO: that CPU is not online; what to do then is the caller's to know.
 */
int lkst_command_run(struct lkst_err *e, const struct lkst_session *s, enum lkst_command command,
		     const u64 args[LKST_COMMAND_ARGS], int cpu);

/*
 * Has LKST_COMMAND_SYMBOL or LKST_COMMAND_CACHE answer @query. 0, or a negative errno: there is no answer.
 */
int lkst_command_ask(const struct lkst_session *s, enum lkst_command command,
		     struct lkst_symbol_query *query);

/* Waits until every program of a hook that has begun before has ended, on all @nr_cpus CPUs. */
void lkst_command_wait_for_writers(u32 nr_cpus);

/*
 * The same, where CPUs are mostly idle in less than the 10 ms that it takes otherwise: by running on each of them.
 * If that is not done by @until_ns (CLOCK_MONOTONIC), or not possible on all, it waits as above.
 */
void lkst_command_wait_for_writers_soon(u32 nr_cpus, u64 until_ns);

#endif
