// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls a function so many times as its argument says, each time from two others in turn: "first" and "second". Prints
 * a line for each call that returned NULL: who called it, and which of that one's calls it was. Then "calls NUMBER",
 * how often the function ran.
 */
#include <stdio.h>
#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline))

void *get_memory(unsigned long call);
int first(unsigned long call);
int second(unsigned long call);

static unsigned long nr_runs;
static char memory;

NOT_INLINED void *get_memory(unsigned long call)
{
	nr_runs++;
	__asm__ volatile("" : : "r"(call) : "memory");
	return &memory;
}

/* What follows the call keeps it from being a jump. */
NOT_INLINED int first(unsigned long call)
{
	void *got = get_memory(call);

	__asm__ volatile("" : : "r"(got) : "memory");
	return !got;
}

NOT_INLINED int second(unsigned long call)
{
	void *got = get_memory(call);

	__asm__ volatile("" : : "r"(got) : "memory");
	return !got;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, call;

	for (call = 1; call <= nr; call++) {
		if (first(call))
			printf("first %lu\n", call);
		if (second(call))
			printf("second %lu\n", call);
	}
	printf("calls %lu\n", nr_runs);
	return 0;
}
