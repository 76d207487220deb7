/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All the events that one core can produce: getppid() in a loop on the last CPU.
 *
 *	spin SECONDS	prints how many calls it made
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

int main(int argc, char **argv)
{
	unsigned long seconds = argc == 2 ? bench_number(argv[1], 1) : 0, calls = 0;
	uint64_t end;
	int i;

	if (!seconds)
		bench_die("usage: spin SECONDS");
	bench_pin(bench_last_cpu());
	end = bench_now_ns() + seconds * 1000000000;
	while (bench_now_ns() < end)
		for (i = 0; i < 1000; i++, calls++)
			syscall(SYS_getppid);
	printf("%lu\n", calls);
	return 0;
}
