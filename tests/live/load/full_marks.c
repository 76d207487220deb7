// SPDX-License-Identifier: GPL-2.0-only
/*
 * full_marks KIND FILES: makes files in /dev/shm that look like the memory of programs that mark, with all that fits
 * in, as any user can; says "made", and goes on for twenty minutes unless it is ended. KIND:
 *
 *	still	they stay as they are
 *	rewrite	their rings are full again all the time
 *	shrink	they are cut short, are whole again, vanish and come back, all the time
 *	hold	they are user 65534's, and are being written to by a call that does not end, which has their locks. It
 *		needs root for userfaultfd(2); any user can do it with a file system of his own (FUSE)
 *	users	each is of another user of a user namespace, which root makes for user 65534, and is rewritten
 */
#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <stdbool.h>
#include <time.h>

#include "lib/full_marks.h"

enum { FILES_MAX = 1000, SECONDS = 1200, OWNER = 65534, IDS = 165536, AREAS_OF_USER = 4 };

static u8 *files[FILES_MAX];

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make(unsigned int i, u32 uid, u32 nr_areas)
{
	/* The test may just have put it back. */
	do
		files[i] = full_marks_make("/dev/shm", uid, getpid(), i, LKST_MARK_THREADS);
	while (!files[i] && errno == EEXIST);
	if (!files[i])
		die("a file in /dev/shm");
	full_marks_describe(files[i]);
	for (u32 area = 0; area < nr_areas; area++)
		full_marks_fill(files[i], area, 0, getpid(), now_ns() - LKST_MARK_BLOCKS);
}

static void rewrite(unsigned int nr, u32 nr_areas)
{
	for (u64 round = 1;; round++)
		for (unsigned int i = 0; i < nr; i++)
			for (u32 area = 0; area < nr_areas; area++)
				full_marks_fill(files[i], area, round, getpid(), now_ns() - LKST_MARK_BLOCKS);
}

/* Cuts a file anywhere, makes it whole with what is left, and now and then removes it and makes another. */
static void shrink(unsigned int nr)
{
	unsigned int seed = 1;

	for (u64 round = 1;; round++) {
		for (unsigned int i = 0; i < nr; i++) {
			char path[128];

			snprintf(path, sizeof(path), "/dev/shm/%s.%u.%d.%016x", LKST_MARK_PREFIX, geteuid(),
				 getpid(), i);
			/* The test may have put it aside. */
			if ((truncate(path, rand_r(&seed) % LKST_MARK_FILE_BYTES) ||
			     truncate(path, LKST_MARK_FILE_BYTES)) &&
			    errno != ENOENT)
				die(path);
			if (round % 8 == 0) {
				munmap(files[i], LKST_MARK_FILE_BYTES);
				make(i, geteuid(), 0);
			}
			/* A page that is cut off meanwhile would be a signal to this process, too: nobody else cuts. */
			memcpy(files[i], &(struct lkst_mark_header){ .page.magic = LKST_MARK_MAGIC,
								     .page.id = { 7, 7, 7 },
								     .version = LKST_MARK_VERSION,
								     .pid = getpid(),
								     .uid = geteuid(),
								     .nr_threads = LKST_MARK_THREADS },
			       sizeof(struct lkst_mark_header));
			for (u32 area = 0; area < AREAS_OF_USER; area++)
				full_marks_fill(files[i], area, round, getpid(), now_ns() - LKST_MARK_BLOCKS);
		}
	}
}

/* Memory that the kernel waits for: whoever touches it does so until this process ends. *@ret_fd says who does. */
static void *memory_that_does_not_come(int *ret_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	range.range = (struct uffdio_range){ (u64)(uintptr_t)memory, 4096 };
	if (fd < 0 || memory == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		die("userfaultfd");
	*ret_fd = fd;
	return memory;
}

static struct held {
	int fd;
	const void *memory;
} held[FILES_MAX];

static void *write_for_ever(void *arg)
{
	const struct held *h = arg;

	return pwrite(h->fd, h->memory, 8, 0) == 8 ? NULL : arg;
}

/* A thread for each file writes to it. */
static void hold(unsigned int nr)
{
	struct uffd_msg fault;
	int faults_fd;
	void *memory = memory_that_does_not_come(&faults_fd);

	for (unsigned int i = 0; i < nr; i++) {
		char path[128];
		pthread_t thread;
		int fd;

		snprintf(path, sizeof(path), "/dev/shm/%s.%u.%d.%016x", LKST_MARK_PREFIX, OWNER, getpid(), i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0 || chown(path, OWNER, OWNER))
			die(path);
		held[i] = (struct held){ fd, memory };
		if (pthread_create(&thread, NULL, write_for_ever, &held[i]))
			die("a thread");
	}
	/* A thread has the lock of its file when it comes to the memory. */
	for (unsigned int i = 0; i < nr; i++)
		if (read(faults_fd, &fault, sizeof(fault)) != sizeof(fault))
			die("userfaultfd");
}

/* Gives the ids of user @pid's namespace. */
static void write_map(pid_t pid, const char *file)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	f = fopen(path, "w");
	if (!f || fprintf(f, "0 %d 65536\n", IDS) < 0 || fclose(f))
		die(path);
}

static void be_user(unsigned int i, int made_fd)
{
	if (setresgid(i, i, i) || setresuid(i, i, i))
		die("a user of the namespace");
	/* By the name that the user has outside. */
	make(i, IDS + i, AREAS_OF_USER);
	if (write(made_fd, "", 1) != 1)
		die("made");
	/* All of them together are as busy as one. */
	for (u64 round = AREAS_OF_USER;; round++) {
		full_marks_fill(files[i], (u32)(round % AREAS_OF_USER), round / AREAS_OF_USER, getpid(),
				now_ns() - LKST_MARK_BLOCKS);
		usleep(100000);
	}
}

/* In the namespace: has a process for each user. Says so through @made_fd. */
static void be_owner(unsigned int nr, int go_fd, int made_fd)
{
	int made[2];
	char byte;

	if (setresgid(OWNER, OWNER, OWNER) || setresuid(OWNER, OWNER, OWNER) || unshare(CLONE_NEWUSER) ||
	    write(made_fd, "", 1) != 1 || read(go_fd, &byte, 1) != 1)
		die("a user namespace");
	if (setresgid(0, 0, 0) || setresuid(0, 0, 0))
		die("root of the namespace");
	if (pipe(made))
		die("users");
	for (unsigned int i = 1; i <= nr; i++)
		if (!fork())
			be_user(i, made[1]);
	for (unsigned int i = 0; i < nr; i++)
		if (read(made[0], &byte, 1) != 1)
			die("users");
	if (write(made_fd, "", 1) != 1)
		die("made");
	pause();
}

static void have_users(unsigned int nr)
{
	int go[2], made[2];
	pid_t owner;
	char byte;

	/* All that it begins ends with it. */
	if (setpgid(0, 0) || pipe(go) || pipe(made))
		die("users");
	owner = fork();
	if (!owner)
		be_owner(nr, go[0], made[1]);
	if (owner < 0 || read(made[0], &byte, 1) != 1)
		die("users");
	write_map(owner, "uid_map");
	write_map(owner, "gid_map");
	if (write(go[1], "", 1) != 1 || read(made[0], &byte, 1) != 1)
		die("users");
}

static void end_all(int signal_number)
{
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	_exit(0);
}

int main(int argc, char **argv)
{
	const unsigned int nr = argc == 3 ? (unsigned int)atoi(argv[2]) : 0;
	const char *kind = argc == 3 ? argv[1] : "";
	const bool has_users = !strcmp(kind, "users"), is_held = !strcmp(kind, "hold");

	if (!nr || nr >= FILES_MAX)
		return 2;
	alarm(SECONDS);
	if (has_users) {
		signal(SIGTERM, end_all);
		signal(SIGALRM, end_all);
		have_users(nr);
	} else {
		for (unsigned int i = 0; i < nr; i++)
			make(i, is_held ? OWNER : geteuid(), LKST_MARK_THREADS);
	}
	if (is_held)
		hold(nr);
	puts("made");
	fflush(stdout);
	if (!strcmp(kind, "rewrite"))
		rewrite(nr, LKST_MARK_THREADS);
	if (!strcmp(kind, "shrink"))
		shrink(nr);
	pause();
	return 0;
}
