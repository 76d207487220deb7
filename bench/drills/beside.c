/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server that makes many system calls, for `bench/drills/run --beside`: two clients on loopback, each of which sends
 * a byte, and polls for its answer, as fast as it can; for 3 of each 12 ms, for else the incidents would not happen.
 */
#include "drill.h"

static struct sockaddr_in at;

static void *client(void *arg)
{
	int fd = dial(SOCK_STREAM, &at);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t until = 0;
	char c = 'q';

	name("be-client");
	while (write(fd, &c, 1) == 1 && poll(&p, 1, -1) == 1 && read(fd, &c, 1) == 1) {
		if (now() < until)
			continue;
		nap(9);
		until = now() + 3000000;
	}
	return arg;
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	name("be-server");
	while (poll(&p, 1, -1) == 1 && read(fd, &c, 1) == 1 && write(fd, &c, 1) == 1)
		;
	return NULL;
}

int main(void)
{
	int listener, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 8);
	for (i = 0; i < 2; i++) {
		thread(client, NULL);
		thread(serve, (void *)(intptr_t)accept(listener, NULL, NULL));
	}
	pause();
	return 0;
}
