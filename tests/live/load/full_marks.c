// SPDX-License-Identifier: GPL-2.0-only
/*
 * full_marks KIND FILES: makes files in /dev/shm that look like the memory of programs that mark, with all that fits
 * in, as any user can; says "made", and goes on for twenty minutes unless it is ended. KIND:
 *
 *	still	they stay as they are
 *	rewrite	their rings are full again all the time
 *	shrink	they are cut short, are whole again, vanish and come back, all the time
 *	users	each is of another user of a user namespace, which root makes for user 65534, and is rewritten
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <stdbool.h>
#include <time.h>

#include "lib/full_marks.h"

enum { FILES_MAX = 1000, SECONDS = 1200, OWNER = 65534, IDS = 131072, AREAS_OF_USER = 4 };

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
	files[i] = full_marks_make("/dev/shm", uid, getpid(), i, LKST_MARK_THREADS);
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
			if (truncate(path, rand_r(&seed) % LKST_MARK_FILE_BYTES) ||
			    truncate(path, LKST_MARK_FILE_BYTES))
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

static void be_user(unsigned int i)
{
	if (setresgid(i, i, i) || setresuid(i, i, i))
		die("a user of the namespace");
	/* By the name that the user has outside. */
	make(i, IDS + i, AREAS_OF_USER);
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
	char byte;

	if (setresgid(OWNER, OWNER, OWNER) || setresuid(OWNER, OWNER, OWNER) || unshare(CLONE_NEWUSER) ||
	    write(made_fd, "", 1) != 1 || read(go_fd, &byte, 1) != 1)
		die("a user namespace");
	if (setresgid(0, 0, 0) || setresuid(0, 0, 0))
		die("root of the namespace");
	for (unsigned int i = 1; i <= nr; i++)
		if (!fork())
			be_user(i);
	sleep(1);
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
	const bool has_users = !strcmp(kind, "users");

	if (!nr || nr >= FILES_MAX)
		return 2;
	alarm(SECONDS);
	if (has_users) {
		signal(SIGTERM, end_all);
		signal(SIGALRM, end_all);
		have_users(nr);
	} else {
		for (unsigned int i = 0; i < nr; i++)
			make(i, geteuid(), LKST_MARK_THREADS);
	}
	puts("made");
	fflush(stdout);
	if (!strcmp(kind, "rewrite"))
		rewrite(nr, LKST_MARK_THREADS);
	if (!strcmp(kind, "shrink"))
		shrink(nr);
	pause();
	return 0;
}
