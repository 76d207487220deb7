// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has a debug register watch memory of its own, writes there, and prints how often the kernel saw that.
 *
 *	watches TIMES
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long watched;

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, i;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.sample_period = 1,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched,
					.bp_len = sizeof(watched) };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t seen;

	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	for (i = 0; i < times; i++)
		watched++;
	if (read(fd, &seen, sizeof(seen)) != sizeof(seen))
		return 1;
	printf("%llu\n", (unsigned long long)seen);
	return 0;
}
