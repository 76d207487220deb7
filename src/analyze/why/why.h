/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why an interval of a thread took as long as it did: its stretches, and for each in which it did
 * not run, what kept it from running, followed from wake-up to wake-up.
 */
#ifndef LKST_ANALYZE_WHY_WHY_H
#define LKST_ANALYZE_WHY_WHY_H

#include "analyze/why/excerpt.h"
#include "result/account.h"

enum {
	LKST_WHY_DEPTH = 8,
	LKST_WHY_DEPTH_MAX = 64,

	/* How far around the interval a window should reach: what happens at its ends began before it. */
	LKST_WHY_LEAD_NS = 50000000,
	LKST_WHY_TAIL_NS = 10000000,
};

/*
 * What an account's steps are about, its `kind`:
 *
 *	interval	the whole of it; with ran_ns, ready_ns, blocked_ns, absent_ns, unknown_ns
 *	ran		the thread ran; cpu, interrupts_ns; with samples, the function that most are in, as far in as
 *			half of them are: function, function_of (its file), callers, in_function_ns, samples,
 *			samples_there; and inner_function, inner_function_of, in_inner_function_ns; without samples,
 *			what it did at most of its CPU's ticks: doing, ticks, ticks_there; and of these the function
 *			in which most are: tick_function, tick_function_of, ticks_in_function
 *	ready		it could have run; cpu, and for each that ran there: a step "occupant"
 *	blocked		it waited; call, lock, futex, ... and trigger, what woke it: "thread", "timer",
 *			"disk", "packet", "device", "softirq", "cpu", "unknown"; waker: the thread that the
 *			steps below follow
 *	occupant	what ran on the CPU; share
 *	request		the disk's request; disk, sector, bytes, ahead
 *	packet		the packet on its way; interface, bytes; of another host that sent it: source_address,
 *			source_port, clock_error_ns
 *	rest		stretches too short to be told one by one; count, and sums as in "interval"
 *	many		waits of one kind among them; count, longest_ns
 *	failed		a system call that failed; call, error, first: the function that said so first
 *	absent, unknown	the thread was not there; nothing proves what it did
 *	gap		records are missing here
 *	span		the whole of a span of a program; name, id, request; below it an "interval" for each thread
 *			that had it, or, if that is one, what that did
 *	untaken		nobody had the span; given_by, and taken_by if somebody took it; the thread is who began it
 *	calls		the system calls of one name that a thread made; call, count, and ns in all; its times are
 *			those of the longest one
 */

/*
 * Explains thread @tid from @from_ns to @to_ns, following at most @depth wake-ups, out of window @w,
 * which must reach from LKST_WHY_LEAD_NS before to LKST_WHY_TAIL_NS after. -ENOENT: the window has
 * nothing of the thread.
 */
int lkst_why_explain(struct lkst_err *e, const struct lkst_excerpt *w, s32 tid, u64 from_ns,
		     u64 to_ns, unsigned int depth, struct lkst_account **ret_account);

/*
 * The same below step @s of @a, whose thread and times it takes; for those who explain more than an interval. 0 or
 * -ENOMEM.
 */
int lkst_why_explain_in(struct lkst_account *a, struct lkst_account_step *s,
			const struct lkst_excerpt *w, unsigned int depth);

/* What all of @w lacks, and what the time from @from_ns to @to_ns does, as notes of @a. */
void lkst_why_add_notes(struct lkst_account *a, const struct lkst_excerpt *w, u64 from_ns, u64 to_ns);

#endif
