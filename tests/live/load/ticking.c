// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes of which it is known where they run: one in a function of its own, one in a system call that does not wait,
 * and one that sleeps again and again, with a timer each time.
 *
 *	ticking SECONDS
 *
 * Prints a line for each: "NAME PID ADDRESS USER_US SYSTEM_US": the function, and the CPU time that it took in its
 * program and in the kernel, as the kernel accounts it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 1000000, READ_BYTES = 1 << 20, NAP_NS = 50000 };

static volatile uint64_t sum;
static char bytes[READ_BYTES];

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void __attribute__((noinline)) spin(void)
{
	int i;

	for (i = 0; i < TURNS; i++)
		sum += (uint64_t)i * sum;
}

static void in_program(double seconds)
{
	double end = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;

	while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		spin();
}

static void in_call(double seconds)
{
	double end = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		if (read(fd, bytes, sizeof(bytes)) <= 0)
			break;
}

static void in_naps(double seconds)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	double end = seconds_of(CLOCK_MONOTONIC) + seconds;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while (seconds_of(CLOCK_MONOTONIC) < end)
		nanosleep(&nap, NULL);
}

static const struct {
	const char *name;
	void (*run)(double seconds);
} kinds[] = { { "program", in_program }, { "call", in_call }, { "naps", in_naps } };
enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static long long us_of(const struct timeval *t)
{
	return t->tv_sec * 1000000LL + t->tv_usec;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct rusage u;
	int i, status;

	for (i = 0; i < NR_KINDS; i++) {
		if (fork())
			continue;
		kinds[i].run(seconds);
		getrusage(RUSAGE_SELF, &u);
		printf("%s %d %lld %lld %lld\n", kinds[i].name, (int)getpid(), (long long)(uintptr_t)spin,
		       us_of(&u.ru_utime), us_of(&u.ru_stime));
		return 0;
	}
	for (i = 0; i < NR_KINDS; i++)
		if (wait(&status) < 0 || status)
			return 1;
	return 0;
}
