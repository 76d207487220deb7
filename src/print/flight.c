/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The view of Hitachi's kernel flight recorder: numbered lines of time, CPU, thread and text, for
 * switches, wake-ups and system calls. Other events are left out.
 *
 *	1	11:14:12.226190	#2	8877	sendto(...) -->
 *	2	11:14:12.226200	#2	8877	sendto() <-- 828
 *	3	11:14:12.226213	#0	8862	TP09[n:-5] <-- TASK_INTERRUPTIBLE
 *	4	11:14:12.226213	#0	0	swapper[n:20] -->
 *	5	11:14:12.226365	#3	0	(RUNQ) #0 8862 TP09[n:-5] qlen:1
 *
 * The number in brackets is the priority less that of nice 0.
 *
 * A wake-up is two events: sched_waking, where the waker runs, and sched_wakeup, where the thread is queued, which
 * may be another CPU. The line is printed at the second, with the waker's CPU and thread. Where a trace has
 * no sched_waking, it has those of the second, and a comment says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "print/call.h"
#include "print/record_printer.h"

enum line_kind {
	KIND_NONE, /* not in this view */
	KIND_CALL, /* one line of steps */
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_WAKEUP_NEW, /* recorded where its waker runs */
};

enum {
	PRIO_NICE_0 = 120,
	/* The original did not show whether a sleeping thread may be frozen. */
	STATE_FREEZABLE = 0x2000 | 0x4000,
};

struct flight {
	struct lkst_record_printer *printer;
	u64 line;
	u64 nr_wakeups, nr_without_waker;
};

/* The fields of a switch and of a wake-up, in the order of the steps that hold them. */
static const char *const switch_fields[] = { "next_tid", "prev_state", "prev_prio", "next_prio" };
static const char *const wakeup_fields[] = { "target_tid", "target_prio", "target_cpu",
					     "nr_running" };
enum { NR_ROLES = 4 };

/* ---- steps ----------------------------------------------------------------------------------- */

static char *flight_put_hex(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			    const struct lkst_step *step)
{
	return lkst_put_hex(p, lkst_field_int(r, step->index));
}

static char *flight_put_number(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			       const struct lkst_step *step)
{
	return lkst_put_s64(p, (s64)lkst_field_int(r, step->index));
}

/* A result that is not a count, as an address, is easier to read in hexadecimal; an error is not. */
static char *flight_put_result(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
			       const struct lkst_step *step)
{
	u8 meaning = step->field->sys_meaning;
	s64 v = (s64)lkst_field_int(r, step->index);

	if (v >= 0 && meaning < LKST_NR_SYS_MEANINGS && lkst_sys_meanings[meaning].base == 16)
		return lkst_put_hex(p, (u64)v);
	return lkst_put_s64(p, v);
}

/* ---- building -------------------------------------------------------------------------------- */

static void flight_build_entry(struct lkst_steps *steps, const struct lkst_call_format *call)
{
	lkst_steps_head(steps, "%s%s(", call->is_compat ? "compat_" : "", call->name);
	/* futex is shown as the original did. */
	if (!strcmp(call->name, "futex")) {
		lkst_call_add_arg(steps, "op", true);
		lkst_call_add_arg(steps, "val", true);
		lkst_steps_tail(steps, ", ...) -->\n");
		return;
	}
	lkst_call_add_args(steps, true);
	lkst_steps_tail(steps, ") -->\n");
}

static void flight_build_exit(struct lkst_steps *steps, const struct lkst_call_format *call)
{
	int ret = lkst_field_index(steps->event, "ret");

	lkst_steps_head(steps, "%s%s()", call->is_compat ? "compat_" : "", call->name);
	if (ret >= 0 && lkst_field_is_int(&steps->event->fields[ret]))
		lkst_steps_add(steps, flight_put_result, ret, " <-- ");
	lkst_steps_tail(steps, "\n");
}

/* A call without an event of its own is called by its number. */
static void build_unknown(struct lkst_steps *steps)
{
	const struct lkst_event_class *event = steps->event;
	bool is_exit = event->half == LKST_HALF_EXIT;
	unsigned int i;

	lkst_steps_head(steps, "%ssyscall_", event->is_compat ? "compat_" : "");
	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];

		if (!lkst_field_is_int(f))
			continue;
		if (!steps->nr)
			lkst_steps_add(steps, flight_put_number, (int)i, "%s", "");
		else if (is_exit)
			lkst_steps_add(steps, flight_put_number, (int)i, "() <-- ");
		else
			lkst_steps_add(steps, flight_put_hex, (int)i,
				       "%s%s = ", steps->nr == 1 ? "(" : ", ", f->name);
	}
	lkst_steps_tail(steps, is_exit ? "\n" : ") -->\n");
}

/* A step per field, in the order of @names, to find them by; false if one is not there. */
static bool flight_find_fields(struct lkst_steps *steps, const char *const names[NR_ROLES])
{
	unsigned int i;
	int index;

	if (steps->event->nr_fields < NR_ROLES)
		return false;
	for (i = 0; i < NR_ROLES; i++) {
		index = lkst_field_index(steps->event, names[i]);
		if (index < 0 || !lkst_field_is_int(&steps->event->fields[index]))
			return false;
		lkst_steps_add(steps, flight_put_number, index, "%s", "");
	}
	return true;
}

static void flight_build(struct lkst_steps *steps)
{
	struct lkst_call_format call;

	steps->kind = KIND_NONE;
	if (lkst_call_of(steps->event, &call)) {
		steps->kind = KIND_CALL;
		(call.is_exit ? flight_build_exit : flight_build_entry)(steps, &call);
		return;
	}
	switch (steps->event->index) {
	case LKST_EV_syscall_entry_unknown:
	case LKST_EV_syscall_exit_unknown:
	case LKST_EV_compat_syscall_entry_unknown:
	case LKST_EV_compat_syscall_exit_unknown:
		steps->kind = KIND_CALL;
		build_unknown(steps);
		break;
	case LKST_EV_sched_switch:
		if (flight_find_fields(steps, switch_fields))
			steps->kind = KIND_SWITCH;
		break;
	case LKST_EV_sched_wakeup:
	case LKST_EV_sched_wakeup_new:
		if (flight_find_fields(steps, wakeup_fields))
			steps->kind = steps->event->index == LKST_EV_sched_wakeup ? KIND_WAKEUP
										  : KIND_WAKEUP_NEW;
		break;
	}
}

/* ---- the view -------------------------------------------------------------------------------- */

static int flight_begin(struct lkst_err *e, const struct lkst_view_config *config, void **ret_ctx)
{
	struct flight *flight = calloc(1, sizeof(*flight));

	if (flight)
		flight->printer = lkst_record_printer_new(config, flight_build);
	if (!flight || !flight->printer) {
		free(flight);
		return lkst_err_sys(e, -ENOMEM, "preparing to print");
	}
	lkst_out_str(config->out, "#\thh:mm:ss.us\tCPU\tPID\t\n");
	*ret_ctx = flight;
	return 0;
}

static u64 flight_role(const struct lkst_record *r, const struct lkst_steps *steps, unsigned int i)
{
	return lkst_field_int(r, steps->steps[i].index);
}

/* The columns before the text. */
static char *flight_put_columns(struct flight *flight, char *p, u64 ns, u32 cpu, s32 tid)
{
	p = lkst_put_u64(p, ++flight->line);
	*p++ = '\t';
	p = lkst_put_time(p, &flight->printer->time, ns, 6);
	p = lkst_put_mem(p, "\t#", 2);
	p = lkst_put_u64(p, cpu);
	*p++ = '\t';
	p = lkst_put_s64(p, tid);
	*p++ = '\t';
	return p;
}

/* "TP09[n:-5]" */
static char *flight_put_thread(struct flight *flight, char *p, s32 tid, s64 prio)
{
	const struct lkst_name_cell *name = lkst_names_get(&flight->printer->names, tid);

	p = lkst_put_mem(p, name->column + name->name, (size_t)(name->end - name->name));
	p = lkst_put_s64(lkst_put_mem(p, "[n:", 3), prio - PRIO_NICE_0);
	*p++ = ']';
	return p;
}

static char *flight_put_switch(struct flight *flight, char *p, const struct lkst_record *r,
			       const struct lkst_steps *steps)
{
	s32 next = (s32)flight_role(r, steps, 0);

	p = flight_put_columns(flight, p, r->ns, r->cpu, r->tid);
	p = flight_put_thread(flight, p, r->tid, flight_role(r, steps, 2));
	p = lkst_put_task_state(lkst_put_str(p, " <-- "),
				flight_role(r, steps, 1) & ~(u64)STATE_FREEZABLE);
	*p++ = '\n';
	p = flight_put_columns(flight, p, r->ns, r->cpu, next);
	p = flight_put_thread(flight, p, next, flight_role(r, steps, 3));
	return lkst_put_str(p, " -->\n");
}

/* Begins the line of a wake-up with the CPU and thread of the waker of @target. */
static char *flight_put_waker(struct flight *flight, char *p, const struct lkst_record *r,
			      const struct lkst_steps *steps, s32 target)
{
	const struct lkst_thread *thread = lkst_threads_find(flight->printer->threads, target);

	if (steps->kind == KIND_WAKEUP_NEW)
		return flight_put_columns(flight, p, r->ns, r->cpu, r->tid);
	flight->nr_wakeups++;
	if (thread && thread->is_being_woken)
		return flight_put_columns(flight, p, r->ns, thread->waker_cpu, thread->waker_tid);
	flight->nr_without_waker++;
	if (flight->nr_wakeups == 1)
		p = lkst_put_str(p,
				 "#\tno sched_waking so far: (RUNQ) lines have the CPU and thread "
				 "that queue the woken one, which need not be its waker's\n");
	return flight_put_columns(flight, p, r->ns, r->cpu, r->tid);
}

static char *put_wakeup(struct flight *flight, char *p, const struct lkst_record *r,
			const struct lkst_steps *steps)
{
	s32 target = (s32)flight_role(r, steps, 0);
	/* The recorder saw the queue's length before the thread joined it; the event is after. */
	u64 running = flight_role(r, steps, 3), queued = running ? running - 1 : 0;

	p = flight_put_waker(flight, p, r, steps, target);
	p = lkst_put_s64(lkst_put_str(p, "(RUNQ) #"), (s64)flight_role(r, steps, 2));
	*p++ = ' ';
	p = lkst_put_s64(p, target);
	*p++ = ' ';
	p = flight_put_thread(flight, p, target, flight_role(r, steps, 1));
	p = lkst_put_u64(lkst_put_str(p, " qlen:"), queued);
	*p++ = '\n';
	return p;
}

static int flight_record(void *ctx, const struct lkst_record *r)
{
	struct flight *flight = ctx;
	const struct lkst_steps *steps = lkst_record_printer_steps(flight->printer, r->event);
	char *p = lkst_out_room(flight->printer->out);

	if (!steps)
		return -ENOMEM;
	switch (steps->kind) {
	case KIND_CALL:
		p = flight_put_columns(flight, p, r->ns, r->cpu, r->tid);
		p = lkst_put_mem(p, steps->head, steps->head_length);
		p = lkst_record_printer_run(flight->printer, p, r, steps);
		break;
	case KIND_SWITCH:
		p = flight_put_switch(flight, p, r, steps);
		break;
	case KIND_WAKEUP:
	case KIND_WAKEUP_NEW:
		p = put_wakeup(flight, p, r, steps);
		break;
	}
	lkst_out_advance(flight->printer->out, p);
	return 0;
}

/* A comment, without a number. */
static int flight_gap(void *ctx, const struct lkst_gap *gap)
{
	struct flight *flight = ctx;
	char *p = lkst_out_room(flight->printer->out);

	p = lkst_put_str(p, "#\t");
	p = lkst_put_time(p, &flight->printer->time, gap->from_ns, 6);
	p = lkst_put_u64(lkst_put_str(p, "\t#"), gap->cpu);
	p = lkst_put_str(p, "\t-\tgap, until ");
	p = lkst_put_time(p, &flight->printer->time, gap->to_ns, 6);
	p = lkst_put_str(p, ": ");
	p = lkst_out_escaped(flight->printer->out, p, gap->why, strlen(gap->why), "");
	*p++ = '\n';
	lkst_out_advance(flight->printer->out, p);
	return 0;
}

/* A trace that has sched_waking may lack some of them. */
static void tell_without_waker(const struct flight *flight)
{
	struct lkst_out *out = flight->printer->out;
	char *p = lkst_out_room(out);

	p = lkst_put_u64(lkst_put_str(p, "#\t"), flight->nr_without_waker);
	p = lkst_put_u64(lkst_put_str(p, " of "), flight->nr_wakeups);
	p = lkst_put_str(
		p, " (RUNQ) lines have no sched_waking before them: their CPU and thread need "
		   "not be the waker's\n");
	lkst_out_advance(out, p);
}

static int flight_end(void *ctx)
{
	struct flight *flight = ctx;

	if (flight && flight->nr_without_waker && flight->nr_without_waker < flight->nr_wakeups)
		tell_without_waker(flight);
	if (flight)
		lkst_record_printer_free(flight->printer);
	free(flight);
	return 0;
}

const struct lkst_view lkst_view_flight = {
	.name = "flight",
	.help = "system calls, switches and wake-ups as a dialogue",
	.is_of_one_host = true,
	/* Who woke a thread. */
	.needs_past = true,
	.begin = flight_begin,
	.record = flight_record,
	.gap = flight_gap,
	.end = flight_end,
};
