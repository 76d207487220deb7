/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread on each CPU that does nothing but system calls, and a recording of this process alone: for the
 * tests that account for every call. A thread calls in rounds, with the round's number in place of a
 * descriptor. It rises by one each time, so that a call that is missing shows.
 */
#ifndef LKST_TESTS_LIVE_WORKERS_H
#define LKST_TESTS_LIVE_WORKERS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "live.h"
#include "live/recording/start.h"
#include "trace/format/block.h"

enum {
	LIVE_WORKERS_MAX = 64,
	LIVE_FIRST_ROUND = 1 << 20, /* no descriptor is as high */
};

struct live_worker {
	pthread_t thread;
	int cpu;
	s32 tid;
	void (*call_round)(unsigned int round);
};

static struct live_worker live_workers[LIVE_WORKERS_MAX];
static unsigned int live_nr_workers;
static atomic_uint live_nr_ready;
static atomic_bool live_is_done;

/* Lengthens a round, without leaving the CPU. */
static inline void live_spin(unsigned int times)
{
	volatile unsigned int i;

	for (i = 0; i < times; i++)
		;
}

static inline void *live_call_often(void *arg)
{
	struct live_worker *w = arg;
	cpu_set_t set;
	unsigned int i;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	/* The thread that starts them may come before all others; threads of the kernel that it waits for may not wait
	 * for these. */
	setpriority(PRIO_PROCESS, 0, 0);
	w->tid = (s32)syscall(SYS_gettid);
	atomic_fetch_add(&live_nr_ready, 1);
	for (i = LIVE_FIRST_ROUND; !atomic_load(&live_is_done); i++)
		w->call_round(i);
	return NULL;
}

/* Starts them and waits until all are there. live_workers_stop() is called once, after a failure too. */
static inline int live_workers_start(struct lkst_err *e, void (*call_round)(unsigned int round))
{
	cpu_set_t online;
	int cpu;

	sched_getaffinity(0, sizeof(online), &online);
	for (cpu = 0; cpu < CPU_SETSIZE && live_nr_workers < LIVE_WORKERS_MAX; cpu++) {
		struct live_worker *w = &live_workers[live_nr_workers];

		if (!CPU_ISSET(cpu, &online))
			continue;
		w->cpu = cpu;
		w->call_round = call_round;
		if (pthread_create(&w->thread, NULL, live_call_often, w))
			return lkst_err_set(e, -EAGAIN, "starting threads");
		live_nr_workers++;
	}
	while (atomic_load(&live_nr_ready) < live_nr_workers)
		sched_yield();
	return 0;
}

static inline void live_workers_stop(void)
{
	unsigned int i;

	atomic_store(&live_is_done, true);
	for (i = 0; i < live_nr_workers; i++)
		pthread_join(live_workers[i].thread, NULL);
}

/* Whether @r is of a worker's call: which worker's, and in which round. */
static inline bool live_is_call(const struct lkst_record *r, unsigned int *ret_worker,
				u32 *ret_round)
{
	u32 round = (u32)lkst_record_int(r, &r->event->fields[0]);
	unsigned int i = 0;

	while (i < live_nr_workers && live_workers[i].tid != r->tid)
		i++;
	if (i == live_nr_workers || round < LIVE_FIRST_ROUND)
		return false;
	*ret_worker = i;
	*ret_round = round;
	return true;
}

/* What is done while it is recorded. */
typedef int live_work_fn(struct lkst_err *e, struct lkst_session *s, void *ctx);

/* Records the events @globs of this process, as @options say besides, while @work runs. */
static inline int live_record_self(struct lkst_err *e, char *const *globs, unsigned int nr_globs,
				   struct lkst_session_options options, live_work_fn *work,
				   void *ctx)
{
	u32 pid = (u32)getpid();
	struct lkst_session *s = NULL;
	struct lkst_plan *plan = NULL;
	int err;

	options.filter.mode = LKST_FILTER_PIDS;
	options.filter.pids = &pid;
	options.filter.nr_pids = 1;
	err = lkst_plan_make(e, globs, nr_globs, NULL, &plan);
	if (!err)
		err = lkst_session_start(e, plan, &options, &s);
	if (!err)
		err = work(e, s, ctx);
	lkst_session_close(s);
	lkst_plan_free(plan);
	return err;
}

#endif
