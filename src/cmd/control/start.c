/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst start: arms the recorder and exits. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/control/limit.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/sample_options.h"
#include "cmd/recorders/turn.h"
#include "live/drain/incidents.h"
#include "live/hooks/pins.h"
#include "live/kernel/perf_counters.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/maskset_hooks.h"
#include "live/masks/masksets.h"
#include "live/recording/cost.h"
#include "live/recording/start.h"
#include "live/rings/history.h"
#include "live/session/label.h"
#include "live/state/readings.h"
#include "live/state/state_stream.h"
#include "marks/marks_ask.h"

struct start_options {
	struct lkst_list events;
	const char *maskset, *counters;
	struct lkst_list armed;
	u64 buffer_bytes, block_bytes, spare_bytes, budget_ppm, behind_bytes, history_ns;
	s64 incidents;
	s64 numa_node; /* LKST_NODE_ANY */
	const char *label, *config;
	bool keep, no_helper, quiet;
	struct lkst_sample_options samples;
};

/* What is recorded if nobody says otherwise. */
#define DEFAULT_MASKSET "standard"
#define CORE_MASKSET    "core"

/* How long the rate is measured: before recording with --history, and else at the end. */
enum { RATE_FOR_HISTORY_MS = 400, RATE_TO_TELL_MS = 200 };
#define BUDGET_BY_DEFAULT UINT64_MAX /* --budget is not given */

/* The label of whoever gives none, so that a program can label what it starts through others. */
#define LABEL_VARIABLE "LKST_LABEL"

static const struct start_options defaults = {
	.buffer_bytes = UINT64_MAX,
	.block_bytes = LKST_USUAL_BLOCK_BYTES,
	.spare_bytes = UINT64_MAX,
	.budget_ppm = BUDGET_BY_DEFAULT,
	.numa_node = LKST_NODE_ANY,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct start_options, events, .name = "event", .letter = 'e', .argument = "GLOB",
		    .standard = "what --maskset says",
		    .help = "record what matches: an event, group:event, an LKST mnemonic,\n"
			    "syscall:NAME, or any tracepoint as system:name; may be repeated"),
	LKST_OPTION(TEXT, struct start_options, maskset, .name = "maskset", .letter = 'm', .argument = "NAME",
		    .standard = DEFAULT_MASKSET,
		    .help = "begin with this maskset: standard, core, flight, latency, memory,\n"
			    "io, net, RALL, RDEFAULT, RNOTHING, or the path of a file with one"),
	LKST_OPTION(TEXT, struct start_options, counters, .name = "counters", .argument = "LIST", .standard = "none",
		    .help = "count these in each stretch in which a thread runs, up to four: cycles,\n"
			    "instructions, cache-references, cache-misses, branches, branch-misses,\n"
			    "ref-cycles; on any machine cpu-clock, page-faults, major-faults"),
	LKST_OPTION(LIST, struct start_options, armed, .name = "armed", .argument = "NAME",
		    .help = "keep the hooks of this maskset attached from now on, so that\n"
			    "switching to it is one store; may be repeated"),
	LKST_OPTION(SIZE, struct start_options, buffer_bytes, .name = "buffer", .letter = 'b', .argument = "SIZE",
		    .standard = "4M to 32M, by the memory that the machine has",
		    .help = "memory per CPU, 64K to 4G, rounded up to a power of two"),
	LKST_OPTION(DURATION, struct start_options, history_ns, .name = "history", .argument = "TIME",
		    .help = "choose --buffer so that it holds this time, as in 60s, at the rate\n"
			    "that is measured first; at most a quarter of all memory"),
	LKST_OPTION(SIZE, struct start_options, spare_bytes, .name = "spare", .argument = "SIZE",
		    .standard = "a quarter of --buffer",
		    .help = "memory per CPU for buffers made later, `lkst buffer create`"),
	LKST_OPTION(NUMBER, struct start_options, incidents, .name = "incidents", .letter = 'i', .argument = "NUMBER",
		    .max = LKST_INCIDENTS_MAX, .standard = "0",
		    .help = "how many moments can be kept at a time (`lkst incident`); each\n"
			    "takes as much memory as --buffer"),
	LKST_OPTION(SIZE, struct start_options, block_bytes, .name = "block", .argument = "SIZE", .standard = "4K",
		    .help = "the unit of reading and writing, 4K to 1M; only 4K can be\n"
			    "found in a crash dump without translation"),
	LKST_OPTION(SIZE, struct start_options, behind_bytes, .name = "behind", .argument = "SIZE", .max = 1LL << 40,
		    .standard = "nothing",
		    .help = "take the memory that follows this much free memory: the next boot\n"
			    "overwrites that first, should the machine be reset"),
	LKST_OPTION(NUMBER, struct start_options, numa_node, .name = "numa-node", .argument = "N", .max = 1023,
		    .standard = "any",
		    .help = "take the memory from this NUMA node, for instance one that is\n"
			    "kept apart so that the next boot finds it untouched"),
	LKST_OPTION(SHARE, struct start_options, budget_ppm, .name = "budget", .argument = "SHARE",
		    .min = LKST_BUDGET_PPM_MIN, .max = LKST_BUDGET_PPM_MAX, .standard = "5%",
		    .help = "what recording may cost of each CPU's time, as in 1%, 0.01% to\n"
			    "50%, or none; above it the least valuable kinds of events are left\n"
			    "out for a while, which the trace shows, and their hooks detached"),
	LKST_SAMPLE_ROWS(struct start_options, samples),
	LKST_OPTION(TEXT, struct start_options, label, .name = "label", .argument = "TEXT",
		    .standard = "$" LABEL_VARIABLE,
		    .help = "a few words, which `lkst status` shows: `lkst stop --label TEXT` ends no\n"
			    "recording but this"),
	LKST_OPTION(FLAG, struct start_options, no_helper, .name = "no-helper",
		    .help = "leave it to others to start `lkst limit`, which detaches what is\n"
			    "left out: a unit of the service does"),
	LKST_OPTION(CONFIG, struct start_options, config, .name = "config", .argument = "FILE",
		    .help = "read these options from a file, see lkst.conf(5); those on the\n"
			    "command line override it"),
	LKST_OPTION(FLAG, struct start_options, keep, .name = "keep",
		    .help = "leave a recording alone that is there already, and succeed"),
	LKST_OPTION(FLAG, struct start_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static int discard_rest(struct lkst_err *e)
{
	struct lkst_err ignored = {};

	return lkst_session_remove(&ignored);
}

static u64 spare_bytes(const struct start_options *o, u64 buffer_bytes)
{
	return o->spare_bytes == UINT64_MAX ? buffer_bytes / 4 : o->spare_bytes;
}

/* What main is filled with per second, by the CPU that fills it fastest. */
struct rate {
	int err;
	struct lkst_err e;
	struct lkst_held held;
};

/* Records for a moment, into separate memory, and discards the records. */
static void measure_rate(const struct lkst_plan *plan, const struct lkst_session_options *options,
			 struct rate *ret)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	struct lkst_session_options o = *options;
	struct lkst_history h;

	o.buffer_bytes = LKST_USUAL_MIN;
	o.spare_bytes = o.behind_bytes = 0;
	o.nr_banks = o.nr_armed = 0;
	ret->err = lkst_session_start(&ret->e, plan, &o, &s);
	if (ret->err)
		return;
	lkst_session_arm(s, true);
	ret->err = lkst_history_measure(&ret->e, lkst_session_rings(s), RATE_FOR_HISTORY_MS, &h);
	lkst_session_arm(s, false);
	ret->held = h.held[0];
}

/* The same in a separate process: libbpf cannot load twice in one (its list of handlers of programs). */
static int find_rate(struct lkst_err *e, const struct lkst_plan *plan,
		     const struct lkst_session_options *options, struct lkst_held *ret_held)
{
	_cleanup_close_ int from = -1, to = -1;
	struct rate rate = { .err = -EIO };
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return lkst_err_sys(e, -errno, "measuring how fast the buffers are filled");
	from = ends[0];
	to = ends[1];
	pid = fork();
	if (!pid) {
		measure_rate(plan, options, &rate);
		_exit(write(to, &rate, sizeof(rate)) != sizeof(rate));
	}
	lkst_closep(&to);
	if (pid < 0 || read(from, &rate, sizeof(rate)) != sizeof(rate))
		rate.err = lkst_err_set(&rate.e, -EIO,
					"measuring how fast the buffers are filled has failed");
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (rate.err)
		return lkst_err_set(e, rate.err, "%s", rate.e.text);
	*ret_held = rate.held;
	return 0;
}

/* Chooses the buffer's size for --history. */
static int choose_buffer(struct lkst_err *e, const struct start_options *o, const struct lkst_plan *plan,
			 struct lkst_session_options *options)
{
	const double wish_s = (double)o->history_ns / 1e9;
	char size[LKST_SIZE_TEXT], rate[LKST_SIZE_TEXT], limit[LKST_SIZE_TEXT];
	struct lkst_held held = {};
	int err;

	if (o->buffer_bytes != UINT64_MAX)
		return lkst_err_set(e, -EINVAL,
				    "--history chooses the size that --buffer says; give one of "
				    "them");
	err = find_rate(e, plan, options, &held);
	if (err)
		return err;
	options->buffer_bytes =
		lkst_history_choose(held.rate, wish_s, LKST_USUAL_MIN, lkst_history_most());
	if (o->quiet)
		return 0;
	lkst_size_format(options->buffer_bytes, size);
	lkst_size_format((u64)held.rate, rate);
	printf("chose %s for each CPU: in the %.1f s before, CPU %u, the busiest, filled %s a "
	       "second\n",
	       size, RATE_FOR_HISTORY_MS / 1e3, held.cpu, rate);
	if ((double)options->buffer_bytes < held.rate * wish_s) {
		lkst_size_format(lkst_memory_total() / LKST_HISTORY_PART, limit);
		printf("that is less than the wish takes: the buffers of all CPUs may have a quarter of "
		       "the memory, %s\n",
		       limit);
	}
	return 0;
}

/* What there is to know of what has begun. */
static int tell_start(struct lkst_err *e, const struct lkst_session *s)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_(lkst_cost_watch_freep) struct lkst_cost_watch *watch = NULL;
	_cleanup_(lkst_budget_view_free) struct lkst_budget_view budget = {}, now = {};
	_cleanup_(lkst_cost_free) struct lkst_cost cost = {};
	struct lkst_history h;
	char size[LKST_SIZE_TEXT], rate[64];
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "telling what has begun");
	lkst_size_format(lkst_session_rings(s)->memory_bytes, size);
	printf("recording %u events in %s of memory; `lkst status` shows how it goes\n",
	       lkst_recording_nr_events(s), size);
	err = lkst_session_budget(e, s, &budget) ?:
	      lkst_cost_watch_new(e, s, &budget.page.costs, &watch) ?:
	      lkst_history_measure(e, lkst_session_rings(s), RATE_TO_TELL_MS, &h) ?:
	      lkst_cost_watch_next(e, watch, &cost) ?:
	      lkst_session_budget(e, s, &now);
	if (err)
		return err;
	snprintf(rate, sizeof(rate), "at the rate of the first %.1f s", RATE_TO_TELL_MS / 1e3);
	lkst_out_init_stream(out, stdout);
	lkst_recording_print_has(out, s, &now);
	lkst_recording_print_history(out, &h, rate);
	lkst_recording_print_core(out, &cost, budget.page.limit_ppm);
	lkst_out_flush(out);
	return 0;
}

/* What recording may cost, 0: there is no limit. One that nobody asked for is left off where it cannot be kept. */
static u32 budget_ppm(const struct start_options *o)
{
	if (o->budget_ppm != BUDGET_BY_DEFAULT)
		return (u32)o->budget_ppm;
	return lkst_kernel_can_limit() ? LKST_USUAL_BUDGET_PPM : 0;
}

/* Whether what is cheap is all that is recorded: nobody has chosen, and there can be no limit of what more costs. */
static bool is_core_alone(const struct start_options *o)
{
	return !o->maskset && !o->events.nr && o->budget_ppm == BUDGET_BY_DEFAULT && !lkst_kernel_is_realtime() &&
	       !lkst_kernel_can_limit();
}

static void note_no_limit(const struct start_options *o)
{
	if (o->budget_ppm != BUDGET_BY_DEFAULT || budget_ppm(o) || o->quiet)
		return;
	if (lkst_kernel_is_realtime())
		fprintf(stderr, "lkst: There is no cost limit: this kernel is one for real time "
				"(PREEMPT_RT), on which none can be kept.\n");
	else if (is_core_alone(o))
		fprintf(stderr, "lkst: This kernel is too old to keep a cost limit, so that only the core is recorded: "
				"who runs, who waits in what, and what wakes; --maskset has more.\n");
	else
		fprintf(stderr, "lkst: There is no cost limit: this kernel is too old to keep one.\n");
}

/* The maskset to begin with; NULL: what --event has chosen. */
static const char *first_maskset(const struct start_options *o)
{
	if (o->maskset)
		return o->maskset;
	if (is_core_alone(o))
		return CORE_MASKSET;
	return o->events.nr ? NULL : DEFAULT_MASKSET;
}

/*
 * Masksets from files again, now that the recording is pinned: the handler that evaluates the conditions of
 * their rows can be loaded only then. Nothing is recorded yet.
 */
static int start_write_conditions(struct lkst_err *e, const struct start_options *o, struct lkst_session *s)
{
	struct lkst_notes repeated = {};
	unsigned int i;
	u32 set, first = LKST_MASKSETS, ignored;
	int err = 0;

	if (o->maskset && strchr(o->maskset, '/'))
		err = lkst_maskset_get(e, s, o->maskset, &repeated, &first);
	for (i = 0; i < o->armed.nr && !err; i++)
		if (strchr(o->armed.items[i], '/'))
			err = lkst_maskset_get(e, s, o->armed.items[i], &repeated, &set);
	/* Its hooks, and those of the handler, which nobody needed as long as it was not active. */
	if (!err && first < LKST_MASKSETS)
		err = lkst_maskset_attach(e, s, 1U << first, NULL, &repeated, &ignored);
	lkst_notes_fini(&repeated);
	return err;
}

/* The label of the recording; NULL: it has none. */
static const char *label_of(const struct start_options *o)
{
	const char *variable = getenv(LABEL_VARIABLE);

	return o->label ?: variable && *variable ? variable : NULL;
}

static int start_check_label(struct lkst_err *e, const struct start_options *o)
{
	const char *label = label_of(o);
	int err = label ? lkst_label_check(e, label) : 0;

	if (err)
		lkst_err_add(e, o->label ? "--label" : LABEL_VARIABLE);
	return err;
}

/* Has programs mark until `lkst stop`. */
static void start_ask_programs(bool is_quiet)
{
	const int err = lkst_marks_ask(UINT64_MAX, false);

	if (err == -ETIMEDOUT && !is_quiet)
		fprintf(stderr, "lkst: Some programs may record no marks: a user holds the locks of files in "
				"/dev/shm.\n");
	else if (err == -EAGAIN && !is_quiet)
		fprintf(stderr, "lkst: Some programs may record no marks: the process that asks them was killed, or "
				"takes too long.\n");
	else if (err && !is_quiet)
		fprintf(stderr, "lkst: Programs that begin later record no marks: /dev/shm/lkst-mark-wanted cannot be "
				"written: %s.\n", strerror(-err));
}

static int start_arm(struct lkst_err *e, const struct start_options *o, const struct lkst_plan *plan,
		     struct lkst_turn *turn)
{
	struct lkst_session_options options = { .buffer_bytes = o->buffer_bytes,
						.block_bytes = o->block_bytes,
						.wish_ns = o->history_ns,
						.nr_banks = o->incidents,
						.budget_ppm = budget_ppm(o),
						.behind_bytes = o->behind_bytes,
						.is_on_node = o->numa_node != LKST_NODE_ANY,
						.numa_node = (int)o->numa_node,
						.sampling = lkst_sample_rate(&o->samples),
						.off_cpu_ns = o->samples.off_cpu_ns,
						.maskset = first_maskset(o),
						.armed = o->armed.items,
						.nr_armed = o->armed.nr,
						.is_to_be_pinned = true };
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	int err;

	if (o->history_ns)
		err = choose_buffer(e, o, plan, &options);
	else
		err = 0;
	if (options.buffer_bytes == UINT64_MAX)
		options.buffer_bytes = lkst_history_usual();
	options.spare_bytes = spare_bytes(o, options.buffer_bytes);
	if (!err)
		err = lkst_session_start(e, plan, &options, &s);
	if (err)
		return err;
	err = lkst_incidents_prepare(e, s, o->incidents) ?: lkst_pins_prepare(e);
	if (err)
		return err;
	err = lkst_label_pin(e, label_of(o)) ?: lkst_session_pin(e, s) ?: start_write_conditions(e, o, s);
	if (err) {
		discard_rest(e);
		return err;
	}
	lkst_session_arm(s, true);
	/* With events recorded already: no thread comes or goes unseen in between. */
	err = lkst_state_keep_machine(e, s);
	if (err) {
		discard_rest(e);
		return err;
	}
	start_ask_programs(o->quiet);
	lkst_readings_make(s);
	lkst_turn_give(turn);
	lkst_recording_print_notes(plan, s, o->quiet);
	lkst_recording_leave_id(s, o->quiet);
	note_no_limit(o);
	return o->quiet ? 0 : tell_start(e, s);
}

/*
 * What there is already: 1 if it is a recording, 0 if there is none any more. One that cannot be opened was left
 * by a start or stop that was interrupted: nobody is at it, for the lock is ours, and it is cleared.
 */
static int look_at_recording(struct lkst_err *e, bool quiet)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	int err = lkst_session_open(e, &s);

	/* In the initial RAM disk there was no place for it, nor for what programs are asked. */
	if (!err) {
		lkst_recording_leave_id(s, true);
		lkst_marks_ask(UINT64_MAX, false);
	}
	if (err != -EIO)
		return err ? err : 1;
	err = lkst_session_remove(e);
	lkst_marks_ask(lkst_monotonic_ns() + LKST_MARKS_END_NS, true);
	if (!err && !quiet)
		fprintf(stderr, "lkst: What an interrupted start or stop had left is cleared.\n");
	return err;
}

/* 1: there is a recording, which --keep leaves alone. */
static int check_recording(struct lkst_err *e, const struct start_options *o)
{
	int found = lkst_pins_exist() ? look_at_recording(e, o->quiet) : 0;

	if (found <= 0)
		return found;
	if (!o->keep)
		return lkst_err_set(e, -EBUSY,
				    "a recording is there already; `lkst status` shows it, `lkst "
				    "stop` ends it");
	if (!o->quiet)
		printf("a recording is there already, and goes on\n");
	return 1;
}

static int start_make_plan(struct lkst_err *e, const struct start_options *o, struct lkst_plan **ret_plan)
{
	struct lkst_plan_options options = { .globs = o->events.items,
					     .nr_globs = o->events.nr,
					     .btf_file = getenv(LKST_BTF_VARIABLE),
					     .is_whole = true,
					     .has_samples = o->samples.hz != 0,
					     .has_off_cpu = o->samples.off_cpu_ns != 0,
					     .has_mappings = o->samples.mappings };
	int err = o->counters ? lkst_perf_counters_parse(e, o->counters, options.counters) : 0;

	return err ?: lkst_plan_make_for(e, &options, ret_plan);
}

static int control_start(struct lkst_err *e, const struct start_options *o)
{
	struct lkst_plan *plan = NULL;
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_CHANGE, &turn) ?:
		  check_recording(e, o) ?:
		  lkst_sample_check(e, &o->samples) ?:
		  start_check_label(e, o) ?:
		  start_make_plan(e, o, &plan) ?:
		  lkst_recording_identify(e, plan->catalog) ?:
		  start_arm(e, o, plan, &turn);

	lkst_turn_give(&turn);
	lkst_plan_free(plan);
	return err < 0 ? err : 0;
}

static int start_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct start_options *o = options;
	struct lkst_err why = {};
	int err = control_start(e, o);

	/* Without its help recording goes on, and costs more. */
	if (!err && !o->no_helper && (budget_ppm(o) || o->keep) && lkst_limit_start(&why))
		lkst_print_message(
			stderr, "lkst: what is left out to keep to the limit is not detached: %s",
			why.text);
	return err;
}

const struct lkst_cmd lkst_cmd_start = {
	.name = "start",
	.summary = "start recording to memory, and exit",
	.help = "Loads and attaches the kernel programs, takes the memory, pins all of it in the BPF\n"
		"file system and exits. The newest events are kept in memory, the oldest are\n"
		"overwritten. `lkst snapshot` saves them, `lkst stop` ends recording, and `lkst maskset`\n"
		"changes what is recorded meanwhile. Without options it records maskset standard, what\n"
		"`lkst report` and `lkst why` read, and costs at most 5 % of each CPU's time. It begins\n"
		"with maskset core and with what else has room below that limit, and says so. Only the limit\n"
		"needs a process, `lkst limit`: it sleeps until hooks have to be detached.",
	.examples =
		"  lkst start                              maskset standard\n"
		"  lkst start --maskset RDEFAULT           also allocations, packets and timers being set\n"
		"  lkst start --buffer 64M                 a longer history\n"
		"  lkst start --history 60s                as much memory as a minute takes\n"
		"  lkst start --maskset core               only who runs, who waits in what, and what wakes\n"
		"  lkst start --maskset flight             system calls, switches and wake-ups\n"
		"  lkst start -e 'sched:*' -e 'syscall:*'  two groups\n"
		"  lkst start -e sched_switch -e 'ext4:*'  an event, and tracepoints by name\n"
		"  lkst start --incidents 4                room to keep four moments\n"
		"  lkst start --sample 99                  and 99 samples of each busy CPU a second\n"
		"  lkst start --budget 1%                  with a lower limit of what it costs\n"
		"  lkst start --budget none                whatever it costs\n"
		"  lkst start --label nightly              that `lkst stop --label nightly` ends\n"
		"  lkst start --config /etc/lkst/lkst.conf as the service does\n",
	.options = rows,
	.options_size = sizeof(struct start_options),
	.defaults = &defaults,
	.run = start_run,
};
