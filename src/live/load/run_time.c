/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own account of what BPF programs take. */
#include "live/load/run_time.h"

#include <bpf/bpf.h>

enum { EMPTY_RUNS = 50 };

int lkst_run_time_open(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}

u32 lkst_run_time_program(int program_fd)
{
	struct bpf_prog_info info = {};
	u32 length = sizeof(info);

	return bpf_obj_get_info_by_fd(program_fd, &info, &length) ? 0 : info.id;
}

void lkst_run_time_add(int program_fd, struct lkst_run_time *sum)
{
	struct bpf_prog_info info = {};
	u32 length = sizeof(info);

	if (bpf_obj_get_info_by_fd(program_fd, &info, &length))
		return;
	sum->runs += info.run_cnt;
	sum->ns += info.run_time_ns;
}

double lkst_run_time_of_nothing(int program_fd)
{
	struct lkst_run_time before = {}, after = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	unsigned int i;

	lkst_run_time_add(program_fd, &before);
	for (i = 0; i < EMPTY_RUNS && !bpf_prog_test_run_opts(program_fd, &opts); i++)
		;
	lkst_run_time_add(program_fd, &after);
	return after.runs > before.runs ? (after.ns - before.ns) / (after.runs - before.runs) : 0;
}
