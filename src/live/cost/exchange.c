/* SPDX-License-Identifier: GPL-2.0-only */
/* A small load to measure with. */
#include "live/cost/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	MESSAGE_BYTES = 100,
	CACHE_LINE = 64,
	CACHE_BYTES_MAX = 1 << 20,
	PATHS = 3, /* calls with a path from one message to the next */
	CALLS = 15, /* and others that do little: in all about as many as a busy server makes */
	FIRST = -20, /* nice(2): before all others */
	DEPTH = 24, /* functions that call one another first, as in a program of some size */
};

/*
 * What a stack costs follows from how deep it is: this file is compiled with frame pointers (Makefile), which is what
 * the kernel finds functions by. A call that is the last thing that a function does would have no frame of its own.
 */
#define NOT_THE_LAST_THING() asm volatile("" ::: "memory")

static bool send_message(int fd)
{
	char message[MESSAGE_BYTES] = "";

	return write(fd, message, sizeof(message)) == sizeof(message);
}

static bool receive_message(int fd)
{
	char message[MESSAGE_BYTES];

	return read(fd, message, sizeof(message)) == sizeof(message);
}

/* It is refused for its length 0 before the path is looked at, which is in memory, as a load's is. */
static void ask_for_path(void)
{
	char path[] = "/usr/share/zoneinfo/Etc/UTC";

	syscall(SYS_readlinkat, AT_FDCWD, path, NULL, 0);
}

/*
 * A program works with data of its own between two messages, and makes calls: of what a hook's program left in the
 * caches, not all is there when it runs again, but it is not all gone either.
 */
static void exchange_work(const struct lkst_exchange *x)
{
	volatile u8 *data = x->data;
	size_t i;

	for (i = 0; i < x->data_bytes; i += CACHE_LINE)
		data[i]++;
	for (i = 0; i < PATHS; i++)
		ask_for_path();
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static __attribute__((noinline)) void exchange_answer(const struct lkst_exchange *x, int fd, unsigned int depth)
{
	if (depth) {
		exchange_answer(x, fd, depth - 1);
		NOT_THE_LAST_THING();
		return;
	}
	while (receive_message(fd)) {
		exchange_work(x);
		if (!send_message(fd))
			break;
	}
}

/* The other process inherits it. */
static void stay_on(const struct lkst_exchange *x, u32 nr_cpus, u32 cpu)
{
	cpu_set_t *one = CPU_ALLOC(nr_cpus);

	if (!one)
		return;
	CPU_ZERO_S(x->cpus_bytes, one);
	CPU_SET_S(cpu, x->cpus_bytes, one);
	sched_setaffinity(0, x->cpus_bytes, one);
	CPU_FREE(one);
}

/* The other one of the two, as long as this process lives; -1: it cannot be made. */
static pid_t start_peer(const struct lkst_exchange *x, const int pair[2])
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent) {
		close(pair[0]);
		exchange_answer(x, pair[1], DEPTH);
	}
	_exit(0);
}

/* As much as the first cache holds. */
static size_t cache_bytes(void)
{
	long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);

	return bytes <= 0 ? 32 << 10 : bytes > CACHE_BYTES_MAX ? CACHE_BYTES_MAX : bytes;
}

static int exchange_start(struct lkst_exchange *x, u32 nr_cpus)
{
	int pair[2];

	x->cpu = sched_getcpu();
	x->cpus_bytes = CPU_ALLOC_SIZE(nr_cpus);
	x->cpus = CPU_ALLOC(nr_cpus);
	x->data_bytes = cache_bytes();
	x->data = calloc(1, x->data_bytes);
	if (!x->cpus || !x->data)
		return -ENOMEM;
	if (x->cpu < 0 || sched_getaffinity(0, x->cpus_bytes, x->cpus))
		return -errno;
	x->on_pipe = signal(SIGPIPE, SIG_IGN);
	stay_on(x, nr_cpus, x->cpu);
	x->nice = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, FIRST);
	x->is_first = true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	x->fd = pair[0];
	x->peer = start_peer(x, pair);
	close(pair[1]);
	return x->peer < 0 ? -EAGAIN : 0;
}

int lkst_exchange_start(struct lkst_err *e, u32 nr_cpus, struct lkst_exchange *ret_x)
{
	struct lkst_exchange x = { .fd = -1, .cpu = -1, .peer = -1, .on_pipe = SIG_ERR };
	int err = exchange_start(&x, nr_cpus);

	if (err) {
		lkst_exchange_stop(&x);
		return lkst_err_sys(e, err, "starting the processes that measure what hooks cost");
	}
	*ret_x = x;
	return 0;
}

static u64 cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static __attribute__((noinline)) double exchange_run(const struct lkst_exchange *x, unsigned int nr, unsigned int depth)
{
	u64 before = cpu_time_ns();
	unsigned int i;
	double ns;

	if (depth) {
		ns = exchange_run(x, nr, depth - 1);
		NOT_THE_LAST_THING();
		return ns;
	}
	for (i = 0; i < nr; i++) {
		if (!send_message(x->fd))
			return -1;
		exchange_work(x);
		if (!receive_message(x->fd))
			return -1;
	}
	/* The other one does the same. */
	return 2.0 * (cpu_time_ns() - before) / nr;
}

double lkst_exchange_run(const struct lkst_exchange *x, unsigned int nr)
{
	return exchange_run(x, nr, DEPTH);
}

void lkst_exchange_stop(struct lkst_exchange *x)
{
	if (x->peer > 0)
		kill(x->peer, SIGKILL);
	while (x->peer > 0 && waitpid(x->peer, NULL, 0) < 0 && errno == EINTR)
		;
	lkst_closep(&x->fd);
	if (x->cpus)
		sched_setaffinity(0, x->cpus_bytes, x->cpus);
	if (x->is_first)
		setpriority(PRIO_PROCESS, 0, x->nice);
	if (x->on_pipe != SIG_ERR)
		signal(SIGPIPE, x->on_pipe);
	CPU_FREE(x->cpus);
	x->cpus = NULL;
	free(lkst_take(x->data));
}
