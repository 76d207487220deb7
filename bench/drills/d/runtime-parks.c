/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A runtime parks each thread on a futex word of its own, as Java does: whoever unlocks a monitor takes the next
 * thread of its queue and wakes it at its own word. No two threads wait at the same address.
 *
 * truth: jv-holder has the monitor that jv-worker threads are parked for, and sleeps 50 ms meanwhile
 * victim: jv-worker
 * fact: WHO jv-holder
 * fact: WHAT futex|park|\block\b|monitor
 * fact: DID jv-holder.*(nanosleep|sle(pt|ep))
 * amount: no
 */
#include "drill.h"
#include <linux/futex.h>
#include <stdatomic.h>

struct parker {
	_Atomic int word;
	struct parker *next;
};

static struct {
	_Atomic int guard;
	bool is_held;
	struct parker *first, **last;
} monitor = { .last = &monitor.first };

static void guard(void)
{
	while (atomic_exchange(&monitor.guard, 1))
		sched_yield();
}

static void unguard(void) { atomic_store(&monitor.guard, 0); }

static void monitor_enter(struct parker *me)
{
	guard();
	if (!monitor.is_held) {
		monitor.is_held = true;
		unguard();
		return;
	}
	atomic_store(&me->word, 0);
	me->next = NULL;
	*monitor.last = me;
	monitor.last = &me->next;
	unguard();
	/* Whoever leaves has given it the monitor when it is woken. */
	while (!atomic_load(&me->word))
		syscall(SYS_futex, &me->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void monitor_exit(void)
{
	struct parker *next;

	guard();
	next = monitor.first;
	if (next) {
		monitor.first = next->next;
		if (!monitor.first)
			monitor.last = &monitor.first;
	} else {
		monitor.is_held = false;
	}
	unguard();
	if (next) {
		atomic_store(&next->word, 1);
		syscall(SYS_futex, &next->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void *holder(void *arg)
{
	struct parker me = { 0 };

	name("jv-holder");
	while (goes_on()) {
		monitor_enter(&me);
		nap(50);
		monitor_exit();
		nap(5);
	}
	return arg;
}

static void *worker(void *ops)
{
	struct parker me = { 0 };

	name("jv-worker");
	while (goes_on()) {
		uint64_t from = now();

		monitor_enter(&me);
		burn(.2);
		monitor_exit();
		if (ops)
			took(ops, from, 15);
		nap(4);
	}
	return NULL;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int i;

	drill_init();
	drill_begin(3);
	thread(holder, NULL);
	for (i = 0; i < 5; i++)
		thread(worker, NULL);
	worker(ops);
	drill_tell(ops, 10, 30);
	exit(0);
}
