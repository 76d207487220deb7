/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst record: streams to disk until a command ends or a signal comes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/recording.h"
#include "live/pins.h"
#include "live/state.h"
#include "live/drain.h"

struct options {
	const char *output;
	struct lkst_list events;
	u64 buffer_bytes, block_bytes;
	struct lkst_list pids;
	bool tree;
	bool quiet;
};

static const struct options defaults = {
	.buffer_bytes = 16 << 20,
	.block_bytes = 4 << 10,
};

static const struct lkst_option rows[] = {
	{ "output", 'o', LKST_OPTION_TEXT, "DIR", offsetof(struct options, output), 0, 0,
	  "lkst-DATE-TIME", "the trace directory to make" },
	{ "event", 'e', LKST_OPTION_LIST, "GLOB", offsetof(struct options, events), 0, 0,
	  "all of the catalogue but locks", "record what matches; see `lkst start --help`" },
	{ "pid", 'p', LKST_OPTION_LIST, "PID", offsetof(struct options, pids), 0, 0, NULL,
	  "only this process, decided in the kernel; may be repeated" },
	{ "tree", 't', LKST_OPTION_FLAG, NULL, offsetof(struct options, tree), 0, 0, NULL,
	  "only CMD, or the processes of --pid, and the processes\nthat they create" },
	{ "buffer", 'b', LKST_OPTION_SIZE, "SIZE", offsetof(struct options, buffer_bytes), 0, 0,
	  "16M", "memory per CPU, 64K to 4G" },
	{ "block", 0, LKST_OPTION_SIZE, "SIZE", offsetof(struct options, block_bytes), 0, 0, "4K",
	  "the unit of reading and writing, 4K to 1M" },
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "no progress line and no notes" },
	{ 0 },
};

enum { MANY_TRACEPOINTS = 10 };

/* The command that is run and recorded. */
struct child {
	pid_t pid;  /* 0: none */
	int go;	    /* written to, it starts */
	int status; /* as wait(2) gives it */
	bool has_ended;
};

struct recording {
	struct lkst_err *e;
	const struct options *o;
	struct lkst_session *s;
	struct lkst_writer *w;
	struct lkst_drain *drain;
	struct child child;
	int signals; /* a signalfd: SIGINT, SIGTERM, SIGCHLD */
	u64 start_ns;
};

/* Starts the command, held at a pipe until recording has begun. */
static int prepare_child(struct lkst_err *e, char **args, const sigset_t *old_mask,
			 struct child *ret_child)
{
	int hold[2], failed;
	char go;

	if (pipe2(hold, O_CLOEXEC))
		return lkst_err_sys(e, -errno, "preparing to run %s", args[0]);
	ret_child->pid = fork();
	if (ret_child->pid < 0)
		return lkst_err_sys(e, -errno, "running %s", args[0]);
	if (ret_child->pid) {
		close(hold[0]);
		ret_child->go = hold[1];
		return 0;
	}
	/* If the recorder dies before it lets go, the pipe closes and nothing is run. */
	close(hold[1]);
	sigprocmask(SIG_SETMASK, old_mask, NULL);
	if (read(hold[0], &go, 1) != 1)
		_exit(127);
	execvp(args[0], args);
	failed = errno;
	fprintf(stderr, "lkst record: running %s: %s\n", args[0], strerror(failed));
	_exit(failed == ENOENT ? 127 : 126);
}

static int release_child(struct recording *r)
{
	if (!r->child.pid)
		return 0;
	if (write(r->child.go, "", 1) != 1)
		return lkst_err_sys(r->e, -errno, "running the command");
	close(r->child.go);
	r->child.go = -1;
	return 0;
}

static void show_progress(const struct recording *r, bool last)
{
	u64 elapsed = lkst_monotonic_ns() - r->start_ns, lost = lkst_drain_overtaken(r->drain);
	char size[LKST_SIZE_TEXT];

	if (r->o->quiet || (!last && !isatty(STDERR_FILENO)))
		return;
	lkst_size_format(lkst_writer_bytes(r->w), size);
	fprintf(stderr, "%srecorded %.1f s, %s", isatty(STDERR_FILENO) ? "\r\033[K" : "",
		elapsed / 1e9, size);
	if (lost)
		fprintf(stderr,
			", %llu blocks overwritten before they were written: take a larger "
			"--buffer",
			(unsigned long long)lost);
	if (last)
		fputc('\n', stderr);
	fflush(stderr);
}

/* Waits up to @ms for a signal. 1: it is time to end. */
static int wait_for_end(struct recording *r, unsigned int ms)
{
	struct pollfd p = { .fd = r->signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&p, 1, ms) <= 0 || read(r->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo != SIGCHLD)
		return 1;
	if (r->child.pid && waitpid(r->child.pid, &r->child.status, WNOHANG) == r->child.pid)
		r->child.has_ended = true;
	return r->child.has_ended;
}

static int stream_until_end(struct recording *r)
{
	u64 shown_ns = r->start_ns, bytes;
	int err, ended = 0;

	while (!ended) {
		ended = wait_for_end(r, lkst_drain_pause_ms(r->drain));
		if (ended)
			lkst_session_arm(r->s, false);
		err = lkst_drain_copy(r->e, r->drain, &bytes);
		if (err)
			return err;
		if (lkst_monotonic_ns() - shown_ns > 200000000) {
			show_progress(r, false);
			shown_ns = lkst_monotonic_ns();
		}
	}
	return 0;
}

/* The command outlives an interrupted recording no longer than it takes to tell it. */
static void end_child(struct recording *r)
{
	if (!r->child.pid || r->child.has_ended)
		return;
	if (r->child.go >= 0)
		close(r->child.go);
	else
		kill(r->child.pid, SIGTERM);
	r->child.go = -1;
	waitpid(r->child.pid, &r->child.status, 0);
	r->child.has_ended = true;
}

static int record(struct recording *r, const char *dir)
{
	struct lkst_err close_e;
	int err, close_err;

	err = lkst_writer_open(r->e, dir, lkst_session_catalog(r->s), &r->w);
	if (err)
		return err;
	err = lkst_drain_new(r->e, r->s, r->w, 0, &r->drain);
	if (!err)
		err = lkst_state_write_machine(r->e, r->s, r->w);
	if (!err) {
		r->start_ns = lkst_monotonic_ns();
		lkst_session_arm(r->s, true);
		err = release_child(r);
	}
	if (!err)
		err = stream_until_end(r);
	lkst_session_arm(r->s, false);
	end_child(r);
	if (!err)
		err = lkst_drain_finish(r->e, r->drain);
	if (!err)
		err = lkst_state_write_ledger(r->e, r->s, r->w, false);
	if (r->drain && r->start_ns)
		show_progress(r, true);
	lkst_drain_free(r->drain);
	close_err = lkst_writer_close(err ? &close_e : r->e, r->w);
	return err ? err : close_err;
}

/* The processes that the recording is restricted to. */
static int parse_pids(struct lkst_err *e, const struct options *o, const struct child *child,
		      u32 *pids, struct lkst_filter *ret_filter)
{
	unsigned int i;

	for (i = 0; i < o->pids.nr; i++) {
		char *end;
		long pid = strtol(o->pids.items[i], &end, 10);

		if (*end || pid <= 0 || (kill(pid, 0) && errno == ESRCH))
			return lkst_err_set(e, -ESRCH, "there is no process %s", o->pids.items[i]);
		pids[ret_filter->nr_pids++] = pid;
	}
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

static int start_and_record(struct recording *r, const char *dir)
{
	struct lkst_session_options options = { .buffer_bytes = r->o->buffer_bytes,
						.block_bytes = r->o->block_bytes };
	struct lkst_plan *plan = NULL;
	u32 pids[LKST_LIST_MAX + 1];
	int err, lock;

	err = parse_pids(r->e, r->o, &r->child, pids, &options.filter);
	if (!err)
		err = lkst_plan_make(r->e, r->o->events.items, r->o->events.nr,
				     getenv(LKST_BTF_VARIABLE), &plan);
	if (!err)
		err = lkst_recording_identify(r->e, plan->catalog);
	if (!err) {
		lock = lkst_pins_lock(r->e);
		err = lock < 0 ? lock : lkst_session_start(r->e, plan, &options, &r->s);
		if (lock >= 0)
			close(lock);
	}
	if (!err) {
		lkst_recording_print_notes(plan, r->s, r->o->quiet);
		err = record(r, dir);
	}
	/* Each costs a grace period of the kernel: it waits until no CPU can be in the hook. */
	if (plan && plan->nr_tracepoints > MANY_TRACEPOINTS && !r->o->quiet)
		fprintf(stderr, "detaching %u tracepoints by name, one after the other ...\n",
			plan->nr_tracepoints);
	lkst_session_close(r->s);
	lkst_plan_free(plan);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct recording r = { .e = e, .o = options, .child.go = -1 };
	const char *dir = r.o->output;
	sigset_t mask, old_mask;
	char name[64];
	int err = 0;

	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "recording the kernel needs root; try again with sudo");
	if (!dir) {
		lkst_recording_default_dir(name, sizeof(name));
		dir = name;
	}
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &old_mask);
	r.signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r.signals < 0)
		return lkst_err_sys(e, -errno, "preparing for signals");
	if (nr_args)
		err = prepare_child(e, args, &old_mask, &r.child);
	/*
	 * The command has its own priority already. What writers overwrite while this process waits
	 * for a CPU is lost, and it runs for a few ms at a time; failing to get it is no error.
	 */
	setpriority(PRIO_PROCESS, 0, -20);
	if (!err)
		err = start_and_record(&r, dir);
	end_child(&r);
	close(r.signals);
	if (err)
		return err;
	if (!r.o->quiet)
		fprintf(stderr, "%s: `lkst print %s` shows it\n", dir, dir);
	/* Like env(1) and time(1): the status of what was run. */
	if (r.child.has_ended)
		return WIFEXITED(r.child.status) ? WEXITSTATUS(r.child.status)
						 : 128 + WTERMSIG(r.child.status);
	return 0;
}

const struct lkst_cmd lkst_cmd_record = {
	.name = "record",
	.summary = "record to a trace directory until a command ends, or Ctrl-C",
	.usage = "record [--output DIR] [--event GLOB]... [--pid PID]... [--tree] [--buffer SIZE] "
		 "[--block SIZE] [--quiet] [--] [CMD...]",
	.help = "Records all that happens on the machine, or in one process, while CMD runs, and writes\n"
		"it to a trace directory as it comes. Without CMD it goes on until SIGINT or SIGTERM.\n"
		"It is a recording of its own: one begun by `lkst start` goes on beside it.\n"
		"The exit status is that of CMD.",
	.examples =
		"  lkst record -- make                    all events but locks, while make runs\n"
		"  lkst record --tree -e 'syscall:*' ls   the system calls of one command\n"
		"  lkst record -p 1234 -o db              a process that runs already\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.max_args = UINT_MAX,
	.run = run,
};
