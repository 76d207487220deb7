/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A compiler in a cgroup whose quota is more than it can use.
 *
 * truth: gcc compiles files one after the other under a quota of 300 % of a CPU, which it does not reach
 * well: sh|dash|bash|gcc|cc|cc1|as
 */
#include "drill.h"

int main(void)
{
	const char *place;
	char root[300];
	FILE *f;
	int k;

	drill_init();
	f = fopen("f.c", "w");
	for (k = 0; f && k < 25; k++)
		fprintf(f, "int f%d(int a) { for (int i = 0; i < a; i++) a ^= i * %d; return a; }\n", k, k + 1);
	if (f)
		fclose(f);
	place = cgroup("cpu", "drill-roomy");
	if (!place || !((put(place, "cpu.cfs_period_us", "100000") && put(place, "cpu.cfs_quota_us", "300000")) ||
			put(place, "cpu.max", "300000 100000")))
		not_produced("no cgroup with a quota");
	drill_begin(4);
	put(place, "cgroup.procs", "0");
	while (goes_on()) {
		if (!shell("gcc -O2 -c f.c -o f.o"))
			not_produced("gcc failed");
		nap(50);
	}
	snprintf(root, sizeof(root), "%.250s/..", place);
	put(root, "cgroup.procs", "0");
	return 0;
}
