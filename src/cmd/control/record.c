/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst record: streams to disk until a command ends or a signal comes. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cmd/probe/probe.h"
#include "cmd/recorders/child.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/sample_options.h"
#include "cmd/recorders/streaming.h"
#include "cmd/recorders/turn.h"
#include "live/hooks/pins.h"
#include "live/kernel/perf_counters.h"
#include "live/recording/start.h"
#include "live/state/state_stream.h"

struct record_options {
	struct lkst_streaming_options files;
	struct lkst_list events;
	const char *maskset, *counters;
	u64 buffer_bytes, block_bytes, delay_ns;
	struct lkst_list pids, pages;
	bool tree;
	struct lkst_probe_options probes; /* those of them that have a row here */
	struct lkst_sample_options samples;
};

static const struct record_options defaults = {
	.buffer_bytes = 16 << 20,
	.block_bytes = 4 << 10,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct record_options, events, .name = "event", .letter = 'e',
		    .argument = "GLOB", .standard = "all but taking and releasing locks",
		    .help = "record what matches; see `lkst start --help`"),
	LKST_OPTION(TEXT, struct record_options, maskset, .name = "maskset", .letter = 'm',
		    .argument = "NAME", .standard = "RDEFAULT",
		    .help = "record what this maskset has; see `lkst start --help`"),
	LKST_OPTION(TEXT, struct record_options, counters, .name = "counters", .argument = "LIST",
		    .standard = "none",
		    .help = "count these in each stretch in which a thread runs, up to four: cycles,\n"
			    "instructions, cache-references, cache-misses, branches, branch-misses,\n"
			    "ref-cycles; on any machine cpu-clock, page-faults, major-faults"),
	LKST_OPTION(LIST, struct record_options, pids, .name = "pid", .letter = 'p', .argument = "PID",
		    .help = "only this process, decided in the kernel; may be repeated"),
	LKST_OPTION(FLAG, struct record_options, tree, .name = "tree", .letter = 't',
		    .help = "only CMD, or the processes of --pid, and the processes\n"
			    "that they create"),
	LKST_OPTION(LIST, struct record_options, pages, .name = "pages", .argument = "PID",
		    .help = "have the trace say which pages of memory this process has when it\n"
			    "begins, for `lkst analyze pages`; may be repeated"),
	LKST_OPTION(LIST, struct record_options, probes.add, .name = "probe", .argument = "PROBE",
		    .help = "set a probe, written as for `lkst probe`, and record it, too;\n"
			    "may be repeated"),
	LKST_OPTION(TEXT, struct record_options, probes.saved, .name = "saved", .argument = "FILE",
		    .help = "set the probes of a file that `lkst probe --save` has written"),
	LKST_OPTION(TEXT, struct record_options, probes.program, .name = "exec", .letter = 'x',
		    .argument = "PROGRAM", .help = "the probes are in this program or library"),
	LKST_OPTION(TEXT, struct record_options, probes.module, .name = "module", .argument = "MODULE",
		    .help = "the probes are in this module of the kernel, or its file"),
	LKST_OPTION(TEXT, struct record_options, probes.vmlinux, .name = "vmlinux", .letter = 'k',
		    .argument = "FILE",
		    .help = "the kernel with its debug information, for the probes"),
	LKST_OPTION(TEXT, struct record_options, probes.source, .name = "source", .letter = 's',
		    .argument = "DIR", .help = "the sources are below this directory"),
	LKST_SAMPLE_ROWS(struct record_options, samples),
	LKST_OPTION(SIZE, struct record_options, buffer_bytes, .name = "buffer", .letter = 'b',
		    .argument = "SIZE", .standard = "16M", .help = "memory per CPU, 64K to 4G"),
	LKST_OPTION(SIZE, struct record_options, block_bytes, .name = "block", .argument = "SIZE",
		    .standard = "4K", .help = "the unit of reading and writing, 4K to 1M"),
	LKST_OPTION(DURATION, struct record_options, delay_ns, .name = "delay", .argument = "TIME",
		    .help = "let CMD run for this time before recording begins"),
	LKST_STREAMING_ROWS(struct record_options, files),
	{},
};

enum { MANY_TRACEPOINTS = 10 };

struct recording {
	struct lkst_err *e;
	const struct record_options *o;
	struct lkst_session *s;
	struct lkst_streaming files;
	struct lkst_child child; /* the command that is run and recorded */
	struct lkst_wanted_list probes;
};

static bool record_has_ended(void *ctx)
{
	return lkst_child_has_ended(ctx);
}

/* Lets the command run unrecorded for a while. 1: that was all of it. */
static int delay(struct recording *r)
{
	int err = lkst_child_release(r->e, &r->child);

	return err ? err : lkst_streaming_delay(&r->files, r->o->delay_ns);
}

/* The pages of the processes whose pages are asked for. */
static int write_pages(struct recording *r)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->o->pages.nr && !err; i++) {
		bool is_cut;

		err = lkst_recorder_write_pages(r->e, r->files.recorder, atoi(r->o->pages.items[i]),
						&is_cut);
		if (!err && is_cut && !r->o->files.quiet)
			lkst_print_message(
				stderr,
				"note: process %s has its memory in more than %d places: "
				"the others are not in the trace.",
				r->o->pages.items[i], LKST_STATE_PAGES_MAX);
	}
	return err;
}

static int control_record(struct recording *r)
{
	/* The state that a trace begins with is taken after the delay. */
	int ended = r->o->delay_ns ? delay(r) : 0;
	int err = ended < 0 ? ended : lkst_streaming_begin(&r->files, r->s, 0);

	if (err)
		return err;
	lkst_session_arm(r->s, true);
	err = lkst_state_keep_machine(r->e, r->s) ?: lkst_recorder_count(r->e, r->files.recorder) ?:
	      lkst_recorder_write_descriptors(r->e, r->files.recorder) ?:
	      write_pages(r);
	if (!err && !r->o->delay_ns)
		err = lkst_child_release(r->e, &r->child);
	if (!err && !ended)
		err = lkst_streaming_run(&r->files);
	if (!err)
		err = lkst_recorder_count(r->e, r->files.recorder);
	lkst_session_arm(r->s, false);
	lkst_child_ask_to_end(&r->child);
	if (!err)
		err = lkst_streaming_finish(&r->files);
	lkst_child_end(&r->child, &r->files);
	return err;
}

/*
 * The hooks compare the numbers that processes have in the machine's first PID namespace, whose inode is
 * PROC_PID_INIT_INO (include/linux/proc_ns.h). Those of another one would name other processes, or none.
 */
static int check_namespace(struct lkst_err *e)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == 0xeffffffc)
		return 0;
	return lkst_err_set(
		e, -ENOTSUP,
		"--pid, --pages and --tree find processes by their numbers on the machine, and this "
		"command runs in a PID namespace of its own (a container), where "
		"processes have others; run it outside");
}

static int parse_pid(struct lkst_err *e, const char *text, long *ret_pid)
{
	char *end;
	long pid = strtol(text, &end, 10);

	if (*end || pid <= 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) && errno == ESRCH))
		return lkst_err_set(e, -ESRCH, "there is no process %s", text);
	*ret_pid = pid;
	return 0;
}

/* The processes that the recording is restricted to. */
static int parse_pids(struct lkst_err *e, const struct record_options *o, const struct lkst_child *child,
		      u32 *pids, struct lkst_filter *ret_filter)
{
	unsigned int i;
	long pid = 0;
	int err = o->tree || o->pids.nr || o->pages.nr ? check_namespace(e) : 0;

	for (i = 0; i < o->pages.nr && !err; i++)
		err = parse_pid(e, o->pages.items[i], &pid);
	for (i = 0; i < o->pids.nr && !err; i++) {
		err = parse_pid(e, o->pids.items[i], &pid);
		pids[ret_filter->nr_pids++] = pid;
	}
	if (err)
		return err;
	if (o->tree && !o->pids.nr && !child->pid)
		return lkst_err_set(e, -EINVAL, "--tree needs a command to run, or --pid");
	if (o->tree && child->pid)
		pids[ret_filter->nr_pids++] = child->pid;
	ret_filter->pids = pids;
	ret_filter->mode = o->tree	? LKST_FILTER_TREE
			   : o->pids.nr ? LKST_FILTER_PIDS
					: LKST_FILTER_NONE;
	return 0;
}

static bool is_probe(void *ctx, const char *glob)
{
	const struct recording *r = ctx;

	return lkst_wanted_is_named(&r->probes, glob);
}

static int record_make_plan(struct recording *r, struct lkst_plan **ret_plan)
{
	struct lkst_plan_options options = {
		.globs = r->o->events.items,
		.nr_globs = r->o->events.nr,
		.btf_file = getenv(LKST_BTF_VARIABLE),
		/* A maskset may have more than a plan of the default events. */
		.is_whole = r->o->maskset != NULL,
		.has_samples = r->o->samples.hz != 0,
		.has_off_cpu = r->o->samples.off_cpu_ns != 0,
		.has_mappings = r->o->samples.mappings,
		.is_known = is_probe,
		.ctx = r,
	};
	int err = r->o->counters ? lkst_perf_counters_parse(r->e, r->o->counters, options.counters) : 0;

	err = err ?: lkst_plan_make_for(r->e, &options, ret_plan);
	return err ?: lkst_recording_identify(r->e, (*ret_plan)->catalog);
}

/* The probes, before anything is recorded: the trace has them in its catalogue from the beginning. */
static int record_set_probes(struct recording *r)
{
	struct lkst_notes notes = {};
	int err;

	if (!r->probes.nr)
		return 0;
	err = lkst_session_keep_own(r->e, r->s)
		      ?: lkst_wanted_set(r->e, &r->o->probes, &r->probes, r->s, &notes);
	if (!r->o->files.quiet)
		lkst_recording_print(&notes);
	lkst_notes_fini(&notes);
	return err;
}

static int start_session(struct recording *r, const struct lkst_plan *plan,
			 const struct lkst_session_options *options)
{
	struct lkst_turn turn;
	int err = lkst_turn_take(r->e, LKST_TURN_CHANGE, &turn) ?:
		  lkst_session_start(r->e, plan, options, &r->s) ?:
		  record_set_probes(r);

	lkst_turn_give(&turn);
	return err;
}

static int start_and_record(struct recording *r)
{
	struct lkst_session_options options = { .buffer_bytes = r->o->buffer_bytes,
						.block_bytes = r->o->block_bytes,
						.sampling = lkst_sample_rate(&r->o->samples),
						.off_cpu_ns = r->o->samples.off_cpu_ns,
						.maskset = r->o->maskset };
	struct lkst_plan *plan = NULL;
	u32 pids[LKST_LIST_MAX + 1];
	int err;

	err = parse_pids(r->e, r->o, &r->child, pids, &options.filter);
	r->files.is_filtered = options.filter.mode != 0;
	err = err ?: lkst_sample_check(r->e, &r->o->samples) ?: record_make_plan(r, &plan) ?:
	      start_session(r, plan, &options);
	if (!err) {
		lkst_plan_forget_kernel(plan);
		lkst_recording_print_notes(plan, r->s, r->o->files.quiet);
		err = control_record(r);
	}
	err = lkst_streaming_fini(&r->files, err);
	/* Each costs a grace period of the kernel: it waits until no CPU can be in the hook. */
	if (plan && plan->nr_tracepoints > MANY_TRACEPOINTS && !r->o->files.quiet)
		fprintf(stderr, "detaching %u tracepoints by name, one after the other ...\n",
			plan->nr_tracepoints);
	lkst_session_close(r->s);
	lkst_plan_free(plan);
	return err;
}

/* The probes that are wanted, found before anything is started: an error of theirs changes nothing. */
static int find_probes(struct recording *r)
{
	const struct lkst_probe_options *o = &r->o->probes;
	int err = lkst_wanted_read(r->e, o, NULL, 0, &r->probes)
			  ?: lkst_wanted_resolve(r->e, o, &r->probes);

	if (!err && !r->probes.nr && (o->program || o->module || o->vmlinux || o->source))
		return lkst_err_set(r->e, -EINVAL,
				    "--exec, --module, --vmlinux and --source are for --probe");
	return err;
}

static int record_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct recording r = { .e = e, .o = options, .child.go = -1 };
	sigset_t old_mask;
	int err;

	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "recording the kernel needs root; try again with sudo");
	if (nr_args && r.o->files.daemon)
		return lkst_err_set(e, -EINVAL, "--daemon runs no command; give --pid, or --for");
	err = find_probes(&r) ?: lkst_streaming_init(e, &r.o->files, &r.files, &old_mask);
	if (err) {
		lkst_wanted_fini(&r.probes);
		return err > 0 ? 0 : err;
	}
	r.files.has_ended = record_has_ended;
	r.files.ctx = &r.child;
	if (nr_args)
		err = lkst_child_prepare(e, "lkst record", args, &old_mask, &r.child);
	/*
	 * The command has its own priority already. What writers overwrite while this process waits
	 * for a CPU is lost, and it runs for a few ms at a time; failing to get it is no error.
	 */
	setpriority(PRIO_PROCESS, 0, -20);
	err = err ? lkst_streaming_fini(&r.files, err) : start_and_record(&r);
	lkst_child_ask_to_end(&r.child);
	lkst_child_end(&r.child, &r.files);
	lkst_wanted_fini(&r.probes);
	if (err)
		return err;
	return lkst_child_result(&r.child);
}

const struct lkst_cmd lkst_cmd_record = {
	.name = "record",
	.summary = "record to files until a command ends, or Ctrl-C",
	.args = "[--] [CMD...]",
	.help = "Records everything on the machine, or in one process, while CMD runs, and writes\n"
		"it to a trace directory as it comes. Without CMD it goes on until SIGINT or SIGTERM.\n"
		"It is a separate recording: one that `lkst start` began goes on beside it.\n"
		"The exit status is that of CMD.",
	.examples =
		"  lkst record -- make                    all events but locks taken, while make runs\n"
		"  lkst record --tree -e 'syscall:*' ls   the system calls of one command\n"
		"  lkst record --maskset standard make    only what `lkst report` and `lkst why` read\n"
		"  lkst record --probe 'vfs_read count' -e 'probe:*' ls     one probe, and no other event\n"
		"  lkst record -p 1234 -o db --for 10s    a process that runs already\n"
		"  lkst record -o log --rotate 64M,10 -z  the newest ten parts of 64 MiB, compressed\n",
	.options = rows,
	.options_size = sizeof(struct record_options),
	.defaults = &defaults,
	.max_args = UINT_MAX,
	.run = record_run,
};
