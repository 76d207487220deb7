/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU has done, out of /proc/stat. */
#include "live/recording/cpu_account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

u64 lkst_cpu_account_tick_us(void)
{
	return 1000000 / sysconf(_SC_CLK_TCK);
}

/* "cpuN user nice system idle iowait irq softirq steal ...", in ticks: proc_stat(5). */
static void take_line(const char *line, u32 nr, struct lkst_cpu_account *times)
{
	const u64 tick = lkst_cpu_account_tick_us();
	u64 user, nice, system, idle, iowait, irq, softirq, steal;
	u32 cpu;

	if (sscanf(line,
		   "cpu%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) != 9 ||
	    cpu >= nr)
		return;
	times[cpu] = (struct lkst_cpu_account){
		.is_known = true,
		.user = (user + nice) * tick,
		.busy = (user + nice + system + irq + softirq) * tick,
		.idle = (idle + iowait) * tick,
		.steal = steal * tick,
	};
}

void lkst_cpu_account_read(FILE *f, u32 nr, struct lkst_cpu_account *ret_times)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	memset(ret_times, 0, nr * sizeof(*ret_times));
	/* The first line is "cpu", with spaces: the sum. Those of the CPUs come right after it. */
	while (getline(&line, &size, f) > 0 && !strncmp(line, "cpu", 3))
		if (line[3] != ' ')
			take_line(line, nr, ret_times);
}

/* The time that is waited for a disk can become less: then by 0. */
static u64 cpu_account_since(u64 before, u64 after)
{
	return after > before ? after - before : 0;
}

double lkst_cpu_account_kernel_share(const struct lkst_cpu_account *before,
				   const struct lkst_cpu_account *after, u64 ns)
{
	const double us = ns / 1e3;
	double most;

	if (!before->is_known || !after->is_known || !ns)
		return 1;
	/* Each of the first two, which are nearly all of the time, may be told a tick too long. */
	most = us - cpu_account_since(before->user, after->user) - cpu_account_since(before->idle, after->idle) -
	       cpu_account_since(before->steal, after->steal) + 2 * lkst_cpu_account_tick_us();
	return most < 0 ? 0 : most > us ? 1 : most / us;
}
