/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of all drills share: the order of a drill, names, pauses, the victim's own measurement, sockets
 * and cgroups. A drill is one program with one source, so all of this is here.
 *
 * A drill sets up what it needs, and calls drill_begin(), which returns when the recording runs. It makes its
 * incident while goes_on(), which is until the trace was taken: an incident is looked at while it lasts. What it
 * prints is for bench/drills/run:
 *
 *	ready SECONDS			it may be recorded now, and is worth a look after so long
 *	slow FROM TO			an operation of the victim that was slow: CLOCK_MONOTONIC, in ns
 *	ops N slow N longest MS total MS	all operations
 *	not produced: WHY		and status 77, if the incident did not happen
 */
#ifndef LKST_DRILL_H
#define LKST_DRILL_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DRILL __attribute__((unused)) static

enum {
	DRILL_NOT_PRODUCED = 77,
	DRILL_MAX_SLOW = 20000,
	DRILL_MAX_CHILDREN = 64,
};

/* The operations that a victim measured. A drill with two victims has two, in memory that its processes share. */
struct drill_ops {
	unsigned long n, nr_slow;
	double longest_ms, total_ms;
	uint64_t slow[DRILL_MAX_SLOW][2];
};

DRILL uint64_t drill_end_ns;
DRILL volatile bool *drill_is_over;
DRILL pid_t drill_children[DRILL_MAX_CHILDREN];
DRILL int drill_nr_children;
DRILL pid_t drill_pid;
DRILL char drill_cgroup[2][256];
DRILL int drill_nr_cgroups;

DRILL uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

DRILL bool goes_on(void) { return !*drill_is_over && now() < drill_end_ns; }
DRILL void name(const char *n) { prctl(PR_SET_NAME, n); }

DRILL void nap(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000 };

	nanosleep(&t, NULL);
}

/* Computes until so much time has passed. */
DRILL void burn(double ms)
{
	uint64_t end = now() + (uint64_t)(ms * 1e6);

	while (now() < end)
		;
}

/* Takes so much time of a CPU, however long that takes. */
DRILL void work(double ms)
{
	struct timespec t;
	double begin, at;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	begin = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		at = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	} while (at < begin + ms);
}

DRILL void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Ends the children, and removes the cgroups once they are empty. */
DRILL void drill_clean_up(void)
{
	int i, tries;

	if (getpid() != drill_pid)
		return;
	for (i = 0; i < drill_nr_children; i++)
		kill(drill_children[i], SIGKILL);
	for (i = 0; i < drill_nr_cgroups; i++) {
		char file[512];
		int fd;

		snprintf(file, sizeof(file), "%.250s/freezer.state", drill_cgroup[i]);
		fd = open(file, O_WRONLY);
		if (fd >= 0) {
			dprintf(fd, "THAWED");
			close(fd);
		}
	}
	for (i = 0; i < drill_nr_children; i++)
		waitpid(drill_children[i], NULL, 0);
	for (i = 0; i < drill_nr_cgroups; i++) {
		for (tries = 0; rmdir(drill_cgroup[i]) && errno == EBUSY && tries < 50; tries++)
			nap(20);
	}
}

DRILL void drill_on_signal(int sig) { exit(128 + sig); }

/* The incident could not be made here, or it did not happen. */
__attribute__((format(printf, 1, 2))) DRILL void not_produced(const char *why, ...)
{
	va_list args;

	printf("not produced: ");
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	putchar('\n');
	exit(DRILL_NOT_PRODUCED);
}

/* To be called first. */
DRILL void drill_init(void)
{
	drill_pid = getpid();
	atexit(drill_clean_up);
	signal(SIGTERM, drill_on_signal);
	signal(SIGINT, drill_on_signal);
	signal(SIGHUP, drill_on_signal);
	signal(SIGPIPE, SIG_IGN);
}

DRILL void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		not_produced("no memory that is shared");
	return p;
}

DRILL struct drill_ops *ops_new(void) { return shared(sizeof(struct drill_ops)); }

/* An operation that began at FROM has ended. */
DRILL void took(struct drill_ops *ops, uint64_t from, double slow_ms)
{
	uint64_t to = now();
	double ms = (double)(to - from) / 1e6;

	ops->n++;
	ops->longest_ms = ms > ops->longest_ms ? ms : ops->longest_ms;
	if (ms < slow_ms || ops->nr_slow == DRILL_MAX_SLOW)
		return;
	ops->slow[ops->nr_slow][0] = from;
	ops->slow[ops->nr_slow++][1] = to;
	ops->total_ms += ms;
}

/* Prints what the victim measured; there is no incident without NR slow operations, the longest of LONGEST_MS. */
DRILL void drill_tell(const struct drill_ops *ops, unsigned long nr, double longest_ms)
{
	unsigned long i;

	for (i = 0; i < ops->nr_slow; i++)
		printf("slow %lu %lu\n", (unsigned long)ops->slow[i][0], (unsigned long)ops->slow[i][1]);
	printf("ops %lu slow %lu longest %.1f total %.0f\n", ops->n, ops->nr_slow, ops->longest_ms, ops->total_ms);
	if (ops->nr_slow < nr || ops->longest_ms < longest_ms)
		not_produced("%lu slow operations, the longest %.1f ms", ops->nr_slow, ops->longest_ms);
}

DRILL pthread_t thread(void *(*run)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, arg))
		not_produced("no thread");
	return t;
}

/* A process of the drill that ends with it. */
DRILL pid_t child(void (*run)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		not_produced("fork: %s", strerror(errno));
	if (pid) {
		if (drill_nr_children < DRILL_MAX_CHILDREN)
			drill_children[drill_nr_children++] = pid;
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_DFL);
	run();
	fflush(stdout);
	_exit(0);
}

/* Waits for a line from the runner. */
DRILL bool drill_hear(void)
{
	char c = 0;

	while (read(0, &c, 1) == 1 && c != '\n')
		;
	return c == '\n';
}

DRILL void drill_await_end(void)
{
	drill_hear();
	*drill_is_over = true;
}

/* Says that all is set up, waits until the recording runs. goes_on() says yes until the runner has a trace. */
DRILL void drill_begin(double seconds)
{
	drill_is_over = shared(sizeof(*drill_is_over));
	printf("ready %.1f\n", seconds);
	fflush(stdout);
	if (!drill_hear())
		exit(1);
	drill_end_ns = now() + 40000000000u;
	child(drill_await_end);
}

/* A socket at a port of 127.0.0.1 that the kernel chooses. */
DRILL int bound(int type, struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, type, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)at, size) || getsockname(fd, (struct sockaddr *)at, &size))
		not_produced("no socket: %s", strerror(errno));
	return fd;
}

DRILL int dial(int type, const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, type, 0);

	if (!connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		return fd;
	close(fd);
	return -1;
}

/* A request of one byte, and its answer. False if the other end is gone. */
DRILL bool ask(int fd, char c) { return write(fd, &c, 1) == 1 && read(fd, &c, 1) == 1; }

/* Makes a cgroup of a controller, v1 or v2, that is removed at the end; its directory, or NULL. */
DRILL const char *cgroup(const char *controller, const char *called)
{
	char line[512], dir[256], type[32], options[256], *place = drill_cgroup[drill_nr_cgroups];
	FILE *mounts = fopen("/proc/mounts", "r");
	bool is_found = false;

	while (mounts && !is_found && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %200s %31s %255s", dir, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup2")) {
			FILE *f;

			snprintf(place, 256, "%.200s/cgroup.subtree_control", dir);
			f = fopen(place, "r");
			is_found = f && fgets(line, sizeof(line), f) && strstr(line, controller);
			if (f)
				fclose(f);
		} else if (!strcmp(type, "cgroup")) {
			char *save, *o = strtok_r(options, ",", &save);

			for (; o && !is_found; o = strtok_r(NULL, ",", &save))
				is_found = !strcmp(o, controller);
		}
	}
	if (mounts)
		fclose(mounts);
	if (!is_found)
		return NULL;
	snprintf(place, 256, "%.200s/%s", dir, called);
	if (mkdir(place, 0755) && errno != EEXIST)
		return NULL;
	drill_nr_cgroups++;
	return place;
}

/* Writes text to a file of a directory. False if that fails. */
__attribute__((format(printf, 3, 4))) DRILL bool put(const char *dir, const char *file, const char *text, ...)
{
	char path[512];
	va_list args;
	int fd, n;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	va_start(args, text);
	n = vdprintf(fd, text, args);
	va_end(args);
	return !close(fd) && n > 0;
}

/* A command of the shell. False if it fails. */
__attribute__((format(printf, 1, 2))) DRILL bool shell(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	fflush(stdout);
	return system(command) == 0;
}

/*
 * An ext4 file system on a loop device at "fs", in a mount namespace of the drill's own: when its last process
 * ends, the kernel unmounts it and frees the device.
 */
DRILL void loop_fs(int mib)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !shell("truncate -s %dM image && mkfs.ext4 -q -F image && mkdir -p fs && mount -o loop image fs", mib))
		not_produced("no file system on a loop device");
}

/* The other CPU than that which everything else is on, or 0 where there is one CPU only. */
DRILL int last_cpu(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN) - 1; }

#endif
