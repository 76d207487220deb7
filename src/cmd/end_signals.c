/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that ask a command to end. */
#include "cmd/end_signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

int lkst_end_signals_open(struct lkst_err *e)
{
	sigset_t mask;
	int fd;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? lkst_err_sys(e, -errno, "preparing for signals") : fd;
}
