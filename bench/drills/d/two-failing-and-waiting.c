/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two causes at once: calls that fail, and a semaphore whose owner sleeps.
 *
 * truth: open() of t4-reader fails with EACCES each time; t4-worker waits in semop(3) for t4-owner, which sleeps 70
 * truth: ms
 * victim: t4-reader
 * fact: WHAT EACCES|[Pp]ermission
 * fact: CALL \bopen(at2?)?\b
 * victim: t4-worker
 * fact: WHO t4-owner
 * fact: WHAT sem(timed)?op|semaphore
 * fact: DID t4-owner.*(nanosleep|sle(pt|ep))
 */
#include "drill.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;
static unsigned long *failed;

static void change(short by)
{
	struct sembuf b = { .sem_op = by };

	while (semop(id, &b, 1) && errno == EINTR)
		;
}

static void owner(void)
{
	name("t4-owner");
	while (goes_on()) {
		change(-1);
		nap(70);
		change(1);
		nap(30);
	}
}

static void reader(void)
{
	name("t4-reader");
	if (setuid(64124))
		_exit(1);
	while (goes_on()) {
		*failed += open("/etc/shadow", O_RDONLY) < 0 && errno == EACCES;
		nap(4);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	pid_t pid;

	drill_init();
	failed = shared(sizeof(*failed));
	id = semget(IPC_PRIVATE, 1, 0600);
	if (id < 0)
		not_produced("semget: %s", strerror(errno));
	change(1);
	drill_begin(3);
	pid = child(owner);
	child(reader);
	name("t4-worker");
	while (goes_on()) {
		uint64_t from = now();

		change(-1);
		change(1);
		took(ops, from, 20);
		nap(10);
	}
	waitpid(pid, NULL, 0);
	semctl(id, 0, IPC_RMID);
	printf("failed %lu\n", *failed);
	if (*failed < 100)
		not_produced("%lu calls failed", *failed);
	drill_tell(ops, 5, 50);
	return 0;
}
