/* SPDX-License-Identifier: GPL-2.0-only */
/* Perfetto: what becomes of each of the kernel's events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/naming.h"
#include "export/perfetto/perfetto_cpu.h"

enum {
	/* Bits of an event's common_flags. */
	IN_HARDIRQ = 0x08,
	IN_SOFTIRQ = 0x10,
};

/* What is left to do for @r. */
static int perfetto_cpus_done(const struct lkst_perfetto *p, const struct lkst_record *r)
{
	return p->error ? p->error : lkst_export_step(p->x, r->ns);
}

/* ---- scheduling ------------------------------------------------------------------------------ */

static int perfetto_cpus_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	lkst_perfetto_switch(ctx, r, record);
	return perfetto_cpus_done(ctx, r);
}

static u32 context_flags(const struct lkst_perfetto_cpu *c)
{
	u32 i, flags = 0;

	for (i = 0; i < c->nr_contexts; i++)
		flags |= c->contexts[i].is_softirq ? IN_SOFTIRQ : IN_HARDIRQ;
	return flags;
}

/* What the waking itself says of its context, or else what was recorded on its CPU. */
static u32 waking_flags(const struct lkst_perfetto_cpu *c, const struct lkst_rec_sched_waking *x)
{
	return x->context == LKST_WAKER_THREAD	    ? 0
	       : x->context == LKST_WAKER_SOFTIRQ   ? IN_SOFTIRQ
	       : x->context == LKST_WAKER_INTERRUPT ? IN_HARDIRQ
						    : context_flags(c);
}

static int perfetto_cpus_on_waking(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_waking *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);

	if (!c || x->target_tid <= 0)
		return perfetto_cpus_done(p, r);
	lkst_perfetto_put_waking(p, c, r->ns, x->target_tid, x->target_cpu, x->target_prio,
				 waking_flags(c, x));
	lkst_perfetto_know(p, x->target_tid);
	return perfetto_cpus_done(p, r);
}

/* Only where a thread is added is it recorded how many there are. */
static void count_running(struct lkst_perfetto *p, const struct lkst_record *r, s32 cpu,
			  u32 nr_running)
{
	struct lkst_perfetto_cpu *c = cpu >= 0 ? lkst_perfetto_cpu(p, (u32)cpu) : NULL;
	char name[48];

	if (!c)
		return;
	if (!c->counter) {
		snprintf(name, sizeof(name), "CPU %d: run queue, when a thread is added", cpu);
		c->counter = lkst_perfetto_counter(p, name, "threads") + 1;
		c->counted = -1;
	}
	if (c->counted != nr_running)
		lkst_perfetto_count(p, c->counter - 1, r->ns, nr_running);
	c->counted = nr_running;
}

static int perfetto_cpus_on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup *x = record;
	struct lkst_perfetto *p = ctx;

	if (lkst_perfetto_cpu_at(p, r))
		count_running(p, r, x->target_cpu, x->nr_running);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_wakeup_new(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup_new *x = record;
	struct lkst_perfetto *p = ctx;

	if (lkst_perfetto_cpu_at(p, r))
		count_running(p, r, x->target_cpu, x->nr_running);
	return perfetto_cpus_done(p, r);
}

void lkst_perfetto_put_reason(struct lkst_perfetto *p, s32 cpu, u64 ns, s32 tid, u64 reason,
			      bool is_io)
{
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu(p, cpu > 0 ? (u32)cpu : 0);
	struct lkst_protobuf *b;
	u32 at[2];

	if (!c)
		return;
	b = lkst_perfetto_begin_kernel_event(p, c, ns, tid, LKST_PERFETTO_SCHED_BLOCKED_REASON, at);
	lkst_protobuf_s64(b, 1, tid);
	lkst_protobuf_u64(b, 2, reason);
	lkst_protobuf_u64(b, 3, is_io);
	lkst_perfetto_end_kernel_event(b, at);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static int perfetto_cpus_on_irq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);
	const char *name = lkst_labels_find(&p->labels, LKST_LABEL_IRQ, (u32)x->irq);
	char text[LKST_SYMBOL_ROOM + 1];

	if (!c)
		return perfetto_cpus_done(p, r);
	if (!name)
		*lkst_symbols_put(p->x->symbols, text, x->handler) = 0;
	lkst_perfetto_begin_context(p, c, r->ns, false, x->irq, name ? name : text);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_irq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);

	if (c)
		lkst_perfetto_end_context(p, c, r->ns, false, x->irq, x->result);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);

	/* The trace processor has a name for each that there is. */
	if (c && x->vec < LKST_NR_SOFTIRQS)
		lkst_perfetto_begin_context(p, c, r->ns, true, (s32)x->vec, NULL);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_softirq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);

	if (c && x->vec < LKST_NR_SOFTIRQS)
		lkst_perfetto_end_context(p, c, r->ns, true, (s32)x->vec, 0);
	return perfetto_cpus_done(p, r);
}

/* Interrupts of the kernel's own: all that begin have a record of the same form, and so have all that end. */
static int perfetto_cpus_on_vector_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_entry *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);
	char name[LKST_KEY_TEXT];

	if (!c)
		return perfetto_cpus_done(p, r);
	lkst_name_vector((u64)r->event->index, name);
	lkst_perfetto_begin_context(p, c, r->ns, false, -(s32)(x->vector & 0xffff), name);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_vector_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_exit *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);

	if (c)
		lkst_perfetto_end_context(p, c, r->ns, false, -(s32)(x->vector & 0xffff), 1);
	return perfetto_cpus_done(p, r);
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* Its number in the table that the trace processor has for the machine; -1: it has none. */
static s16 perfetto_cpus_number_of(const struct lkst_perfetto *p, const struct lkst_feed_syscall *s)
{
	if (s->row >= 0)
		return p->numbers[s->row];
	return s->is_compat || s->nr < 0 || s->nr > INT16_MAX ? -1 : (s16)s->nr;
}

static int perfetto_cpus_on_call(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);
	s16 number = perfetto_cpus_number_of(p, s);
	struct lkst_perfetto_thread *t = c && number >= 0 ? lkst_perfetto_know(p, r->tid) : NULL;
	struct lkst_protobuf *b;
	u32 at[2];
	u8 i;

	if (!t)
		return perfetto_cpus_done(p, r);
	/* The end of the one before is missing: no more is known than that it began. */
	if (t->call >= 0)
		lkst_perfetto_cut_call(p, c, t, t->call_ns + 1);
	/* To the trace processor it is a moment, since its end has no number. */
	t->call = number == p->sigreturn ? -1 : number;
	t->call_ns = r->ns;
	b = lkst_perfetto_begin_kernel_event(p, c, r->ns, r->tid, LKST_PERFETTO_SYS_ENTER, at);
	lkst_protobuf_s64(b, 1, number);
	for (i = 0; i < s->nr_args; i++)
		lkst_protobuf_u64(b, 2, s->args[i]);
	lkst_perfetto_end_kernel_event(b, at);
	return perfetto_cpus_done(p, r);
}

static int perfetto_cpus_on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu_at(p, r);
	s16 number = perfetto_cpus_number_of(p, s);
	struct lkst_perfetto_thread *t = c && number >= 0 ? lkst_perfetto_know(p, r->tid) : NULL;

	/* Without a begin it has no slice, and would end another one. */
	if (!t || t->call != number)
		return perfetto_cpus_done(p, r);
	lkst_perfetto_end_call(p, c, r->ns, r->tid, number, true, s->ret);
	t->call = -1;
	return perfetto_cpus_done(p, r);
}

/* ---- lives ----------------------------------------------------------------------------------- */

/* These are in a buffer of their own, which may have them where the CPU's other records are missing. */
static struct lkst_protobuf *perfetto_cpus_begin_life(struct lkst_perfetto *p, const struct lkst_record *r,
						      u32 field, u32 ret_at[2],
						      struct lkst_perfetto_cpu **ret_cpu)
{
	*ret_cpu = lkst_perfetto_cpu_at(p, r);
	if (!*ret_cpu && !p->error)
		*ret_cpu = lkst_perfetto_cpu(p, r->cpu);
	return *ret_cpu
		       ? lkst_perfetto_begin_kernel_event(p, *ret_cpu, r->ns, r->tid, field, ret_at)
		       : NULL;
}

static int perfetto_cpus_on_newtask(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_newtask *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = perfetto_cpus_begin_life(ctx, r, LKST_PERFETTO_TASK_NEWTASK, at, &c);

	if (!b)
		return perfetto_cpus_done(ctx, r);
	lkst_protobuf_s64(b, 1, x->child_tid);
	lkst_protobuf_text(b, 2, x->child_comm, sizeof(x->child_comm));
	lkst_protobuf_u64(b, 3, x->clone_flags);
	lkst_perfetto_end_kernel_event(b, at);
	lkst_perfetto_know(ctx, x->child_tid);
	return perfetto_cpus_done(ctx, r);
}

static int perfetto_cpus_on_rename(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_rename *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = perfetto_cpus_begin_life(ctx, r, LKST_PERFETTO_TASK_RENAME, at, &c);

	if (!b)
		return perfetto_cpus_done(ctx, r);
	lkst_protobuf_s64(b, 1, x->target_tid);
	lkst_protobuf_text(b, 2, x->oldcomm, sizeof(x->oldcomm));
	lkst_protobuf_text(b, 3, x->newcomm, sizeof(x->newcomm));
	lkst_perfetto_end_kernel_event(b, at);
	return perfetto_cpus_done(ctx, r);
}

static int perfetto_cpus_on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exec *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = perfetto_cpus_begin_life(ctx, r, LKST_PERFETTO_PROCESS_EXEC, at, &c);

	if (!b)
		return perfetto_cpus_done(ctx, r);
	lkst_perfetto_put_cut_text(b, 1, x->filename.bytes);
	lkst_protobuf_s64(b, 2, r->tid);
	lkst_protobuf_s64(b, 3, x->old_tid);
	lkst_perfetto_end_kernel_event(b, at);
	return perfetto_cpus_done(ctx, r);
}

static int on_life_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exit *x = record;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = perfetto_cpus_begin_life(ctx, r, LKST_PERFETTO_PROCESS_EXIT, at, &c);
	struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(ctx, r->tid);

	if (!b)
		return perfetto_cpus_done(ctx, r);
	lkst_protobuf_text(b, 1, x->comm, sizeof(x->comm));
	lkst_protobuf_s64(b, 2, r->tid);
	lkst_protobuf_s64(b, 3, x->exit_pid);
	lkst_perfetto_end_kernel_event(b, at);
	/* From exit_group() and the like no thread returns. */
	if (t)
		lkst_perfetto_cut_call(ctx, c, t, r->ns);
	return perfetto_cpus_done(ctx, r);
}

/* Its number may be given out again: to another thread. */
static int perfetto_cpus_on_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_free *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c;
	u32 at[2];
	struct lkst_protobuf *b = perfetto_cpus_begin_life(p, r, LKST_PERFETTO_PROCESS_FREE, at, &c);
	struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(p, x->freed_tid);

	if (!b)
		return perfetto_cpus_done(p, r);
	lkst_protobuf_s64(b, 2, x->freed_tid);
	lkst_perfetto_end_kernel_event(b, at);
	if (t && t->cpu < 0)
		t->is_known = false;
	return perfetto_cpus_done(p, r);
}

/* What is not written still shows who runs: the events by which the state model knows it. */
static int perfetto_cpus_on_other(void *ctx, const struct lkst_record *r, const void *record)
{
	lkst_perfetto_cpu_at(ctx, r);
	return perfetto_cpus_done(ctx, r);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int subscribe_events(struct lkst_perfetto *p)
{
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} calls[] = {
		{ LKST_EV_sched_switch, perfetto_cpus_on_switch },
		{ LKST_EV_sched_waking, perfetto_cpus_on_waking },
		{ LKST_EV_sched_wakeup, perfetto_cpus_on_wakeup },
		{ LKST_EV_sched_wakeup_new, perfetto_cpus_on_wakeup_new },
		{ LKST_EV_irq_handler_entry, perfetto_cpus_on_irq_entry },
		{ LKST_EV_irq_handler_exit, perfetto_cpus_on_irq_exit },
		{ LKST_EV_softirq_entry, perfetto_cpus_on_softirq_entry },
		{ LKST_EV_softirq_exit, perfetto_cpus_on_softirq_exit },
		{ LKST_EV_local_timer_entry, perfetto_cpus_on_vector_entry },
		{ LKST_EV_local_timer_exit, perfetto_cpus_on_vector_exit },
		{ LKST_EV_reschedule_entry, perfetto_cpus_on_vector_entry },
		{ LKST_EV_reschedule_exit, perfetto_cpus_on_vector_exit },
		{ LKST_EV_call_function_entry, perfetto_cpus_on_vector_entry },
		{ LKST_EV_call_function_exit, perfetto_cpus_on_vector_exit },
		{ LKST_EV_call_function_single_entry, perfetto_cpus_on_vector_entry },
		{ LKST_EV_call_function_single_exit, perfetto_cpus_on_vector_exit },
		{ LKST_EV_task_newtask, perfetto_cpus_on_newtask },
		{ LKST_EV_task_rename, perfetto_cpus_on_rename },
		{ LKST_EV_sched_process_exec, perfetto_cpus_on_exec },
		{ LKST_EV_sched_process_exit, on_life_end },
		{ LKST_EV_sched_process_free, perfetto_cpus_on_free },
		{ LKST_EV_page_fault_user, perfetto_cpus_on_other },
		{ LKST_EV_page_fault_kernel, perfetto_cpus_on_other },
		{ LKST_EV_page_fault_exit, perfetto_cpus_on_other },
		{ LKST_EV_signal_deliver, perfetto_cpus_on_other },
		{ LKST_EV_sched_migrate_task, perfetto_cpus_on_other },
		{ LKST_EV_contention_begin, perfetto_cpus_on_other },
		{ LKST_EV_contention_end, perfetto_cpus_on_other },
		{ LKST_EV_tasklet_entry, perfetto_cpus_on_other },
		{ LKST_EV_tasklet_exit, perfetto_cpus_on_other },
		{ LKST_EV_timer_expire_entry, perfetto_cpus_on_other },
		{ LKST_EV_timer_expire_exit, perfetto_cpus_on_other },
		{ LKST_EV_hrtimer_expire_entry, perfetto_cpus_on_other },
		{ LKST_EV_hrtimer_expire_exit, perfetto_cpus_on_other },
		{ LKST_EV_workqueue_execute_start, perfetto_cpus_on_other },
		{ LKST_EV_workqueue_execute_end, perfetto_cpus_on_other },
	};
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]) && err >= 0; i++)
		err = lkst_feed_event(p->feed, calls[i].event, calls[i].call, p);
	return err < 0 ? err : 0;
}

/* A 32-bit program's call has the number that 64-bit programs make the call of that name by. */
static int perfetto_cpus_find_numbers(struct lkst_perfetto *p)
{
	bool is_arm64 = !strcmp(p->x->catalog->machine, "aarch64");
	unsigned int i;

	p->numbers = calloc(lkst_nr_syscalls, sizeof(*p->numbers));
	if (!p->numbers)
		return -ENOMEM;
	for (i = 0; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *row = lkst_syscall_find(false, lkst_syscalls[i].name);

		if (!row)
			p->numbers[i] = -1;
		else
			p->numbers[i] = (s16)(is_arm64 ? lkst_syscall_nr_arm64(row) : row->nr);
	}
	return 0;
}

int lkst_perfetto_subscribe_cpus(struct lkst_perfetto *p)
{
	const struct lkst_syscall *sigreturn = lkst_syscall_find(false, "rt_sigreturn");
	int err = perfetto_cpus_find_numbers(p) ?: subscribe_events(p);

	p->sigreturn = !err && sigreturn ? p->numbers[sigreturn - lkst_syscalls] : -1;

	if (!err)
		err = lkst_feed_syscalls(p->feed, perfetto_cpus_on_call, perfetto_cpus_on_return, p);
	if (err >= 0)
		err = lkst_perfetto_subscribe_running(p);
	return err < 0 ? err : 0;
}

void lkst_perfetto_end_cpus(struct lkst_perfetto *p)
{
	u32 i;

	for (i = 0; i < p->nr_cpus; i++)
		if (p->cpus[i])
			lkst_perfetto_flush(p, p->cpus[i]);
}

void lkst_perfetto_free_cpus(struct lkst_perfetto *p)
{
	u32 i;

	for (i = 0; i < p->nr_cpus; i++)
		free(p->cpus[i]);
	lkst_hash_fini(&p->of_thread);
	free(p->known);
	free(p->numbers);
}
