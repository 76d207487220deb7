// SPDX-License-Identifier: GPL-2.0-only
/*
 * marks COUNT [kill]: two threads mark COUNT times each, and make a system call between two marks: read(2) of a bad
 * descriptor, -1000 - i, in round i. With "kill" it kills itself then.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liblkst/mark.h"

static unsigned long count;

static void *mark(void *arg)
{
	static struct lkst_mark_event round =
		LKST_MARK_EVENT("round: u32 who, u64 number, s16 less, string text");
	unsigned long who = (unsigned long)arg, i;
	char byte;

	for (i = 0; i < count; i++) {
		lkst_mark("before", i);
		if (syscall(SYS_read, -1000 - (int)i, &byte, 1) != -1)
			abort();
		LKST_MARK(&round, who, i, -7, who == 1 ? "one" : "two");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc < 2)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	lkst_span_begin("run", 1);
	if (pthread_create(&other, NULL, mark, (void *)2))
		return 1;
	mark((void *)1);
	pthread_join(other, NULL);
	lkst_value("done", -1);
	lkst_span_end("run", 1);
	if (argc > 2 && !strcmp(argv[2], "kill"))
		raise(SIGKILL);
	return 0;
}
