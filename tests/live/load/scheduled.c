// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that compete for CPUs, sleep, and wait for each other, for a few hundred microseconds at a
 * time: the kernel's accounts are not to the microsecond at each switch. Each marks the beginning and the end
 * of its work and prints what the kernel's accounts say of the time between, which is in
 * /proc/PID/schedstat: time on CPUs, time on run queues, and how often it was given a CPU.
 *
 *	TID FIRST-MARK LAST-MARK RUN-NS WAIT-NS SLICES
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"
#include "spend.h"

enum { MILLISECONDS = 1500 };

struct account {
	unsigned long long run_ns, wait_ns, slices;
};

static int to_ping[2], to_pong[2];
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong last_mark;

static struct account read_account(void)
{
	struct account a = { 0, 0, 0 };
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (f && fscanf(f, "%llu %llu %llu", &a.run_ns, &a.wait_ns, &a.slices) != 3)
		memset(&a, 0, sizeof(a));
	if (f)
		fclose(f);
	return a;
}

/*
 * Marks a place at which the accounts are known. The time on CPUs is brought up to date when a thread
 * leaves one, so it sleeps first.
 */
static unsigned long mark_account(struct account *ret_account)
{
	struct timespec shortly = { 0, 1000 };
	struct account before, after;
	unsigned long number;

	do {
		nanosleep(&shortly, NULL);
		number = atomic_fetch_add(&last_mark, 1) + 1;
		before = read_account();
		mark(1, number);
		after = read_account();
	} while (memcmp(&before, &after, sizeof(before)));
	*ret_account = before;
	return number;
}

/* To the last CPU: not where the spinners are, if there is another. */
static void pin_elsewhere(void)
{
	pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
}

static void sleep_often(double until)
{
	struct timespec ts = { 0, 2000000 };

	pin_elsewhere();
	while (now() < until) {
		nanosleep(&ts, NULL);
		spin(now() + 0.0005);
	}
}

static void lock_often(double until)
{
	struct timespec ts = { 0, 1000000 };

	pin_elsewhere();
	while (now() < until) {
		pthread_mutex_lock(&work_lock);
		spin(now() + 0.0004);
		pthread_mutex_unlock(&work_lock);
		nanosleep(&ts, NULL);
	}
}

/* The two ends of a ball game over pipes; it ends when one end has closed. */
static void ping(double until)
{
	char c = 0;

	pin_elsewhere();
	while (now() < until) {
		spin(now() + 0.0004);
		if (write(to_pong[1], &c, 1) != 1 || read(to_ping[0], &c, 1) != 1)
			break;
	}
	close(to_pong[1]);
}

static void pong(double until)
{
	char c;

	(void)until;
	pin_elsewhere();
	while (read(to_pong[0], &c, 1) == 1 && write(to_ping[1], &c, 1) == 1)
		spin(now() + 0.0004);
}

static void (*const works[])(double until) = { spin_pinned, spin_pinned, sleep_often, sleep_often,
					       lock_often,  lock_often,	 ping,	      pong };

static void *run(void *arg)
{
	void (*const *work)(double) = arg;
	struct account from, to;
	unsigned long first, last;

	first = mark_account(&from);
	(*work)(now() + MILLISECONDS / 1e3);
	last = mark_account(&to);
	pthread_mutex_lock(&print_lock);
	printf("%ld %lu %lu %llu %llu %llu\n", syscall(SYS_gettid), first, last,
	       to.run_ns - from.run_ns, to.wait_ns - from.wait_ns, to.slices - from.slices);
	pthread_mutex_unlock(&print_lock);
	return NULL;
}

int main(void)
{
	enum { WORKS = sizeof(works) / sizeof(works[0]) };
	pthread_t threads[WORKS];
	int i;

	if (pipe(to_ping) || pipe(to_pong))
		return 1;
	for (i = 0; i < WORKS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)&works[i]))
			return 1;
	for (i = 0; i < WORKS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
