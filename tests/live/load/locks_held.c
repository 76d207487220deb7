// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds locks of the kernel, in directory $1, each by a thread that is kept in a page fault while it has the lock: a
 * pipe's mutex, a file's read-write semaphore for writing, and a directory's for reading; others wait for them. Says of
 * each thread that waits "WHAT WAITER HOLDER", once it sleeps, by thread numbers, then "ready"; on a line of input, or
 * its end, it lets go.
 *
 *	mutex	its holder reads from the pipe, and the waiter, too
 *	write	its holder writes to the file, and the waiter, too
 *	reader	its holder lists the directory, and the waiter makes another one there
 *	behind	the same holder; the waiter looks for a name in the directory, behind the one before
 *	futex	the main thread has it, a lock of the program's own that lends priority
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_FAULTS = 3, WAIT_MS = 60000 };

struct doer {
	void (*act)(struct doer *d);
	volatile int tid; /* 0: not begun */
	void *at;	  /* memory whose first fault waits */
	pthread_t thread;
};

static pthread_mutex_t own_lock;
static int faults, pipe_ends[2];
static char *memory;
static size_t page;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* These fail once all is let go; what counts is that they wait. */
static void keep(ssize_t result)
{
	(void)result;
}

static void read_pipe(struct doer *d)
{
	keep(read(pipe_ends[0], d->at, 1));
}

static void write_file(struct doer *d)
{
	int fd = open("file", O_WRONLY | O_CREAT, 0600);

	keep(write(fd, d->at, 1));
	close(fd);
}

static void list_directory(struct doer *d)
{
	int fd = open("directory", O_RDONLY | O_DIRECTORY);

	keep(syscall(SYS_getdents64, fd, d->at, page));
	close(fd);
}

static void make_directory(struct doer *d)
{
	mkdir("directory/made", 0700);
}

static void look_for_name(struct doer *d)
{
	struct stat st;

	keep(stat("directory/none", &st));
}

static void take_lock(struct doer *d)
{
	pthread_mutex_lock(&own_lock);
	pthread_mutex_unlock(&own_lock);
}

static void *run(void *arg)
{
	struct doer *d = arg;

	d->tid = (int)syscall(SYS_gettid);
	d->act(d);
	return NULL;
}

/* Whether thread @tid sleeps as @how says: D, no signal but a deadly one would wake it; S, any would. */
static int is_asleep(int tid, char how)
{
	char path[64], text[256], *state;
	FILE *f;
	size_t got;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	got = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[got] = 0;
	state = strrchr(text, ')');
	return state && state[2] == how;
}

static void begin(struct doer *d)
{
	if (pthread_create(&d->thread, NULL, run, d))
		die("pthread_create");
}

/* Begins, and returns when it has its lock: its fault has come. */
static void hold(struct doer *d)
{
	struct uffd_msg fault;

	begin(d);
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		die("userfaultfd");
}

/* Begins, and returns when it sleeps as @how says. */
static void await(struct doer *d, char how)
{
	int ms;

	begin(d);
	for (ms = 0; !d->tid || !is_asleep(d->tid, how); ms++) {
		if (ms == WAIT_MS) {
			fprintf(stderr, "a thread does not wait as it should\n");
			exit(1);
		}
		usleep(1000);
	}
}

/* Has the main thread take the lock of its own. */
static void lock_own(void)
{
	pthread_mutexattr_t attributes;

	if (pthread_mutexattr_init(&attributes) ||
	    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) ||
	    pthread_mutex_init(&own_lock, &attributes) || pthread_mutex_lock(&own_lock))
		die("pthread_mutex");
}

/* Faults on `memory` wait from here on: also those of the kernel's own accesses. */
static void catch_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range;

	memory = mmap(NULL, NR_FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (memory == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api))
		die("userfaultfd");
	range = (struct uffdio_register){ .range = { (uintptr_t)memory, NR_FAULTS * page },
					  .mode = UFFDIO_REGISTER_MODE_MISSING };
	if (ioctl(faults, UFFDIO_REGISTER, &range))
		die("userfaultfd");
}

int main(int argc, char **argv)
{
	char own;
	struct doer holders[NR_FAULTS] = { { .act = read_pipe }, { .act = write_file }, { .act = list_directory } };
	struct doer waiters[] = { { .act = read_pipe, .at = &own },
				  { .act = write_file, .at = &own },
				  { .act = make_directory },
				  { .act = look_for_name } }, last = { .act = take_lock };
	static const char *const words[] = { "mutex", "write", "reader", "behind" };
	struct uffdio_zeropage zero;
	char line[16];
	int i;

	page = (size_t)sysconf(_SC_PAGESIZE);
	own = 0;
	if (argc != 2 || chdir(argv[1]) || mkdir("directory", 0700) || pipe(pipe_ends) ||
	    write(pipe_ends[1], "ab", 2) != 2)
		die("locks_held");
	catch_faults();
	for (i = 0; i < NR_FAULTS; i++) {
		holders[i].at = memory + (size_t)i * page;
		hold(&holders[i]);
	}
	for (i = 0; i < 4; i++) {
		const struct doer *holder = &holders[i < NR_FAULTS ? i : NR_FAULTS - 1];

		await(&waiters[i], 'D');
		printf("%s %d %d\n", words[i], waiters[i].tid, holder->tid);
	}
	lock_own();
	await(&last, 'S');
	printf("futex %d %d\nready\n", last.tid, getpid());
	fflush(stdout);
	keep(read(STDIN_FILENO, line, sizeof(line)));
	pthread_mutex_unlock(&own_lock);
	pthread_join(last.thread, NULL);
	zero = (struct uffdio_zeropage){ .range = { (uintptr_t)memory, NR_FAULTS * page } };
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		die("userfaultfd");
	for (i = 0; i < 4; i++)
		pthread_join(waiters[i].thread, NULL);
	for (i = 0; i < NR_FAULTS; i++)
		pthread_join(holders[i].thread, NULL);
	return 0;
}
