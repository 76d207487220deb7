/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the CPUs and of the kernel. */
#include "live/kernel/perf_counters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* How perf_event_open(2) is asked for each. */
static const struct {
	u32 type;
	u64 config;
} rows[LKST_NR_PERF_COUNTERS] = {
#define P(number, id, name, type, config) [number] = { PERF_TYPE_##type, PERF_COUNT_##config },
	LKST_PERF_COUNTERS(P)
#undef P
};

/* The number of the counter whose name is the @length characters at @name; 0: there is none. */
static u8 perf_counters_find(const char *name, size_t length)
{
	u8 i;

	for (i = 1; i < LKST_NR_PERF_COUNTERS; i++)
		if (strlen(lkst_perf_counter_names[i]) == length &&
		    !memcmp(lkst_perf_counter_names[i], name, length))
			return i;
	return 0;
}

static int no_such(struct lkst_err *e, const char *name, size_t length)
{
	int err =
		lkst_err_set(e, -EINVAL, "\"%.*s\" is not a counter; there are", (int)length, name);
	unsigned int i;

	for (i = 1; e && i < LKST_NR_PERF_COUNTERS; i++)
		snprintf(e->text + strlen(e->text), sizeof(e->text) - strlen(e->text), "%s %s",
			 i == 1 ? "" : ",", lkst_perf_counter_names[i]);
	return err;
}

int lkst_perf_counters_parse(struct lkst_err *e, const char *text, u8 ret[LKST_PERF_AT_ONCE])
{
	u8 found[LKST_PERF_AT_ONCE] = {};
	unsigned int nr = 0;

	for (;; text++) {
		size_t length = strcspn(text, ",");
		u8 one = perf_counters_find(text, length);

		if (!one)
			return no_such(e, text, length);
		if (memchr(found, one, sizeof(found)))
			return lkst_err_set(e, -EINVAL, "counter %s is there twice",
					    lkst_perf_counter_names[one]);
		if (nr == LKST_PERF_AT_ONCE)
			return lkst_err_set(e, -EINVAL,
					    "at most %u counters can be read at each switch",
					    LKST_PERF_AT_ONCE);
		found[nr++] = one;
		text += length;
		if (!*text)
			break;
	}
	memcpy(ret, found, sizeof(found));
	return 0;
}

static int refused(struct lkst_err *e, u8 counter, int err)
{
	const char *name = lkst_perf_counter_names[counter];

	if (err == -EPERM || err == -EACCES)
		return lkst_err_set(
			e, err,
			"this process may not count %s on all CPUs; it takes root with CAP_PERFMON",
			name);
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -EINVAL)
		return lkst_err_set(
			e, -ENOENT,
			"%s cannot be counted here: the kernel has no such counter of this CPU (most "
			"virtual machines have none); cpu-clock, page-faults and major-faults are counted "
			"on any machine",
			name);
	return lkst_err_sys(e, err, "counting %s", name);
}

/*
 * A counter of CPU @cpu. It is pinned: if the CPU has no register left for it, that shows at once, for then nothing can
 * be read from it (perf_event_open(2)).
 */
static int open_one(struct lkst_err *e, u8 counter, u32 cpu, int *ret_fd)
{
	struct perf_event_attr attr = { .type = rows[counter].type,
					.config = rows[counter].config,
					.size = sizeof(attr),
					.pinned = rows[counter].type == PERF_TYPE_HARDWARE };
	_cleanup_close_ int fd =
		(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	u64 value;

	if (fd < 0 && errno == ENODEV)
		return 1; /* the CPU is offline */
	if (fd < 0)
		return refused(e, counter, -errno);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return lkst_err_set(
			e, -ENOSPC,
			"CPU %u has no room for a counter of %s beside those that others use; ask for fewer",
			cpu, lkst_perf_counter_names[counter]);
	*ret_fd = lkst_take_fd(fd);
	return 0;
}

int lkst_perf_counters_open(struct lkst_err *e, const u8 counters[LKST_PERF_AT_ONCE], int map_fd,
			    u32 nr_cpus)
{
	unsigned int i;
	u32 cpu;

	for (i = 0; i < LKST_PERF_AT_ONCE && counters[i]; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			_cleanup_close_ int fd = -1;
			u32 key = i * nr_cpus + cpu;
			int err = open_one(e, counters[i], cpu, &fd);

			if (err < 0)
				return err;
			if (!err && bpf_map_update_elem(map_fd, &key, &fd, BPF_ANY))
				return lkst_err_sys(e, -errno,
						    "giving the counters to the programs");
		}
	return 0;
}

int lkst_perf_counters_try(struct lkst_err *e, u8 counter)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	u32 cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		_cleanup_close_ int fd = -1;
		int err = open_one(e, counter, cpu, &fd);

		if (err <= 0)
			return err;
	}
	return lkst_err_set(e, -ENODEV, "no CPU is online");
}
