/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file system is full, and a program tries again and again.
 *
 * truth: write() of en-writer fails with ENOSPC each time: the tmpfs is full
 * victim: en-writer
 * fact: WHAT ENOSPC|[Nn]o space
 * fact: CALL \bp?write(64)?\b
 * amount: no
 * short: yes
 */
#include "drill.h"

int main(void)
{
	static char block[65536];
	unsigned long failed = 0;
	int fd;

	drill_init();
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mkdir("full", 0700) ||
	    mount("none", "full", "tmpfs", 0, "size=1M"))
		not_produced("no tmpfs: %s", strerror(errno));
	fd = open("full/data", O_CREAT | O_WRONLY, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		;
	drill_begin(3);
	name("en-writer");
	while (goes_on()) {
		failed += write(fd, block, sizeof(block)) < 0 && errno == ENOSPC;
		nap(3);
	}
	printf("failed %lu\n", failed);
	if (failed < 200)
		not_produced("%lu writes failed", failed);
	return 0;
}
