// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel's clock run fast and slow by turns, as far as adjtimex(2) allows, while a program
 * runs, and then as it did before, whatever happens meanwhile:
 *
 *	slew PROGRAM ARGUMENT...
 *
 * Prints the slowest and fastest rate seen of CLOCK_MONOTONIC, in millionths of the hardware's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	USUAL_TICK = 10000, /* 1000000 / USER_HZ */
	TURN_NS = 20000000,
	FLIPS = 4000, /* in each turn */
	FREQUENCY_MAX = 500 << 16, /* 500 ppm */
};

static volatile sig_atomic_t is_over;

static void on_signal(int sig)
{
	(void)sig;
	is_over = 1;
}

static int set(long tick, long frequency)
{
	struct timex t = { .modes = ADJ_TICK | ADJ_FREQUENCY, .tick = tick, .freq = frequency };

	return adjtimex(&t) < 0 ? -errno : 0;
}

static long long read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int set_rate(int sign)
{
	/* A tenth of the tick is the most that the kernel takes. */
	return set(USUAL_TICK + sign * USUAL_TICK / 10, sign * FREQUENCY_MAX);
}

/* One turn at the rate that was set; returns how far the clock was from the hardware's. */
static double measure_turn(void)
{
	struct timespec turn = { 0, TURN_NS };
	long long mono = read_clock(CLOCK_MONOTONIC), raw = read_clock(CLOCK_MONOTONIC_RAW);

	nanosleep(&turn, NULL);
	mono = read_clock(CLOCK_MONOTONIC) - mono;
	raw = read_clock(CLOCK_MONOTONIC_RAW) - raw;
	return ((double)mono / raw - 1) * 1e6;
}

static int slew_until_over(void)
{
	double slowest = 1e9, fastest = -1e9, rate;
	int turn, flip, err;

	for (turn = 0; !is_over; turn++) {
		/* It is when the rate falls that a reader on another CPU may see the clock step back. */
		for (flip = 0; flip < FLIPS; flip++)
			set_rate(flip % 2 ? -1 : 1);
		err = set_rate(turn % 2 ? -1 : 1);
		if (err)
			return err;
		rate = measure_turn();
		slowest = rate < slowest ? rate : slowest;
		fastest = rate > fastest ? rate : fastest;
	}
	printf("%.0f %.0f\n", slowest, fastest);
	return 0;
}

/* In a process of its own, so that its death leaves somebody to set the clock right. */
static void slew(char **args)
{
	pid_t pid;
	int err;

	signal(SIGCHLD, on_signal);
	signal(SIGTERM, on_signal);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pid = fork();
	if (pid < 0)
		_exit(1);
	if (!pid) {
		execv(args[0], args);
		_exit(127);
	}
	err = slew_until_over();
	if (err)
		fprintf(stderr, "slew: adjtimex: %s\n", strerror(-err));
	fflush(stdout);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	_exit(err ? 3 : 0);
}

int main(int argc, char **argv)
{
	struct timex before = { .modes = 0 };
	int status = 0;
	pid_t pid;

	if (argc < 2 || adjtimex(&before) < 0) {
		fprintf(stderr, "slew: %s\n", argc < 2 ? "what to run?" : strerror(errno));
		return 3;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		slew(argv + 1);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (set(before.tick, before.freq)) {
		fprintf(stderr, "slew: the clock could not be set right\n");
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
