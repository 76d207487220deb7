/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state model: which threads run where, are ready, or are blocked and on what, at every
 * moment of a pass. It is a subscriber of the feed that others subscribe to in turn.
 * doc/states.md says what proves each state, and when what is unknown.
 *
 *	lkst_feed_new(&e, trace, &feed);
 *	lkst_model_new(&e, feed, &state);		first: it gets each event before you do
 *	lkst_model_subscribe(state, &my_calls, me);
 *	lkst_feed_event(feed, LKST_EV_kmalloc, on_kmalloc, me);
 *	lkst_feed_run(&e, feed);
 *
 * A subscriber of the feed that asks for the state now gets it with its event included: at a
 * switch, the next thread runs already; at the end of an interrupt, the context is what was
 * interrupted. What has ended with the event has been reported, by the calls below.
 */
#ifndef LKST_ANALYZE_MODEL_MODEL_H
#define LKST_ANALYZE_MODEL_MODEL_H

#include "analyze/engine/feed.h"
#include "base/cleanup.h"
#include "trace/known/cgroups.h"
#include "trace/known/command_lines.h"

/* What a thread is doing. */
enum lkst_run {
	LKST_RUN_UNKNOWN, /* nothing proves what: never a guess */
	LKST_RUN_RUNNING, /* on a CPU; interrupts may use its time */
	LKST_RUN_READY,	  /* could run; waits for a CPU */
	LKST_RUN_BLOCKED, /* waits for something else */
	LKST_RUN_STOPPED, /* by a signal or a debugger */
	LKST_RUN_NEW,	  /* created, not yet ready */
	LKST_RUN_DEAD,	  /* has ended; its number is still taken */
	LKST_NR_RUNS,
};
extern const char *const lkst_run_names[]; /* "unknown", "running", ... */

/* Why a thread is ready. */
enum lkst_ready {
	LKST_READY_UNKNOWN,
	LKST_READY_WOKEN,
	LKST_READY_PREEMPTED, /* it was running and would have gone on */
	LKST_READY_YIELDED,   /* the same, by sched_yield(2) */
	LKST_READY_CREATED,
	LKST_READY_THROTTLED, /* its cgroup has used up its quota; woken or preempted */
	LKST_NR_READIES,
};
extern const char *const lkst_ready_names[];

/* What a thread waits for. What each says more is in struct lkst_wait. */
enum lkst_cause {
	LKST_CAUSE_UNKNOWN, /* it was blocked already when the trace, or a gap in it, was over */
	LKST_CAUSE_SYSCALL, /* in a system call, none of the following */
	LKST_CAUSE_FILE,    /* read, write and their kind: a file, pipe, socket or device */
	LKST_CAUSE_SOCKET,  /* calls that only sockets have */
	LKST_CAUSE_POLL,    /* poll, select, epoll: one of several files */
	LKST_CAUSE_SLEEP,   /* for a time */
	LKST_CAUSE_FUTEX,   /* a lock or condition of the program's own */
	LKST_CAUSE_CHILD,   /* a child to end */
	LKST_CAUSE_SIGNAL,  /* a signal */
	LKST_CAUSE_IPC,	    /* a message, a semaphore, a file lock */
	LKST_CAUSE_SYNC,    /* data to reach the disk: fsync and its kind */
	LKST_CAUSE_LOCK,    /* a lock of the kernel's */
	LKST_CAUSE_FAULT,   /* a page of its own memory */
	LKST_CAUSE_IO,	    /* a disk: the completion of a request woke it */
	LKST_CAUSE_KERNEL,  /* a kernel thread, for work */
	LKST_CAUSE_USER,    /* on its way back to the user program: no system call, no fault */
	LKST_NR_CAUSES,
};
extern const char *const lkst_cause_names[];

/* What a thread waits for that is blocked in this system call, as far as the call alone says it. */
struct lkst_syscall;
enum lkst_cause lkst_syscall_cause(const struct lkst_syscall *call);

/* What a CPU is doing: on behalf of something else than the thread that it runs, or that thread itself. */
enum lkst_context {
	LKST_CONTEXT_THREAD,
	LKST_CONTEXT_IRQ,    /* a device's interrupt; number: which, code: the handler */
	LKST_CONTEXT_VECTOR, /* an interrupt of the kernel's own; number: its vector, code: the event's
				 enum lkst_event_index: local_timer_entry and the like */
	LKST_CONTEXT_SOFTIRQ, /* number: which */
	LKST_CONTEXT_TASKLET, /* code: its function */
	LKST_CONTEXT_TIMER,   /* code: its function, object: the timer */
	LKST_CONTEXT_HRTIMER, /* code: its function, object: the timer */
	LKST_CONTEXT_NMI,     /* code: the handler; reported when it is over, so never current */
	/* Of wakers alone, where the entries of interrupts were not recorded: */
	LKST_CONTEXT_INTERRUPT,	   /* an interrupt; which is not known */
	LKST_CONTEXT_SOME_SOFTIRQ, /* a softirq; which is not known */
	LKST_CONTEXT_UNKNOWN,	   /* the thread or what interrupted it */
	LKST_NR_CONTEXTS,
};
extern const char *const lkst_context_names[];

enum {
	LKST_IRQ_CONTEXTS_MAX = 16,		/* contexts nested on a CPU */
	LKST_TID_MAX = 4 * 1024 * 1024, /* PID_MAX_LIMIT, include/linux/threads.h */
	LKST_LIVES_MAX = 1 << 16,	/* that are distinguished: what is kept for each bounds the memory */
};

/*
 * A thread from its creation to its end. A number that is given out again begins another life. Life number i is
 * the i-th that the trace has shown: a key for tables. The idle threads have one for each CPU. The first
 * LKST_LIVES_MAX stay as long as the state model, and are kept up to date until the thread ends. Those that come
 * after them share a number, whose life is called "further threads" and has thread -1, and are there until they end.
 */
struct lkst_thread_life {
	u32 nr;
	s32 tid;
	s32 pid;	/* 0: not known */
	s32 parent_pid; /* 0: not known */
	s32 idle_cpu;	/* of an idle thread, -1: it is none */
	bool is_kernel;
	bool is_born;  /* its creation is in the trace */
	bool is_over;  /* it has ended */
	bool has_comm;
	char comm[16]; /* its name now, which may be empty, if `has_comm` */
	u32 former;    /* lkst_model_was_called() knows the names before */
	u64 start_ns;  /* when it was created, 0: not known */
	u64 end_ns;    /* when it ran for the last time, if `is_over` */
	u32 exit_code; /* as wait(2) has it, if `has_exit` */
	bool has_exit;
	u64 cgroup; /* when it was created, listed or ended; lkst_model_cgroup() has that of now */
	const struct lkst_command_line *command; /* when it ended; lkst_model_command() has that of now */
};

/*
 * The signal that @life was killed by, "SIGSEGV", if it is one by which the kernel or the program itself says that the
 * program is at fault. NULL: it was none, or it is not known.
 */
const char *lkst_life_crash(const struct lkst_thread_life *life);

/* Whether the kernel wrote a core then (wait(2)). */
bool lkst_life_has_core(const struct lkst_thread_life *life);

/* A system call that a thread is in. */
struct lkst_syscall_now {
	s16 row; /* in lkst_syscalls[], -1: none */
	s32 nr;	 /* -1: not known */
	bool is_compat;
	bool has_args; /* its entry was seen */
	u8 nr_args;
	bool may_be_over; /* only its number is known: the thread may be on its way back to the program */
	u64 args[LKST_SYSCALL_ARGS_MAX];
	u64 from_ns; /* of the entry, 0: it was not seen */
};

/* Who woke a thread. */
struct lkst_waker {
	u64 ns;	       /* when the wake-up began */
	u64 queued_ns; /* when the thread was on a run queue, 0: not seen */
	s32 tid;       /* the thread on whose CPU it happened */
	u32 life;      /* its life, LKST_LIFE_NONE: not known */
	u32 cpu;
	s32 target_cpu; /* where it was to run, -1: not known */
	u8 context; /* enum lkst_context: what did it. If not THREAD, the thread has no part in it */
	s32 number; /* of that context */
	u64 code;
	u64 object;
	u8 outer; /* enum lkst_context of the outermost context, a timer's interrupt for one */
	s32 outer_number;
	struct lkst_syscall_now
		call; /* what the waking thread was doing; row -1 and nr -1: nothing known */
	u64 rq; /* the block request that had completed in this context just before, 0: none */
	u32 dev;
	u64 sector;
};
#define LKST_LIFE_NONE UINT32_MAX

/* What a blocked or stopped thread waits for. */
struct lkst_wait {
	u8 cause;	       /* enum lkst_cause */
	u32 task_state;	       /* TASK_* bits: 1 interruptible, 2 not, 4 and 8 stopped */
	struct lkst_syscall_now call; /* what it is in; row -1 and nr -1: none, or not known */
	u64 object; /* FUTEX: its address in the program; LOCK: the lock; FAULT: the address; IO: the
			   request; KERNEL: the work's function */
	u64 code;   /* FAULT: the instruction */
	u64 fault_ns; /* when the fault began that it waits in, be it for a lock, a disk or what else; 0: in none */
	u32 lock_flags; /* LOCK: LCB_F_* */
	s32 holder_tid; /* FUTEX and LOCK: who had it when it was waited for, 0: not known */
	s32 last_tid;	/* LOCK: who read it last, or took the semaphore last: others may have it; 0: not known */
	s32 fd;		/* FILE, SOCKET, SYNC: the file descriptor, -1: none */
	u32 dev;	/* IO: the disk */
	u64 sector;	/* IO: where */
};

/* Bits of an interval's flags. */
enum {
	LKST_INTERVAL_OPEN = 1, /* ended by the trace's or the window's end; the state went on */
	LKST_INTERVAL_EARLIER =
		2, /* begun by what follows or by a window: the state may be older */
	LKST_INTERVAL_NO_WAKE =
		4,	       /* BLOCKED until it ran: wake-ups are not in the trace, so that some
				      of it was READY */
	LKST_INTERVAL_CUT = 8, /* ended where a gap begins: what became of it is not known */
};

/* A thread was in one state from `from_ns` to `to_ns`. The intervals of a life follow each other. */
struct lkst_interval {
	const struct lkst_thread_life *life;
	u64 from_ns, to_ns;
	u8 run;	  /* enum lkst_run */
	u8 ready; /* enum lkst_ready, if READY */
	u8 flags; /* LKST_INTERVAL_* */
	s32 cpu; /* RUNNING: where; READY: whose run queue; else the CPU it last ran on; -1: not known */
	const struct lkst_wait *wait; /* BLOCKED, STOPPED */
	const struct lkst_waker
		*waker; /* READY by a wake-up; BLOCKED, STOPPED: what ended it; or NULL */
	const struct lkst_syscall_now *call; /* the system call it was in, NULL: none or not known */
};

/* A CPU ran one thread, or was idle. A CPU's intervals follow each other. */
struct lkst_cpu_interval {
	u32 cpu;
	u64 from_ns, to_ns;
	const struct lkst_thread_life *life; /* who; `idle_cpu` >= 0: nobody. NULL: not known */
	u64 irq_ns;		      /* of it in interrupts of devices and CPUs */
	u64 softirq_ns;		      /* in softirqs, and the tasklets and timers that they run */
	u8 flags;		      /* LKST_INTERVAL_* */
};

/*
 * From `from_ns` on a CPU runs `life`, or who runs there is not known (NULL), and it was no switch that a record says
 * so of: a record has shown who runs, or that a switch is missing; or records are missing, or end.
 */
struct lkst_cpu_now {
	u32 cpu;
	const struct lkst_thread_life *life;
	u64 from_ns;
	u64 to_ns; /* of the record that shows `life`; NULL: until when records are missing */
};

/* A context other than a thread's, from begin to end. Those it was interrupted by have come before. */
struct lkst_irq_context {
	u8 context;	   /* enum lkst_context */
	u8 depth;	   /* 0: it interrupted a thread */
	bool is_cut;	   /* its end was not seen: the trace has a gap, or ends */
	bool has_no_begin; /* its begin was not seen: `from_ns` is its end */
	u32 cpu;
	s32 number;
	u64 code, object;
	u64 from_ns, to_ns;
	u64 inner_ns; /* of it in contexts that interrupted this one */
	s32 tid;      /* the thread that was interrupted, -1: not known */
};

/* A system call from begin to end. */
struct lkst_call_interval {
	const struct lkst_thread_life *life;
	struct lkst_syscall_now call;
	u64 from_ns,
		to_ns; /* of entry and exit; from_ns: the earliest that it may be, if not has_entry */
	bool has_entry, has_exit;
	u8 flags; /* LKST_INTERVAL_OPEN: the thread was in it when the trace ended */
	s64 ret;  /* has_exit */
	u64 running_ns, ready_ns, blocked_ns; /* what the thread did in it; the rest is unknown */
	u64 sleep_ns;			      /* of it in waits that a signal could have ended */
	u64 longest_ns;			      /* the longest single wait in it, and for what */
	u8 longest_cause;
	const struct lkst_feed_syscall *entry_or_exit; /* the record that ended it, NULL: none */
};

/* A page fault from begin to end, where ends are recorded. */
struct lkst_fault_interval {
	const struct lkst_thread_life *life;
	u64 from_ns, to_ns;
	u64 address;
	bool is_kernels; /* of a call, and not of the program itself */
};

/* What the model reports as it ends. NULL: not wanted. A negative errno ends the pass. */
struct lkst_model_calls {
	int (*interval)(void *ctx, const struct lkst_interval *i);
	int (*cpu)(void *ctx, const struct lkst_cpu_interval *i);
	int (*cpu_now)(void *ctx, const struct lkst_cpu_now *c); /* at the moment when it is found */
	int (*frame)(void *ctx, const struct lkst_irq_context *f);
	int (*call)(void *ctx, const struct lkst_call_interval *c);
	int (*fault)(void *ctx, const struct lkst_fault_interval *f);
	int (*over)(void *ctx, const struct lkst_thread_life *life); /* a thread has ended */
};

/* How much contradicted the model. */
struct lkst_model_doubts {
	u64 gaps;      /* of records that the model needs */
	u64 missed;    /* a record's thread was not the one that a CPU was believed to run */
	u64 no_wake;   /* a blocked thread ran without a wake-up */
	u64 elsewhere; /* a thread was switched to while it ran elsewhere */
	u64 unmatched; /* ends of interrupts and system calls without a begin, or the reverse */
};

struct lkst_model;

/* Subscribes to @f, which must stay. Needs no more than that the trace has some sched events. */
int lkst_model_new(struct lkst_err *e, struct lkst_feed *f, struct lkst_model **ret_state);
void lkst_model_free(struct lkst_model *s);
LKST_GUARD(lkst_model_free, struct lkst_model)

/* @calls and @ctx must stay as long as @s. Returns 1 or -ENOMEM. */
int lkst_model_subscribe(struct lkst_model *s, const struct lkst_model_calls *calls, void *ctx);

/* ---- how things stand now ----------------------------------------------------------- */

/* A thread as it is now. Valid until the next event. */
struct lkst_thread_now {
	const struct lkst_thread_life *life;
	u8 run;	  /* enum lkst_run */
	u8 ready; /* enum lkst_ready, if READY */
	s32 cpu;
	u64 since_ns;			/* when this state began, as far as is known */
	const struct lkst_wait *wait;	/* BLOCKED, STOPPED */
	const struct lkst_waker *waker; /* READY by a wake-up */
	const struct lkst_syscall_now *call;	/* the system call it is in, NULL: none or not known */
};

/* The thread of that number, idle threads aside. False: the trace has not shown it yet. */
bool lkst_model_thread(const struct lkst_model *s, s32 tid, struct lkst_thread_now *ret_thread);

/* Whether that life has had a name that matches the glob @name, or has it now. */
bool lkst_model_was_called(const struct lkst_model *s, const struct lkst_thread_life *life, const char *name);

/* Its life, or NULL; for idle threads (0) that of @cpu. */
const struct lkst_thread_life *lkst_model_life_of(const struct lkst_model *s, s32 tid, u32 cpu);

/* Who runs on @cpu, idle threads included; NULL: not known. */
const struct lkst_thread_life *lkst_model_running(const struct lkst_model *s, u32 cpu);

/* What @cpu is doing: the innermost context, or NULL if it is a thread's. `to_ns` is not yet set. */
const struct lkst_irq_context *lkst_model_context(const struct lkst_model *s, u32 cpu);

/* Frame @depth of @cpu, 0 is the outermost; NULL: there are not so many. */
const struct lkst_irq_context *lkst_model_frame(const struct lkst_model *s, u32 cpu, unsigned int depth);

/*
 * Has the model know the cgroups and commands of threads by @threads, which must stay, and which the same feed has kept
 * up to date since before the model was made (lkst_feed_threads()). Whoever asks for these calls it first.
 */
void lkst_model_know_cgroups(struct lkst_model *s, const struct lkst_threads *threads);

/* The number of the cgroup that the thread is in now, or was in when it ended; 0: not known. */
u64 lkst_model_cgroup(const struct lkst_model *s, const struct lkst_thread_life *life);

/* What its process runs now, or ran when the thread ended, by the same threads; NULL: not known. */
const struct lkst_command_line *lkst_model_command(const struct lkst_model *s, const struct lkst_thread_life *life);

/* The cgroups that the pass has met. */
const struct lkst_cgroups *lkst_model_cgroups(const struct lkst_model *s);

/* The life with number @nr. */
const struct lkst_thread_life *lkst_model_life(const struct lkst_model *s, u32 nr);
u32 lkst_model_nr_lives(const struct lkst_model *s);

/* Threads after the first LKST_LIVES_MAX. */
u64 lkst_model_nr_further(const struct lkst_model *s);

/* CPUs seen so far: numbers below this. */
u32 lkst_model_nr_cpus(const struct lkst_model *s);

/* The first moment that the model covers: where the records, or the window, begin. */
u64 lkst_model_begin(const struct lkst_model *s);

/* The time up to which nothing is known of some CPUs, since their rings do not reach back as far. */
u64 lkst_model_complete_from(const struct lkst_model *s);

const struct lkst_model_doubts *lkst_model_doubts(const struct lkst_model *s);

#endif
