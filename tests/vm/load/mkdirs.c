// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a directory so many times as its argument says, and removes it again where that has worked. Prints a line for
 * each time that it did not: "CALL ERRNO"; then "failed NUMBER".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 1, failed = 0, i;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/mkdirs.%d", (int)getpid());
	for (i = 1; i <= nr; i++) {
		if (!mkdir(path, 0700)) {
			rmdir(path);
			continue;
		}
		failed++;
		printf("%ld %d\n", i, errno);
	}
	printf("failed %ld\n", failed);
	return 0;
}
