/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server accepts too seldom: its backlog is full, and connect(2) waits until the kernel sends its packet again.
 *
 * truth: bl-client waits in connect() for a second and more: the backlog of bl-server's socket is full, which
 * truth: accepts one connection each 60 ms
 * victim: bl-client
 * fact: WHAT \bconnect\b
 * fact: WHO bl-server|127\.0\.0\.1:\d+
 * fact: HOW backlog|SYN|sent again|retransmi|not (yet )?accept|taken up
 * amount: yes
 * changed: after a first run, in which it was not produced, the server accepts each 60 ms in place of each 400 ms;
 * changed: after another, the clients that measure nothing have a name of their own: all were added up
 */
#include "drill.h"

static struct sockaddr_in at;
static int listener;

static void server(void)
{
	name("bl-server");
	for (;;) {
		int fd;

		nap(60);
		fd = accept(listener, NULL, NULL);
		nap(1);
		close(fd);
	}
}

static void *client(void *measures)
{
	name(measures ? "bl-client" : "bl-crowd");
	while (goes_on()) {
		uint64_t from = now();
		int fd = dial(SOCK_STREAM, &at);

		if (measures)
			took(measures, from, 300);
		nap(5);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int i;

	drill_init();
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 1);
	drill_begin(5);
	child(server);
	for (i = 0; i < 2; i++)
		thread(client, NULL);
	client(ops);
	drill_tell(ops, 2, 900);
	exit(0);
}
