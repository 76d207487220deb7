/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes by events of tracefs. */
#include "live/hooks/probe_tracefs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/kernel/tracefs.h"

#define SYSTEM "lkst_probes"
#define EVENTS "kprobe_events"

enum {
	NAME_ROOM = 64, /* the kernel's MAX_EVENT_NAME_LEN */
	NAMES = 16,	/* that are tried: other recordings may have some */
	SWEEPS = 20,	/* a link's end comes a little later than that of its last user */
	SWEEP_US = 10000,
};

bool lkst_probe_tracefs_is_waiting(const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	char path[LKST_PROBE_SYMBOL_MAX + 32];

	if (!colon)
		return false;
	/* What is built in may have a directory there, but no state. */
	snprintf(path, sizeof(path), "/sys/module/%.*s/initstate", (int)(colon - symbol), symbol);
	return access(path, F_OK) != 0;
}

int lkst_probe_tracefs_check(struct lkst_err *e)
{
	_cleanup_close_ int tracefs = lkst_tracefs_open(e);

	if (tracefs < 0)
		return tracefs;
	return faccessat(tracefs, EVENTS, W_OK, 0)
		       ? lkst_err_set(
				 e, -ENOTSUP,
				 "this kernel has no kprobe_events (CONFIG_KPROBE_EVENTS), by which a "
				 "probe could wait for a module, or have a maxactive")
		       : 0;
}

/* ---- events of tracefs ------------------------------------------------------------------------ */

static int write_line(int tracefs, const char *line)
{
	_cleanup_close_ int fd = openat(tracefs, EVENTS, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		return -errno;
	return 0;
}

static int remove_event(int tracefs, const char *name)
{
	char line[NAME_ROOM + 32];

	snprintf(line, sizeof(line), "-:" SYSTEM "/%s\n", name);
	return write_line(tracefs, line);
}

/* Makes the event, under a name that is free or that nobody uses. */
static int probe_tracefs_make_event(struct lkst_err *e, int tracefs, const struct lkst_probe_row *row,
				    char name[NAME_ROOM])
{
	char line[LKST_PROBE_SYMBOL_MAX + 128], kind[16] = "p";
	int i, err = -EBUSY;

	if (row->is_return && row->max_active)
		snprintf(kind, sizeof(kind), "r%u", row->max_active);
	else if (row->is_return)
		strcpy(kind, "r");
	for (i = 0; i < NAMES && err == -EBUSY; i++) {
		snprintf(name, NAME_ROOM, "e%u_%d", row->plan.id, i);
		err = remove_event(tracefs, name);
		if (err && err != -ENOENT)
			continue;
		snprintf(line, sizeof(line), "%s:" SYSTEM "/%s %s+%llu\n", kind, name, row->symbol,
			 (unsigned long long)row->offset);
		err = write_line(tracefs, line);
	}
	return err ? lkst_err_sys(e, err, "having the kernel wait for %s", row->symbol) : 0;
}

/* The number that perf knows the event by. */
static int read_id(int tracefs, const char *name)
{
	char path[NAME_ROOM + 64];
	_cleanup_fclose_ FILE *f = NULL;
	int fd, id;

	snprintf(path, sizeof(path), "events/" SYSTEM "/%s/id", name);
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return -errno;
	}
	return fscanf(f, "%d", &id) == 1 ? id : -EIO;
}

static int probe_tracefs_attach(struct lkst_err *e, int id, int program_fd)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.config = (u64)id };
	/* One event of one CPU: the program runs on every CPU (kernel/trace/bpf_trace.c). */
	_cleanup_close_ int event =
		(int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	_cleanup_close_ int link = -1;

	if (event < 0)
		return lkst_err_sys(e, -errno, "attaching it failed");
	link = bpf_link_create(program_fd, event, BPF_PERF_EVENT, NULL);
	if (link < 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return lkst_err_sys(e, -errno, "attaching it failed");
	return lkst_take_fd(link);
}

int lkst_probe_tracefs_attach(struct lkst_err *e, const struct lkst_probe_row *row, int program_fd)
{
	_cleanup_close_ int tracefs = lkst_tracefs_open(e);
	char name[NAME_ROOM];
	int id, link;

	if (tracefs < 0)
		return tracefs;
	id = probe_tracefs_make_event(e, tracefs, row, name);
	if (id)
		return id;
	id = read_id(tracefs, name);
	link = id < 0 ? lkst_err_sys(e, id, "attaching it failed") : probe_tracefs_attach(e, id, program_fd);
	if (link < 0)
		remove_event(tracefs, name);
	return link;
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Tries to remove each; returns how many are left. */
static unsigned int sweep(int tracefs)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[1024], name[NAME_ROOM];
	int fd = openat(tracefs, EVENTS, O_RDONLY | O_CLOEXEC);
	unsigned int left = 0;

	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f && fd >= 0)
		close(fd);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*[pr0-9]:" SYSTEM "/%63s", name) == 1)
			left += remove_event(tracefs, name) != 0;
	return left;
}

void lkst_probe_tracefs_sweep(void)
{
	_cleanup_close_ int tracefs = lkst_tracefs_open(NULL);
	int i;

	for (i = 0; tracefs >= 0 && i < SWEEPS && sweep(tracefs); i++)
		usleep(SWEEP_US);
}
