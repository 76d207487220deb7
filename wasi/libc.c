/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page needs of a C library and wasi-libc lacks, or has otherwise than Linux. */
#include <stdlib.h>
#include <string.h>

/* The module has one thread. */
static int (*compare_now)(const void *a, const void *b, void *arg);
static void *arg_now;

static int compare(const void *a, const void *b)
{
	return compare_now(a, b, arg_now);
}

void qsort_r(void *base, size_t nr, size_t size, int (*fn)(const void *, const void *, void *),
	     void *arg)
{
	compare_now = fn;
	arg_now = arg;
	qsort(base, nr, size, compare);
}

/* By Linux' numbers, as wasi/errno.h has them; the text of another number says that alone. */
char *strerror(int number)
{
	static const char *const texts[] = {
#define ERRNO(nr, name, text) [nr] = text,
#define RESTART(nr, name, text)
#include "base/errno.def"
	};

	if (number > 0 && number < (int)(sizeof(texts) / sizeof(texts[0])) && texts[number])
		return (char *)texts[number];
	return (char *)"Unknown error";
}
