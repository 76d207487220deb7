/* SPDX-License-Identifier: GPL-2.0-only */
/* What user space has the kernel do while recording goes on. */
#include "live/command.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"
#include "live/session.h"

const char *const lkst_command_programs[LKST_NR_COMMANDS] = {
	[LKST_COMMAND_SWITCH] = "raw_tp__maskset_switch",
	[LKST_COMMAND_SETTLED] = "raw_tp__maskset_settled",
	[LKST_COMMAND_JUMP] = "raw_tp__buffer_jump",
	[LKST_COMMAND_KEEP] = "raw_tp__incident",
	[LKST_COMMAND_FIRE] = "raw_tp__trigger_fire",
	[LKST_COMMAND_SYMBOL] = "syscall__symbol",
	[LKST_COMMAND_CACHE] = "syscall__cache_name",
};

int lkst_command_run(struct lkst_err *e, const struct lkst_session *s, enum lkst_command command,
		     const u64 args[LKST_COMMAND_ARGS], int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = args,
		    .ctx_size_in = LKST_COMMAND_ARGS * sizeof(u64));
	int fd = lkst_session_command_fd(s, command), err;

	if (fd < 0)
		return lkst_err_set(e, -ENOENT, "this kernel rejected the program %s",
				    lkst_command_programs[command]);
	if (cpu != LKST_COMMAND_ANY_CPU) {
		options.flags = BPF_F_TEST_RUN_ON_CPU;
		options.cpu = cpu;
	}
	err = bpf_prog_test_run_opts(fd, &options);
	return err ? lkst_err_sys(e, err, "running the program %s", lkst_command_programs[command])
		   : (int)options.retval;
}

int lkst_command_ask(const struct lkst_session *s, enum lkst_command command,
		     struct lkst_symbol_query *query)
{
	/* A program of this type changes its context in place (bpf_prog_test_run_syscall()). */
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = query, .ctx_size_in = sizeof(*query));
	int fd = lkst_session_command_fd(s, command), err;

	if (fd < 0)
		return -ENOENT;
	err = bpf_prog_test_run_opts(fd, &options);
	query->text[sizeof(query->text) - 1] = 0;
	return err;
}

/*
 * Runs on each CPU in turn: a thread gets a CPU only when what ran there with preemption off has
 * ended. CPUs that this process may not use are passed over. False: there are such, or it is later than @until_ns.
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
void lkst_command_wait_for_writers(u32 nr_cpus)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		visit_cpus(nr_cpus, UINT64_MAX);
}

void lkst_command_wait_for_writers_soon(u32 nr_cpus, u64 until_ns)
{
	if (!visit_cpus(nr_cpus, until_ns))
		lkst_command_wait_for_writers(nr_cpus);
}
