/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server runs a command for each request, and waits for it.
 *
 * truth: ca-client waits for ca-server, which waits in wait4() for its child ca-command, which sleeps 90 ms
 * victim: ca-client
 * fact: WHO ca-command
 * fact: WHAT answer|\b(read|recv(from)?)\b
 * fact: DID ca-command.*(nanosleep|sle(pt|ep))
 * amount: yes
 */
#include "drill.h"

static struct sockaddr_in at;
static int listener;

static void server(void)
{
	int fd;
	char c;

	name("ca-server");
	fd = accept(listener, NULL, NULL);
	while (read(fd, &c, 1) == 1) {
		pid_t pid = fork();

		if (!pid) {
			name("ca-command");
			nap(90);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		write(fd, &c, 1);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int fd;

	drill_init();
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 4);
	drill_begin(3);
	child(server);
	name("ca-client");
	fd = dial(SOCK_STREAM, &at);
	while (goes_on()) {
		uint64_t from = now();

		ask(fd, 'q');
		took(ops, from, 40);
		nap(15);
	}
	drill_tell(ops, 5, 80);
	return 0;
}
