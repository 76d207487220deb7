// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sleep and the clock of CPUs. Both are the machine's and no thread's: of these, a recording that is restricted
 * to processes has the changes of the clock, and leaves out the sleep, in which no process runs.
 */
#include "bpf/record.h"

LKST_TP(cpu_idle, unsigned int state, unsigned int cpu)
{
	lkst_recording_if(cpu_idle, r, lkst_wants_current())
		r->state = state;
	return 0;
}

LKST_TP(cpu_idle_miss, unsigned int cpu, unsigned int state, bool below)
{
	lkst_recording_if(cpu_idle_miss, r, lkst_wants_current()) {
		r->state = state;
		r->is_below = below;
	}
	return 0;
}

LKST_TP(cpu_frequency, unsigned int frequency, unsigned int cpu)
{
	lkst_recording(cpu_frequency, r) {
		r->khz = frequency;
		r->target_cpu = cpu;
	}
	return 0;
}

LKST_TP(cpu_frequency_limits, struct cpufreq_policy *policy)
{
	lkst_recording(cpu_frequency_limits, r) {
		r->min_khz = policy->min;
		r->max_khz = policy->max;
		r->target_cpu = policy->cpu;
	}
	return 0;
}

LKST_TP(thermal_zone_trip, struct thermal_zone_device *zone, int trip, unsigned int type)
{
	lkst_recording(thermal_zone_trip, r) {
		r->zone = zone->id;
		r->temperature = zone->temperature;
		r->trip = trip;
		r->type = type;
	}
	return 0;
}
