/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small load to measure with: two processes on one CPU that send each other a message and wait for the answer. It is
 * not a loop of one system call, because real loads are not: between two passes of a hook much other code runs, the
 * process changes, and it works with data of its own.
 */
#ifndef LKST_LIVE_LOAD_EXCHANGE_H
#define LKST_LIVE_LOAD_EXCHANGE_H

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include "abi/types.h"
#include "base/err.h"

enum { LKST_EXCHANGE_FILES = 2 };

/*
 * In each exchange, each of the two calls write(2), readlinkat(2) with a path of a usual length, and read(2), and has
 * the kernel write what two files of /proc hold.
 */
struct lkst_exchange {
	int fd;
	int files[LKST_EXCHANGE_FILES];
	int cpu;	 /* that it runs on */
	pid_t peer;
	u8 *data; /* that both work with, each its own copy */
	size_t data_bytes;
	cpu_set_t *cpus; /* that this process may use otherwise */
	size_t cpus_bytes;
	sighandler_t on_pipe; /* what this process does otherwise */
};

/* Starts it, with this process as one of the two, which stays on one CPU until it is stopped. */
int lkst_exchange_start(struct lkst_err *e, u32 nr_cpus, struct lkst_exchange *ret_x);

/* CPU time that an exchange takes, both of its processes, ns, by @nr of them; negative: it is broken. */
double lkst_exchange_run(const struct lkst_exchange *x, unsigned int nr);
void lkst_exchange_stop(struct lkst_exchange *x);

#endif
