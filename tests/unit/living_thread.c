// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * A process whose first thread has ended is read by another one.
 */
#include "base/io.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

static int told[2];

/* Says its number once the first thread has ended: nothing of the process can be read under that one's number then. */
static void *go_on(void *arg)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	char path[64], byte;

	snprintf(path, sizeof(path), "/proc/%d/maps", getpid());
	for (;;) {
		FILE *f = fopen(path, "re");
		const bool is_empty = !f || fread(&byte, 1, 1, f) == 0;

		if (f)
			fclose(f);
		if (is_empty)
			break;
		usleep(1000);
	}
	if (write(told[1], &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
	return arg;
}

TEST(living_thread_is_another_one_where_the_first_has_ended)
{
	pid_t tid = 0, pid;
	pthread_t thread;

	CHECK(!pipe(told));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		alarm(60);
		if (pthread_create(&thread, NULL, go_on, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	CHECK_EQ(read(told[0], &tid, sizeof(tid)), sizeof(tid));
	CHECK(tid != pid);
	CHECK_EQ(lkst_living_thread(pid), tid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* It has ended altogether. */
	CHECK_EQ(lkst_living_thread(pid), pid);
	CHECK_EQ(lkst_living_thread(getpid()), getpid());
}

static const struct unit_test tests[] = {
	{ "living_thread_is_another_one_where_the_first_has_ended",
	  test_living_thread_is_another_one_where_the_first_has_ended },
};
UNIT_MAIN(tests)
