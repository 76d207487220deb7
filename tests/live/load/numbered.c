// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that number their system calls: thread K calls getpriority(0x1000 + K, N) with N = 0, 1, 2 ...,
 * so that none can be missing, or be there twice, unseen.
 *
 *	numbered THREADS CALLS
 *
 * Prints a line "K TID" for each thread; they begin when standard input ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 16 };

static unsigned long nr_calls;
static pthread_barrier_t barrier;

static void *call(void *argument)
{
	long which = 0x1000 + (long)argument;
	unsigned long n;

	printf("%ld %ld\n", (long)argument, syscall(SYS_gettid));
	fflush(stdout);
	pthread_barrier_wait(&barrier);
	for (n = 0; n < nr_calls; n++)
		syscall(SYS_getpriority, which, n);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long nr = argc == 3 ? strtol(argv[1], NULL, 10) : 0, i;

	if (nr < 1 || nr > THREADS_MAX) {
		fprintf(stderr, "usage: numbered THREADS CALLS\n");
		return 2;
	}
	nr_calls = strtoul(argv[2], NULL, 10);
	pthread_barrier_init(&barrier, NULL, nr + 1);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, call, (void *)i))
			return 1;
	while (getchar() != EOF)
		;
	pthread_barrier_wait(&barrier);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
