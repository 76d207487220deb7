/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profiler was left running: its timer interrupts a CPU so often that work there takes much longer.
 *
 * truth: the timer of a perf event interrupts CPU 0 each 50 us, which takes a fourth and more of it from is-worker
 * victim: is-worker
 * fact: WHAT interrupt
 * fact: WHICH timer|perf_swevent_hrtimer
 * amount: no
 */
#include "drill.h"
#include <linux/perf_event.h>

/* As many steps as take about 10 ms on this machine. */
static void compute(unsigned long steps)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	for (i = 0; i < steps; i++)
		sum += i;
}

static double ms_of(unsigned long steps)
{
	uint64_t from = now();

	compute(steps);
	return (double)(now() - from) / 1e6;
}

int main(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 50000 };
	struct drill_ops *ops = ops_new();
	unsigned long steps = 1000;
	double least_ms = 0;
	int i, fd;

	drill_init();
	name("is-worker");
	pin(0);
	while (ms_of(steps) < 10)
		steps *= 2;
	for (i = 0; i < 20; i++) {
		double ms = ms_of(steps);

		least_ms = !i || ms < least_ms ? ms : least_ms;
	}
	drill_begin(3);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		not_produced("no perf event: %s", strerror(errno));
	while (goes_on()) {
		uint64_t from = now();

		compute(steps);
		took(ops, from, least_ms * 1.25);
		nap(1);
	}
	close(fd);
	drill_tell(ops, 5, least_ms * 1.25);
	return 0;
}
