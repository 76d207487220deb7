// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: devices, soft interrupts, tasklets, and the vectors that CPUs send to each other.
 */
#include "bpf/record.h"

struct tasklet_struct;

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(tp_btf__irq_handler_entry, int irq, struct irqaction *action)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(irq_handler_entry);
	LKST_RECORD(irq_handler_entry, r);
	if (!r)
		return 0;
	r->irq = irq;
	LKST_PUT64(r->handler, action->handler);
	LKST_COMMIT(irq_handler_entry);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(tp_btf__irq_handler_exit, int irq, struct irqaction *action, int result)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(irq_handler_exit);
	LKST_RECORD(irq_handler_exit, r);
	if (!r)
		return 0;
	r->irq = irq;
	r->result = result;
	LKST_COMMIT(irq_handler_exit);
	return 0;
}

/* A soft interrupt's event. */
#define SOFTIRQ_PROGRAM(event)                                                                     \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, unsigned int vec)                                            \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		r->vec = vec;                                                                      \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

SOFTIRQ_PROGRAM(softirq_raise)
SOFTIRQ_PROGRAM(softirq_entry)
SOFTIRQ_PROGRAM(softirq_exit)

SEC("tp_btf/tasklet_entry")
int BPF_PROG(tp_btf__tasklet_entry, struct tasklet_struct *tasklet, void *function)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(tasklet_entry);
	LKST_RECORD(tasklet_entry, r);
	if (!r)
		return 0;
	LKST_PUT64(r->tasklet, tasklet);
	LKST_PUT64(r->function, function);
	LKST_COMMIT(tasklet_entry);
	return 0;
}

SEC("tp_btf/tasklet_exit")
int BPF_PROG(tp_btf__tasklet_exit, struct tasklet_struct *tasklet)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(tasklet_exit);
	LKST_RECORD(tasklet_exit, r);
	if (!r)
		return 0;
	LKST_PUT64(r->tasklet, tasklet);
	LKST_COMMIT(tasklet_exit);
	return 0;
}

/* An event of a vector that is the kernel's own. */
#define VECTOR_PROGRAM(event)                                                                      \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, int vector)                                                  \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		r->vector = vector;                                                                \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

VECTOR_PROGRAM(local_timer_entry)
VECTOR_PROGRAM(local_timer_exit)
VECTOR_PROGRAM(reschedule_entry)
VECTOR_PROGRAM(reschedule_exit)
VECTOR_PROGRAM(call_function_entry)
VECTOR_PROGRAM(call_function_exit)
VECTOR_PROGRAM(call_function_single_entry)
VECTOR_PROGRAM(call_function_single_exit)
