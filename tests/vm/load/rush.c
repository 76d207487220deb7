// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks of every kind, hit as fast as possible by more threads than there are CPUs, under a timer's
 * signals, each a number of times that it knows. Prints for each thread and event
 *
 *	EVENT NUMBER TID
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 1000, PAGE = 4096 };

struct runner {
	pthread_t thread;
	int tid;
	char *pages;
};

static int semaphores;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

/* In a round: two system calls, which call a function each, and two page faults. */
static void *rush(void *at)
{
	struct sembuf give = { .sem_op = 1 }, take = { .sem_op = -1 };
	struct runner *r = at;
	int i;

	r->tid = (int)syscall(SYS_gettid);
	for (i = 0; i < ROUNDS; i++) {
		must(!syscall(SYS_semop, semaphores, &give, 1), "semop");
		must(!syscall(SYS_semop, semaphores, &take, 1), "semop");
		*(volatile char *)(r->pages + 2 * i * PAGE) = 1;
		*(volatile char *)(r->pages + (2 * i + 1) * PAGE) = 1;
	}
	return NULL;
}

static void on_alarm(int signal)
{
	(void)signal;
}

int main(void)
{
	const struct itimerval often = { .it_interval = { .tv_usec = 1000 },
					 .it_value = { .tv_usec = 1000 } };
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct runner runners[THREADS];
	int i;

	semaphores = semget(IPC_PRIVATE, 1, 0600);
	must(semaphores >= 0, "semget");
	must(!sigaction(SIGPROF, &sa, NULL) && !setitimer(ITIMER_PROF, &often, NULL), "timer");
	for (i = 0; i < THREADS; i++) {
		struct runner *r = &runners[i];

		r->pages = mmap(NULL, 2 * ROUNDS * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		must(r->pages != MAP_FAILED, "mmap");
		madvise(r->pages, 2 * ROUNDS * PAGE, MADV_NOHUGEPAGE);
		must(!pthread_create(&r->thread, NULL, rush, r), "thread");
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(runners[i].thread, NULL);
		printf("syscall_entry_semop %d %d\n", 2 * ROUNDS, runners[i].tid);
		printf("syscall_exit_semop %d %d\n", 2 * ROUNDS, runners[i].tid);
		printf("do_semtimedop %d %d\n", 2 * ROUNDS, runners[i].tid);
		printf("pages %d %d %lu\n", 2 * ROUNDS, runners[i].tid,
		       (unsigned long)runners[i].pages);
	}
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
