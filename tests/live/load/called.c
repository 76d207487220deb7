// SPDX-License-Identifier: GPL-2.0-only
/* Calls a few functions, as often as it is told, with 1, 2, 3 and so on, for probes at them. */
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

/* @numbers[i] is i + 1000. */
PROBED int third_function(const int *numbers, unsigned char high, signed char low, short far)
{
	asm volatile("" : "+r"(numbers));
	return numbers[high] + numbers[low] + numbers[far];
}

PROBED const char *name_function(void)
{
	static const char name[] = "a name";
	const char *result = name;

	asm volatile("" : "+r"(result));
	return result;
}

int main(int argc, char **argv)
{
	static int numbers[3000];
	int i, nr = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 0; i < 3000; i++)
		numbers[i] = i;
	for (i = 1; i <= nr; i++) {
		second_function(first_function(i));
		third_function(numbers + 1000, (unsigned char)(200 + i), (signed char)-i,
			       (short)(-300 - i % 500));
		if (!*name_function())
			return 1;
	}
	return 0;
}
