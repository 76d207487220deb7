// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeps by timers of every kind, one after the other, and measures how late it comes back. Prints a line
 * for each, "nap KIND DUE LATE SLACK", ns of CLOCK_MONOTONIC: the timer was to run at DUE or, for
 * relative ones, a little later; LATE ns after DUE the program ran again; the kernel was allowed SLACK ns.
 * The first line has the thread's number: "tid N".
 */
#include <sys/prctl.h>

#include "waits.h"

enum { NAPS_MAX = 4096 };

enum kind {
	RELATIVE, /* nanosleep(3), of the time of day: the C library's, and what sleep(1) uses */
	RELATIVE_RAW, /* nanosleep(2), of CLOCK_MONOTONIC */
	ABSOLUTE,     /* clock_nanosleep(2), CLOCK_MONOTONIC */
};

static const struct {
	const char *name;
	enum kind kind;
	unsigned int count;
	unsigned long slack_ns;
	ns_t sleep_ns;
} rounds[] = {
	{ "relative", RELATIVE, 1000, 50000, 100000 },
	{ "raw", RELATIVE_RAW, 500, 50000, 50000 },
	{ "absolute", ABSOLUTE, 1000, 50000, 100000 },
	{ "exact", RELATIVE, 200, 1, 200000 },
	{ "lenient", RELATIVE, 100, 5000000, 200000 },
	{ "lenient_absolute", ABSOLUTE, 100, 5000000, 200000 },
};

static struct {
	const char *name;
	ns_t due_ns, back_ns;
	unsigned long slack_ns;
} naps[NAPS_MAX];

static void nap(enum kind kind, ns_t due_ns, ns_t ns)
{
	struct timespec length = { 0, (long)ns };
	struct timespec due = { (time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000) };

	if (kind == ABSOLUTE)
		must(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL), "sleeping");
	else if (kind == RELATIVE)
		must(clock_nanosleep(CLOCK_REALTIME, 0, &length, NULL), "sleeping");
	else
		must((int)syscall(SYS_nanosleep, &length, NULL), "sleeping");
}

int main(void)
{
	unsigned int nr = 0, i, k;

	for (i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		must(prctl(PR_SET_TIMERSLACK, rounds[i].slack_ns), "setting the slack");
		for (k = 0; k < rounds[i].count && nr < NAPS_MAX; k++, nr++) {
			naps[nr].name = rounds[i].name;
			naps[nr].slack_ns = rounds[i].slack_ns;
			naps[nr].due_ns = now_ns() + rounds[i].sleep_ns;
			nap(rounds[i].kind, naps[nr].due_ns, rounds[i].sleep_ns);
			naps[nr].back_ns = now_ns();
		}
	}
	printf("tid %d\n", own_tid());
	for (i = 0; i < nr; i++)
		printf("nap %s %llu %llu %lu\n", naps[i].name, naps[i].due_ns,
		       naps[i].back_ns - naps[i].due_ns, naps[i].slack_ns);
	return 0;
}
