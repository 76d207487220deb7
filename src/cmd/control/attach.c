/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst attach: shows a running recording, or streams it to files. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/readers/printing.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/streaming.h"
#include "cmd/recorders/turn.h"
#include "live/drain/follow.h"
#include "live/hooks/pins.h"
#include "live/state/state_stream.h"
#include "live/state/write_symbols.h"

struct attach_options {
	struct lkst_streaming_options files;
	struct lkst_printing_options printing;
	u64 last_ns;
};

static const struct attach_options defaults = {
	.printing = LKST_PRINTING_DEFAULTS,
	.last_ns = UINT64_MAX,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(DURATION, struct attach_options, last_ns, .name = "last", .argument = "TIME",
		    .standard = "all there is",
		    .help = "begin with the last 5s, 200ms ..., or 0: with now"),
	LKST_PRINTING_ROWS(struct attach_options, printing),
	LKST_STREAMING_ROWS(struct attach_options, files),
	{},
};

enum {
	/*
	 * A record is complete some us after its time; more where a hypervisor takes the CPU away.
	 * Those that come later still are printed out of order.
	 */
	DELAY_NS = 20000000,
	RECORDS_PER_LOOK = 4096, /* between two looks for signals */
};

struct attached {
	struct lkst_err *e;
	const struct attach_options *o;
	struct lkst_session *s;
	struct lkst_streaming files;
	struct lkst_printing printing;
	struct lkst_follow *follow;
	struct lkst_addresses *addresses;
};

static bool attach_has_ended(void *ctx)
{
	const struct attached *a = ctx;

	return !lkst_session_is_current(a->s);
}

/* ---- to the screen ------------------------------------------------------------------ */

/* The idle threads, as records of their CPUs. */
static int feed_cpus(struct attached *a, const struct lkst_thread_list *threads)
{
	struct lkst_rec_state_cpu cpu = { .online = 1 };
	struct lkst_record r = {
		.event = lkst_catalog_find(lkst_session_catalog(a->s), "state_cpu"),
		.size = sizeof(cpu),
		.bytes = (const u8 *)&cpu,
		.buffer = LKST_BUFFER_STATE,
	};
	unsigned int i;
	int err = 0;

	for (i = 0; r.event && i < threads->nr_idle_tasks && !err; i++) {
		cpu.state_cpu = (s16)i;
		cpu.idle_task = threads->idle_tasks[i];
		err = lkst_printing_record(&a->printing, &r);
	}
	return err;
}

static int feed_cgroup(void *ctx, struct lkst_state_cgroup *cgroup, size_t length)
{
	struct attached *a = ctx;
	const struct lkst_record r = {
		.event = lkst_catalog_find(lkst_session_catalog(a->s), "state_cgroup"),
		.size = (u32)length,
		.bytes = (const u8 *)cgroup,
		.buffer = LKST_BUFFER_STATE,
	};

	return r.event ? lkst_printing_record(&a->printing, &r) : 0;
}

/* The threads that there are, as records: names come from them. */
static int feed_threads(struct attached *a)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list threads = {};
	struct lkst_record r = {
		.event = lkst_catalog_find(lkst_session_catalog(a->s), "state_thread"),
		.size = sizeof(*threads.list),
		.buffer = LKST_BUFFER_STATE,
	};
	int err = r.event ? lkst_state_list_threads(a->e, a->s, &threads) : 0;
	unsigned int i;

	for (i = 0; i < threads.nr && !err; i++) {
		r.bytes = (const u8 *)&threads.list[i];
		err = lkst_printing_record(&a->printing, &r);
	}
	return err ?: feed_cpus(a, &threads) ?: lkst_state_list_cgroups(a->e, &threads, feed_cgroup, a);
}

static int print_gaps(struct attached *a)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_follow_gap(a->follow, &gap) > 0)
		err = lkst_printing_gap(&a->printing, &gap);
	return err;
}

/* Prints the records up to @until_ns. 1: a signal has come. */
static int print_until(struct attached *a, u64 until_ns, bool look)
{
	struct lkst_record r;
	unsigned int nr = 0;
	int err = 0;

	while (!err && lkst_follow_next(a->follow, until_ns, &r) > 0) {
		err = print_gaps(a) ?:
		      lkst_addresses_name(a->addresses, &r, a->printing.symbols) ?:
		      lkst_printing_record(&a->printing, &r);
		if (!err && look && ++nr % RECORDS_PER_LOOK == 0)
			err = lkst_streaming_wait(&a->files, 0);
	}
	return err ? err : print_gaps(a);
}

/* Fills and prints until all before @until_ns is printed. */
static int print_round(struct attached *a, u64 until_ns, bool look)
{
	int err;

	do {
		err = lkst_follow_fill(a->e, a->follow) ?: print_until(a, until_ns, look);
	} while (!err && lkst_follow_has_more(a->follow));
	if (err < 0)
		return err;
	lkst_out_flush(a->printing.out);
	if (a->printing.out->error)
		return lkst_err_sys(a->e, a->printing.out->error, "writing");
	return err;
}

static int attach_follow(struct attached *a)
{
	int err = 0;

	while (!err) {
		u64 now = lkst_monotonic_ns();

		err = print_round(a, now - DELAY_NS, true) ?:
		      lkst_streaming_wait(&a->files, lkst_follow_pause_ms(a->follow));
	}
	/* What was recorded until the signal came. */
	return err < 0 ? err : print_round(a, lkst_monotonic_ns(), false);
}

static int begin_print(struct attached *a, u64 since_ns)
{
	const struct lkst_streaming_options *options = &a->o->files;
	int err = lkst_follow_new(a->e, a->s, since_ns, &a->follow);

	if (err)
		return err;
	if (!options->no_symbols) {
		err = lkst_recording_check_symbols(a->e, a->s, options->symbols, options->quiet);
		if (err)
			return err;
	}
	a->addresses = lkst_addresses_new(a->s, !options->no_symbols, false);
	if (!a->addresses)
		return lkst_err_sys(a->e, -ENOMEM, "printing");
	return lkst_follow_fill(a->e, a->follow) ?:
	       lkst_printing_begin(a->e, &a->o->printing, lkst_session_catalog(a->s),
				   lkst_follow_begin_ns(a->follow), since_ns, UINT64_MAX,
				   NULL, &a->printing) ?:
	       feed_threads(a);
}

static int attach_print(struct attached *a, u64 since_ns)
{
	int err = begin_print(a, since_ns);

	if (!err) {
		lkst_streaming_tell_ready(&a->files);
		err = attach_follow(a);
	}
	err = lkst_printing_end(a->e, &a->printing, err);
	lkst_follow_free(a->follow);
	lkst_addresses_free(a->addresses);
	return lkst_streaming_fini(&a->files, err);
}

/* ---- to files ----------------------------------------------------------------------- */

static int stream(struct attached *a, u64 since_ns)
{
	int err = lkst_streaming_begin(&a->files, a->s, since_ns);

	/* Blocks that are overwritten while this process waits for a CPU are lost. */
	setpriority(PRIO_PROCESS, 0, -20);
	err = err ?: lkst_streaming_run(&a->files) ?: lkst_streaming_finish(&a->files);
	return lkst_streaming_fini(&a->files, err);
}

/* ---- the command -------------------------------------------------------------------- */

static int open_recording(struct attached *a)
{
	struct lkst_turn turn;
	int err = lkst_turn_take(a->e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(a->e, &a->s);

	lkst_turn_give(&turn);
	return err;
}

static int attach_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct attached a = { .e = e, .o = options };
	const struct lkst_streaming_options *files = &a.o->files;
	bool to_files = files->output || files->rotate || files->compress || files->daemon;
	u64 now = lkst_monotonic_ns(), since;
	sigset_t ignored;
	int err;

	since = a.o->last_ns < now ? now - a.o->last_ns : 0;
	err = lkst_streaming_init(e, files, &a.files, &ignored);
	if (err)
		return err > 0 ? 0 : err;
	a.files.has_ended = attach_has_ended;
	a.files.ctx = &a;
	err = open_recording(&a);
	if (err)
		return lkst_streaming_fini(&a.files, err);
	err = to_files ? stream(&a, since) : attach_print(&a, since);
	if (!err && attach_has_ended(&a) && !files->quiet)
		fprintf(stderr, "the recording was stopped\n");
	lkst_session_close(a.s);
	return err;
}

const struct lkst_cmd lkst_cmd_attach = {
	.name = "attach",
	.summary = "print records as they come, or write them to files",
	.help = "Prints what the recording that `lkst start` began has in memory, and goes on with what\n"
		"comes, all CPUs in order of time, until SIGINT. With --output, --rotate, --compress or\n"
		"--daemon it writes to files instead. The recording does not depend on it: it goes on\n"
		"when this ends, however it ends. What it cannot keep up with is named.",
	.examples =
		"  lkst attach --last 0 -e 'sched_process_*'      what begins and ends from now on\n"
		"  lkst attach --comm nginx | grep openat\n"
		"  lkst attach -D -o /var/log/lkst -r 64M,10 -z   to files, in the background\n",
	.options = rows,
	.options_size = sizeof(struct attach_options),
	.defaults = &defaults,
	.run = attach_run,
};
