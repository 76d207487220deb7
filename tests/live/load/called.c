// SPDX-License-Identifier: GPL-2.0-only
/* Calls two functions, as often as it is told, with 1, 2, 3 and so on, for probes at them. */
#include <stdlib.h>

#define PROBED static __attribute__((noinline, used))

PROBED int first_function(int number)
{
	asm volatile("" : "+r"(number));
	return number;
}

PROBED int second_function(int number)
{
	asm volatile("" : "+r"(number));
	return number * 2;
}

int main(int argc, char **argv)
{
	int i, nr = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 1; i <= nr; i++)
		second_function(first_function(i));
	return 0;
}
