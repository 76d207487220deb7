/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small load to measure with: two processes on one CPU that send each other a message and wait for the answer. It is
 * not a loop of one system call, because real loads are not: between two passes of a hook much other code runs, the
 * process changes, and it works with data of its own.
 */
#ifndef LKST_LIVE_COST_EXCHANGE_H
#define LKST_LIVE_COST_EXCHANGE_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "abi/types.h"
#include "base/err.h"

/*
 * In each exchange, each of the two calls write(2), some times readlinkat(2) with a path of a usual length and
 * getppid(2), and read(2). What is to be found out must be a good part of what an exchange takes: where each has the
 * kernel write files of /proc, too, the same comes out of ten times as many rounds only.
 */
struct lkst_exchange {
	int fd;
	int cpu;	 /* that it runs on */
	int nice;	 /* what this process has otherwise ... */
	bool is_first;	 /* ... if it was set to go first */
	pid_t peer;
	u8 *data; /* that both work with, each its own copy */
	size_t data_bytes;
	cpu_set_t *cpus; /* that this process may use otherwise */
	size_t cpus_bytes;
	sighandler_t on_pipe; /* what this process does otherwise */
};

/*
 * Starts it, with this process as one of the two, which stays on one CPU until it is stopped. Both go before others, if
 * they may, for it is over soon: what others leave in the caches would be measured with it.
 */
int lkst_exchange_start(struct lkst_err *e, u32 nr_cpus, struct lkst_exchange *ret_x);

/* CPU time that an exchange takes, both of its processes, ns, by @nr of them; negative: it is broken. */
double lkst_exchange_run(const struct lkst_exchange *x, unsigned int nr);
void lkst_exchange_stop(struct lkst_exchange *x);

#endif
