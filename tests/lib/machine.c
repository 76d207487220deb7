/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/machine.h"

#include <stdarg.h>

#include "abi/syscalls.h"
#include "analyze/model/model.h"
#include "base/vec.h"

enum {
	BEGIN_NS = 1000000000,
	STEP_NS = 60000,
	SHORT_NS = 20000,
	LOST_NS =
		50000, /* masksets change this much before the limit's record, or after it, at most */
	SYSCALL_ID = LKST_NR_EVENTS + 100,
	NR_CALLS = 6,
	KIND_ALL_CALLS = NR_CALLS + 1,
	DEAD = 0x80,
};

/* System calls of x86-64. */
static const struct {
	const char *name;
	s16 nr;
} machine_calls[NR_CALLS] = {
	{ "read", 0 },	       { "futex", 202 }, { "wait4", 61 },
	{ "sched_yield", 24 }, { "write", 1 },	 { "sendto", 44 },
};

/* The calls come first, in their order. */
const char *const machine_kinds[] = {
	"",
	"syscall:read",
	"syscall:futex",
	"syscall:wait4",
	"syscall:sched_yield",
	"syscall:write",
	"syscall:sendto",
	"syscall:*",
	"softirq",
	"irq_handler",
	"local_timer",
	"hrtimer_expire",
	"timer_expire",
	"page_fault_user",
	"page_fault_kernel",
	"page_fault_exit",
	"contention",
	"block_rq_complete",
	"workqueue_execute",
	"sched_wakeup",
	"sched_migrate_task",
	"hrtimer_start",
	"block_rq_insert",
	"block_rq_issue",
	"softirq_raise",
	"net_dev_queue",
	"netif_receive_skb",
};
const unsigned int machine_nr_kinds = sizeof(machine_kinds) / sizeof(machine_kinds[0]);

/* ---- chance and records ---------------------------------------------------------------------- */

static u32 roll(struct made_machine *m, u32 sides)
{
	return (u32)(next(m->in) << 8 | next(m->in)) % sides;
}

/* A moment passes. */
static void pass(struct made_machine *m)
{
	m->now += 1 + roll(m, SHORT_NS);
}

/* Which kind the event called @event is of. */
static u8 kind_of(const char *event)
{
	const char *call = strncmp(event, "syscall_e", 9) ? NULL : strchr(event + 9, '_') + 1;
	u8 kind, length;

	for (kind = 1; kind < machine_nr_kinds; kind++) {
		length = (u8)strlen(machine_kinds[kind]);
		if (call && !strcmp(machine_kinds[kind] + 8, call) && kind <= NR_CALLS)
			return kind;
		if (kind > KIND_ALL_CALLS && !strncmp(event, machine_kinds[kind], length) &&
		    (!event[length] || !strcmp(event + length, "_entry") ||
		     !strcmp(event + length, "_exit") || !strcmp(event + length, "_begin") ||
		     !strcmp(event + length, "_end") || !strcmp(event + length, "_start")))
			return kind;
	}
	return 0;
}

static void add(struct made_machine *m, u8 kind, const char *line)
{
	size_t length = strlen(line) + 1;
	struct machine_record *r = lkst_vec_add(m->records, m->nr_records);

	if (!r)
		abort();
	if (m->used + length > m->room) {
		m->room = 2 * m->room + length;
		m->text = realloc(m->text, m->room);
		if (!m->text)
			abort();
	}
	memcpy(m->text + m->used, line, length);
	*r = (struct machine_record){ m->now, m->used, kind };
	m->used += length;
}

/* Records @event of what @cpu runs. */
static void __attribute__((format(printf, 5, 6)))
record_in(struct made_machine *m, u32 cpu, u32 buffer, const char *event, const char *format, ...)
{
	char fields[512], line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(fields, sizeof(fields), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "%s cpu=%u buffer=%u tid=%d ns=%llu %s", event, cpu, buffer,
		 m->current[cpu], (unsigned long long)m->now, fields);
	add(m, kind_of(event), line);
}

#define record(m, cpu, event, ...) record_in(m, cpu, 0, event, __VA_ARGS__)

/* ---- threads --------------------------------------------------------------------------------- */

static struct machine_thread *thread(struct made_machine *m, s32 tid)
{
	return tid ? &m->threads[tid - MACHINE_FIRST_TID] : NULL;
}

/* A random thread in state @run that is not just being woken; 0: there is none. */
static s32 any(struct made_machine *m, u8 run)
{
	u32 i, first = roll(m, m->nr_threads);

	for (i = 0; i < m->nr_threads; i++) {
		u32 k = (first + i) % m->nr_threads;

		if (m->threads[k].run == run && !m->threads[k].is_waking)
			return MACHINE_FIRST_TID + (s32)k;
	}
	return 0;
}

/* The text of where @t is, for a field that begins with @prefix; with arguments if it @waits. */
static const char *where(struct made_machine *m, const struct machine_thread *t, const char *prefix,
			 bool waits)
{
	static char text[256];
	int used;
	u32 i;

	text[0] = 0;
	if (!(m->is & MACHINE_HAS_WHERE))
		return text;
	if (!t || t->is_kernel || t->call < 0) {
		snprintf(text, sizeof(text), "%swhere=%u", prefix, !t || t->is_kernel ? 3 : 2);
		return text;
	}
	used = snprintf(text, sizeof(text), "%swhere=1 %scall=%d %sflags=%u", prefix, prefix,
			machine_calls[t->call].nr, prefix, t->is_behind);
	for (i = 0; i < MACHINE_CALL_ARGS && waits; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%c%llu", i ? ',' : ' ',
				 (unsigned long long)t->args[i]);
	return text;
}

static const char *arguments(const struct machine_thread *t)
{
	static char text[256];
	int used = 0;
	u32 i;

	for (i = 0; i < MACHINE_CALL_ARGS; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%llu", i ? "," : "",
				 (unsigned long long)t->args[i]);
	return text;
}

/* @tid is to run on @cpu, whose queue it may not be on yet. */
static void move(struct made_machine *m, u32 cpu, s32 tid, u32 to)
{
	struct machine_thread *t = thread(m, tid);

	if ((u32)t->cpu == to)
		return;
	if (m->is & MACHINE_HAS_MIGRATIONS)
		record(m, cpu, "sched_migrate_task", "target_tid=%d orig_cpu=%d dest_cpu=%u", tid,
		       t->cpu, to);
	t->cpu = (s16)to;
}

static void do_switch(struct made_machine *m, u32 cpu, u32 state)
{
	const s32 prev = m->current[cpu], to = any(m, LKST_RUN_READY);
	struct machine_thread *t = thread(m, prev);
	const bool has_args =
		t && state && t->call >= 0 && !t->is_kernel && m->is & MACHINE_HAS_WHERE;

	if (to == prev)
		return;
	if (to && (u32)thread(m, to)->cpu != cpu) {
		move(m, cpu, to, cpu);
		pass(m);
	}
	record(m, cpu, "sched_switch", "next_tid=%d prev_state=%u %s%s%s", to, t ? state : 0,
	       where(m, t, "prev_", false), has_args ? " prev_args=" : "",
	       has_args ? arguments(t) : "");
	if (t) {
		t->state = state;
		t->run = !state		   ? LKST_RUN_READY
			 : state & DEAD	   ? LKST_RUN_DEAD
			 : state & (4 | 8) ? LKST_RUN_STOPPED
					   : LKST_RUN_BLOCKED;
	}
	m->current[cpu] = to;
	if (to)
		thread(m, to)->run = LKST_RUN_RUNNING;
}

/* What is on @cpu wakes @tid: @context says what, an enum lkst_waker_kind. */
static void waking(struct made_machine *m, u32 cpu, s32 tid, u8 context)
{
	const struct machine_thread *by = thread(m, m->current[cpu]);
	const bool has_where = m->is & MACHINE_HAS_WHERE,
		   in_call = by && !by->is_kernel && by->call >= 0;

	record(m, cpu, "sched_waking", "target_tid=%d target_cpu=%d call=%d context=%u flags=%u",
	       tid, thread(m, tid)->cpu, has_where && in_call ? machine_calls[by->call].nr : -1,
	       has_where ? context : 0, has_where && in_call && by->is_behind);
}

static void wakeup(struct made_machine *m, u32 cpu, s32 tid)
{
	if (m->is & MACHINE_HAS_WAKEUPS)
		record(m, cpu, "sched_wakeup", "target_tid=%d target_cpu=%d", tid,
		       thread(m, tid)->cpu);
}

static void do_wake(struct made_machine *m, u32 cpu, u8 context)
{
	s32 tid = any(m, roll(m, 8) ? LKST_RUN_BLOCKED : LKST_RUN_STOPPED);

	if (!tid)
		return;
	waking(m, cpu, tid, context);
	thread(m, tid)->run = LKST_RUN_READY;
	thread(m, tid)->is_waking = true;
	pass(m);
	move(m, cpu, tid, roll(m, MACHINE_CPUS));
	wakeup(m, cpu, tid);
	thread(m, tid)->is_waking = false;
	pass(m);
}

/* @cpu wakes the thread of another one, which is on its way to sleep: it leaves that CPU, or goes on. */
static void do_race(struct made_machine *m, u32 cpu)
{
	const u32 other = roll(m, MACHINE_CPUS);
	const s32 tid = m->current[other];

	if (other == cpu || !tid || thread(m, tid)->lock)
		return;
	waking(m, cpu, tid, LKST_WAKER_THREAD);
	pass(m);
	if (roll(m, 3)) {
		thread(m, tid)->is_waking = true;
		do_switch(m, other, 1);
		thread(m, tid)->is_waking = false;
		if (thread(m, tid)->run == LKST_RUN_RUNNING)
			return;
		thread(m, tid)->run = LKST_RUN_READY;
		pass(m);
	}
	wakeup(m, cpu, tid);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void call_record(struct made_machine *m, u32 cpu, const struct machine_thread *t, bool is_entry)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	char event[64], fields[256] = "ret=5";
	const char *name = machine_calls[t->call].name;
	int used = 0;
	u32 i, nr = lkst_syscall_args(lkst_syscall_find(false, name), args);

	snprintf(event, sizeof(event), "syscall_%s_%s", is_entry ? "entry" : "exit", name);
	for (i = 0; i < nr && is_entry; i++)
		used += snprintf(fields + used, sizeof(fields) - (size_t)used, "%s=%llu ",
				 args[i].name, (unsigned long long)t->args[i]);
	record(m, cpu, event, "%s", fields);
}

static void enter_call(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	u32 i;

	t->call = (s8)roll(m, NR_CALLS);
	for (i = 0; i < MACHINE_CALL_ARGS; i++)
		t->args[i] = 1 + roll(m, 4);
	call_record(m, cpu, t, true);
}

static void do_fork(struct made_machine *m, u32 cpu, const struct machine_thread *parent)
{
	const s32 child = MACHINE_FIRST_TID + (s32)m->nr_threads;
	struct machine_thread *t = &m->threads[m->nr_threads];

	if (m->nr_threads == MACHINE_THREADS)
		return;
	m->nr_threads++;
	*t = *parent;
	t->is_behind = t->has_to_exit = true;
	t->cpu = (s16)roll(m, MACHINE_CPUS);
	t->run = LKST_RUN_NEW;
	record_in(m, cpu, 1, "task_newtask", "child_tid=%d child_comm=child", child);
	pass(m);
	record(m, cpu, "sched_wakeup_new", "target_tid=%d target_cpu=%d", child, t->cpu);
	t->run = LKST_RUN_READY;
}

/* @t, which runs on @cpu, contends for a lock, and may sleep for it; it has it when it runs again. */
static void wait_for_lock(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	t->lock = 0x9000 + 8ULL * roll(m, 3);
	record(m, cpu, "contention_begin", "lock=%llu flags=32", (unsigned long long)t->lock);
	pass(m);
	do_switch(m, cpu, 2);
}

static void go_on_in_fault(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	switch (roll(m, 6)) {
	case 0:
		wait_for_lock(m, cpu, t);
		break;
	case 1:
	case 2:
		do_switch(m, cpu, 2);
		break;
	case 3:
		do_switch(m, cpu, 0);
		break;
	default:
		if (m->is & MACHINE_HAS_FAULT_EXITS)
			record(m, cpu, "page_fault_exit", "result=0");
		t->in_fault = 0;
	}
}

static void fault(struct made_machine *m, u32 cpu, struct machine_thread *t, bool is_kernels)
{
	t->in_fault = is_kernels ? 2 : 1;
	record(m, cpu, is_kernels ? "page_fault_kernel" : "page_fault_user", "address=%u ip=%u",
	       0x2000 + 0x1000 * roll(m, 4), 0x100 + roll(m, 4));
}

/* Something is set, or sent, that an interrupt ends later. */
static void begin_elsewhere(struct made_machine *m, u32 cpu)
{
	switch (roll(m, 5)) {
	case 0:
		record(m, cpu, "hrtimer_start", "hrtimer=%u function=%u", 0x600 + 0x10 * roll(m, 2),
		       0x640);
		break;
	case 1:
		record(m, cpu, "block_rq_insert", "dev=8388608 rq=%u sector=8 bytes=4096",
		       0x500 + roll(m, 4));
		break;
	case 2:
		record(m, cpu, "block_rq_issue", "dev=8388608 rq=%u sector=8 bytes=4096",
		       0x500 + roll(m, 4));
		break;
	case 3:
		record(m, cpu, "softirq_raise", "vec=4");
		break;
	default:
		record(m, cpu, "net_dev_queue", "skb=%u ifindex=1 bytes=100", 0x900 + roll(m, 2));
	}
	pass(m);
}

static void go_on_in_call(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	switch (roll(m, 14)) {
	case 0:
		wait_for_lock(m, cpu, t);
		break;
	case 1:
		fault(m, cpu, t, true);
		break;
	case 2:
		do_wake(m, cpu, LKST_WAKER_THREAD);
		break;
	case 3:
		do_race(m, cpu);
		break;
	case 4:
		do_switch(m, cpu, 0);
		break;
	case 5:
		do_switch(m, cpu, 2);
		break;
	case 6:
	case 7:
		do_switch(m, cpu, 1);
		break;
	case 8:
		if (!roll(m, 4))
			do_fork(m, cpu, t);
		break;
	case 9:
	case 10:
		begin_elsewhere(m, cpu);
		break;
	default:
		t->is_behind = true;
		call_record(m, cpu, t, false);
	}
}

static void go_on_behind(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	if (t->has_to_exit) {
		call_record(m, cpu, t, false);
		t->has_to_exit = false;
	} else if (!roll(m, 4)) {
		do_switch(m, cpu, 2 * roll(m, 2));
	} else {
		if (!roll(m, 8))
			record(m, cpu, "signal_deliver", "signal=10");
		t->call = -1;
		t->is_behind = false;
	}
}

static void go_on_in_program(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	switch (roll(m, 14)) {
	case 0:
	case 1:
	case 2:
		fault(m, cpu, t, false);
		break;
	case 3:
		do_switch(m, cpu, 0);
		break;
	case 4:
		/* Behind an interrupt: work that it puts off, a signal, a stop. */
		do_switch(m, cpu, (u32[]){ 1, 2, 4 }[roll(m, 3)]);
		break;
	case 5:
		record(m, cpu, "signal_deliver", "signal=10");
		break;
	default:
		enter_call(m, cpu, t);
	}
}

static void go_on_in_kernel(struct made_machine *m, u32 cpu, struct machine_thread *t)
{
	switch (roll(m, 6)) {
	case 0:
		wait_for_lock(m, cpu, t);
		break;
	case 1:
		do_wake(m, cpu, LKST_WAKER_THREAD);
		break;
	case 2:
		do_switch(m, cpu, roll(m, 2) ? 0 : 0x402);
		break;
	case 3:
		if (t->work)
			do_switch(m, cpu, 2);
		break;
	default:
		record(m, cpu, t->work ? "workqueue_execute_end" : "workqueue_execute_start",
		       "work=%u function=%u", 0x100, 0x700 + roll(m, 3));
		t->work = !t->work;
	}
}

static void go_on(struct made_machine *m, u32 cpu)
{
	const s32 tid = m->current[cpu];
	struct machine_thread *t = thread(m, tid);

	if (!t) {
		do_switch(m, cpu, 0);
	} else if (t->lock) {
		record(m, cpu, "contention_end", "lock=%llu result=0", (unsigned long long)t->lock);
		t->lock = 0;
	} else if (t->is_kernel) {
		go_on_in_kernel(m, cpu, t);
	} else if (t->in_fault) {
		go_on_in_fault(m, cpu, t);
	} else if (t->call < 0) {
		go_on_in_program(m, cpu, t);
	} else if (t->is_behind) {
		go_on_behind(m, cpu, t);
	} else if (!roll(m, 200)) {
		t->is_behind = true;
		record_in(m, cpu, 1, "sched_process_exit", "exit_pid=%d", tid);
		pass(m);
		do_switch(m, cpu, DEAD);
	} else {
		go_on_in_call(m, cpu, t);
	}
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void complete(struct made_machine *m, u32 cpu)
{
	record(m, cpu, "block_rq_complete", "dev=8388608 rq=%u sector=%u", 0x500 + roll(m, 4),
	       roll(m, 9));
	pass(m);
}

static void device(struct made_machine *m, u32 cpu)
{
	const u32 irq = 7 + roll(m, 2);

	record(m, cpu, "irq_handler_entry", "irq=%u handler=%u", irq, 0x300 + irq);
	pass(m);
	if (!roll(m, 3))
		complete(m, cpu);
	if (!roll(m, 3))
		begin_elsewhere(m, cpu);
	if (roll(m, 2))
		do_wake(m, cpu, LKST_WAKER_INTERRUPT);
	record(m, cpu, "irq_handler_exit", "irq=%u result=1", irq);
	pass(m);
}

static void clock_tick(struct made_machine *m, u32 cpu)
{
	const u32 timer = 0x600 + 0x10 * roll(m, 2);

	record(m, cpu, "local_timer_entry", "vector=236");
	pass(m);
	if (roll(m, 2)) {
		record(m, cpu, "hrtimer_expire_entry", "hrtimer=%u function=%u", timer, 0x640);
		pass(m);
		if (roll(m, 2))
			do_wake(m, cpu, LKST_WAKER_INTERRUPT);
		record(m, cpu, "hrtimer_expire_exit", "hrtimer=%u", timer);
		pass(m);
	}
	record(m, cpu, "local_timer_exit", "vector=236");
	pass(m);
}

static void softirq(struct made_machine *m, u32 cpu)
{
	const u32 vec = (u32[]){ 1, 3, 4 }[roll(m, 3)];

	record(m, cpu, "softirq_entry", "vec=%u", vec);
	pass(m);
	if (!roll(m, 3))
		(roll(m, 2) ? device : clock_tick)(m, cpu);
	if (vec == 1)
		record(m, cpu, "timer_expire_entry", "timer=%u function=%u", 0x800, 0x840);
	if (vec == 3)
		record(m, cpu, "netif_receive_skb", "skb=%u ifindex=1 bytes=100",
		       0x900 + roll(m, 2));
	if (vec == 4)
		complete(m, cpu);
	pass(m);
	if (roll(m, 2))
		do_wake(m, cpu, LKST_WAKER_SOFTIRQ);
	if (vec == 1)
		record(m, cpu, "timer_expire_exit", "timer=%u", 0x800);
	pass(m);
	record(m, cpu, "softirq_exit", "vec=%u", vec);
	pass(m);
}

static void interrupt(struct made_machine *m, u32 cpu)
{
	(roll(m, 2) ? device : clock_tick)(m, cpu);
	if (!roll(m, 3))
		softirq(m, cpu);
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* A thread that is there from the beginning is in the list of threads, and where it sleeps. */
static void list(struct made_machine *m, u32 i)
{
	const struct machine_thread *t = &m->threads[i];
	const s32 tid = MACHINE_FIRST_TID + (s32)i;
	char line[512];

	snprintf(line, sizeof(line),
		 "state_thread ns=%llu thread_tid=%d thread_pid=%d state=%u flags=%u comm=t%d",
		 (unsigned long long)m->now, tid, tid, t->run == LKST_RUN_BLOCKED ? t->state : 0,
		 t->is_kernel, tid);
	add(m, 0, line);
	if (t->run != LKST_RUN_BLOCKED || !(m->is & MACHINE_HAS_WHERE))
		return;
	snprintf(line, sizeof(line), "state_wait ns=%llu thread_tid=%d %s%s%s",
		 (unsigned long long)m->now, tid, where(m, t, "", false),
		 t->call >= 0 ? " args=" : "", t->call >= 0 ? arguments(t) : "");
	add(m, 0, line);
}

static void begin(struct made_machine *m)
{
	u32 i;

	m->now = BEGIN_NS;
	m->nr_threads = MACHINE_THREADS / 2;
	for (i = 0; i < m->nr_threads; i++) {
		struct machine_thread *t = &m->threads[i];

		t->run = roll(m, 3) ? LKST_RUN_BLOCKED : LKST_RUN_READY;
		t->is_kernel = !roll(m, 6);
		t->call = t->is_kernel ? -1 : (s8)roll(m, NR_CALLS);
		t->args[0] = 1 + roll(m, 4);
		t->state = 1 + roll(m, 2);
		t->cpu = (s16)roll(m, MACHINE_CPUS);
		list(m, i);
	}
	for (i = 0; i < MACHINE_CPUS; i++) {
		pass(m);
		record(m, i, "test:nothing", " ");
	}
}

struct made_machine *machine_run(struct source *in, u8 is, u32 steps)
{
	struct made_machine *m = calloc(1, sizeof(*m));
	u32 i, cpu;

	if (!m)
		abort();
	m->in = in;
	m->is = is;
	begin(m);
	for (i = 0; i < steps; i++) {
		cpu = roll(m, MACHINE_CPUS);
		m->now += 1 + roll(m, STEP_NS);
		if (roll(m, 5))
			go_on(m, cpu);
		else
			interrupt(m, cpu);
	}
	for (i = 0; i < MACHINE_CPUS; i++) {
		pass(m);
		record(m, i, "test:nothing", " ");
	}
	return m;
}

void machine_free(struct made_machine *m)
{
	free(m->text);
	free(m->records);
	free(m);
}

/* ---- what is left out ------------------------------------------------------------------------ */

static void add_span(struct made_machine *m, u32 kind, u32 i, u64 from_ns, u64 to_ns)
{
	struct machine_span *s = &m->left_out[kind][i];

	*s = (struct machine_span){ from_ns, to_ns, from_ns - roll(m, LOST_NS), to_ns };
	if (to_ns != UINT64_MAX)
		s->lost_to_ns += roll(m, LOST_NS);
}

/* A moment among the records after @ns. */
static u64 moment(struct made_machine *m, u64 ns)
{
	return ns + 1 + (u64)roll(m, 0xffff) * (m->now > ns ? m->now - ns : 1) / 0xffff;
}

void machine_leave_out_all(struct made_machine *m)
{
	u32 kind;

	for (kind = KIND_ALL_CALLS; kind < machine_nr_kinds; kind++)
		add_span(m, kind, 0, BEGIN_NS / 2, UINT64_MAX);
}

void machine_leave_out_some(struct made_machine *m)
{
	const u32 one_in = 1 + roll(m, 8);
	u64 from_ns, to_ns;
	u32 kind, i;

	for (kind = 1; kind < machine_nr_kinds; kind++) {
		from_ns = roll(m, 4) ? moment(m, BEGIN_NS) : BEGIN_NS / 2;
		for (i = 0; i < MACHINE_SPANS && !roll(m, one_in) && from_ns < m->now; i++) {
			to_ns = roll(m, 2) ? moment(m, from_ns < BEGIN_NS ? BEGIN_NS : from_ns)
					   : UINT64_MAX;
			add_span(m, kind, i, from_ns, to_ns);
			if (to_ns == UINT64_MAX)
				break;
			from_ns = moment(m, to_ns);
		}
	}
}

static bool is_lost(const struct made_machine *m, u32 kind, u64 ns)
{
	u32 i;

	for (i = 0; i < MACHINE_SPANS; i++)
		if (m->left_out[kind][i].to_ns && m->left_out[kind][i].lost_from_ns <= ns &&
		    ns <= m->left_out[kind][i].lost_to_ns)
			return true;
	return kind && kind <= NR_CALLS && is_lost(m, KIND_ALL_CALLS, ns);
}

struct limit_record {
	u64 ns;
	char line[160];
};

static int by_time(const void *a, const void *b)
{
	const struct limit_record *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* What the limit itself records of kind @kind; returns how many there are then. */
static u32 add_limit_records(const struct made_machine *m, u32 kind, struct limit_record *list, u32 nr)
{
	u32 i;

	for (i = 0; i < MACHINE_SPANS; i++) {
		const struct machine_span *s = &m->left_out[kind][i];

		if (s->to_ns && s->from_ns >= BEGIN_NS) {
			list[nr].ns = s->from_ns;
			snprintf(list[nr].line, sizeof(list[nr].line),
				 "shed_begin cpu=0 tid=0 buffer=1 ns=%llu cost=1000 kind=%s",
				 (unsigned long long)s->from_ns, machine_kinds[kind]);
			nr++;
		}
		if (s->to_ns && s->to_ns != UINT64_MAX) {
			list[nr].ns = s->to_ns;
			snprintf(list[nr].line, sizeof(list[nr].line),
				 "shed_end cpu=0 tid=0 buffer=1 ns=%llu left_out=%llu kind=%s",
				 (unsigned long long)s->to_ns,
				 (unsigned long long)(s->to_ns - s->from_ns), machine_kinds[kind]);
			nr++;
		}
	}
	return nr;
}

static void put(struct make_trace *t, const char *line)
{
	if (make_line(t, line)) {
		fprintf(stderr, "machine: %s: %s\n", line, t->err.text);
		abort();
	}
}

/* The lines of the ledger about what is left out when the machine stops. */
static void write_ledger(const struct made_machine *m, struct make_trace *t)
{
	char line[160];
	u32 kind, i;

	for (kind = 1; kind < machine_nr_kinds; kind++)
		for (i = 0; i < MACHINE_SPANS; i++) {
			if (m->left_out[kind][i].to_ns != UINT64_MAX)
				continue;
			snprintf(line, sizeof(line),
				 "state_shed ns=%llu left_out=%llu times=1 is_left_out=1 kind=%s",
				 (unsigned long long)m->now,
				 (unsigned long long)(m->now - m->left_out[kind][i].from_ns),
				 machine_kinds[kind]);
			put(t, line);
		}
}

static struct lkst_catalog *catalog(const struct made_machine *m)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	u16 i;

	/* A kernel whose functions cannot be hooked has no ends of faults. */
	for (i = 0; c && i < LKST_NR_EVENTS; i++)
		if ((i != LKST_EV_page_fault_exit || m->is & MACHINE_HAS_FAULT_EXITS) &&
		    i != LKST_EV_state_stream && i != LKST_EV_state_end &&
		    lkst_catalog_add_builtin(&e, c, i + 1, i))
			abort();
	if (!c || make_test_events(&e, c, LKST_NR_EVENTS + 1))
		abort();
	for (i = 0; i < NR_CALLS; i++)
		if (lkst_catalog_add_syscall(
			    &e, c, SYSCALL_ID + 2 * i, SYSCALL_ID + 2 * i + 1,
			    (unsigned int)(lkst_syscall_find(false, machine_calls[i].name) -
					   lkst_syscalls)))
			abort();
	snprintf(c->machine, sizeof(c->machine), "x86_64");
	return c;
}

void machine_write(const struct made_machine *m, const char *dir, bool is_whole)
{
	struct make_trace *t = make_begin(dir, catalog(m), 4096);
	struct limit_record list[2 * MACHINE_SPANS * MACHINE_KINDS_MAX];
	u32 i, kind, at = 0, nr = 0;

	for (kind = 1; kind < machine_nr_kinds && !is_whole; kind++)
		nr = add_limit_records(m, kind, list, nr);
	if (nr)
		qsort(list, nr, sizeof(list[0]), by_time);
	for (i = 0; i < m->nr_records; i++) {
		for (; at < nr && list[at].ns <= m->records[i].ns; at++)
			put(t, list[at].line);
		if (is_whole || !is_lost(m, m->records[i].kind, m->records[i].ns))
			put(t, m->text + m->records[i].text);
	}
	if (!is_whole)
		write_ledger(m, t);
	if (make_end(t))
		abort();
}
