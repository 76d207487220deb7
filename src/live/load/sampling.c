/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking samples: what has a program run every so often on each CPU. */
#include "live/load/sampling.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/load/memory.h"

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

static int open_event(struct perf_event_attr *attr, u32 cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int attach_on(struct perf_event_attr *attr, u32 cpu, int program_fd, int map_fd)
{
	_cleanup_close_ int fd = open_event(attr, cpu);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) ||
	    bpf_map_update_elem(map_fd, &cpu, &fd, BPF_ANY) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

int lkst_sampling_attach(struct lkst_err *e, const struct lkst_sampling *s, int program_fd)
{
	/* Or the events would go with the descriptor by which they were put there. */
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_PRESERVE_ELEMS);
	int possible = libbpf_num_possible_cpus(), why = -ENODEV, err;
	_cleanup_free_ u8 *online = NULL;
	_cleanup_close_ int map = -1;
	struct perf_event_attr attr = attr_of(s);
	u32 nr_cpus = possible > 0 ? (u32)possible : 0, cpu, nr;
	bool any = false;

	online = lkst_memory_find_online(nr_cpus, &nr);
	if (!online)
		return lkst_err_sys(e, -ENOMEM, "attaching it failed");
	map = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "lkst_attached", sizeof(u32),
			     sizeof(u32), nr_cpus, &options);
	if (map < 0)
		return lkst_err_sys(e, -errno, "keeping what is attached");
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		err = online[cpu] ? attach_on(&attr, cpu, program_fd, map) : -ENODEV;
		any |= !err;
		/* It has gone offline meanwhile. */
		if (err && err != -ENODEV)
			return lkst_err_sys(e, err, "attaching it to CPU %u failed", cpu);
		if (err)
			why = err;
	}
	return any ? lkst_take_fd(map) : lkst_err_sys(e, why, "attaching it failed");
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
	_cleanup_close_ int fd = open_event(&attr, 0);

	if (fd >= 0)
		return 0;
	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		return lkst_err_set(
			e, -ENOTSUP,
			"this machine counts no cycles, as a guest whose host keeps the "
			"counters for itself; take samples without --cycles");
	return lkst_err_sys(e, fd, "taking samples");
}
