/* SPDX-License-Identifier: GPL-2.0-only */
/* Quotas of CPU time, by the files of cgroups. */
#include "live/state/quotas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

enum { TEXT_MAX = 4096 };

struct list {
	int dir; /* of the mount */
	bool is_unified;
	bool is_known; /* the hierarchy is that of which a trace knows the cgroups of threads */
	int (*each)(void *ctx, struct lkst_state_quota *quota, size_t length);
	void *ctx;
};

/* The number in the line of @text that begins with @name and a blank; 0: there is none. */
static u64 number_after(const char *text, const char *name)
{
	const size_t length = strlen(name);
	const char *line;

	for (line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, name, length) && line[length] == ' ')
			return strtoull(line + length + 1, NULL, 10);
	return 0;
}

/* Microseconds as nanoseconds; 0: neither a quota nor a period can be so long. */
static u64 as_ns(long long us)
{
	return us > 0 && us < LLONG_MAX / 1000 ? (u64)us * 1000 : 0;
}

bool lkst_state_parse_quota(const char *max, const char *quota, const char *period, const char *stat,
			    struct lkst_rec_state_quota *ret)
{
	long long quota_us = 0, period_us = 0;

	if (max && sscanf(max, "%lld %lld", &quota_us, &period_us) != 2)
		return false; /* "max 100000": it has none */
	if (!max && (!quota || !period || sscanf(quota, "%lld", &quota_us) != 1 ||
		     sscanf(period, "%lld", &period_us) != 1))
		return false;
	*ret = (struct lkst_rec_state_quota){ .quota_ns = as_ns(quota_us), .period_ns = as_ns(period_us) };
	if (!ret->quota_ns || !ret->period_ns)
		return false;
	if (stat) {
		/* Version 1 has the latter in ns. */
		ret->nr_throttled = number_after(stat, "nr_throttled");
		ret->throttled_ns = max ? 1000 * number_after(stat, "throttled_usec")
					: number_after(stat, "throttled_time");
	}
	return true;
}

/* The text of @file of the cgroup at @path; NULL: there is none. The caller frees it. */
static char *read_of(const struct list *l, const char *path, const char *file)
{
	char name[LKST_CGROUP_PATH + 32], *text = NULL;
	size_t length;

	snprintf(name, sizeof(name), ".%s/%s", path, file);
	if (lkst_read_file(NULL, l->dir, name, TEXT_MAX, &text, &length))
		return NULL;
	return text;
}

static int take_cgroup(void *ctx, u64 id, const char *path)
{
	struct list *l = ctx;
	_cleanup_free_ char *max = NULL, *quota = NULL, *period = NULL, *stat = NULL;
	struct lkst_state_quota rec;

	if (l->is_unified) {
		max = read_of(l, path, "cpu.max");
		if (!max)
			return 0;
	} else {
		quota = read_of(l, path, "cpu.cfs_quota_us");
		/* Most have none: -1. */
		if (!quota || quota[0] == '-')
			return 0;
		period = read_of(l, path, "cpu.cfs_period_us");
	}
	if (!lkst_state_parse_quota(max, quota, period, NULL, &rec.r))
		return 0;
	stat = read_of(l, path, "cpu.stat");
	lkst_state_parse_quota(max, quota, period, stat, &rec.r);
	rec.r.cgroup = l->is_known ? id : 0;
	strcpy(rec.path, path);
	return l->each(l->ctx, &rec, sizeof(rec.r) + strlen(path) + 1);
}

int lkst_state_list_quotas(int (*each)(void *ctx, struct lkst_state_quota *quota, size_t length), void *ctx)
{
	struct lkst_cgroup_mount mount, known;
	_cleanup_close_ int dir = -1;
	struct list l = { .each = each, .ctx = ctx };

	lkst_cgroup_mount_find_cpu(&mount);
	dir = mount.point[0] ? open(mount.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir < 0)
		return 0;
	lkst_cgroup_mount_find(&known);
	l.dir = dir;
	l.is_unified = mount.of == LKST_CGROUP_UNIFIED;
	l.is_known = known.of != LKST_CGROUP_NONE && known.hierarchy == mount.hierarchy;
	return lkst_cgroup_mount_walk(dir, take_cgroup, &l);
}
