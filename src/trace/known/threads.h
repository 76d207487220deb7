/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a trace: their names, processes and task_struct addresses, kept up to date by
 * the records of the state stream and of the life buffer as they are read.
 */
#ifndef LKST_TRACE_KNOWN_THREADS_H
#define LKST_TRACE_KNOWN_THREADS_H

#include "base/cleanup.h"
#include "trace/format/block.h"
#include "trace/known/cgroups.h"
#include "trace/known/command_lines.h"

struct lkst_thread {
	s32 tid;
	s32 pid; /* 0: not known */
	s32 parent_pid;
	s16 prio; /* last seen, if `has_prio` */
	bool has_prio;
	bool is_kernel;
	bool has_ended;
	bool has_comm;
	char comm[16]; /* its name, which may be empty, if `has_comm` */
	u32 earlier;   /* lkst_threads_name_at() has the names before it */
	u64 unkept_ns; /* until then, names are not known any more */
	u64 task;      /* address of its task_struct, 0: not known */
	/* As records last said of this thread; lkst_threads_cgroup_of() knows of moves of whole processes, too. */
	u64 cgroup, cgroup_turn;
	u64 process_cgroup, process_turn; /* of a process's first thread: where all threads were moved */
	const struct lkst_command_line *command; /* of a process's first thread: what it runs; NULL: not known */
	/* Who has begun to wake it (sched_waking), until it is queued (sched_wakeup) or runs. */
	bool is_being_woken;
	s32 waker_tid;
	u32 waker_cpu;
};

struct lkst_threads;
struct lkst_threads *lkst_threads_new(void);
void lkst_threads_free(struct lkst_threads *t);
LKST_GUARD(lkst_threads_free, struct lkst_threads)

/*
 * Takes in what @r says about threads (state_thread, sched_process_fork, sched_process_exec,
 * sched_process_exit, task_rename, task_newtask, state_cpu, and the priorities and wakers in sched_switch and
 * wake-ups), of cgroups (trace/known/cgroups.h) and of what processes run (trace/known/command_lines.h). Cheap for all
 * others. Returns -ENOMEM or 0.
 */
int lkst_threads_feed(struct lkst_threads *t, const struct lkst_record *r);

/*
 * The thread, or NULL. tid 0 is the idle thread ("swapper"), of every CPU. The pointer stays good, and what
 * it points to is kept up to date, until the table is freed. One that has ended stays until there are more
 * than half a million: then its place is used for another.
 */
const struct lkst_thread *lkst_threads_find(const struct lkst_threads *t, s32 tid);

/*
 * The name that the thread of number @tid had at @ns, be it that of an earlier owner of the number. False: it is not
 * known. Names are kept as they are replaced, a quarter of a million of them.
 */
bool lkst_threads_name_at(const struct lkst_threads *t, s32 tid, u64 ns, char comm[16]);

/*
 * The address of the task_struct of thread @tid, 0: not known. Every CPU has an idle thread of its own, so for
 * tid 0 it is that of @cpu.
 */
u64 lkst_threads_task(const struct lkst_threads *t, s32 tid, u32 cpu);

/* The process of thread @tid; where that is not known, the number of the thread itself. */
s32 lkst_threads_pid_of(const struct lkst_threads *t, s32 tid);

/* The number of the cgroup that thread @tid is in, 0: not known. */
u64 lkst_threads_cgroup_of(const struct lkst_threads *t, s32 tid);

/* What the process of thread @tid runs, NULL: not known. It stays good until the table is freed. */
const struct lkst_command_line *lkst_threads_command_of(const struct lkst_threads *t, s32 tid);

/* The cgroups that threads are in, kept up to date as the threads are. */
const struct lkst_cgroups *lkst_threads_cgroups(const struct lkst_threads *t);

/* All threads, by a number from 0 on, in the order in which they were first spoken of. */
unsigned int lkst_threads_nr(const struct lkst_threads *t);
const struct lkst_thread *lkst_threads_at(const struct lkst_threads *t, unsigned int i);

#endif
