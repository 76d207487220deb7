/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Four threads that compute are pinned to one CPU, while another one is idle.
 *
 * truth: four pn-worker threads are pinned to CPU 0 and wait for it in turn, while another CPU is idle
 * victim: pn-worker
 * fact: WHAT waited for a CPU|waited for CPU
 * fact: WHERE CPU 0|pinned|affinity|may run
 * fact: IDLE idle
 * amount: no
 */
#include "drill.h"

static void *worker(void *ops)
{
	name("pn-worker");
	pin(0);
	while (goes_on()) {
		uint64_t from = now();

		work(6);
		if (ops)
			took(ops, from, 12);
		nap(2);
	}
	return NULL;
}

/* The time that a CPU was idle, in 1/100 s. */
static unsigned long idle_of(int cpu)
{
	char line[256], format[64];
	unsigned long idle = 0;
	FILE *f = fopen("/proc/stat", "r");

	snprintf(format, sizeof(format), "cpu%d %%*u %%*u %%*u %%lu", cpu);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &idle) == 1)
			break;
	if (f)
		fclose(f);
	return idle;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	unsigned long before;
	int i;

	drill_init();
	if (last_cpu() < 1)
		not_produced("one CPU only");
	drill_begin(3);
	before = idle_of(last_cpu());
	for (i = 0; i < 3; i++)
		thread(worker, NULL);
	worker(ops);
	before = idle_of(last_cpu()) - before;
	printf("idle %lu\n", before);
	drill_tell(ops, 20, 15);
	if (before < 120)
		not_produced("the other CPU was idle for %lu of 300", before);
	return 0;
}
