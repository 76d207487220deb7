/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the kernel programs that are running. */
#include "live/rings/writers.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"

/*
 * Runs on each CPU in turn: a thread gets a CPU only when what ran there with preemption off has
 * ended. CPUs that this process may not use are skipped. False: there are such CPUs, or it is later than @until_ns.
 */
static bool visit_cpus(u32 nr_cpus, u64 until_ns)
{
	cpu_set_t *own = CPU_ALLOC(nr_cpus), *one = CPU_ALLOC(nr_cpus);
	size_t size = CPU_ALLOC_SIZE(nr_cpus);
	bool is_known = own && !sched_getaffinity(0, size, own), is_done = one != NULL;
	u32 cpu;

	for (cpu = 0; one && cpu < nr_cpus && lkst_monotonic_ns() < until_ns; cpu++) {
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		if (sched_setaffinity(0, size, one))
			is_done = false;
	}
	if (is_known)
		sched_setaffinity(0, size, own);
	CPU_FREE(own);
	CPU_FREE(one);
	return is_done && cpu == nr_cpus;
}

/*
 * Every hook's program runs with preemption off (bpf/record.h), so a grace period of RCU waits for all of
 * them. membarrier(2) waits for one, but not on a kernel with CPUs that run without a tick
 * (kernel/sched/membarrier.c).
 */
void lkst_wait_for_writers(u32 nr_cpus)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		visit_cpus(nr_cpus, UINT64_MAX);
}

/* Whether this thread has been on @cpu. False: the CPU is not online, or this process may not use it. */
static bool visit_cpu(u32 cpu, u32 nr_cpus)
{
	cpu_set_t *own = CPU_ALLOC(nr_cpus), *one = CPU_ALLOC(nr_cpus);
	size_t size = CPU_ALLOC_SIZE(nr_cpus);
	bool has_been = false;

	if (own && one && !sched_getaffinity(0, size, own)) {
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		/* It may go away in between. */
		has_been = !sched_setaffinity(0, size, one) && sched_getcpu() == (int)cpu;
		sched_setaffinity(0, size, own);
	}
	CPU_FREE(own);
	CPU_FREE(one);
	return has_been;
}

/*
 * A switch to another thread is a full barrier of its CPU (kernel/sched/core.c, __schedule(), and
 * Documentation/scheduler/membarrier.rst); so is what RCU waits for (Documentation/RCU/Design/Requirements,
 * "Memory-Barrier Guarantees").
 */
void lkst_wait_for_writers_of(u32 cpu, u32 nr_cpus)
{
	if (!visit_cpu(cpu, nr_cpus))
		lkst_wait_for_writers(nr_cpus);
}

void lkst_wait_for_writers_soon(u32 nr_cpus, u64 until_ns)
{
	if (!visit_cpus(nr_cpus, until_ns))
		lkst_wait_for_writers(nr_cpus);
}
