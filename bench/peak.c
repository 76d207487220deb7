/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a command and says on standard error how long it took and how much memory it had resident
 * at its peak, leaving out mapped traces and rings.
 *
 *	peak PATH COMMAND [ARG]...	prints "seconds kib all_kib" at the end
 *
 * Mappings of files under PATH and of BPF maps are left out. The sum is taken every few
 * milliseconds; `all_kib` is what the kernel noted as the peak of everything.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum {
	INTERVAL_US = 5000,
};

/* Resident memory of @pid in KiB, without mappings of files under @path and of BPF maps. */
static unsigned long resident_kib(pid_t pid, const char *path)
{
	unsigned long sum = 0, kib, from, to;
	int counts = 1;
	char line[4096];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/smaps", pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			counts = !strstr(line, path) && !strstr(line, "bpf-map");
		else if (counts && sscanf(line, "Rss: %lu", &kib) == 1)
			sum += kib;
	}
	if (f)
		fclose(f);
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long peak = 0, now;
	struct rusage usage;
	uint64_t start, end;
	int status;
	pid_t pid;

	if (argc < 3)
		bench_die("usage: peak PATH COMMAND [ARG]...");
	start = bench_now_ns();
	pid = fork();
	if (pid < 0)
		bench_die("fork: %s", strerror(errno));
	if (!pid) {
		execvp(argv[2], argv + 2);
		bench_die("%s: %s", argv[2], strerror(errno));
	}
	while (!wait4(pid, &status, WNOHANG, &usage)) {
		now = resident_kib(pid, argv[1]);
		peak = now > peak ? now : peak;
		usleep(INTERVAL_US);
	}
	end = bench_now_ns();
	/* A command that is gone before it can be looked at had no time to be large. */
	if (!peak || peak > (unsigned long)usage.ru_maxrss)
		peak = usage.ru_maxrss;
	fprintf(stderr, "%.3f %lu %ld\n", (end - start) / 1e9, peak, usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
