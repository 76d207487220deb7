// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program that may make the listed system calls and no other: another one ends it with
 * SIGSYS. What a service manager's filter would refuse is so seen at once.
 *
 *	sandbox FILE COMMAND...		FILE: their numbers, a line each
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CALLS_MAX = 1000 };

static struct sock_filter program[2 * CALLS_MAX + 8];
static unsigned short length;

static void add(struct sock_filter instruction)
{
	program[length++] = instruction;
}

static int read_calls(const char *name)
{
	FILE *f = fopen(name, "r");
	unsigned int nr, count = 0;

	while (f && count < CALLS_MAX && fscanf(f, "%u", &nr) == 1) {
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1));
		add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
		count++;
	}
	if (f)
		fclose(f);
	return count > 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = { .filter = program };

	if (argc < 3)
		return 2;
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, arch)));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, nr)));
	if (!read_calls(argv[1])) {
		fprintf(stderr, "sandbox: no numbers in %s\n", argv[1]);
		return 2;
	}
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	filter.len = length;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("sandbox: filter");
		return 2;
	}
	execv(argv[2], argv + 2);
	perror("sandbox: exec");
	return 2;
}
