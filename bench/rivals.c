/* SPDX-License-Identifier: GPL-2.0-only */
/* Other tracers, recording the entry of system calls. */
#include "rivals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

/* ---- ftrace --------------------------------------------------------------------------------- */

static struct {
	int root;     /* of tracefs */
	int instance; /* a directory in it */
	char name[64];
} ftrace = { -1, -1, "" };

static void write_file(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bench_die("tracefs: writing %s to %s: %s", text, path, strerror(errno));
	close(fd);
}

static int mount_detached(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), root = -1;

	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		root = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (root < 0)
		bench_die("tracefs: %s", strerror(errno));
	close(fs);
	return root;
}

void rival_ftrace_open(void)
{
	char size[32];

	ftrace.root = mount_detached();
	snprintf(ftrace.name, sizeof(ftrace.name), "instances/lkst-bench-%d", getpid());
	if (mkdirat(ftrace.root, ftrace.name, 0700))
		bench_die("tracefs: making %s: %s", ftrace.name, strerror(errno));
	atexit(rival_ftrace_close);
	ftrace.instance = openat(ftrace.root, ftrace.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ftrace.instance < 0)
		bench_die("tracefs: opening %s: %s", ftrace.name, strerror(errno));
	snprintf(size, sizeof(size), "%d", RIVAL_BUFFER_BYTES >> 10);
	write_file(ftrace.instance, "buffer_size_kb", size);
}

void rival_ftrace_on(void)
{
	write_file(ftrace.instance, "events/raw_syscalls/sys_enter/enable", "1");
}

void rival_ftrace_off(void)
{
	write_file(ftrace.instance, "events/raw_syscalls/sys_enter/enable", "0");
}

void rival_ftrace_close(void)
{
	if (ftrace.instance >= 0)
		close(ftrace.instance);
	ftrace.instance = -1;
	if (ftrace.name[0] && unlinkat(ftrace.root, ftrace.name, AT_REMOVEDIR))
		fprintf(stderr, "tracefs: removing %s: %s\n", ftrace.name, strerror(errno));
	ftrace.name[0] = 0;
}

/* ---- perf ----------------------------------------------------------------------------------- */

static struct {
	int fd;
	void *ring;
	size_t bytes;
} perf = { -1, NULL, 0 };

static int tracepoint_number(const char *path)
{
	int root = mount_detached(), fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		bench_die("tracefs: reading %s: %s", path, strerror(errno));
	close(fd);
	close(root);
	return atoi(text);
}

void rival_perf_on(unsigned int cpu)
{
	static int number;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID |
			       PERF_SAMPLE_CPU,
		.write_backward = 1,
		.watermark = 1,
		.wakeup_watermark = 1U << 31, /* nobody waits */
	};

	if (!number)
		number = tracepoint_number("events/raw_syscalls/sys_enter/id");
	attr.config = number;
	perf.fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf.fd < 0)
		bench_die("perf_event_open: %s", strerror(errno));
	perf.bytes = RIVAL_BUFFER_BYTES + getpagesize();
	perf.ring = mmap(NULL, perf.bytes, PROT_READ, MAP_SHARED, perf.fd, 0);
	if (perf.ring == MAP_FAILED)
		bench_die("perf's ring: %s", strerror(errno));
}

void rival_perf_off(void)
{
	munmap(perf.ring, perf.bytes);
	close(perf.fd);
}

/* ---- bpftrace ------------------------------------------------------------------------------- */

static pid_t bpftrace;

/* The descriptors of process @pid that are events of perf. */
static int count_perf_events(pid_t pid)
{
	char path[64], target[64];
	struct dirent *entry;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = 0;
		nr += strstr(target, "[perf_event]") != NULL;
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* In the child: bpftrace wants tracefs at its place, and gets it in a mount namespace of its own. */
static void __attribute__((noreturn)) exec_bpftrace(void)
{
	static const char script[] = "tracepoint:raw_syscalls:sys_enter "
				     "{ printf(\"%llu %d %d\\n\", nsecs, tid, cpu); }";
	int null = open("/dev/null", O_RDWR);
	char pages[32];

	snprintf(pages, sizeof(pages), "%d", RIVAL_BUFFER_BYTES / getpagesize());
	setenv("BPFTRACE_PERF_RB_PAGES", pages, 1);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL))
		_exit(126);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	/* However the bench ends, this does not go on. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execlp("taskset", "taskset", "-c", "0", "bpftrace", "-e", script, (char *)NULL);
	_exit(127);
}

void rival_bpftrace_on(void)
{
	/* An event for each CPU's output and one for the tracepoint, which comes last. */
	int wanted = sysconf(_SC_NPROCESSORS_ONLN) + 1, tries;

	bpftrace = fork();
	if (bpftrace < 0)
		bench_die("fork: %s", strerror(errno));
	if (!bpftrace)
		exec_bpftrace();
	for (tries = 0; tries < 1000 && count_perf_events(bpftrace) < wanted; tries++)
		usleep(10000);
	if (tries == 1000)
		bench_die("bpftrace did not start");
	usleep(200000);
}

void rival_bpftrace_off(void)
{
	kill(bpftrace, SIGINT);
	waitpid(bpftrace, NULL, 0);
}
