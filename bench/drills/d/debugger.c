/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Somebody attaches a debugger to a server, looks around, and lets it go on.
 *
 * truth: db-debugger stops db-server by ptrace for 250 ms at a time, and db-client waits for its answer
 * victim: db-client
 * fact: WHO db-debugger
 * fact: WHAT ptrace|trac(ed|er)|[Ss]topped
 * fact: PEER db-server
 * amount: yes
 */
#include "drill.h"
#include <sys/ptrace.h>

static int ends[2];
static pid_t server_pid;

static void server(void)
{
	char c;

	name("db-server");
	while (read(ends[1], &c, 1) == 1)
		write(ends[1], &c, 1);
}

static void debugger(void)
{
	name("db-debugger");
	while (goes_on()) {
		nap(150);
		if (ptrace(PTRACE_SEIZE, server_pid, NULL, NULL))
			_exit(1);
		ptrace(PTRACE_INTERRUPT, server_pid, NULL, NULL);
		waitpid(server_pid, NULL, __WALL);
		nap(250);
		ptrace(PTRACE_DETACH, server_pid, NULL, NULL);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	drill_begin(3);
	server_pid = child(server);
	child(debugger);
	name("db-client");
	while (goes_on()) {
		uint64_t from = now();

		ask(ends[0], 'q');
		took(ops, from, 100);
		nap(5);
	}
	drill_tell(ops, 3, 200);
	return 0;
}
