/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cgroup may have no more processes: fork(2) fails, and the server tries again.
 *
 * truth: fork() of fe-master fails with EAGAIN, since its cgroup drill-pids may have 6 processes only
 * victim: fe-master
 * fact: WHAT EAGAIN|temporarily unavailable
 * fact: CALL \b(clone3?|fork)\b
 * fact: WHERE drill-pids
 * amount: no
 */
#include "drill.h"

int main(void)
{
	const char *at;
	int failed = 0;

	drill_init();
	at = cgroup("pids", "drill-pids");
	if (!at || !put(at, "pids.max", "6"))
		not_produced("no cgroup of pids");
	drill_begin(3);
	child((void (*)(void))pause);
	if (!put(at, "cgroup.procs", "0"))
		not_produced("the cgroup takes no process");
	name("fe-master");
	while (goes_on()) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			name("fe-worker");
			pause();
			_exit(0);
		}
		if (pid > 0 && drill_nr_children < DRILL_MAX_CHILDREN)
			drill_children[drill_nr_children++] = pid;
		failed += pid < 0 && errno == EAGAIN;
		nap(5);
	}
	/* To be removed, it must be empty: this process goes back to where it came from. */
	char root[300];

	snprintf(root, sizeof(root), "%s/..", at);
	put(root, "cgroup.procs", "0");
	printf("failed %d\n", failed);
	if (failed < 100)
		not_produced("%d forks failed", failed);
	return 0;
}
