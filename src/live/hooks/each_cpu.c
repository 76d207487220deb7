/* SPDX-License-Identifier: GPL-2.0-only */
/* A program at an event of each CPU. */
#include "live/hooks/each_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/rings/memory.h"

int lkst_each_cpu_open(struct perf_event_attr *attr, u32 cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int attach_on(struct perf_event_attr *attr, u32 cpu, int program_fd, int map_fd)
{
	_cleanup_close_ int fd = lkst_each_cpu_open(attr, cpu);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) ||
	    bpf_map_update_elem(map_fd, &cpu, &fd, BPF_ANY) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

int lkst_each_cpu_attach(struct lkst_err *e, struct perf_event_attr *attr, int program_fd)
{
	/* Or the events would go with the descriptor by which they were put there. */
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_PRESERVE_ELEMS);
	int possible = libbpf_num_possible_cpus(), why = -ENODEV, err;
	_cleanup_free_ u8 *online = NULL;
	_cleanup_close_ int map = -1;
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
		err = online[cpu] ? attach_on(attr, cpu, program_fd, map) : -ENODEV;
		any |= !err;
		/* It has gone offline meanwhile. */
		if (err && err != -ENODEV)
			return lkst_err_sys(e, err, "attaching it to CPU %u failed", cpu);
		if (err)
			why = err;
	}
	return any ? lkst_take_fd(map) : lkst_err_sys(e, why, "attaching it failed");
}
