/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A large process crashes, and while the kernel writes its core its client waits for an answer.
 *
 * truth: cd-client waits for cd-server, which got SIGSEGV and whose core of 400 MiB the kernel writes meanwhile
 * victim: cd-client
 * fact: WHO cd-server
 * fact: WHAT core|dump|SIGSEGV|crash
 * amount: yes
 */
#include "drill.h"
#include <sys/resource.h>

static int ends[2];

static void server(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	size_t size = (size_t)400 << 20;
	char c, *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	name("cd-server");
	close(ends[0]);
	setrlimit(RLIMIT_CORE, &all);
	prctl(PR_SET_DUMPABLE, 1);
	memset(p, 1, size);
	for (;;) {
		if (read(ends[1], &c, 1) != 1)
			_exit(0);
		if (c == 'x')
			*(volatile char *)NULL = 1;
		write(ends[1], &c, 1);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	char pattern[128] = "";
	uint64_t from;
	pid_t pid;
	int i, status;
	FILE *f;

	drill_init();
	f = fopen("/proc/sys/kernel/core_pattern", "r");
	if (!f || !fgets(pattern, sizeof(pattern), f) || pattern[0] == '|' || pattern[0] == '/' || pattern[0] == '\n')
		not_produced("core_pattern names no file in the directory of the process");
	fclose(f);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		not_produced("no sockets");
	pid = child(server);
	close(ends[1]);
	ask(ends[0], 'q');
	drill_begin(2);
	name("cd-client");
	for (i = 0; i < 20; i++) {
		ask(ends[0], 'q');
		nap(10);
	}
	from = now();
	ask(ends[0], 'x');
	took(ops, from, 20);
	waitpid(pid, &status, 0);
	shell("rm -f core*");
	if (!WIFSIGNALED(status) || !WCOREDUMP(status))
		not_produced("no core was written");
	while (goes_on())
		nap(50);
	drill_tell(ops, 1, 100);
	return 0;
}
