/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lock that is a file: who does not get it sleeps and tries again.
 *
 * truth: open() of lf-client with O_EXCL fails with EEXIST, and it tries again each 20 ms, since lf-holder keeps
 * truth: the lock file for 400 ms at a time
 * victim: lf-client
 * fact: WHAT EEXIST|[Ff]ile exists
 * fact: CALL \bopen(at2?)?\b
 * amount: no
 */
#include "drill.h"

static void holder(void)
{
	name("lf-holder");
	for (;;) {
		int fd = open("lock", O_CREAT | O_EXCL | O_RDWR, 0600);

		if (fd >= 0) {
			nap(400);
			close(fd);
			unlink("lock");
		}
		nap(15);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	drill_begin(4);
	child(holder);
	name("lf-client");
	while (goes_on()) {
		uint64_t from = now();
		int fd;

		while ((fd = open("lock", O_CREAT | O_EXCL | O_RDWR, 0600)) < 0 && goes_on())
			nap(20);
		took(ops, from, 100);
		if (fd >= 0) {
			close(fd);
			unlink("lock");
		}
		nap(30);
	}
	drill_tell(ops, 2, 200);
	return 0;
}
