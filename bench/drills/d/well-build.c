/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A build: make runs as many compilers as there are CPUs.
 *
 * truth: make -j compiles 40 files, which takes all CPUs as it should
 * well: make|sh|dash|bash|gcc|cc|cc1|as|collect2|ld
 */
#include "drill.h"

int main(void)
{
	char target[64];
	FILE *f;
	int i, k;

	drill_init();
	for (i = 0; i < 40; i++) {
		snprintf(target, sizeof(target), "f%d.c", i);
		f = fopen(target, "w");
		for (k = 0; f && k < 25; k++)
			fprintf(f, "int f%d_%d(int a) { for (int i = 0; i < a; i++) a ^= i * %d; return a; }\n",
				i, k, k + 1);
		if (f)
			fclose(f);
	}
	f = fopen("Makefile", "w");
	fprintf(f, "all: $(patsubst %%.c,%%.o,$(wildcard f*.c))\n%%.o: %%.c\n\tgcc -O2 -c $< -o $@\n");
	fclose(f);
	drill_begin(4);
	shell("timeout 8 make -s -j%d >make.log 2>&1", last_cpu() + 1);
	if (!shell("ls f*.o >objects 2>&1"))
		not_produced("nothing was compiled");
	return 0;
}
