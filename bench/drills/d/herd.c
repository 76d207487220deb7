/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thundering herd: each event wakes 60 threads, all of which look at it, and a thread with work of its own waits.
 *
 * truth: 60 th-herd threads are woken at once each 10 ms and compute 0.4 ms each; th-worker waits for a CPU behind
 * truth: them
 * victim: th-worker
 * fact: WHO th-herd
 * fact: WHAT waited for a CPU|waited for CPU
 * amount: no
 */
#include "drill.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static unsigned long nr;

static void *herd(void *arg)
{
	unsigned long seen = 0;

	name("th-herd");
	while (goes_on()) {
		pthread_mutex_lock(&lock);
		while (seen == nr && goes_on())
			pthread_cond_wait(&came, &lock);
		seen = nr;
		pthread_mutex_unlock(&lock);
		work(.4);
	}
	return arg;
}

static void *source(void *arg)
{
	name("th-source");
	while (goes_on()) {
		pthread_mutex_lock(&lock);
		nr++;
		pthread_cond_broadcast(&came);
		pthread_mutex_unlock(&lock);
		nap(10);
	}
	return arg;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int i;

	drill_init();
	drill_begin(3);
	for (i = 0; i < 60; i++)
		thread(herd, NULL);
	thread(source, NULL);
	name("th-worker");
	while (goes_on()) {
		uint64_t from = now();

		work(4);
		took(ops, from, 10);
		nap(4);
	}
	drill_tell(ops, 20, 12);
	exit(0);
}
