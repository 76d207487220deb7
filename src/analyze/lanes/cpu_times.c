/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs of a thread's slices. */
#include "analyze/lanes/cpu_times.h"

#include <stddef.h>

/* The place of @cpu in @times, which is added if it is not there; NULL: there is no room. */
static struct lkst_cpu_time *cpu_times_find(struct lkst_cpu_time *times, u32 *nr, u32 max, u32 cpu)
{
	u32 i;

	for (i = 0; i < *nr; i++)
		if (times[i].cpu == cpu)
			return &times[i];
	if (*nr == max)
		return NULL;
	times[*nr] = (struct lkst_cpu_time){ .cpu = cpu };
	return &times[(*nr)++];
}

u32 lkst_slices_cpu_times(const struct lkst_slices *s, u64 from_ns, u64 to_ns, u32 max,
			  struct lkst_cpu_time *ret_times)
{
	u32 i, nr = 0;

	for (i = lkst_slices_at(s, from_ns); i < s->nr && s->list[i].from_ns < to_ns; i++) {
		const struct lkst_slice *x = &s->list[i];
		u64 first = x->from_ns > from_ns ? x->from_ns : from_ns;
		u64 last = x->to_ns < to_ns ? x->to_ns : to_ns;
		struct lkst_cpu_time *time;

		if (x->state != LKST_LANE_RUNNING || x->cpu < 0)
			continue;
		time = cpu_times_find(ret_times, &nr, max, (u32)x->cpu);
		if (time)
			time->ns += last - first;
	}
	return nr;
}
