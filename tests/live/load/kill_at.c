// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command and kills it (SIGKILL) or stops it (SIGSTOP) at a system call: before the Nth one that its first
 * thread makes, counted from its first call of number NR whose argument number ARG (from 1) is VALUE; ARG 0: whatever
 * its arguments are. So a moment is chosen by what the command does, and not by time.
 *
 *	kill_at kill|stop|count NR ARG VALUE N COMMAND...
 *
 * kill: ends with status 0 when it was killed, with 1 if it ended before. stop: prints its number when it is stopped
 * and ends; the command stays so. count: lets it run to its end, and prints how many calls were counted.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	_exit(2);
}

static pid_t begin(char **command)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL), "PTRACE_TRACEME");
		raise(SIGSTOP);
		execvp(command[0], command);
		_exit(127);
	}
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	must(!ptrace(PTRACE_SETOPTIONS, pid, NULL,
		     (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
	     "PTRACE_SETOPTIONS");
	return pid;
}

/* Lets it run to the entry of its next system call. 0: it has ended. */
static int next_call(pid_t pid, struct ptrace_syscall_info *info)
{
	int status, signal = 0;

	for (;;) {
		must(!ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)signal), "PTRACE_SYSCALL");
		must(waitpid(pid, &status, 0) == pid, "waitpid");
		if (!WIFSTOPPED(status))
			return 0;
		signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (signal == SIGTRAP)
			signal = 0;
		if (signal || WSTOPSIG(status) == SIGTRAP)
			continue;
		must(ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(*info), info) > 0,
		     "PTRACE_GET_SYSCALL_INFO");
		if (info->op == PTRACE_SYSCALL_INFO_ENTRY)
			return 1;
	}
}

static int is_first(const struct ptrace_syscall_info *info, char **argv)
{
	long arg = strtol(argv[3], NULL, 0);

	return info->entry.nr == strtoull(argv[2], NULL, 0) &&
	       (!arg || info->entry.args[arg - 1] == strtoull(argv[4], NULL, 0));
}

static int act(pid_t pid, const char *how)
{
	int status;

	if (!strcmp(how, "kill")) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 0;
	}
	/* Let go, it runs until it comes to the signal, at the end of this call at the latest. */
	kill(pid, SIGSTOP);
	must(!ptrace(PTRACE_SETOPTIONS, pid, NULL, NULL), "PTRACE_SETOPTIONS");
	must(!ptrace(PTRACE_DETACH, pid, NULL, (void *)SIGSTOP), "PTRACE_DETACH");
	must(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "waiting until it is stopped");
	printf("%d\n", (int)pid);
	return 0;
}

int main(int argc, char **argv)
{
	struct ptrace_syscall_info info;
	unsigned long counted = 0, n;
	int has_begun = 0;
	pid_t pid;

	if (argc < 7) {
		fprintf(stderr, "usage: kill_at kill|stop|count NR ARG VALUE N COMMAND...\n");
		return 2;
	}
	n = strtoul(argv[5], NULL, 0);
	pid = begin(argv + 6);
	while (next_call(pid, &info)) {
		has_begun = has_begun || is_first(&info, argv);
		counted += has_begun;
		if (has_begun && counted == n && strcmp(argv[1], "count") != 0)
			return act(pid, argv[1]);
	}
	if (!strcmp(argv[1], "count")) {
		printf("%lu\n", counted);
		return 0;
	}
	return 1;
}
