// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that block, sleep, yield and are preempted. Each marks the beginning and the end of its
 * work and prints what the kernel says of the time between:
 *
 *	TID FIRST-MARK LAST-MARK VOLUNTARY NONVOLUNTARY
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"
#include "spend.h"

enum { SECONDS = 1 };

struct counts {
	unsigned long voluntary, nonvoluntary;
};

static int to_ping[2], to_pong[2];
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong last_mark;

static struct counts read_counts(void)
{
	struct counts c = { 0, 0 };
	char line[256];
	FILE *f = fopen("/proc/thread-self/status", "r");

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %lu", &c.voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %lu", &c.nonvoluntary);
	}
	if (f)
		fclose(f);
	return c;
}

/* Marks a place at which the counts are known: they are the same before it and after it. */
static unsigned long mark_counted(struct counts *ret_counts)
{
	struct counts before, after;
	unsigned long number;

	do {
		number = atomic_fetch_add(&last_mark, 1) + 1;
		before = read_counts();
		mark(1, number);
		after = read_counts();
	} while (memcmp(&before, &after, sizeof(before)));
	*ret_counts = before;
	return number;
}

static void sleep_often(double until)
{
	struct timespec ts = { 0, 70000 };

	while (now() < until)
		nanosleep(&ts, NULL);
}

static void yield_often(double until)
{
	pin(0);
	while (now() < until)
		sched_yield();
}

/* The two ends of a ball game over pipes; it ends when one end has closed. */
static void ping(double until)
{
	char c = 0;

	while (now() < until)
		if (write(to_pong[1], &c, 1) != 1 || read(to_ping[0], &c, 1) != 1)
			break;
	close(to_pong[1]);
}

static void pong(double until)
{
	char c;

	(void)until;
	while (read(to_pong[0], &c, 1) == 1 && write(to_ping[1], &c, 1) == 1)
		;
}

static void (*const works[])(double until) = { spin_pinned, spin_pinned, spin,	sleep_often,
					       yield_often, ping,	 pong,	spin };

static void *run(void *arg)
{
	void (*const *work)(double) = arg;
	struct counts from, to;
	unsigned long first, last;

	first = mark_counted(&from);
	(*work)(now() + SECONDS);
	last = mark_counted(&to);
	pthread_mutex_lock(&print_lock);
	printf("%ld %lu %lu %lu %lu\n", syscall(SYS_gettid), first, last,
	       to.voluntary - from.voluntary, to.nonvoluntary - from.nonvoluntary);
	pthread_mutex_unlock(&print_lock);
	return NULL;
}

int main(void)
{
	enum { NR = sizeof(works) / sizeof(works[0]) };
	pthread_t threads[NR];
	int i;

	if (pipe(to_ping) || pipe(to_pong))
		return 1;
	for (i = 0; i < NR; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)&works[i]))
			return 1;
	for (i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
