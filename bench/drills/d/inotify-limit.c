/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user may have no more inotify instances, and a program that watches files tries again and again.
 *
 * truth: inotify_init1() of in-watcher fails with EMFILE each time: its user has as many as
 * truth: user.max_inotify_instances allows
 * victim: in-watcher
 * fact: WHAT EMFILE|[Tt]oo many open
 * fact: CALL inotify_init1?
 * amount: no
 * short: yes
 */
#include "drill.h"
#include <sys/inotify.h>
#include <sys/resource.h>

int main(void)
{
	struct rlimit many = { 60000, 60000 };
	int failed = 0, i;

	drill_init();
	setrlimit(RLIMIT_NOFILE, &many);
	if (setuid(64123))
		not_produced("setuid: %s", strerror(errno));
	for (i = 0; i < 50000 && inotify_init1(IN_CLOEXEC) >= 0; i++)
		;
	drill_begin(3);
	name("in-watcher");
	while (goes_on()) {
		failed += inotify_init1(IN_CLOEXEC) < 0 && errno == EMFILE;
		nap(4);
	}
	printf("failed %d\n", failed);
	if (failed < 100)
		not_produced("%d calls failed", failed);
	return 0;
}
