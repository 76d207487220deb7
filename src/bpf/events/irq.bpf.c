// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: devices, softirqs, tasklets, and the vectors that CPUs send to each other.
 */
#include "bpf/record.h"
#include "bpf/steal.h"
#include "bpf/tick.h"

struct tasklet_struct;

LKST_TP(irq_handler_entry, int irq, struct irqaction *action)
{
	lkst_recording_if(irq_handler_entry, r, lkst_wants_current()) {
		r->irq = irq;
		LKST_PUT64(r->handler, action->handler);
	}
	return 0;
}

LKST_TP(irq_handler_exit, int irq, struct irqaction *action, int result)
{
	lkst_recording_if(irq_handler_exit, r, lkst_wants_current()) {
		r->irq = irq;
		r->result = result;
	}
	return 0;
}

/* A softirq's event. */
#define SOFTIRQ_PROGRAM(event)                                                                     \
	LKST_TP(event, unsigned int vec)                                                           \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current())                                  \
			r->vec = vec;                                                              \
		return 0;                                                                          \
	}

SOFTIRQ_PROGRAM(softirq_raise)
SOFTIRQ_PROGRAM(softirq_entry)
SOFTIRQ_PROGRAM(softirq_exit)

LKST_TP(tasklet_entry, struct tasklet_struct *tasklet, void *function)
{
	lkst_recording_if(tasklet_entry, r, lkst_wants_current()) {
		LKST_PUT64(r->tasklet, tasklet);
		LKST_PUT64(r->function, function);
	}
	return 0;
}

LKST_TP(tasklet_exit, struct tasklet_struct *tasklet)
{
	lkst_recording_if(tasklet_exit, r, lkst_wants_current())
		LKST_PUT64(r->tasklet, tasklet);
	return 0;
}

/* An event of a vector that the kernel itself uses. */
#define VECTOR_PROGRAM(event)                                                                      \
	LKST_TP(event, int vector)                                                                 \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current())                                  \
			r->vector = vector;                                                        \
		return 0;                                                                          \
	}

/* The CPU's own timer: its tick has ended. */
LKST_TP(local_timer_exit, int vector)
{
	lkst_look_at_tick();
	lkst_look_at_steal();
	lkst_recording_if(local_timer_exit, r, lkst_wants_current())
		r->vector = vector;
	return 0;
}

VECTOR_PROGRAM(local_timer_entry)
VECTOR_PROGRAM(reschedule_entry)
VECTOR_PROGRAM(reschedule_exit)
VECTOR_PROGRAM(call_function_entry)
VECTOR_PROGRAM(call_function_exit)
VECTOR_PROGRAM(call_function_single_entry)
VECTOR_PROGRAM(call_function_single_exit)

/* Interrupts or preemption are turned off, or on again. */
#define OFF_PROGRAM(event)                                                                         \
	LKST_TP(event, unsigned long ip, unsigned long parent_ip)                                  \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->ip, ip);                                                     \
			LKST_PUT64(r->parent_ip, parent_ip);                                       \
		}                                                                                  \
		return 0;                                                                          \
	}

OFF_PROGRAM(irq_disable)
OFF_PROGRAM(irq_enable)
OFF_PROGRAM(preempt_disable)
OFF_PROGRAM(preempt_enable)
