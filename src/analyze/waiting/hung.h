/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has not ended: the threads that wait when a trace ends, and have done so for long, as a graph of who waits for
 * whom. Each thread waits for one other at most, so that every way through the graph ends in a thread that waits for
 * nobody who is known, or in a cycle. A holder that is only known to have been one when the wait began makes no cycle.
 */
#ifndef LKST_ANALYZE_WAITING_HUNG_H
#define LKST_ANALYZE_WAITING_HUNG_H

#include "analyze/engine/lacks.h"
#include "analyze/model/model.h"
#include "base/map.h"
#include "trace/known/symbols.h"

enum {
	LKST_HUNG_TEXT = 1024,
	LKST_HUNG_STANDARD_NS = 1000000000, /* how long is long */
};

/* How well it is known that a thread keeps another one waiting. */
enum lkst_hung_known {
	LKST_HUNG_NOBODY, /* it is not known who does */
	LKST_HUNG_BEGIN,  /* it did when the wait began; not more is certain */
	LKST_HUNG_NOW,
};

/* Who can tell more than the trace, of the machine that it is of and that still runs. */
struct lkst_hung_ask {
	/* Who has what thread @tid of process @pid waits for, as @wait says; 0: not known. *@ret_how: by what. */
	s32 (*holder)(void *arg, s32 pid, s32 tid, const struct lkst_wait *wait, const char **ret_how);
	/* Whether the thread waits for the answer of a process that serves a file system (FUSE). */
	bool (*is_at_server)(void *arg, s32 pid, s32 tid);
	void *arg;
};

/* What is asked. */
struct lkst_hung_question {
	u64 least_ns; /* of a wait that is told */
	const struct lkst_hung_ask *ask; /* NULL: nobody is there to be asked */
};

/* A thread as it was at the end. By life; what is not set was not there. */
struct lkst_hung_thread {
	u64 from_ns, to_ns; /* how long it has been so, as far as is known */
	struct lkst_wait wait;
	s32 cpu;
	u8 run;	  /* enum lkst_run; UNKNOWN: nothing is known of it */
	u8 known; /* enum lkst_hung_known, of `holder` */
	bool is_earlier; /* it began before what is recorded */
	bool is_stuck;	 /* it waits long, and not by its own choice */
	bool is_told;	 /* it is stuck, or such a thread waits for it */
	bool is_in_cycle;
	bool is_cut;	 /* to follow `holder` would be a cycle that is not certain */
	u8 walk;	 /* private to the walk */
	u32 holder;	 /* the life that it waits for, LKST_LIFE_NONE: not known */
	u32 end;	 /* where the way from here ends: a life; of a cycle the one with the lowest number */
	const char *how; /* how it is known: NULL: from the trace */
};

/* A cycle, or a thread that others wait for, or threads that wait for nobody who is known. */
struct lkst_hung_row {
	const char *kind; /* one word: "deadlock", "holder", "unknown" */
	u32 end;	  /* a life */
	u32 nr;		  /* how many are stuck in it */
	u64 longest_ns;
	u64 since_ns;
	bool is_earlier;
	char text[LKST_HUNG_TEXT];
};

struct lkst_hung {
	struct lkst_hung_thread *threads; /* by life */
	u32 nr_threads;
	struct lkst_hung_row *rows;
	u32 nr_rows;
	u32 *told; /* the stuck threads, those of one row after the other */
	u32 *row_of; /* for each of them the row */
	u32 nr_told;
	u64 nr_others; /* that sleep as long, and nobody who is stuck waits for them */

	/* Private. */
	struct lkst_model *model;
	struct lkst_lacks lacks;
	struct lkst_map woken;	/* by lock: when a wait for it ended last, or may have */
	bool is_full;		/* there were more locks than that holds */
	struct lkst_map listed; /* by thread number: place in `list`, plus 1 */
	struct lkst_hung_listed *list;
	u32 nr_list;
	struct lkst_map takers; /* by process and futex: place in `taken`, plus 1 */
	struct lkst_hung_taken *taken;
	u32 nr_taken;
	int error;
};

/* Has the pass of @f and @model, which must stay, fill it. All zero before. 1, or a negative errno. */
int lkst_hung_subscribe(struct lkst_hung *h, struct lkst_feed *f, struct lkst_model *model,
			const struct lkst_limited *limited);

/* After the pass: makes the graph and its rows, the gravest first. @symbols name locks. 0 or -ENOMEM. */
int lkst_hung_finish(struct lkst_hung *h, const struct lkst_hung_question *q, struct lkst_symbols *symbols);
void lkst_hung_fini(struct lkst_hung *h);

/* ---- hung_text.c: private to the graph ------------------------------------------------ */

/* Whether the futex call of @w waits for a lock, and not for a condition. */
bool lkst_hung_is_lock_futex(const struct lkst_wait *w);

/* The thread that had the lock when the wait began, where the futex's word says so, as robust ones do; 0: none. */
s32 lkst_hung_owner_of(const struct lkst_wait *w);

/* The sentence of @row, whose stuck threads are @threads. */
void lkst_hung_text(const struct lkst_hung *h, struct lkst_symbols *symbols, const u32 *threads,
		    struct lkst_hung_row *row);

/* What @t waits for, in words: "the kernel's lock jbd2_lock (mutex)", "the lock at 0x7f00 (futex)", "write()". */
void lkst_hung_what(const struct lkst_hung_thread *t, struct lkst_symbols *symbols, char *text, size_t room);

#endif
