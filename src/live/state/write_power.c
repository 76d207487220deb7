/* SPDX-License-Identifier: GPL-2.0-only */
/* What /sys says of the clocks and the idle states of CPUs. */
#include "live/state/write_power.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu/cpu"

/* The number in file @name of @cpu's cpufreq; 0: there is none. */
static u32 read_khz(u32 cpu, const char *name)
{
	char path[128];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned int khz;

	snprintf(path, sizeof(path), CPU_DIRECTORY "%u/cpufreq/%s", cpu, name);
	f = fopen(path, "re");
	return f && fscanf(f, "%u", &khz) == 1 ? khz : 0;
}

bool lkst_power_read_frequency(u32 cpu, struct lkst_rec_state_frequency *ret)
{
	*ret = (struct lkst_rec_state_frequency){ .frequency_cpu = (s32)cpu,
						  .khz = read_khz(cpu, "scaling_cur_freq"),
						  .min_khz = read_khz(cpu, "cpuinfo_min_freq"),
						  .max_khz = read_khz(cpu, "cpuinfo_max_freq") };
	return ret->khz || ret->max_khz;
}

bool lkst_power_read_idle(u32 state, struct lkst_state_idle *ret)
{
	char path[128];
	_cleanup_fclose_ FILE *f = NULL;

	*ret = (struct lkst_state_idle){ .r = { .idle_state = (s32)state } };
	snprintf(path, sizeof(path), CPU_DIRECTORY "0/cpuidle/state%u/name", state);
	f = fopen(path, "re");
	if (!f || !fgets(ret->name, sizeof(ret->name), f))
		return false;
	ret->name[strcspn(ret->name, "\n")] = 0;
	return true;
}
