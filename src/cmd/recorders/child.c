/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that is run while something is recorded. */
#include "cmd/recorders/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out.h"
#include "base/time.h"
#include "cmd/recorders/streaming.h"

/* How long a command has to end after SIGTERM. */
#define CHILD_ENDS_NS (5 * LKST_NS_PER_S)

int lkst_child_prepare(struct lkst_err *e, const char *called, char **args, const sigset_t *mask,
		       struct lkst_child *ret_child)
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
	/* If the recorder dies before it writes to the pipe, the pipe closes and nothing is run. */
	close(hold[1]);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read(hold[0], &go, 1) != 1)
		_exit(127);
	execvp(args[0], args);
	failed = errno;
	lkst_print_message(stderr, "%s: running %s: %s", called, args[0], strerror(failed));
	_exit(failed == ENOENT ? 127 : 126);
}

int lkst_child_release(struct lkst_err *e, struct lkst_child *child)
{
	if (!child->pid)
		return 0;
	if (write(child->go, "", 1) != 1)
		return lkst_err_sys(e, -errno, "running the command");
	close(child->go);
	child->go = -1;
	return 0;
}

bool lkst_child_has_ended(struct lkst_child *child)
{
	if (child->pid && !child->has_ended)
		child->has_ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->has_ended;
}

void lkst_child_ask_to_end(struct lkst_child *child)
{
	if (!child->pid || lkst_child_has_ended(child))
		return;
	if (child->go >= 0)
		close(child->go);
	else
		kill(child->pid, SIGTERM);
	child->go = -1;
	/* A stopped process does not handle it. */
	kill(child->pid, SIGCONT);
}

void lkst_child_end(struct lkst_child *child, struct lkst_streaming *st)
{
	u64 end_ns = lkst_monotonic_ns() + CHILD_ENDS_NS;

	if (!child->pid)
		return;
	while (!lkst_child_has_ended(child) && lkst_monotonic_ns() < end_ns)
		if (lkst_streaming_is_told(st, 20))
			break;
	if (lkst_child_has_ended(child))
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, &child->status, 0);
	child->has_ended = true;
}

int lkst_child_result(const struct lkst_child *child)
{
	if (!child->has_ended)
		return 0;
	return WIFEXITED(child->status) ? WEXITSTATUS(child->status)
					: 128 + WTERMSIG(child->status);
}
