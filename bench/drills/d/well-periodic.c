/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A real-time thread that works each 10 ms and meets its deadlines.
 *
 * truth: wp-audio, SCHED_FIFO, computes 1 ms of each 10 ms, and is never late by 5 ms
 * well: wp-audio
 */
#include "drill.h"
#include <sys/timerfd.h>

int main(void)
{
	struct itimerspec each = { { 0, 10000000 }, { 0, 10000000 } };
	struct sched_param p = { .sched_priority = 20 };
	struct drill_ops *ops = ops_new();
	uint64_t n;
	int fd;

	drill_init();
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	drill_begin(4);
	name("wp-audio");
	if (fd < 0 || sched_setscheduler(0, SCHED_FIFO, &p) || timerfd_settime(fd, 0, &each, NULL))
		not_produced("no real-time thread: %s", strerror(errno));
	while (goes_on()) {
		uint64_t from = now();

		if (read(fd, &n, sizeof(n)) != sizeof(n))
			break;
		took(ops, from, 15);
		work(1);
	}
	printf("periods %lu late %lu\n", ops->n, ops->nr_slow);
	if (ops->nr_slow)
		not_produced("it was late %lu times", ops->nr_slow);
	return 0;
}
