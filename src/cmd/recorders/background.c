/* SPDX-License-Identifier: GPL-2.0-only */
/* Continuing in the background. */
#include "cmd/recorders/background.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { FIRST_OTHER = STDERR_FILENO + 1 };

/* Waits for the process @child to be ready. */
static int wait_for(struct lkst_err *e, pid_t child, int ready, pid_t *ret_pid)
{
	ssize_t got;
	int status;
	pid_t pid;

	do
		got = read(ready, &pid, sizeof(pid));
	while (got < 0 && errno == EINTR);
	if (got == sizeof(pid)) {
		*ret_pid = pid;
		return 1;
	}
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	return lkst_err_set(e, -EIO, "the process in the background was killed");
}

/* Closes all inherited descriptors but the standard ones and @kept, which becomes the first other one. */
static int close_others(int kept)
{
	if (kept != FIRST_OTHER) {
		dup3(kept, FIRST_OTHER, O_CLOEXEC);
		close(kept);
	}
	close_range(FIRST_OTHER + 1, ~0U, 0);
	return FIRST_OTHER;
}

int lkst_background_enter(struct lkst_err *e, int *ret_ready, pid_t *ret_pid)
{
	int ready[2], code;
	pid_t child;

	if (pipe2(ready, O_CLOEXEC))
		return lkst_err_sys(e, -errno, "going to the background");
	child = fork();
	if (child) {
		close(ready[1]);
		code = child < 0 ? lkst_err_sys(e, -errno, "going to the background")
				 : wait_for(e, child, ready[0], ret_pid);
		close(ready[0]);
		return code;
	}
	*ret_ready = close_others(ready[1]);
	setsid();
	umask(077);
	return 0;
}

void lkst_background_ready(int ready)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid = getpid();

	/* Otherwise its file system could not be unmounted. */
	if (chdir("/"))
		syslog(LOG_WARNING, "cannot leave the working directory: %m");
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	/* If the waiting process is gone, nobody has to be told. */
	while (write(ready, &pid, sizeof(pid)) < 0 && errno == EINTR)
		;
	close(ready);
}
