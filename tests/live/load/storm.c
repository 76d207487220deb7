// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bit of everything on all CPUs for some seconds: switches, messages, processes, page faults,
 * files, timers. Beside it, on each CPU, a thread that numbers its system calls: getpriority(0x1000 +
 * CPU, N) with N = 0, 1, 2 ...; and one that runs on any CPU, with 0x2000.
 *
 *	storm SECONDS [gentle]
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPUS_MAX = 64, ANY_CPU = 0x1000, GROUPS = 2 };

static double end;
static int burst = 300;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void pause_ns(long ns)
{
	struct timespec ts = { 0, ns };

	nanosleep(&ts, NULL);
}

static void *number_calls(void *arg)
{
	int cpu = (int)(long)arg, n = 0, i;
	cpu_set_t set;

	if (cpu != ANY_CPU) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	while (now() < end) {
		for (i = 0; i < burst; i++)
			syscall(SYS_getpriority, 0x1000 + cpu, n++);
		pause_ns(50000);
	}
	return NULL;
}

static void *send_messages(void *arg)
{
	int fd = *(int *)arg;
	char message[100] = "x";

	while (now() < end && write(fd, message, sizeof(message)) == sizeof(message))
		if (read(fd, message, sizeof(message)) != sizeof(message))
			break;
	shutdown(fd, SHUT_RDWR);
	return NULL;
}

static void *answer_messages(void *arg)
{
	int fd = *(int *)arg;
	char message[100];

	while (read(fd, message, sizeof(message)) == sizeof(message))
		if (write(fd, message, sizeof(message)) != sizeof(message))
			break;
	shutdown(fd, SHUT_RDWR);
	return NULL;
}

static void *make_processes(void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	while (now() < end) {
		pid = fork();
		if (!pid) {
			if (getpid() & 1)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		pause_ns(1000000);
	}
	return NULL;
}

static void *touch_memory(void *arg)
{
	enum { BYTES = 64 * 4096 };

	(void)arg;
	while (now() < end) {
		char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			break;
		memset(p, 1, BYTES);
		munmap(p, BYTES);
		pause_ns(300000);
	}
	return NULL;
}

static void *use_files(void *arg)
{
	char path[64];
	struct stat st;
	int fd;

	(void)arg;
	snprintf(path, sizeof(path), "/tmp/lkst-storm-%d", getpid());
	while (now() < end) {
		fd = open(path, O_RDWR | O_CREAT, 0600);
		if (fd < 0)
			break;
		if (write(fd, path, sizeof(path)) < 0 || fsync(fd) || stat(path, &st))
			end = 0;
		close(fd);
		unlink(path);
		pause_ns(2000000);
	}
	return NULL;
}

static void *expire_timers(void *arg)
{
	struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long long n;

	(void)arg;
	timerfd_settime(fd, 0, &often, NULL);
	while (now() < end && read(fd, &n, sizeof(n)) == sizeof(n))
		;
	close(fd);
	return NULL;
}

static pthread_t threads[CPUS_MAX + 32];
static int nr_threads;

static void start(void *(*run)(void *), void *arg)
{
	if (pthread_create(&threads[nr_threads++], NULL, run, arg)) {
		perror("pthread_create");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static int pairs[GROUPS][2];
	cpu_set_t set;
	int i;

	end = now() + (argc > 1 ? atof(argv[1]) : 1);
	if (argc > 2)
		burst = 5;
	sched_getaffinity(0, sizeof(set), &set);
	for (i = 0; i < CPUS_MAX; i++)
		if (CPU_ISSET(i, &set))
			start(number_calls, (void *)(long)i);
	start(number_calls, (void *)(long)ANY_CPU);
	for (i = 0; i < GROUPS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[i]))
			return 1;
		start(send_messages, &pairs[i][0]);
		start(answer_messages, &pairs[i][1]);
		if (argc > 2)
			break;
	}
	start(make_processes, NULL);
	start(touch_memory, NULL);
	start(use_files, NULL);
	start(expire_timers, NULL);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
