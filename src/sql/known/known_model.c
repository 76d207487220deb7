/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what the state model reports: threads, their states, waits, wake-ups and calls, and interrupts. */
#include <errno.h>
#include <string.h>

#include "analyze/engine/error_chain.h"
#include "analyze/engine/naming.h"
#include "analyze/engine/tally.h"
#include "sql/known/known_left_out.h"
#include "sql/known/known_pass.h"
#include "trace/known/call_result.h"

enum {
	NOT_WHOLE = LKST_INTERVAL_OPEN | LKST_INTERVAL_EARLIER | LKST_INTERVAL_CUT |
		    LKST_INTERVAL_NO_WAKE
};

static void known_model_put_times(struct lkst_sql_pass *p, u64 from_ns, u64 to_ns)
{
	lkst_sql_int(p, (s64)from_ns);
	lkst_sql_int(p, (s64)to_ns);
	lkst_sql_int(p, (s64)(to_ns - from_ns));
}

static const char *name_of_call(const struct lkst_syscall_now *call)
{
	return call && call->row >= 0 ? lkst_syscalls[call->row].name : NULL;
}

/* Cells waker_tid, waker_comm and waker_context: what is not a thread's doing has none of the first two. */
static void known_model_put_waker(struct lkst_sql_pass *p, const struct lkst_waker *by)
{
	const struct lkst_thread_life *life = NULL;

	if (by && by->context == LKST_CONTEXT_THREAD && by->life != LKST_LIFE_NONE)
		life = lkst_model_life(p->model, by->life);
	if (by && by->context == LKST_CONTEXT_THREAD)
		lkst_sql_int(p, by->tid);
	else
		lkst_sql_none(p);
	lkst_sql_comm(p, life);
	lkst_sql_str(p, by ? lkst_context_names[by->context] : NULL);
}

static int known_model_subscribe(struct lkst_sql_pass *p, const struct lkst_model_calls *calls)
{
	int err = lkst_model_subscribe(p->model, calls, p);

	return err < 0 ? err : 0;
}

#define TIMES                                                                                      \
	{ "from_ns", "INTEGER", "when it began" }, { "to_ns", "INTEGER", "when it ended" },        \
	{                                                                                          \
		"duration_ns", "INTEGER", "how long it was"                                        \
	}
#define THREAD                                                                                     \
	{ "tid", "INTEGER", "the thread" }, { "pid", "INTEGER", "its process" },                   \
	{                                                                                          \
		"comm", "TEXT", "its name then"                                                    \
	}
#define WAKER                                                                                      \
	{ "waker_tid", "INTEGER", "the thread that woke it" },                                     \
		{ "waker_comm", "TEXT", "its name" },                                              \
	{                                                                                          \
		"waker_context", "TEXT", "what woke it: thread, irq, softirq, timer ..."           \
	}
#define WHOLE                                                                                      \
	{                                                                                          \
		"is_whole", "INTEGER", "1: its begin and its end are in the trace"                 \
	}

/* ---- threads --------------------------------------------------------------------------------- */

/* Cells cgroup_id, cgroup and container. */
static void known_model_put_cgroup(struct lkst_sql_pass *p, u64 id)
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(lkst_model_cgroups(p->model), id);

	lkst_sql_int_but(p, (s64)id, 0);
	lkst_sql_str(p, cgroup ? cgroup->path : NULL);
	lkst_sql_str(p, cgroup && cgroup->container[0] ? cgroup->container : NULL);
}

/* Cells uid, euid, gid, args and args_bytes. */
static void known_model_put_command(struct lkst_sql_pass *p, const struct lkst_command_line *command)
{
	lkst_sql_int_but(p, command ? (s64)command->uid : -1, -1);
	lkst_sql_int_but(p, command ? (s64)command->euid : -1, -1);
	lkst_sql_int_but(p, command ? (s64)command->gid : -1, -1);
	lkst_sql_str(p, command && command->length ? command->args : NULL);
	lkst_sql_int_but(p, command ? (s64)command->args_bytes : -1, -1);
}

static int end_threads(struct lkst_sql_pass *p)
{
	u32 i, nr = lkst_model_nr_lives(p->model);
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		const struct lkst_thread_life *life = lkst_model_life(p->model, i);

		if (!life || !lkst_sql_wants_life(p, life))
			continue;
		lkst_sql_row(p, LKST_SQL_threads);
		lkst_sql_int(p, life->nr);
		lkst_sql_life(p, life);
		lkst_sql_int_but(p, life->parent_pid, 0);
		lkst_sql_int(p, life->is_kernel || life->idle_cpu >= 0);
		lkst_sql_int_but(p, life->idle_cpu, -1);
		lkst_sql_int_but(p, life->is_born ? (s64)life->start_ns : 0, 0);
		lkst_sql_int_but(p, life->is_over ? (s64)life->end_ns : 0, 0);
		lkst_sql_int_but(p, life->has_exit ? (s64)life->exit_code : -1, -1);
		known_model_put_cgroup(p, lkst_model_cgroup(p->model, life));
		known_model_put_command(p, lkst_model_command(p->model, life));
		err = lkst_sql_row_end(p);
	}
	return err;
}

static const struct lkst_sql_known_column threads[] = {
	{ "life", "INTEGER PRIMARY KEY",
	  "number of the thread's life: its tid may be given out again" },
	{ "tid", "INTEGER", "its number" },
	{ "pid", "INTEGER", "its process" },
	{ "comm", "TEXT", "its last name" },
	{ "parent_pid", "INTEGER", "the process that created it" },
	{ "is_kernel", "INTEGER", "1: a thread of the kernel" },
	{ "idle_cpu", "INTEGER", "of an idle thread, its CPU" },
	{ "start_ns", "INTEGER", "when it was created, if that is in the trace" },
	{ "end_ns", "INTEGER", "when it ended, if that is in the trace" },
	{ "exit_code", "INTEGER", "how it ended, as wait(2) has it" },
	{ "cgroup_id", "INTEGER", "the number of its last cgroup: the inode of that directory" },
	{ "cgroup", "TEXT", "its path" },
	{ "container", "TEXT", "the container or unit that the path shows" },
	{ "uid", "INTEGER", "the user who runs its process, as of the last exec" },
	{ "euid", "INTEGER", "the user whose rights that had then" },
	{ "gid", "INTEGER", "its group" },
	{ "args", "TEXT", "the first 255 bytes of the arguments, with blanks between" },
	{ "args_bytes", "INTEGER", "bytes of all arguments, with one after each" },
	{},
};

const struct lkst_sql_known lkst_sql_known_threads = {
	.name = "threads",
	.help = "all threads that the trace has shown",
	.columns = threads,
	.needs_model = true,
	.end = end_threads,
};

/* ---- states ---------------------------------------------------------------------------------- */

static int known_model_on_state(void *ctx, const struct lkst_interval *i)
{
	struct lkst_sql_pass *p = ctx;

	if (!lkst_sql_wants_life(p, i->life))
		return 0;
	lkst_sql_row(p, LKST_SQL_states);
	known_model_put_times(p, i->from_ns, i->to_ns);
	lkst_sql_life(p, i->life);
	lkst_sql_int(p, i->life->nr);
	lkst_sql_int_but(p, i->cpu, -1);
	lkst_sql_str(p, lkst_run_names[i->run]);
	lkst_sql_str(p, i->run == LKST_RUN_READY ? lkst_ready_names[i->ready]
			: i->wait		 ? lkst_cause_names[i->wait->cause]
						 : NULL);
	lkst_sql_str(p, name_of_call(i->call));
	known_model_put_waker(p, i->waker);
	lkst_sql_int(p, !(i->flags & NOT_WHOLE));
	return lkst_sql_row_end(p);
}

static int begin_states(struct lkst_sql_pass *p)
{
	static const struct lkst_model_calls calls = { .interval = known_model_on_state };

	return known_model_subscribe(p, &calls);
}

static const struct lkst_sql_known_column states[] = {
	TIMES,
	THREAD,
	{ "life", "INTEGER", "number of the thread's life, as in threads" },
	{ "cpu", "INTEGER", "running: where; ready: in whose queue; else where it ran last" },
	{ "state", "TEXT", "running, ready, blocked, stopped, new, dead or unknown" },
	{ "cause", "TEXT", "ready: why, as woken or preempted; blocked: on what, as futex or io" },
	{ "syscall", "TEXT", "the system call that it was in" },
	WAKER,
	WHOLE,
	{},
};

const struct lkst_sql_known lkst_sql_known_states = {
	.name = "states",
	.help = "what each thread was doing, from when to when",
	.events = "page_fault_* contention_* block_rq_complete",
	.columns = states,
	.needs_model = true,
	.begin = begin_states,
};

/* ---- waits ----------------------------------------------------------------------------------- */

static int on_wait(void *ctx, const struct lkst_interval *i)
{
	struct lkst_sql_pass *p = ctx;
	const struct lkst_wait *w = i->wait;

	if (i->run != LKST_RUN_BLOCKED || !w)
		return 0;
	lkst_sql_row(p, LKST_SQL_waits);
	known_model_put_times(p, i->from_ns, i->to_ns);
	lkst_sql_life(p, i->life);
	lkst_sql_str(p, lkst_cause_names[w->cause]);
	lkst_sql_str(p, name_of_call(&w->call));
	lkst_sql_int_but(p, (s64)w->object, 0);
	lkst_sql_int_but(p, w->fd, -1);
	lkst_sql_int_but(p, w->holder_tid, 0);
	lkst_sql_int_but(p, w->last_tid, 0);
	lkst_sql_int_but(p, w->dev, 0);
	lkst_sql_int_but(p, w->dev ? (s64)w->sector : -1, -1);
	known_model_put_waker(p, i->waker);
	lkst_sql_int(p, !(i->flags & NOT_WHOLE));
	return lkst_sql_row_end(p);
}

static int begin_waits(struct lkst_sql_pass *p)
{
	static const struct lkst_model_calls calls = { .interval = on_wait };

	return known_model_subscribe(p, &calls);
}

static const struct lkst_sql_known_column waits[] = {
	TIMES,
	THREAD,
	{ "cause", "TEXT", "on what: syscall, file, socket, poll, sleep, futex, lock, io ..." },
	{ "syscall", "TEXT", "the system call that it was in" },
	{ "object", "INTEGER",
	  "the futex, the lock, the address or the request that it waited for" },
	{ "fd", "INTEGER", "the file descriptor" },
	{ "holder_tid", "INTEGER", "who had the futex or lock" },
	{ "last_tid", "INTEGER", "who read the lock last, or took the semaphore last; others may have it" },
	{ "dev", "INTEGER", "the disk" },
	{ "sector", "INTEGER", "where on the disk" },
	WAKER,
	WHOLE,
	{},
};

const struct lkst_sql_known lkst_sql_known_waits = {
	.name = "waits",
	.help = "when threads were blocked, on what, and what ended it",
	.events = "page_fault_* contention_* block_rq_complete",
	.columns = waits,
	.needs_model = true,
	.begin = begin_waits,
};

/* ---- wake-ups -------------------------------------------------------------------------------- */

static int known_model_on_wakeup(void *ctx, const struct lkst_interval *i)
{
	struct lkst_sql_pass *p = ctx;
	const struct lkst_waker *by = i->waker;

	if (i->run != LKST_RUN_READY || i->ready != LKST_READY_WOKEN || !by)
		return 0;
	lkst_sql_row(p, LKST_SQL_wakeups);
	lkst_sql_int(p, (s64)by->ns);
	lkst_sql_life(p, i->life);
	lkst_sql_int(p, by->cpu);
	lkst_sql_int_but(p, i->cpu, -1);
	known_model_put_waker(p, by);
	lkst_sql_int(p, (s64)(i->to_ns - i->from_ns));
	lkst_sql_int(p, !(i->flags & NOT_WHOLE));
	return lkst_sql_row_end(p);
}

static int begin_wakeups(struct lkst_sql_pass *p)
{
	static const struct lkst_model_calls calls = { .interval = known_model_on_wakeup };

	return known_model_subscribe(p, &calls);
}

static const struct lkst_sql_known_column wakeups[] = {
	{ "time_ns", "INTEGER", "when it began" },
	THREAD,
	{ "waker_cpu", "INTEGER", "the CPU on which it happened" },
	{ "cpu", "INTEGER", "the CPU in whose queue the thread came" },
	WAKER,
	{ "delay_ns", "INTEGER", "how long the thread was ready until it ran" },
	WHOLE,
	{},
};

const struct lkst_sql_known lkst_sql_known_wakeups = {
	.name = "wakeups",
	.help = "who woke whom, and how long the woken waited for a CPU",
	.events = "irq_handler_* softirq_* timer_expire_* hrtimer_expire_*",
	.columns = wakeups,
	.needs_model = true,
	.begin = begin_wakeups,
};

/* ---- system calls ---------------------------------------------------------------------------- */

/* Cells fd and file. A number that is not a descriptor has no file. */
static void known_model_put_file(struct lkst_sql_pass *p, const struct lkst_call_interval *c)
{
	struct lkst_descriptor_call call = { .fd = -1 };

	if (!c->life || !c->has_entry || !lkst_descriptors_call(p->descriptors, c->life->tid, &call) ||
	    call.entry_ns != c->from_ns)
		call = (struct lkst_descriptor_call){ .fd = -1 };
	lkst_sql_int_but(p, call.fd < 0 ? -1 : call.fd, -1);
	lkst_sql_str(p, c->has_exit && c->ret == -EBADF ? NULL : call.name);
}

/* Whether calls were left out between its entry and its exit. */
static bool may_be_two(const struct lkst_sql_pass *p, const struct lkst_call_interval *c)
{
	const struct lkst_feed_syscall *end = c->entry_or_exit;

	return end && lkst_sql_left_out_between(p->sql, end->record->event->id, c->from_ns, c->to_ns);
}

static int known_model_on_call(void *ctx, const struct lkst_call_interval *c)
{
	bool has_failed = c->has_exit && lkst_call_has_failed(c->call.row, c->ret);
	struct lkst_sql_pass *p = ctx;
	bool is_whole = c->has_entry && c->has_exit && !(c->flags & LKST_INTERVAL_OPEN) && !may_be_two(p, c);
	char error[LKST_ERROR_TEXT];

	if (!lkst_sql_wants_life(p, c->life))
		return 0;
	lkst_sql_row(p, LKST_SQL_syscalls);
	known_model_put_times(p, c->from_ns, c->to_ns);
	lkst_sql_life(p, c->life);
	lkst_sql_str(p, name_of_call(&c->call));
	lkst_sql_int_but(p, c->call.nr, -1);
	if (c->has_exit)
		lkst_sql_int(p, c->ret);
	else
		lkst_sql_none(p);
	lkst_sql_str(p, has_failed ? lkst_error_text((s32)-c->ret, error) : NULL);
	lkst_sql_int(p, (s64)c->running_ns);
	lkst_sql_int(p, (s64)c->ready_ns);
	lkst_sql_int(p, (s64)c->blocked_ns);
	lkst_sql_int(p, (s64)c->longest_ns);
	lkst_sql_str(p, c->longest_ns ? lkst_cause_names[c->longest_cause] : NULL);
	lkst_sql_int(p, is_whole);
	known_model_put_file(p, c);
	lkst_sql_int(p, c->has_exit && lkst_call_is_interrupted(c->ret));
	return lkst_sql_row_end(p);
}

static int begin_syscalls(struct lkst_sql_pass *p)
{
	static const struct lkst_model_calls calls = { .call = known_model_on_call };

	return lkst_sql_left_out_find(NULL, p->sql) ?: known_model_subscribe(p, &calls);
}

static const struct lkst_sql_known_column syscalls[] = {
	TIMES,
	THREAD,
	{ "syscall", "TEXT", "the call" },
	{ "nr", "INTEGER", "its number" },
	{ "ret", "INTEGER", "what it returned" },
	{ "error", "TEXT", "the error's name, if it failed" },
	{ "running_ns", "INTEGER", "how long the thread ran in it" },
	{ "ready_ns", "INTEGER", "waited for a CPU" },
	{ "blocked_ns", "INTEGER", "and was blocked" },
	{ "longest_ns", "INTEGER", "the longest wait in it" },
	{ "longest_cause", "TEXT", "what that was for" },
	WHOLE,
	{ "fd", "INTEGER", "the descriptor that it was called with, or that it returned" },
	{ "file", "TEXT", "what that referred to, or the path to be opened; where that is certain" },
	{ "is_interrupted", "INTEGER", "1: by a signal; the kernel begins the call again, or returns EINTR" },
	{},
};

const struct lkst_sql_known lkst_sql_known_syscalls = {
	.name = "syscalls",
	.help = "system calls from begin to end",
	.events = "syscall_*",
	.columns = syscalls,
	.needs_model = true,
	.begin = begin_syscalls,
};

/* ---- interrupts ------------------------------------------------------------------------------ */

static void known_model_put_name(struct lkst_sql_pass *p, const struct lkst_irq_context *f)
{
	char text[LKST_KEY_TEXT];

	switch (f->context) {
	case LKST_CONTEXT_IRQ:
		lkst_name_irq(&p->labels, f->number, text);
		break;
	case LKST_CONTEXT_VECTOR:
		lkst_name_vector(f->code, text);
		break;
	case LKST_CONTEXT_SOFTIRQ:
		lkst_name_softirq((u32)f->number, text);
		break;
	default:
		lkst_name_address(lkst_sql_symbols(p->sql), "", f->code, text);
	}
	lkst_sql_str(p, text);
}

static int known_model_on_irq(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_sql_pass *p = ctx;

	lkst_sql_row(p, LKST_SQL_irqs);
	known_model_put_times(p, f->from_ns, f->to_ns);
	lkst_sql_int(p, f->to_ns - f->from_ns > f->inner_ns
				? (s64)(f->to_ns - f->from_ns - f->inner_ns)
				: 0);
	lkst_sql_int(p, f->cpu);
	lkst_sql_str(p, lkst_context_names[f->context]);
	known_model_put_name(p, f);
	lkst_sql_int(p, f->number);
	lkst_sql_int(p, f->depth);
	lkst_sql_int_but(p, f->tid, -1);
	lkst_sql_int(p, !f->is_cut && !f->has_no_begin);
	return lkst_sql_row_end(p);
}

static int begin_irqs(struct lkst_sql_pass *p)
{
	static const struct lkst_model_calls calls = { .frame = known_model_on_irq };

	if (!lkst_sql_symbols(p->sql))
		return -ENOMEM;
	return known_model_subscribe(p, &calls);
}

static const struct lkst_sql_known_column irqs[] = {
	TIMES,
	{ "own_ns", "INTEGER", "of that, not in those that interrupted it" },
	{ "cpu", "INTEGER", "the CPU" },
	{ "kind", "TEXT", "irq, vector, softirq, tasklet, timer, hrtimer or nmi" },
	{ "name", "TEXT",
	  "which: the device, the kernel's own interrupt, the softirq or the function" },
	{ "number", "INTEGER", "the interrupt, vector or softirq" },
	{ "depth", "INTEGER", "0: it interrupted a thread" },
	{ "tid", "INTEGER", "the thread that was interrupted" },
	WHOLE,
	{},
};

const struct lkst_sql_known lkst_sql_known_irqs = {
	.name = "irqs",
	.help = "interrupts, softirqs, tasklets and timers, from begin to end",
	.events = "irq_handler_* softirq_* tasklet_* timer_expire_* hrtimer_expire_* local_timer_* reschedule_* "
		  "call_function_* nmi_handler",
	.columns = irqs,
	.needs_model = true,
	.begin = begin_irqs,
};
