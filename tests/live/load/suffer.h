/* SPDX-License-Identifier: GPL-2.0-only */
/* What incidents share: threads and processes with names, and what those who suffer have measured themselves. */
#ifndef LKST_TESTS_SUFFER_H
#define LKST_TESTS_SUFFER_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "waits.h"

static struct {
	pthread_mutex_t lock;
	ns_t lost_ns, longest_ns;
	unsigned long times;
} sum = { .lock = PTHREAD_MUTEX_INITIALIZER };

static inline void name(const char *comm)
{
	prctl(PR_SET_NAME, comm);
}

/* It has suffered since @from_ns. */
static inline void add(ns_t from_ns)
{
	const ns_t ns = now_ns() - from_ns;

	pthread_mutex_lock(&sum.lock);
	sum.lost_ns += ns;
	sum.longest_ns = ns > sum.longest_ns ? ns : sum.longest_ns;
	sum.times++;
	pthread_mutex_unlock(&sum.lock);
}

/* A process that ends with this one, and has its name when this returns: on a busy machine it may begin much later. */
static inline pid_t child(void (*run)(void), const char *comm)
{
	int begins[2];
	char byte;
	pid_t pid;

	must(pipe(begins), "making a pipe");
	pid = fork();
	must(pid < 0 ? -1 : 0, "making a process");
	if (pid) {
		close(begins[1]);
		must(read(begins[0], &byte, 1) == 1 ? 0 : -1, "waiting for a process");
		close(begins[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	name(comm);
	must(write(begins[1], "b", 1) == 1 ? 0 : -1, "beginning");
	close(begins[0]);
	close(begins[1]);
	run();
	_exit(0);
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
