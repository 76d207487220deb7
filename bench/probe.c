/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a probe costs for each hit, with two arguments: an empty BPF program at the same place, LKST's probe, the same
 * with a condition that does not hold, and the kernel's own event of the same definition, recorded by perf and by
 * ftrace. The place is in this program, or in a function of the kernel that getppid(2) calls. Needs root.
 *
 *	probe [--rounds N] [--calls N] [--first ret | push | nop5]
 *	probe [--rounds N] [--calls N] --at SYMBOL[+OFFSET] [--backend NAME | --return]
 *
 * NAME is what `lkst probe --list -v` says of how the kernel gets there: ftrace, jump or breakpoint. A jump is made
 * some time after a probe is set, and is waited for.
 *
 * Method. That of bench/unit.c: in each round each variant is set in turn, and a loop of calls of a function is timed
 * with it, as the best of many short batches; its cost is the least time with it less the least without any. A hit of a
 * uprobe is a breakpoint whoever asks for it, some hundred ns at least, which the empty program shows. Last, the
 * probe is armed by a maskset that is not active; what a record costs is what the probe costs more when it is wanted.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "common.h"
#include "live/hooks/pins.h"
#include "live/probes/probe_kernel.h"
#include "live/probes/probes.h"
#include "probe/text/definition.h"

enum {
	BATCHES = 50,
	RING_BYTES = 4 << 20,
};

enum tracer { NOBODY, EMPTY, LKST, CONDITION, PERF, FTRACE, ARMED, NR_TRACERS };

static const char *const names[NR_TRACERS] = {
	[NOBODY] = "not probed",
	[EMPTY] = "empty BPF program",
	[LKST] = "LKST, two arguments",
	[CONDITION] = "LKST, a condition that does not hold",
	[PERF] = "perf, overwriting ring, the same",
	[FTRACE] = "ftrace, the same",
	[ARMED] = "LKST, armed and not wanted",
};

static struct bench_series series[NR_TRACERS];
static struct {
	unsigned int rounds, calls, cpu;
	const char *at, *backend; /* of the kernel; NULL: in this program, in any way */
	bool is_return;
} options = { .rounds = 20, .calls = 200 };

static char self[256];
static struct lkst_probe_row row; /* the place */
static char place[512];		  /* the same in a definition */
static int tracefs = -1;

/*
 * Functions of this program that begin with different instructions: the kernel executes a return elsewhere, step by
 * step, which is a second exception; it does itself what a push does; and from Linux 6.18 on it may replace a nop of
 * 5 bytes by a call that leads to a system call.
 */
asm(".text\n"
    ".balign 16\nprobed_ret:  ret\n"
    ".balign 16\nprobed_push: push %rbx\npop %rbx\nret\n"
    ".balign 16\nprobed_nop5: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\nret\n");
void probed_ret(unsigned long a, unsigned long b);
void probed_push(unsigned long a, unsigned long b);
void probed_nop5(unsigned long a, unsigned long b);

static void (*probed)(unsigned long a, unsigned long b) = probed_ret;

static void choose_function(const char *first)
{
	if (!strcmp(first, "ret"))
		probed = probed_ret;
	else if (!strcmp(first, "push"))
		probed = probed_push;
	else if (!strcmp(first, "nop5"))
		probed = probed_nop5;
	else
		bench_die("there is no function that begins with %s", first);
}

/* Where the function is in this program's file. */
static void find_self(void)
{
	unsigned long from, to, at, wanted = (unsigned long)probed;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &at) == 3 && wanted >= from &&
		    wanted < to)
			row.offset = wanted - from + at;
	if (f)
		fclose(f);
	if (!row.offset || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		bench_die("this program does not find itself");
	snprintf(row.path, sizeof(row.path), "%s", self);
	snprintf(place, sizeof(place), "%s:0x%llx", self, (unsigned long long)row.offset);
}

static void find_place(void)
{
	const char *plus = options.at ? strchr(options.at, '+') : NULL;

	if (!options.at) {
		find_self();
		return;
	}
	snprintf(row.symbol, sizeof(row.symbol), "%.*s", (int)strcspn(options.at, "+"), options.at);
	row.offset = plus ? strtoull(plus + 1, NULL, 0) : 0;
	row.is_return = options.is_return;
	snprintf(place, sizeof(place), "%s", options.at);
}

/* The line of kprobe_events or uprobe_events for event @name. */
static void write_definition(const char *name, char line[1024])
{
	snprintf(line, 1024, "%c:%s %s %s", options.is_return ? 'r' : 'p', name, place,
		 options.is_return ? "a=$retval b=$retval:s32" : "a=%di b=%si");
}

/* ---- LKST ------------------------------------------------------------------------------------- */

static void run_lkst(const char *verb, const char *const *args)
{
	const char *lkst = getenv("LKST") ?: "build/gcc/lkst";
	int status;
	pid_t pid = fork();

	if (!pid) {
		execv(lkst, (char *const *)args);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		bench_die("lkst %s failed", verb);
}

static void start_lkst(void)
{
	run_lkst("start",
		 (const char *const[]){ "lkst", "start", "--quiet", "--budget", "none", "--buffer",
					"4M", "--event", "sched_process_exec", NULL });
}

static void run_maskset(const char *verb, const char *name)
{
	run_lkst("maskset",
		 (const char *const[]){ "lkst", "maskset", "--quiet", verb, name, NULL });
}

static void stop_lkst(void)
{
	run_lkst("stop", (const char *const[]){ "lkst", "stop", "--quiet", NULL });
}

static void set_probe(const char *event, const char *condition)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(NULL);
	struct lkst_definition d;
	struct lkst_notes notes = {};
	struct lkst_err e = {};
	char line[1024], name[64];

	snprintf(name, sizeof(name), "bench/%s", event);
	write_definition(name, line);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s", condition);
	if (lkst_session_open(&e, &s) || lkst_definition_parse(&e, line, &d) ||
	    lkst_probe_set(&e, s, &d.probe, line, &notes))
		bench_die("%s", e.text);
	lkst_probe_fini(&d.probe);
	lkst_notes_fini(&notes);
}

/* The probe has been hit by every call, or something else was timed. */
static int check_hits(void *ctx, const struct lkst_probe_state *state)
{
	if (!strcmp(state->event, ctx) && state->hits < (u64)options.calls * BATCHES)
		bench_die("%s was hit %llu times", state->event, (unsigned long long)state->hits);
	return 0;
}

static void remove_probe(const char *event)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(NULL);
	struct lkst_err e = {};

	if (lkst_session_open(&e, &s) || lkst_probes_each(&e, s, check_hits, (void *)event) ||
	    lkst_probe_remove(&e, s, event))
		bench_die("%s", e.text);
}

/* ---- the others ------------------------------------------------------------------------------- */

static int open_empty(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
					  { .code = BPF_JMP | BPF_EXIT } };
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", insns, 2, NULL), event,
	    link;
	struct lkst_err e = {};

	event = lkst_probe_row_open(&e, &row);
	link = event < 0 ? -1 : bpf_link_create(program, event, BPF_PERF_EVENT, NULL);
	if (link < 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		bench_die("the empty program is not attached");
	close(event);
	close(program);
	return link;
}

static void write_file(const char *path, const char *text)
{
	int fd = openat(tracefs, path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bench_die("tracefs: writing %s", path);
	close(fd);
}

static void open_tracefs(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC);
	char line[1024];

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		bench_die("there is no tracefs");
	tracefs = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	write_definition("lkst_bench/probed", line);
	write_file(options.at ? "kprobe_events" : "uprobe_events", line);
	mkdirat(tracefs, "instances/lkst-bench-probe", 0700);
	write_file("instances/lkst-bench-probe/buffer_size_kb", "4096");
}

static void close_tracefs(void)
{
	unlinkat(tracefs, "instances/lkst-bench-probe", AT_REMOVEDIR);
	write_file(options.at ? "kprobe_events" : "uprobe_events", "-:lkst_bench/probed\n");
}

static void *perf_ring;

static int open_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type =
			PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
		.write_backward = 1,
		.watermark = 1,
		.wakeup_watermark = 1U << 31,
	};
	char text[32] = "";
	int fd = openat(tracefs, "events/lkst_bench/probed/id", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		bench_die("the kernel's event has no number");
	close(fd);
	attr.config = (u64)atoi(text);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, options.cpu, -1, PERF_FLAG_FD_CLOEXEC);
	perf_ring = mmap(NULL, RING_BYTES + (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || perf_ring == MAP_FAILED)
		bench_die("perf's ring");
	return fd;
}

/* ---- measuring -------------------------------------------------------------------------------- */

static int switch_on(enum tracer t)
{
	switch (t) {
	case EMPTY:
		return open_empty();
	case LKST:
		set_probe("two", "");
		return -1;
	case CONDITION:
		set_probe("none", "if a == 0x7fffffffffff");
		return -1;
	case ARMED:
		set_probe("armed", "");
		run_maskset("bench+=bench:armed", NULL);
		run_maskset("arm", "bench");
		run_maskset("set", "RNOTHING");
		return -1;
	case PERF:
		return open_perf();
	case FTRACE:
		write_file("instances/lkst-bench-probe/events/lkst_bench/probed/enable", "1");
		return -1;
	default:
		return -1;
	}
}

static void switch_off(enum tracer t, int fd)
{
	if (t == LKST)
		remove_probe("bench:two");
	else if (t == CONDITION)
		remove_probe("bench:none");
	else if (t == ARMED)
		remove_probe("bench:armed");
	else if (t == FTRACE)
		write_file("instances/lkst-bench-probe/events/lkst_bench/probed/enable", "0");
	if (t == PERF)
		munmap(perf_ring, RING_BYTES + (size_t)getpagesize());
	if (fd >= 0)
		close(fd);
}

/* The kernel gets to a place in the midst of a function by a jump only some time after a probe was set there. */
static void wait_for_backend(void)
{
	const char *is = "";
	unsigned int tries;

	for (tries = 0; tries < 200; tries++) {
		is = lkst_probe_backend_names[lkst_kernel_probe_backend(&row, 0)];
		if (!strcmp(is, options.backend))
			return;
		usleep(50000);
	}
	bench_die("the kernel gets to %s by %s, not by %s", place, is, options.backend);
}

static double time_batch(void)
{
	uint64_t start = bench_now_ns();
	unsigned int i;

	for (i = 0; i < options.calls; i++)
		if (options.at)
			syscall(SYS_getppid);
		else
			probed(i, start);
	return (double)(bench_now_ns() - start) / options.calls;
}

static void measure(enum tracer t)
{
	double best = 1e9, one;
	int fd = switch_on(t), i;

	if (options.backend && t != NOBODY)
		wait_for_backend();
	time_batch();
	for (i = 0; i < BATCHES; i++) {
		one = time_batch();
		if (one < best)
			best = one;
	}
	switch_off(t, fd);
	bench_add(&series[t], best);
}

static double cost(enum tracer t)
{
	return bench_min(&series[t]) - bench_min(&series[NOBODY]);
}

static void limit(const char *what, enum tracer t, enum tracer of, double most)
{
	printf("%-40s LKST %.3f (limit %.2f: %s)\n", what, cost(t) / cost(of), most,
	       cost(t) <= most * cost(of) ? "meets" : "MISSES");
}

static void print(void)
{
	unsigned int t;

	printf("\n%-38s %8s %8s %8s\n", "ns per hit", "min", "median", "x empty");
	for (t = EMPTY; t < (options.at ? NR_TRACERS : ARMED); t++)
		printf("%-38s %8.1f %8.1f %8.2f\n", names[t], cost(t),
		       bench_median(&series[t]) - bench_min(&series[NOBODY]),
		       cost(t) / cost(EMPTY));
	printf("\n");
	if (options.at) {
		limit("Of the empty program, less a record", ARMED, EMPTY, 1.1);
		limit("Of what ftrace takes", LKST, FTRACE, 0.7);
		limit("Of what perf takes", LKST, PERF, 0.25);
	} else {
		limit("Of the empty program", LKST, EMPTY, 1.1);
		limit("Of what perf takes", LKST, PERF, 0.8);
	}
	printf("%-40s LKST %.0f ns, perf %.0f ns, ftrace %.0f ns\n", "More than the empty program",
	       cost(LKST) - cost(EMPTY), cost(PERF) - cost(EMPTY), cost(FTRACE) - cost(EMPTY));
}

int main(int argc, char **argv)
{
	static const struct option rows[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "calls", required_argument, NULL, 'n' },
		{ "first", required_argument, NULL, 'f' },
		{ "at", required_argument, NULL, 'a' },
		{ "backend", required_argument, NULL, 'b' },
		{ "return", no_argument, NULL, 'R' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned int round, t;
	int c;

	while ((c = getopt_long(argc, argv, "r:n:f:a:b:R", rows, NULL)) != -1)
		if (c == 'r')
			options.rounds = (unsigned int)bench_number(optarg, 1);
		else if (c == 'n')
			options.calls = (unsigned int)bench_number(optarg, 100);
		else if (c == 'f')
			choose_function(optarg);
		else if (c == 'a')
			options.at = optarg;
		else if (c == 'b')
			options.backend = optarg;
		else if (c == 'R')
			options.is_return = true;
		else
			bench_die("usage: probe [--rounds N] [--calls N] [--first INSTRUCTION | "
				  "--at SYMBOL[+OFFSET] [--backend NAME | --return]]");
	if (!options.at && (options.backend || options.is_return))
		bench_die("--backend and --return are of a place in the kernel: name it with --at");
	options.cpu = bench_last_cpu();
	bench_pin(options.cpu);
	find_place();
	open_tracefs();
	start_lkst();
	for (round = 0; round < options.rounds; round++)
		for (t = 0; t < ARMED; t++)
			measure(t);
	if (options.at)
		measure(ARMED);
	stop_lkst();
	close_tracefs();
	print();
	return 0;
}
