/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A database in a file is locked by its bytes, as SQLite's are, and who writes syncs meanwhile.
 *
 * truth: sq-writer has a byte range of the database locked (fcntl), and sleeps 80 ms meanwhile; sq-reader waits for
 * truth: it
 * victim: sq-reader
 * fact: WHO sq-writer
 * fact: WHAT fcntl|\block\b
 * fact: DID sq-writer.*(nanosleep|sle(pt|ep))
 * amount: yes
 * short: yes
 */
#include "drill.h"

static void range(int fd, short type)
{
	struct flock l = { .l_type = type, .l_start = 100, .l_len = 10 };

	while (fcntl(fd, F_SETLKW, &l) && errno == EINTR)
		;
}

static void writer(void)
{
	int fd = open("data", O_CREAT | O_RDWR, 0600);

	name("sq-writer");
	for (;;) {
		range(fd, F_WRLCK);
		pwrite(fd, "x", 1, 0);
		nap(80);
		range(fd, F_UNLCK);
		nap(30);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int fd;

	drill_init();
	fd = open("data", O_CREAT | O_RDWR, 0600);
	drill_begin(3);
	child(writer);
	name("sq-reader");
	while (goes_on()) {
		uint64_t from = now();

		range(fd, F_RDLCK);
		range(fd, F_UNLCK);
		took(ops, from, 20);
		nap(10);
	}
	drill_tell(ops, 5, 50);
	return 0;
}
