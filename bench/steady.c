/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same work, turn after turn, or a little more of one kind of it: what a comparison of two traces is to find.
 *
 *	steady SECONDS [length|wait|count PERCENT]
 *
 * A turn is a wait of 1 ms, a write of 64 KiB to memory and ten calls of getppid(). length: the write has PERCENT more
 * bytes; wait: the wait is PERCENT longer; count: there are PERCENT more calls. The turns are as many as fit in SECONDS
 * without any of this, by the time that is asked for, so that both do the same number of them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

enum { WAIT_NS = 1000000, BYTES = 64 << 10, CALLS = 10, TURNS_A_SECOND = 800 };

static unsigned long more(unsigned long of, const char *kind, const char *asked, unsigned long percent)
{
	return strcmp(kind, asked) ? of : of + of * percent / 100;
}

int main(int argc, char **argv)
{
	const char *asked = argc == 4 ? argv[2] : "";
	unsigned long percent = argc == 4 ? bench_number(argv[3], 1) : 0;
	unsigned long turns = argc == 2 || argc == 4 ? bench_number(argv[1], 1) * TURNS_A_SECOND : 0;
	const struct timespec wait = { .tv_nsec = (long)more(WAIT_NS, "wait", asked, percent) };
	unsigned long bytes = more(BYTES, "length", asked, percent), calls = more(CALLS, "count", asked, percent);
	char *data = calloc(1, bytes);
	int fd = memfd_create("steady", 0);

	if (!turns || !data || fd < 0)
		bench_die("usage: steady SECONDS [length|wait|count PERCENT]");
	for (; turns; turns--) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
		if (pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
			bench_die("steady: it can't write");
		for (unsigned long i = 0; i < calls; i++)
			syscall(SYS_getppid);
	}
	free(data);
	close(fd);
	return 0;
}
