/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long it takes to switch to another maskset: the switch itself, attaching and detaching hooks around it,
 * and waiting until it holds on every CPU. It starts a recording of its own; one by `lkst start` goes on.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <unistd.h>

#include "common.h"
#include "live/masks/masksets.h"
#include "live/recording/start.h"

enum {
	SWITCHES = 10000,
	CHANGES = 10,
};

static struct lkst_err e;
static struct lkst_notes notes;

static void check(int err)
{
	if (err)
		bench_die("%s", e.text);
}

/* What the kernel has counted of the program's runs, with bpf_enable_stats() on. */
static void read_stats(int fd, u64 *ret_runs, u64 *ret_ns)
{
	struct bpf_prog_info info = {};
	u32 length = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		bench_die("asking for a program's statistics failed");
	*ret_runs = info.run_cnt;
	*ret_ns = info.run_time_ns;
}

/* Between two masksets whose hooks are all attached. */
static void measure_switch(struct lkst_session *s)
{
	struct bench_series wall = { .nr = 0 };
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME), i;
	u64 runs0, ns0, runs, ns, began;

	if (stats < 0)
		bench_die("the kernel does not measure programs");
	read_stats(lkst_session_command_fd(s, LKST_COMMAND_SWITCH), &runs0, &ns0);
	for (i = 0; i < SWITCHES; i++) {
		began = bench_now_ns();
		check(lkst_maskset_switch(&e, s,
					  i & 1 ? LKST_MASKSET_RALL : LKST_MASKSET_RDEFAULT));
		if (i % (SWITCHES / BENCH_ROUNDS_MAX) == 0)
			bench_add(&wall, bench_now_ns() - began);
	}
	read_stats(lkst_session_command_fd(s, LKST_COMMAND_SWITCH), &runs, &ns);
	close(stats);
	if (runs - runs0 != SWITCHES)
		bench_die("of %d switches %llu were counted", SWITCHES,
			  (unsigned long long)(runs - runs0));
	printf("%-58s %10.3f us, aim 1\n", "the switch, in the kernel, its record included, mean",
	       (double)(ns - ns0) / SWITCHES / 1e3);
	printf("%-58s %10.3f us\n", "the system call that runs it, median",
	       bench_median(&wall) / 1e3);
}

static void measure_hooks(struct lkst_session *s)
{
	struct bench_series attach = { .nr = 0 }, detach = { .nr = 0 }, settle = { .nr = 0 };
	struct lkst_switch_times t;
	u32 nr = 0;
	int i;

	for (i = 0; i < CHANGES; i++) {
		check(lkst_maskset_set(&e, s, LKST_MASKSET_RNOTHING, &notes, &t));
		if (t.nr_detached)
			bench_add(&detach, (double)t.detach_ns / t.nr_detached);
		bench_add(&settle, t.settle_ns);
		check(lkst_maskset_set(&e, s, LKST_MASKSET_RALL, &notes, &t));
		nr = t.nr_attached;
		if (nr)
			bench_add(&attach, (double)t.attach_ns / nr);
		bench_add(&settle, t.settle_ns);
	}
	if (!attach.nr || !detach.nr)
		bench_die("no hook was attached");
	printf("%u hooks change between RNOTHING and RALL\n", nr);
	printf("%-58s %10.3f ms, aim 0.5\n", "attaching a hook, median of the means",
	       bench_median(&attach) / 1e6);
	printf("%-58s %10.3f ms, aim 0.5\n", "detaching a hook, median of the means",
	       bench_median(&detach) / 1e6);
	printf("%-58s %10.3f ms\n", "until the old maskset decides nowhere any more, median",
	       bench_median(&settle) / 1e6);
}

int main(void)
{
	const struct lkst_session_options options = {
		.buffer_bytes = 4 << 20,
		.block_bytes = 4096,
		.maskset = "RALL",
	};
	struct lkst_session *s;
	struct lkst_plan *plan;

	check(lkst_plan_make_whole(&e, NULL, 0, NULL, &plan));
	check(lkst_session_start(&e, plan, &options, &s));
	lkst_session_arm(s, true);
	bench_pin(bench_last_cpu());
	measure_switch(s);
	measure_hooks(s);
	lkst_session_close(s);
	lkst_plan_free(plan);
	lkst_notes_fini(&notes);
	return 0;
}
