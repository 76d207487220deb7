/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that ask a command to end. */
#include "cmd/frame/end_signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

static volatile sig_atomic_t flag;

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

const volatile sig_atomic_t *lkst_end_flag(void)
{
	return &flag;
}

static void set_flag(int number)
{
	flag = number;
}

void lkst_end_flag_by(int number, int flags)
{
	const struct sigaction action = { .sa_handler = set_flag, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

void lkst_end_flag_clear(void)
{
	flag = 0;
}
