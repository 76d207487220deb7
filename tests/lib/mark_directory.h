/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of a test's own for the memory of programs that mark: others' marks are not concerned. Included once. */
#ifndef LKST_TEST_MARK_DIRECTORY_H
#define LKST_TEST_MARK_DIRECTORY_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "liblkst/mark_format.h"

static char dir[64];

__attribute__((constructor)) static void make_directory(void)
{
	const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(dir, sizeof(dir), "%s/lkst-test-XXXXXX", base);
	if (!mkdtemp(dir) || setenv("LKST_MARK_DIR", dir, 1))
		exit(1);
}

__attribute__((destructor)) static void remove_directory(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return;
}

/* Programs that begin now are to mark until @ns, CLOCK_MONOTONIC. */
static inline void want_marks_until(u64 ns)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, LKST_MARK_WANTED_FILE);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || pwrite(fd, &ns, sizeof(ns), 0) != sizeof(ns))
		exit(1);
	close(fd);
}

/* Where the memory of process @pid is; false: it has none. */
static inline bool find_marks_of(pid_t pid, char path[256])
{
	char command[256];
	bool is_there;
	FILE *list;

	snprintf(command, sizeof(command), "ls %s/%s.*.%d.* 2>/dev/null", dir, LKST_MARK_PREFIX,
		 (int)pid);
	list = popen(command, "r");
	if (!list)
		exit(1);
	is_there = fgets(path, 256, list);
	pclose(list);
	if (is_there)
		path[strcspn(path, "\n")] = 0;
	return is_there;
}

#endif
