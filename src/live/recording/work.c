// SPDX-License-Identifier: GPL-2.0-only
/* How much work the machine has done, and what CPU time it took. */
#include "live/recording/work.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"

enum {
	IO_TEXT = 512,	  /* a /proc/PID/io has some 150 bytes */
	LINE_TEXT = 1024, /* the line of an interface, with its 16 counts */
	/* Of a unit in a window: fewer vary by chance alone. */
	DONE_MIN = 400,
	PAIRS_MIN = 6, /* the least and the most of 6 have a median between them with 97 % */
};

const char *const lkst_work_unit_names[LKST_NR_WORK_UNITS] = {
#define U(name, text) [LKST_WORK_##name] = text,
	LKST_WORK_UNITS(U)
#undef U
};

/* ---- reading ---------------------------------------------------------------------------------- */

/*
 * All time less the time that CPUs were idle or taken away: those are exact, while what a CPU did otherwise is only
 * looked at by its tick (kernel/sched/cputime.c). False: it cannot be read.
 */
static bool read_busy(u64 *ret_us)
{
	const u64 all = lkst_monotonic_ns() / 1000 * sysconf(_SC_NPROCESSORS_ONLN);
	const u64 tick_us = 1000000 / sysconf(_SC_CLK_TCK);
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	u64 idle, iowait, steal;

	if (!f || fscanf(f, "cpu %*u %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64, &idle,
			 &iowait, &steal) != 3)
		return false;
	*ret_us = all - (idle + iowait + steal) * tick_us;
	return true;
}

/* The number after the word @key at the beginning of a line of @path; 0: there is none. */
static u64 read_value(const char *path, const char *key)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0, length = strlen(key);

	while (f && getline(&line, &size, f) > 0)
		if (!strncmp(line, key, length) && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	return 0;
}

/* Received by all interfaces: the second number after the colon. */
static u64 read_packets(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/net/dev", "re");
	char line[LINE_TEXT];
	u64 sum = 0, packets;

	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (colon && sscanf(colon + 1, "%*u %" SCNu64, &packets) == 1)
			sum += packets;
	}
	return sum;
}

static u64 value_in(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * What a process did and its children that it has waited for (fs/proc/base.c, do_io_accounting(); kernel/exit.c,
 * wait_task_zombie()): the sum over those that exist goes on when one ends.
 */
static u64 read_calls(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	u64 sum = 0;

	while (proc && (d = readdir(proc))) {
		_cleanup_close_ int fd = -1;
		char path[sizeof(d->d_name) + sizeof("/io")], text[IO_TEXT];
		ssize_t got;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%s/io", d->d_name);
		fd = openat(dirfd(proc), path, O_RDONLY | O_CLOEXEC);
		got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (got <= 0)
			continue;
		text[got] = 0;
		sum += value_in(text, "syscr: ") + value_in(text, "syscw: ");
	}
	if (proc)
		closedir(proc);
	return sum;
}

int lkst_work_read(struct lkst_err *e, struct lkst_work *w)
{
	w->done[LKST_WORK_CALLS] = read_calls();
	w->done[LKST_WORK_PACKETS] = read_packets();
	w->done[LKST_WORK_FAULTS] = read_value("/proc/vmstat", "pgfault");
	w->done[LKST_WORK_SWITCHES] = read_value("/proc/stat", "ctxt");
	return read_busy(&w->busy_us)
		       ? 0
		       : lkst_err_set(e, -ENOTSUP, "/proc/stat does not say how busy the CPUs are");
}

/* ---- comparing -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * How many of @nr sorted values may be left out at either end so that the median of what they come from lies between
 * the others with 95 %: the largest k where the binomial distribution of @nr coins has P(at most k - 1) <= 0.025.
 */
static u32 left_out(u32 nr)
{
	double term = 1, sum;
	u32 i, k;

	for (i = 0; i < nr; i++)
		term /= 2;
	for (k = 0, sum = term; k < nr / 2 && sum <= 0.025; k++) {
		term = term * (nr - k) / (k + 1);
		sum += term;
	}
	return k ? k - 1 : 0;
}

/* The pairs in which @unit occurred often enough, as slowdowns, sorted. Returns how many. */
static u32 slowdowns(const struct lkst_work_pair *pairs, u32 nr, enum lkst_work_unit unit,
		     double *ret)
{
	u32 i, n = 0;

	for (i = 0; i < nr; i++) {
		const struct lkst_work *on = &pairs[i].recorded, *off = &pairs[i].unrecorded;

		if (on->done[unit] < DONE_MIN || off->done[unit] < DONE_MIN || !off->busy_us)
			continue;
		ret[n++] = ((double)on->busy_us / on->done[unit]) /
				   ((double)off->busy_us / off->done[unit]) -
			   1;
	}
	qsort(ret, n, sizeof(*ret), by_value);
	return n;
}

int lkst_work_compare(struct lkst_err *e, const struct lkst_work_pair *pairs, u32 nr,
		      struct lkst_work_slowdown *ret)
{
	double values[LKST_WORK_PAIRS_MAX];
	enum lkst_work_unit unit;

	*ret = (struct lkst_work_slowdown){ .nr_pairs = 0 };
	for (unit = 0; unit < LKST_NR_WORK_UNITS && nr <= LKST_WORK_PAIRS_MAX; unit++) {
		u32 n = slowdowns(pairs, nr, unit, values), k = left_out(n);

		if (n < PAIRS_MIN || n < nr / 2 ||
		    (ret->nr_pairs && values[n - 1 - k] - values[k] >= ret->most - ret->least))
			continue;
		*ret = (struct lkst_work_slowdown){
			.unit = unit,
			.nr_pairs = n,
			.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
			.least = values[k],
			.most = values[n - 1 - k],
		};
	}
	return ret->nr_pairs ? 0
			     : lkst_err_set(e, -ENODATA,
					    "the machine did too little meanwhile to compare it");
}
