/* SPDX-License-Identifier: GPL-2.0-only */
/* <signal.h> for the page, where there are none. */
#ifndef LKST_WASI_SIGNAL_H
#define LKST_WASI_SIGNAL_H

#define SIGPIPE 13
#define SIG_DFL ((void (*)(int))0)

static inline void (*signal(int number, void (*handler)(int)))(int)
{
	return handler;
}

#endif
