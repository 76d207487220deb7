// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The process that asks programs to mark (src/marks/marks_ask.h), when somebody kills it.
 */
#include "marks/marks_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

enum { CANNOT = 77 }; /* the exit status of who cannot forbid it */

/* Has the kernel kill this process, or a child, when it opens a directory: the first thing that is done for asking. */
static void forbid_directories(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(CANNOT);
}

/* Whether a process that asked has been killed. It is this one's child, since that one is its subreaper. */
static bool was_killed(void)
{
	int status;

	return waitpid(-1, &status, 0) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* The number of the check that failed; 0: none. */
static int ask_twice(void)
{
	struct lkst_marks_asker *a;
	int i;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) || lkst_marks_asker_new(&a))
		return CANNOT;
	forbid_directories();
	for (i = 0; i < 2; i++) {
		lkst_marks_asker_ask(a, 1, false);
		if (lkst_marks_asker_wait(a))
			return 1;
		if (!was_killed())
			return 2 + i;
	}
	lkst_marks_asker_free(a);
	return lkst_marks_ask(1, false) == -EAGAIN ? 0 : 4;
}

TEST(another_process_asks_when_one_was_killed)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(ask_twice());
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		SKIP("seccomp(2) is not permitted here");
	CHECK_EQ(WEXITSTATUS(status), 0);
}

static const struct unit_test tests[] = {
	{ "another_process_asks_when_one_was_killed", test_another_process_asks_when_one_was_killed },
};

UNIT_MAIN(tests)
