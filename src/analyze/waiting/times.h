/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where all the time of groups of threads went: what they did while they ran, as far as interrupts, the hypervisor and
 * the ticks of the CPUs say, and why they did not run. The parts of a group are together the time of its threads, from
 * their first state to their end. It is made in the pass that the states are made in (past.h).
 */
#ifndef LKST_ANALYZE_WAITING_TIMES_H
#define LKST_ANALYZE_WAITING_TIMES_H

#include "analyze/waiting/whose.h"
#include "base/map.h"
#include "trace/known/symbols.h"

enum lkst_time_part {
	/* Parts of the time that it had a CPU. */
	LKST_TIME_PROGRAM,    /* in its program */
	LKST_TIME_KERNEL,     /* in a function of the kernel */
	LKST_TIME_MEMORY,     /* looking for memory: reclaim, compaction */
	LKST_TIME_INTERRUPTS, /* interrupts and softirqs took it */
	LKST_TIME_STOLEN,     /* the hypervisor took it: at least so much */
	LKST_TIME_NO_TICK,    /* no tick says where */
	/* The others. */
	LKST_TIME_READY,
	LKST_TIME_THROTTLED,
	LKST_TIME_BLOCKED, /* `cause` */
	LKST_TIME_STOPPED,
	LKST_TIME_UNKNOWN,
	LKST_NR_TIME_PARTS,
};
extern const char *const lkst_time_part_words[]; /* "program", "kernel", ... */

/* Whether the thread had a CPU. */
static inline bool lkst_time_is_on_cpu(enum lkst_time_part part)
{
	return part <= LKST_TIME_NO_TICK;
}

struct lkst_time {
	u8 part;
	u8 cause;     /* BLOCKED: enum lkst_cause */
	u64 function; /* KERNEL: where it begins; 0: it has no name, or is one of the others */
	u64 ns;
	u64 ticks; /* that it rests on; 0: it was measured */
};

enum {
	LKST_TIMES_FUNCTIONS = 8, /* of a group, by name; others are one */
	LKST_TIMES_MAX = LKST_TIMES_FUNCTIONS + 1 + LKST_NR_TIME_PARTS + LKST_NR_CAUSES,
};

struct lkst_times {
	/* Private. */
	struct lkst_model *model;
	struct lkst_symbols *symbols;
	struct lkst_times_thread *threads; /* by life */
	u32 nr_threads;
	struct lkst_map functions; /* places in ticks[], by life and function */
	struct lkst_times_ticks *ticks;
	u32 nr_ticks;
	int error;
};

/* Has the pass of @f and @model, which must stay, fill it. @symbols name functions. 1, or a negative errno. */
int lkst_times_subscribe(struct lkst_times *t, struct lkst_feed *f, struct lkst_model *model,
			 struct lkst_symbols *symbols);
void lkst_times_fini(struct lkst_times *t);

/*
 * After the pass: where the time went of the threads of name @comm that are of @scope, which is not one of spans. The
 * parts that had a CPU come first, each kind in order of its time. Returns how many there are.
 */
u32 lkst_times_of(const struct lkst_times *t, struct lkst_whose *scope, const char comm[16],
		  struct lkst_time list[LKST_TIMES_MAX]);

enum { LKST_TIMES_TEXT = 640 };

/*
 * "The time of threads called worker: ran 12.0 % (of that in its program 80 %, taken by interrupts 20 %; by 9 ticks),
 * ready 2.0 %; blocked: futex 86.0 %".
 */
void lkst_times_text(const struct lkst_times *t, const struct lkst_time *list, u32 nr, const char comm[16],
		     char text[LKST_TIMES_TEXT]);

#endif
