/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two causes at once for the same thread: each request of it takes a lock, and asks a server.
 *
 * truth: t2-victim waits for the file lock of t2-backup, which sleeps 60 ms, and for the answer of t2-server, which
 * truth: computes 40 ms
 * victim: t2-victim
 * fact: WHO t2-backup
 * fact: WHAT flock|\block\b
 * fact: DID t2-backup.*(nanosleep|sle(pt|ep))
 * victim: t2-victim
 * fact: WHO t2-server
 * fact: WHAT answer|\bread\b
 * fact: DID t2-server.*(\bran\b|comput)
 * also: t2-(backup|server)
 */
#include "drill.h"

static struct sockaddr_in at;
static int listener;

static void backup(void)
{
	int fd = open("lock", O_CREAT | O_RDWR, 0600);

	name("t2-backup");
	for (;;) {
		flock(fd, LOCK_EX);
		nap(60);
		flock(fd, LOCK_UN);
		nap(20);
	}
}

static void server(void)
{
	int fd;
	char c;

	name("t2-server");
	fd = accept(listener, NULL, NULL);
	while (read(fd, &c, 1) == 1) {
		work(40);
		write(fd, &c, 1);
	}
}

int main(void)
{
	struct drill_ops *locked = ops_new(), *asked = ops_new();
	int fd, s;

	drill_init();
	fd = open("lock", O_CREAT | O_RDWR, 0600);
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 4);
	drill_begin(4);
	child(backup);
	child(server);
	name("t2-victim");
	s = dial(SOCK_STREAM, &at);
	while (goes_on()) {
		uint64_t from = now();

		flock(fd, LOCK_EX);
		flock(fd, LOCK_UN);
		took(locked, from, 15);
		from = now();
		ask(s, 'q');
		took(asked, from, 15);
		nap(7);
	}
	drill_tell(locked, 5, 30);
	drill_tell(asked, 5, 30);
	return 0;
}
