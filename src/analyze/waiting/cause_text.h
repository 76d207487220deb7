/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of causes.h. */
#ifndef LKST_ANALYZE_WAITING_CAUSE_TEXT_H
#define LKST_ANALYZE_WAITING_CAUSE_TEXT_H

#include "analyze/waiting/causes.h"
#include "analyze/waiting/detail.h"

/* What a thread was kept from going on by. */
enum lkst_harm {
	LKST_HARM_NONE,
	LKST_HARM_LOCK,	      /* of the program's or the kernel's */
	LKST_HARM_ANSWER,     /* of who it is connected to */
	LKST_HARM_ROUND_TRIP, /* the same, perhaps: it may as well be the one that is asked */
	LKST_HARM_SENDING,    /* who is to receive does not */
	LKST_HARM_DISK,
	LKST_HARM_CALL, /* a system call that need not wait */
	LKST_HARM_FAULT,
	LKST_HARM_READY, /* a CPU */
	LKST_HARM_THROTTLED,
	LKST_HARM_STOPPED,
	LKST_HARM_TRACED,
	LKST_HARM_NETWORK, /* what the kernel does for the network, by a timer of its own */
	LKST_HARM_FROZEN, /* its cgroup was */
	LKST_NR_HARMS,
};

/* The word for a kind: "lock", "answer", ... */
const char *lkst_harm_word(enum lkst_harm harm);

/* How many threads of each name were created, and by whom. */
struct lkst_cause_births {
	u32 *nr; /* by name */
	u32 nr_names;
	u32 *parent; /* by name: the name of the last's parent, plus 1; 0: not known */
	u32 nr_parents;
};
int lkst_cause_births_count(struct lkst_cause_births *b, struct lkst_tree *t);
void lkst_cause_births_fini(struct lkst_cause_births *b);
u32 lkst_cause_births_of(const struct lkst_cause_births *b, u32 name);

/* "ow-victim waited in read() for an answer, 15 times, 2.1 s in all, the longest 151 ms: ow-server slept ..." */
void lkst_cause_text(const struct lkst_tree *t, u32 root, const struct lkst_detail *d,
		     const struct lkst_cause_names *names,
		     const struct lkst_cause_births *births, char text[LKST_CAUSE_TEXT]);

/* What node @node is, a root or one below: "in-worker waited for a lock in futex()". */
void lkst_cause_text_node(const struct lkst_tree *t, u32 node, const struct lkst_cause_names *names,
			  char text[LKST_CAUSE_TEXT]);

/* Adds that @nr names more were kept waiting so, of which @others has the first @max. */
void lkst_cause_text_others(const struct lkst_tree *t, const u32 *others, u32 nr, u32 max, char text[LKST_CAUSE_TEXT]);

/* Adds that the CPUs were nevertheless idle for @idle_percent of their time, if it is much. */
void lkst_cause_text_idle(u64 idle_percent, char text[LKST_CAUSE_TEXT]);

/* The same of @nr roots whose threads want a CPU, as those do that have it. @d: of all their waits. */
void lkst_cause_text_equals(const struct lkst_tree *t, const u32 *roots, u32 nr, u64 total_ns,
			    const struct lkst_detail *d, char text[LKST_CAUSE_TEXT]);

/* @calls: how many there were, failed or not. */
void lkst_cause_text_failure(const struct lkst_evidence_failure *f, u64 calls, const struct lkst_thread_life *life,
			     const struct lkst_evidence *x, char text[LKST_CAUSE_TEXT]);

void lkst_cause_text_reclaim(const struct lkst_evidence_reclaim *r, const struct lkst_thread_life *life,
			     const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT]);

/* That interrupts took @ns from the threads called @comm, of @ran_ns, their time on a CPU. */
void lkst_cause_text_taken(const struct lkst_taken *x, const char *comm, u64 ns, u64 ran_ns,
			   const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT]);

/* Adds to a sentence about reads from a disk who meanwhile had the kernel empty its page cache, if somebody did. */
void lkst_cause_text_drops(const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT]);

/* That @life has crashed, and how many of its name did. */
void lkst_cause_text_crash(const struct lkst_thread_life *life, u64 count, char text[LKST_CAUSE_TEXT]);

void lkst_cause_text_kill(const struct lkst_evidence_kill *k, u64 count, const struct lkst_cause_names *names,
			  char text[LKST_CAUSE_TEXT]);

#endif
