/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of a test's own for the memory of programs that mark: others' marks are not concerned. Included once. */
#ifndef LKST_TEST_MARK_DIRECTORY_H
#define LKST_TEST_MARK_DIRECTORY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

#endif
