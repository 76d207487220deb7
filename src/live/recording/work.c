// SPDX-License-Identifier: GPL-2.0-only
/* How much work programs do, and what CPU time it takes them. */
#include "live/recording/work.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum {
	FILE_TEXT = 1024, /* a /proc/PID/stat has some 350 bytes, an io 150 */
	/* Of a unit, and ns, in a window: fewer vary by chance alone. */
	DONE_MIN = 200,
	CPU_MIN_NS = 5000000,
	PAIRS_MIN = 6, /* the least and the most of 6 have their median between them with 97 % */
};

const char *const lkst_work_unit_names[LKST_NR_WORK_UNITS] = {
#define U(name, text) [LKST_WORK_##name] = text,
	LKST_WORK_UNITS(U)
#undef U
};

/* ---- reading ---------------------------------------------------------------------------------- */

/* Reads file @name of process @pid, with a NUL. False: there is none, or it may not be read. */
static bool work_read_file(int proc, const char *pid, const char *name, char text[FILE_TEXT])
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "%.20s/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, FILE_TEXT - 1);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

static u64 value_in(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* "PID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS MINFLT CMINFLT MAJFLT ...": proc_pid_stat(5). */
static bool parse_stat(const char *text, struct lkst_work_of *w)
{
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	u64 minor, major;

	if (!name || !end || end < name ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %" SCNu64 " %" SCNu64, &minor,
		   &w->reaped, &major) != 3)
		return false;
	snprintf(w->comm, sizeof(w->comm), "%.*s", (int)(end - name - 1), name + 1);
	w->done[LKST_WORK_FAULTS] = minor + major;
	return true;
}

/* False: it has ended meanwhile. */
static bool read_process(int proc, const char *pid, struct lkst_work_of *w)
{
	char text[FILE_TEXT];
	struct timespec cpu;
	clockid_t clock;

	*w = (struct lkst_work_of){ .pid = atoi(pid) };
	if (!work_read_file(proc, pid, "stat", text) || !parse_stat(text, w) ||
	    clock_getcpuclockid(w->pid, &clock) || clock_gettime(clock, &cpu))
		return false;
	w->cpu_ns = cpu.tv_sec * 1000000000ULL + cpu.tv_nsec;
	if (work_read_file(proc, pid, "io", text))
		w->done[LKST_WORK_CALLS] = value_in(text, "syscr: ") + value_in(text, "syscw: ");
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct lkst_work_of *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int work_add(struct lkst_work *w, const struct lkst_work_of *of)
{
	struct lkst_work_of *added = lkst_vec_add(w->list, w->nr);

	if (!added)
		return -ENOMEM;
	*added = *of;
	return 0;
}

int lkst_work_read(struct lkst_err *e, struct lkst_work *ret)
{
	DIR *proc = opendir("/proc");
	struct lkst_work_of of;
	struct dirent *d;
	int err = proc ? 0 : -errno;

	*ret = (struct lkst_work){};
	while (!err && (d = readdir(proc)))
		if (isdigit((unsigned char)d->d_name[0]) &&
		    read_process(dirfd(proc), d->d_name, &of))
			err = work_add(ret, &of);
	if (proc)
		closedir(proc);
	if (err)
		return lkst_err_sys(e, err, "reading what processes do");
	qsort(ret->list, ret->nr, sizeof(*ret->list), by_pid);
	return 0;
}

void lkst_work_fini(struct lkst_work *w)
{
	free(w->list);
	*w = (struct lkst_work){};
}

/* ---- windows ---------------------------------------------------------------------------------- */

static int work_by_name(const void *a, const void *b)
{
	const struct lkst_work_of *x = a, *y = b;

	return strcmp(x->comm, y->comm);
}

/* Those of one name, which follow each other, together. */
static void sum_up(struct lkst_work *w)
{
	u32 i, kept = 0, unit;

	for (i = 0; i < w->nr; i++) {
		struct lkst_work_of *of = &w->list[i];

		if (!kept || strcmp(w->list[kept - 1].comm, of->comm)) {
			w->list[kept++] = *of;
			continue;
		}
		w->list[kept - 1].cpu_ns += of->cpu_ns;
		for (unit = 0; unit < LKST_NR_WORK_UNITS; unit++)
			w->list[kept - 1].done[unit] += of->done[unit];
	}
	w->nr = kept;
}

/*
 * A process that has called exec is another program. One that has waited for a child has got the child's calls added to
 * its own (kernel/exit.c, wait_task_zombie()), but not its CPU time.
 */
static bool work_is_same(const struct lkst_work_of *begin, const struct lkst_work_of *end)
{
	return !work_by_name(begin, end) && begin->reaped == end->reaped && end->cpu_ns > begin->cpu_ns;
}

int lkst_work_between(struct lkst_err *e, const struct lkst_work *begin,
		      const struct lkst_work *end, struct lkst_work *ret)
{
	u32 i, j = 0, unit;
	int err = 0;

	*ret = (struct lkst_work){};
	for (i = 0; i < end->nr && !err; i++) {
		struct lkst_work_of of = end->list[i];

		while (j < begin->nr && begin->list[j].pid < of.pid)
			j++;
		if (j == begin->nr || begin->list[j].pid != of.pid ||
		    !work_is_same(&begin->list[j], &of))
			continue;
		of.cpu_ns -= begin->list[j].cpu_ns;
		for (unit = 0; unit < LKST_NR_WORK_UNITS; unit++)
			of.done[unit] -= begin->list[j].done[unit];
		err = work_add(ret, &of);
	}
	if (err)
		return lkst_err_sys(e, err, "comparing");
	if (ret->nr)
		qsort(ret->list, ret->nr, sizeof(*ret->list), work_by_name);
	sum_up(ret);
	return 0;
}

/* ---- comparing -------------------------------------------------------------------------------- */

static int work_by_value(const void *a, const void *b)
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

static const struct lkst_work_of *work_find(const struct lkst_work *w, const struct lkst_work_of *of)
{
	return w->nr ? bsearch(of, w->list, w->nr, sizeof(*w->list), work_by_name) : NULL;
}

/* The pairs in which @of did enough by @unit, as slowdowns, sorted. Returns how many. */
static u32 slowdowns(const struct lkst_work_pair *pairs, u32 nr, const struct lkst_work_of *of,
		     enum lkst_work_unit unit, double *ret)
{
	u32 i, n = 0;

	for (i = 0; i < nr; i++) {
		const struct lkst_work_of *on = work_find(&pairs[i].recorded, of);
		const struct lkst_work_of *off = work_find(&pairs[i].unrecorded, of);

		if (!on || !off || on->done[unit] < DONE_MIN || off->done[unit] < DONE_MIN ||
		    on->cpu_ns < CPU_MIN_NS || off->cpu_ns < CPU_MIN_NS)
			continue;
		ret[n++] = ((double)on->cpu_ns / on->done[unit]) /
				   ((double)off->cpu_ns / off->done[unit]) -
			   1;
	}
	qsort(ret, n, sizeof(*ret), work_by_value);
	return n;
}

/* By the unit whose pairs agree best. False: by none. */
static bool compare_one(const struct lkst_work_pair *pairs, u32 nr, const struct lkst_work_of *of,
			struct lkst_work_slowdown *s)
{
	double values[LKST_WORK_PAIRS_MAX];
	enum lkst_work_unit unit;

	*s = (struct lkst_work_slowdown){ .nr_pairs = 0 };
	for (unit = 0; unit < LKST_NR_WORK_UNITS; unit++) {
		u32 n = slowdowns(pairs, nr, of, unit, values), k = left_out(n);

		if (n < PAIRS_MIN || n < nr / 2 ||
		    (s->nr_pairs && values[n - 1 - k] - values[k] >= s->most - s->least))
			continue;
		s->unit = unit;
		s->nr_pairs = n;
		s->median = (values[(n - 1) / 2] + values[n / 2]) / 2;
		s->least = values[k];
		s->most = values[n - 1 - k];
	}
	memcpy(s->comm, of->comm, sizeof(s->comm));
	return s->nr_pairs;
}

static int by_cpu(const void *a, const void *b)
{
	const struct lkst_work_of *x = a, *y = b;

	return (x->cpu_ns < y->cpu_ns) - (x->cpu_ns > y->cpu_ns);
}

/* All programs of all windows, those with the most CPU time first. */
static int list_all(const struct lkst_work_pair *pairs, u32 nr, struct lkst_work *all)
{
	u32 i, k;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		for (k = 0; k < pairs[i].recorded.nr && !err; k++)
			err = work_add(all, &pairs[i].recorded.list[k]);
		for (k = 0; k < pairs[i].unrecorded.nr && !err; k++)
			err = work_add(all, &pairs[i].unrecorded.list[k]);
	}
	if (err || !all->nr)
		return err;
	qsort(all->list, all->nr, sizeof(*all->list), work_by_name);
	sum_up(all);
	qsort(all->list, all->nr, sizeof(*all->list), by_cpu);
	return 0;
}

int lkst_work_compare(struct lkst_err *e, const struct lkst_work_pair *pairs, u32 nr,
		      struct lkst_work_slowdown ret[LKST_WORK_ROWS])
{
	_cleanup_(lkst_work_fini) struct lkst_work all = {};
	u64 cpu_ns = 0;
	u32 i, rows = 0;
	int err;

	if (nr > LKST_WORK_PAIRS_MAX)
		nr = LKST_WORK_PAIRS_MAX;
	err = list_all(pairs, nr, &all);
	if (err)
		return lkst_err_sys(e, err, "comparing");
	for (i = 0; i < all.nr; i++)
		cpu_ns += all.list[i].cpu_ns;
	for (i = 0; i < all.nr && rows < LKST_WORK_ROWS; i++) {
		if (!compare_one(pairs, nr, &all.list[i], &ret[rows]))
			continue;
		ret[rows++].share = (double)all.list[i].cpu_ns / cpu_ns;
	}
	return rows ? (int)rows
		    : lkst_err_set(
			      e, -ENODATA,
			      "no program did enough meanwhile to compare it: calls that read or "
			      "write, or page faults");
}
