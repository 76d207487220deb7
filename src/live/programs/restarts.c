/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which call restart_syscall goes on with. A call that has waited for a part of its time has its thread's
 * restart_block say by which function it goes on (include/linux/restart_block.h).
 */
#include "live/programs/restarts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "abi/function.h"
#include "base/cleanup.h"
#include "function.skel.h"

LKST_GUARD(function_bpf__destroy, struct function_bpf)

static const struct {
	const char *function;
	u16 call, call_by_clock;
	bool is_by_word;
} restarts[] = {
	/* kernel/time: hrtimer.c, where nanosleep(2) begins with an address; posix-cpu-timers.c; alarmtimer.c */
	{ "hrtimer_nanosleep_restart", SYS_nanosleep, SYS_clock_nanosleep, false },
	{ "posix_cpu_nsleep_restart", SYS_clock_nanosleep, SYS_clock_nanosleep, false },
	{ "alarm_timer_nsleep_restart", SYS_clock_nanosleep, SYS_clock_nanosleep, false },
	/* kernel/futex/waitwake.c: it takes itself out of the restart_block as it begins, and leaves the word */
	{ "futex_wait_restart", SYS_futex, SYS_futex, true },
	{ "do_no_restart_syscall", SYS_futex, SYS_futex, true },
#ifdef SYS_poll
	{ "do_restart_poll", SYS_poll, SYS_poll, false }, /* fs/select.c */
#endif
};
_Static_assert(sizeof(restarts) / sizeof(restarts[0]) <= LKST_RESTARTS, "the programs have room for them");

int lkst_restarts_find(struct lkst_err *e, struct lkst_program_config *cfg)
{
	_cleanup_(function_bpf__destroyp) struct function_bpf *skel = function_bpf__open_and_load();
	struct lkst_function_query *query;
	LIBBPF_OPTS(bpf_test_run_opts, options);
	u32 i;
	int err;

	cfg->restart_call = cfg->nr_restarts = 0;
	if (!skel)
		return lkst_err_sys(e, -errno, "loading the program that finds functions");
	query = &skel->data_function->lkst_function;
	for (i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++) {
		*query = (struct lkst_function_query){};
		snprintf(query->name, sizeof(query->name), "%s", restarts[i].function);
		err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.function__find), &options);
		if (err)
			return lkst_err_sys(e, err, "finding %s()", restarts[i].function);
		if (query->address)
			cfg->restarts[cfg->nr_restarts++] =
				(struct lkst_restart){ .function = query->address,
						       .call = restarts[i].call,
						       .call_by_clock = restarts[i].call_by_clock,
						       .is_by_word = restarts[i].is_by_word };
	}
	cfg->restart_call = cfg->nr_restarts ? SYS_restart_syscall : 0;
	return 0;
}
