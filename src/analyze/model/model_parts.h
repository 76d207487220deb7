/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the state model consists of. Private to its files:
 *
 *	state.c		making it, subscribers, queries
 *	model_threads.c		threads by number, their names and lives
 *	thread_states.c		the states of threads: what an event proves of the time before it
 *	cpus.c		who runs on each CPU
 *	irq_contexts.c	the contexts that interrupt
 *	locate.c	where a thread is when it leaves its CPU
 *	waits.c		what threads wait for, and who wakes them
 *	stale.c		what may be over, unseen, since the cost limit left out the records that would say so
 */
#ifndef LKST_ANALYZE_MODEL_MODEL_PARTS_H
#define LKST_ANALYZE_MODEL_MODEL_PARTS_H

#include <errno.h>

#include "analyze/engine/lacks.h"
#include "analyze/model/model.h"
#include "trace/known/threads.h"

/* Bits of a thread's state, include/linux/sched.h. */
enum {
	STATE_INTERRUPTIBLE = 1,
	STATE_UNINTERRUPTIBLE = 2,
	STATE_STOPPED = 4 | 8, /* or traced */
	STATE_DEAD = 0x10 | 0x20 | 0x80,
	STATE_NO_LOAD = 0x400, /* with it, uninterruptible means idle */
	STATE_FROZEN = 0x8000, /* by the freezer of its cgroup, or of the machine */
};

struct lkst_call_form;

/* A lock of the kernel's that a thread waits for. */
struct lkst_model_lock {
	u64 address; /* 0: none */
	u32 flags;
	s32 holder_tid, last_tid; /* as in lkst_wait */
};

/* A thread that exists. */
struct lkst_model_thread {
	struct lkst_thread_life *life;
	struct lkst_thread_life further; /* `life`, if there are too many to distinguish */
	u64 since_ns; /* of the state */
	u64 cover_ns; /* nothing shows what its state was before */
	u8 run, ready;
	u8 flags;	  /* LKST_INTERVAL_EARLIER */
	bool has_doubt;	  /* something may have changed since since_ns already */
	bool has_waker;	  /* READY: `waker` made it so */
	bool has_pending; /* RUNNING: `waker` woke it before it slept */
	bool is_seen;	  /* some event has shown its state */
	bool is_fresh;	  /* created in the trace, and has not yet left the call that created it */
	bool knows_call;  /* `call` is what it is in, or it is in none */
	bool in_call, in_lock, in_fault;
	bool fault_is_kernels; /* the fault is of a call, and not of the program itself */
	bool may_call, may_fault; /* that it is in no call, in no fault, is not known: their records were left out */
	u8 where;	       /* enum lkst_where, since it left its CPU; while it runs UNKNOWN */
	u8 where_flags;	       /* LKST_WHERE_* */
	bool has_interrupted; /* `call` was interrupted by a signal: restart_syscall goes on with it */
	bool keeps_call; /* UNKNOWN: its own events would have been seen anyway */
	bool is_listed, has_listed_wait;
	bool is_over; /* the pass is */
	s32 cpu;
	u32 nr_losses; /* as nr_gaps */
	u32 nr_gaps;   /* that had been reported when its state began */
	struct lkst_wait listed_wait; /* then */
	u32 listed_state;
	u64 listed_ns;

	struct lkst_syscall_now call;
	u16 call_id;		      /* of its entry, in the trace's catalogue */
	struct lkst_syscall_now here; /* the call that it is in, by `where` */
	u64 no_call_ns; /* when it was last known to be in no call */
	u64 running_ns, ready_ns, blocked_ns, sleep_ns, longest_ns; /* of the call */
	u8 longest_cause;

	struct lkst_model_lock lock;	/* with in_lock: since contention_begin */
	struct lkst_model_lock blocker; /* of the switch that is about to come: sched_blocker */
	u64 lock_ns, fault_address, fault_ip, fault_ns, work_function, work_ns;
	struct lkst_wait wait;
	struct lkst_waker waker;
};

/* A block request that completed on a CPU. */
struct lkst_model_request {
	u64 rq, sector; /* rq 0: none */
	u64 ns;
	u32 dev;
	u8 context; /* enum lkst_waker_kind of the first wake-up since, UNKNOWN: there was none */
};

struct lkst_model_frame {
	struct lkst_irq_context frame;
	struct lkst_model_request request; /* that completed in it */
	u16 id;		 /* of its entry, in the trace's catalogue */
	u8 outer;	 /* enum lkst_context of what it is in, if it is the outermost that was recorded */
	bool is_softirq; /* whose time it takes */
	bool is_unsure;	 /* that is not known */
};

struct lkst_model_cpu {
	struct lkst_thread_life *life;		  /* who runs; NULL: not known */
	struct lkst_model_thread *thread; /* NULL: nobody, or not known */
	struct lkst_thread_life *idle;
	u32 nr;
	s32 tid;
	u8 flags; /* LKST_INTERVAL_EARLIER */
	u64 since_ns;
	u64 last_ns;  /* of its last event that reached the model */
	u64 cover_ns; /* nothing is missing since */
	u64 in_thread_ns; /* when it was last known to be in no interrupt */
	u32 depth;
	u64 account_ns; /* up to where irq_ns and softirq_ns are counted */
	u64 irq_ns, softirq_ns;
	struct lkst_model_request request; /* that completed while it was in no context that was recorded */
	struct lkst_model_frame frames[LKST_IRQ_CONTEXTS_MAX];
};

/* An interrupt of the kernel's own, for the feed. */
struct lkst_model_vector {
	struct lkst_model *state;
	enum lkst_event_index entry;
};

struct lkst_model_subscriber {
	const struct lkst_model_calls *calls;
	void *ctx;
};

enum {
	LKST_LIVES_CHUNK = 512,
	LKST_MODEL_THREADS_MAX = 1 << 16, /* at a time */
	LKST_TIDS_LEAF = 1024,
	LKST_MODEL_VECTORS = 4,
};

/* A name that a life had before another. */
struct lkst_former_name {
	u32 before; /* the one before that, plus 1; 0: there is none */
	char comm[16];
};

struct lkst_model {
	struct lkst_feed *feed;
	const struct lkst_threads *threads; /* for the cgroups that they are in; NULL: nobody asks for these */
	u64 begin_ns;	   /* of the records */
	u64 cover_ns;	   /* no gap reported so far reaches beyond it */
	u64 life_cover_ns; /* the same of creations of threads; UINT64_MAX: they are not in the trace */
	u64 complete_from_ns;
	u64 from_ns; /* the window's beginning */
	bool has_waking, has_wakeups, has_fault_exit;
	bool is_arm64;	     /* where it was recorded */
	u16 switch_args;     /* which field of sched_switch has the arguments; UINT16_MAX: none */
	u16 listed_args;     /* the same of state_wait */
	s32 listed_tid;	     /* whose state_thread was the record before; 0: nobody's that counts */
	bool has_waking_call;
	struct lkst_call_form *forms; /* by row of lkst_syscalls[] */
	struct lkst_limited *limited; /* what the cost limit left out */
	struct lkst_lacks lacks;
	struct lkst_former_name *former; /* that lives had before, a quarter of a million of them at most */
	u32 nr_former;
	s32 renamed_tid; /* got a name while its first owner had ended and no other was known; 0: none */
	char renamed_comm[16];
	bool met_wakeup; /* a sched_wakeup has come: they are recorded */
	struct lkst_model_doubts doubts;

	struct lkst_model_subscriber *subscribers;
	u32 nr_subscribers;
	int error; /* what a subscriber returned */

	u64 *gaps_ns; /* when each gap of the records began */
	u32 nr_gaps;

	u64 *losses_ns; /* when each stretch of a CPU began at whose end a switch was missing */
	u32 nr_losses;
	u64 loss_cover_ns; /* the last one's end */

	struct lkst_model_cpu **cpus;
	u32 nr_cpus;

	struct lkst_model_thread **tids[LKST_TID_MAX / LKST_TIDS_LEAF];
	struct lkst_model_thread **free_threads;
	u32 nr_free;
	u32 nr_threads; /* in `tids` */
	u32 hand;	/* the number after that of the last thread dropped to make room */

	struct lkst_thread_life **lives; /* chunks */
	u32 nr_lives;
	u32 further;	/* the life that stands for all further ones, LKST_LIFE_NONE: there are none yet */
	u64 nr_further; /* threads that are not distinguished */

	s64 boot_offset_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
	bool has_boot_offset;
	struct lkst_model_vector vectors[LKST_MODEL_VECTORS];
};

/* ---- model_threads.c ---------------------------------------------------------------------- */

/* The thread called @tid, or NULL. */
static inline struct lkst_model_thread *lkst_model_find(const struct lkst_model *s, s32 tid)
{
	struct lkst_model_thread **leaf;

	if (tid <= 0 || tid >= LKST_TID_MAX)
		return NULL;
	leaf = s->tids[tid / LKST_TIDS_LEAF];
	return leaf ? leaf[tid % LKST_TIDS_LEAF] : NULL;
}

/* The same; a thread not seen so far existed before. NULL: no memory, or no such number. */
struct lkst_model_thread *lkst_model_get(struct lkst_model *s, s32 tid);

/* A new life. NULL: no memory. */
struct lkst_thread_life *lkst_model_life_now(struct lkst_model *s, s32 tid);

/* Takes the number from @t: another thread has it now, whose creation was not seen. */
struct lkst_model_thread *lkst_model_reuse(struct lkst_model *s, struct lkst_model_thread *t,
					   u64 ns);

/*
 * @cpu runs number @tid and not @t, which was believed to run there: true if that is the same thread,
 * which has taken over its process's number at execve(2).
 */
bool lkst_model_takes_over(struct lkst_model *s, struct lkst_model_thread *t, s32 tid, u64 ns);

int lkst_model_subscribe_lives(struct lkst_model *s);
void lkst_model_free_lives(struct lkst_model *s);

/* ---- thread_states.c ----------------------------------------------------------------------- */

/*
 * The state of @t ends at @ns, and @before is what this proves of the time right before. Reports
 * to the subscribers what it was, as far as it is known, and begins state @run. @waker: what ended
 * it.
 */
int lkst_model_change(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
		      enum lkst_run before, enum lkst_run run, const struct lkst_waker *waker);

/*
 * @t, which is about to run or is put on a queue, was woken while it still ran and slept a moment later; no wake-up has
 * begun since. So that one counted: @t has been ready since it left the CPU.
 */
void lkst_model_take_pending(struct lkst_model *s, struct lkst_model_thread *t);

/* @t has run on @c since @from_ns, which only now is known. */
int lkst_model_prove_running(struct lkst_model *s, struct lkst_model_thread *t,
			     struct lkst_model_cpu *c, u64 from_ns);

/* The state of @t was certain until @ns; from then until @until_ns it is not known. */
int lkst_model_lose(struct lkst_model *s, struct lkst_model_thread *t, u64 ns, u64 until_ns);

/* The same, and its own events may be missing too. */
int lkst_model_lose_in_gap(struct lkst_model *s, struct lkst_model_thread *t, u64 ns, u64 until_ns);

/*
 * Reports what the state of @t was until the pass ended at @end_ns. From @known_ns on records of some CPU may
 * be missing that would change it.
 */
int lkst_model_finish(struct lkst_model *s, struct lkst_model_thread *t, u64 known_ns, u64 end_ns);

/* What is known of @t at the moment: UNKNOWN if a gap may have changed it. */
enum lkst_run lkst_model_run(const struct lkst_model *s, const struct lkst_model_thread *t);

/* ---- cpus.c ------------------------------------------------------------------------- */

/* The CPU, new or not; NULL: no memory. */
struct lkst_model_cpu *lkst_model_cpu(struct lkst_model *s, u32 cpu);

/* The slow half of lkst_model_at(). */
struct lkst_model_cpu *lkst_model_at_slowly(struct lkst_model *s, const struct lkst_record *r);

/* The CPU of @r, which proves that its thread runs there. NULL: no memory. */
static inline struct lkst_model_cpu *lkst_model_at(struct lkst_model *s,
						   const struct lkst_record *r)
{
	struct lkst_model_cpu *c = r->cpu < s->nr_cpus ? s->cpus[r->cpu] : NULL;

	if (__builtin_expect(c && c->life && c->tid == r->tid, 1)) {
		c->last_ns = r->ns;
		return c;
	}
	return lkst_model_at_slowly(s, r);
}

/* The thread of @r, NULL: an idle thread, or it is interrupted. 0 or a negative errno. */
int lkst_model_thread_at(struct lkst_model *s, const struct lkst_record *r,
			 struct lkst_model_thread **ret_thread);

/*
 * The thread that runs on @c is not known since @from_ns; all is covered again from @to_ns. @is_gap:
 * records are missing; else only a switch is.
 */
int lkst_model_lose_cpu(struct lkst_model *s, struct lkst_model_cpu *c, u64 from_ns, u64 to_ns,
			bool is_gap);

int lkst_model_finish_cpu(struct lkst_model *s, struct lkst_model_cpu *c, u64 end_ns);

int lkst_model_subscribe_cpus(struct lkst_model *s);

/* ---- irq_contexts.c ----------------------------------------------------------------------- */

/* Counts the time of interrupts up to @ns. */
void lkst_model_account(struct lkst_model_cpu *c, u64 ns);

/* Ends the contexts above the first @depth, whose ends were not seen; those that may have ended before end then. */
int lkst_model_cut_frames(struct lkst_model *s, struct lkst_model_cpu *c, u32 depth, u64 ns);

/* Ends those alone whose end may have been left out by @ns. */
int lkst_model_cut_stale_frames(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns);

/* A thread's own event on @c: no interrupt is going on there, whatever was not seen to end. */
int lkst_model_in_thread(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns);

/* The pass is over, whatever goes on. */
int lkst_model_finish_frames(struct lkst_model *s, struct lkst_model_cpu *c, u64 end_ns);

/* A request of the disk completes on @c. */
void lkst_model_complete(const struct lkst_model *s, struct lkst_model_cpu *c, struct lkst_model_request request);

/*
 * The request that has completed in the interrupt or softirq, or the thread, which is innermost on @c at @ns and is of
 * @kind, an enum lkst_waker_kind; NULL: none, or that is not known.
 */
struct lkst_model_request *lkst_model_completed(const struct lkst_model *s, struct lkst_model_cpu *c, u8 kind, u64 ns);

/*
 * Whether an interrupt may have begun on @c by @ns, unseen, which goes on: in the thread, or in softirq @in if that is
 * not NULL.
 */
bool lkst_model_may_be_interrupted(const struct lkst_model *s, const struct lkst_model_cpu *c,
				   const struct lkst_model_frame *in, u64 ns);

int lkst_model_subscribe_frames(struct lkst_model *s);

/* ---- locate.c ----------------------------------------------------------------------- */

/*
 * @t leaves its CPU at @r, which is @e: notes where it is. A call that it is not in any more has ended, unseen. 0
 * or what a subscriber returned.
 */
int lkst_model_locate(struct lkst_model *s, struct lkst_model_thread *t, const struct lkst_record *r,
		      const struct lkst_rec_sched_switch *e);

/* @t slept when it was listed, and @r, which is @e, says where: what it then waited for. */
void lkst_model_locate_listed(struct lkst_model *s, struct lkst_model_thread *t, const struct lkst_record *r,
			      const struct lkst_rec_state_wait *e);

/*
 * Where *@call is restart_syscall, and the call of @t that a signal interrupted is known, it becomes that one: it has
 * its name, number and arguments. Its beginning stays.
 */
void lkst_model_continue(const struct lkst_model_thread *t, struct lkst_syscall_now *call);

/* The call that @t is in; NULL: none, or not known. */
const struct lkst_syscall_now *lkst_model_call_of(const struct lkst_model_thread *t);

/* The call that the thread is in which wakes another, or is interrupted by what does; number -1: none, or not known. */
struct lkst_syscall_now lkst_model_waking_call(const struct lkst_model *s, const struct lkst_rec_sched_waking *e);

/* Before the pass. 0 or -ENOMEM. */
int lkst_model_prepare_calls(struct lkst_model *s);

/* ---- stale.c ------------------------------------------------------------------------ */

/* Before the pass. 0, or a negative errno and a sentence. */
int lkst_model_prepare_lacks(struct lkst_err *e, struct lkst_model *s);
void lkst_model_free_lacks(struct lkst_model *s);

/* @t, if it has run until @ns: forgets what may have ended meanwhile, unseen. 0 or what a subscriber returned. */
int lkst_model_forget_stale(struct lkst_model *s, struct lkst_model_thread *t, u64 ns);

/* Whether the call that @t is believed to be in, while it runs, may be over at @ns. */
bool lkst_model_is_stale_call(const struct lkst_model *s, const struct lkst_model_thread *t, u64 ns);

/* On whose run queue @t, which is ready, is from @from_ns to @to_ns; -1: that is not known. */
s32 lkst_model_queue_of(const struct lkst_model *s, const struct lkst_model_thread *t, u64 from_ns, u64 to_ns);

/* ---- waits.c ------------------------------------------------------------------------ */

/* A lock as a record has it: its address and flags, and @tid, which @is what enum lkst_holder says. */
struct lkst_model_lock lkst_model_lock_of(u64 address, u32 flags, s32 tid, u32 is);

/* @t begins to wait, or is found waiting in the list of threads. Fills its `wait`. */
void lkst_model_wait(const struct lkst_model *s, struct lkst_model_thread *t, u32 task_state);

/* The call that @t was in is over, by @exit or, NULL, unseen. */
int lkst_model_end_call(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
			const struct lkst_feed_syscall *exit);

int lkst_model_subscribe_waits(struct lkst_model *s);

/* ---- state.c ------------------------------------------------------------------------ */

/* Each reports to all subscribers; intervals before the window are not reported. */
int lkst_model_tell_interval(struct lkst_model *s, struct lkst_interval *i);
int lkst_model_tell_cpu(struct lkst_model *s, struct lkst_cpu_interval *i);
int lkst_model_tell_cpu_now(struct lkst_model *s, struct lkst_cpu_now *c);
int lkst_model_tell_frame(struct lkst_model *s, const struct lkst_irq_context *f);
int lkst_model_tell_call(struct lkst_model *s, struct lkst_call_interval *c);
int lkst_model_tell_fault(struct lkst_model *s, const struct lkst_fault_interval *f);
int lkst_model_tell_over(struct lkst_model *s, const struct lkst_thread_life *life);

/* The error of functions that do not return one. */
static inline int lkst_model_error(const struct lkst_model *s)
{
	return s->error ? s->error : -ENOMEM;
}

#endif
