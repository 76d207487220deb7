/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A System V semaphore guards something, and its owner computes meanwhile.
 *
 * truth: sv-owner has the semaphore that sv-worker wants in semop(3), and computes 60 ms each time
 * victim: sv-worker
 * fact: WHO sv-owner
 * fact: WHAT sem(timed)?op|semaphore
 * fact: DID sv-owner.*(\bran\b|comput)
 * amount: yes
 * short: yes
 * changed: the fact WHAT after the first run: it was semop, and libc calls semtimedop
 */
#include "drill.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;

static void change(short by)
{
	struct sembuf b = { .sem_op = by };

	while (semop(id, &b, 1) && errno == EINTR)
		;
}

static void owner(void)
{
	name("sv-owner");
	while (goes_on()) {
		change(-1);
		work(60);
		change(1);
		nap(40);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	pid_t pid;

	drill_init();
	id = semget(IPC_PRIVATE, 1, 0600);
	if (id < 0)
		not_produced("semget: %s", strerror(errno));
	change(1);
	drill_begin(3);
	pid = child(owner);
	name("sv-worker");
	while (goes_on()) {
		uint64_t from = now();

		change(-1);
		change(1);
		took(ops, from, 15);
		nap(5);
	}
	waitpid(pid, NULL, 0);
	semctl(id, 0, IPC_RMID);
	drill_tell(ops, 5, 40);
	return 0;
}
