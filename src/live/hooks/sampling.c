/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking samples: what has a program run every so often on each CPU. */
#include "live/hooks/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "live/hooks/each_cpu.h"

enum { NS_PER_S = 1000000000 };

/* The idle threads run no program. */
static struct perf_event_attr attr_of(const struct lkst_sampling *s)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1, .exclude_idle = 1 };

	if (s->clock == LKST_SAMPLE_CYCLES) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
		attr.freq = 1;
		attr.sample_freq = s->period_ns ? NS_PER_S / s->period_ns : 1;
		attr.exclude_idle =
			0; /* they don't count then, and not all hardware takes the bit */
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = s->period_ns;
	}
	return attr;
}

int lkst_sampling_attach(struct lkst_err *e, const struct lkst_sampling *s, int program_fd)
{
	struct perf_event_attr attr = attr_of(s);

	return lkst_each_cpu_attach(e, &attr, program_fd);
}

/* The kernel lets nobody change it while a program reads stacks. */
u32 lkst_sampling_stack_frames(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned int frames;

	return f && fscanf(f, "%u", &frames) == 1 && frames < LKST_STACK_FRAMES ? frames
										: LKST_STACK_FRAMES;
}

int lkst_sampling_check(struct lkst_err *e, enum lkst_sample_clock clock)
{
	const struct lkst_sampling s = { .period_ns = NS_PER_S, .clock = clock };
	struct perf_event_attr attr = attr_of(&s);
	_cleanup_close_ int fd = lkst_each_cpu_open(&attr, 0);

	if (fd >= 0)
		return 0;
	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		return lkst_err_set(
			e, -ENOTSUP,
			"this machine counts no cycles, as a guest whose host keeps the "
			"counters for itself; take samples without --cycles");
	return lkst_err_sys(e, fd, "taking samples");
}
