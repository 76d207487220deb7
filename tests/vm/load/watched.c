// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that does several things as often as its argument says. Prints where its variable is, and waits for a line
 * on standard input. Then, i from 1 on: calls watched_step(i), sets the variable to 3 * i, reads it, asks for its
 * parent's number and writes three bytes to nowhere. What it has read, in all, is printed at its end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long variable;

void watched_step(long i);

__attribute__((noinline)) void watched_step(long i)
{
	asm volatile("" : : "r"(i) : "memory");
}

int main(int argc, char **argv)
{
	long i, nr = argc > 1 ? atol(argv[1]) : 0, sum = 0;
	int nowhere = open("/dev/null", O_WRONLY);
	char line[16];

	printf("%#lx\n", (unsigned long)&variable);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (i = 1; i <= nr; i++) {
		watched_step(i);
		variable = 3 * i;
		sum += variable;
		syscall(SYS_getppid);
		if (write(nowhere, "...", 3) != 3)
			return 1;
	}
	printf("%ld\n", sum);
	return 0;
}
