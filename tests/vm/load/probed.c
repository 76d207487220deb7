/* SPDX-License-Identifier: GPL-2.0-only */
/* A program to be probed: calls probed_step(i, 2 * i) so many times as its argument says, i from 0 on. */
#include <stdlib.h>

void probed_step(unsigned int n, unsigned long twice);

__attribute__((noinline)) void probed_step(unsigned int n, unsigned long twice)
{
	asm volatile("" : : "r"(n), "r"(twice) : "memory");
}

int main(int argc, char **argv)
{
	unsigned int i, nr = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;

	for (i = 0; i < nr; i++)
		probed_step(i, 2UL * i);
	return 0;
}
