/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A real-time thread takes a CPU for long, on which a thread is pinned that has work to do.
 *
 * truth: ff-hog, SCHED_FIFO, computes 80 of each 110 ms on the CPU that ff-victim is pinned to
 * victim: ff-victim
 * fact: WHO ff-hog
 * fact: WHAT waited for a CPU|waited for CPU|ready
 * fact: CLASS FIFO|real-time|realtime
 * amount: no
 */
#include "drill.h"

static void hog(void)
{
	struct sched_param p = { .sched_priority = 10 };

	name("ff-hog");
	pin(last_cpu());
	if (sched_setscheduler(0, SCHED_FIFO, &p))
		_exit(1);
	for (;;) {
		burn(80);
		nap(30);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	drill_begin(3);
	child(hog);
	name("ff-victim");
	pin(last_cpu());
	while (goes_on()) {
		uint64_t from = now();

		work(2);
		took(ops, from, 30);
		nap(5);
	}
	drill_tell(ops, 5, 60);
	return 0;
}
