/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst limit: the process that a recording with a cost limit has. */
#include "cmd/control/limit.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/end_signals.h"
#include "cmd/recorders/background.h"
#include "live/recording/limit.h"

struct limit_options {
	u64 retry_ns;
	bool daemon, quiet;
};

#define SECOND_NS 1000000000ULL

static const struct limit_options defaults = { .retry_ns = LKST_BUDGET_RETRY_S * SECOND_NS };

static const struct lkst_option rows[] = {
	LKST_OPTION(DURATION, struct limit_options, retry_ns, .name = "retry", .argument = "TIME",
		    .min = SECOND_NS, .max = LKST_LIMIT_RETRY_MAX_S * SECOND_NS, .standard = "64s",
		    .help = "try after this at the latest, in whole seconds, whether what is\n"
			    "left out would cost less now, 1s to 1h"),
	LKST_OPTION(FLAG, struct limit_options, daemon, .name = "daemon", .letter = 'd',
		    .help = "go to the background when it has begun, and print its number"),
	LKST_OPTION(FLAG, struct limit_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors; succeed if there is nothing to do"),
	{},
};

/* ---- the process ------------------------------------------------------------------------------ */

/* Until the recording ends, or a signal comes. Wakes also when it is time to read the kernel's counters. */
static int run_until_end(struct lkst_err *e, struct lkst_limit *l, int signals)
{
	struct pollfd p[] = { { .fd = lkst_limit_fd(l), .events = POLLIN },
			      { .fd = signals, .events = POLLIN } };
	int err = 0;

	while (!err) {
		if (poll(p, 2, LKST_LIMIT_READINGS_MS) < 0 && errno != EINTR)
			return lkst_err_sys(e, -errno, "waiting");
		if (p[1].revents)
			return 0;
		err = lkst_limit_serve(e, l);
	}
	return err < 0 ? err : 0;
}

/* There is nothing to do where nothing has a limit, or somebody does it. */
static bool is_needless(int err)
{
	return err == -ENOENT || err == -ENODATA || err == -EBUSY;
}

static int limit_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct limit_options *o = options;
	_cleanup_(lkst_limit_closep) struct lkst_limit *l = NULL;
	_cleanup_close_ int signals = -1;
	int err, ready = -1;
	pid_t pid;

	err = o->daemon ? lkst_background_enter(e, &ready, &pid) : 0;
	if (err > 0) {
		if (!o->quiet)
			printf("%d\n", (int)pid);
		return 0;
	}
	signals = err ? err : lkst_end_signals_open(e);
	if (signals < 0)
		return signals;
	err = lkst_limit_open(e, o->retry_ns / SECOND_NS, &l);
	if (err)
		return o->quiet && is_needless(err) ? 0 : err;
	if (ready >= 0)
		lkst_background_ready(ready);
	return run_until_end(e, l, signals);
}

/* ---- starting it ------------------------------------------------------------------------------ */

int lkst_limit_start(struct lkst_err *e)
{
	static char name[] = "lkst", command[] = "limit", daemon[] = "--daemon",
		    quiet[] = "--quiet";
	char *argv[] = { name, command, daemon, quiet, NULL }, self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int err, status;
	pid_t pid;

	if (length < 0)
		return lkst_err_sys(e, -errno, "finding the program of `lkst limit`");
	self[length] = 0;
	fflush(stdout);
	/* Executed again, so that it has none of the memory and descriptors of this process. */
	err = -posix_spawn(&pid, self, NULL, NULL, argv, environ);
	if (err)
		return lkst_err_sys(e, err, "starting `lkst limit`");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return lkst_err_sys(e, -errno, "waiting for `lkst limit`");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return lkst_err_set(e, -EIO, "`lkst limit` could not begin");
	return 0;
}

const struct lkst_cmd lkst_cmd_limit = {
	.name = "limit",
	.summary = "keep a recording within its cost limit",
	.help = "A recording with a cost limit (`lkst start --budget`) leaves out the least\n"
		"valuable kinds of events while it costs more. These still cost something as long as their\n"
		"hooks are attached. This process detaches them when the kernel program asks for it, and\n"
		"attaches them again when it is time to try. It sleeps in between, and ends with the recording.\n"
		"Every 5 s it also keeps a reading of the kernel's counters, for `lkst check` of a snapshot.\n"
		"`lkst start --budget` starts it; by hand it is needed only when that one was killed. Without\n"
		"it recording goes on, and `lkst status` says so.",
	.examples =
		"  lkst limit --daemon         begin again\n"
		"  lkst limit -d --retry 8s    have what was left out in a storm back soon after it\n",
	.options = rows,
	.defaults = &defaults,
	.options_size = sizeof(struct limit_options),
	.run = limit_run,
};
