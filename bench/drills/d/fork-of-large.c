/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process with much memory forks, to save its state as Redis does: its page tables are copied under its
 * mmap_lock.
 *
 * truth: fl-saver forks a process of 800 MiB again and again; fl-worker waits meanwhile for the mmap_lock of the
 * truth: process
 * victim: fl-worker
 * fact: WHO fl-saver
 * fact: WHAT mmap_?lock|mmap_(read|write)|kernel('s)? lock|rwsem|semaphore
 * fact: DID fl-saver.*\b(clone3?|fork|vfork|ran)\b
 * amount: no
 */
#include "drill.h"

static void *saver(void *arg)
{
	name("fl-saver");
	while (goes_on()) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		nap(20);
	}
	return arg;
}

int main(void)
{
	size_t size = (size_t)800 << 20;
	struct drill_ops *ops = ops_new();
	pthread_t t;
	char *p;

	drill_init();
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		not_produced("no memory");
	madvise(p, size, MADV_NOHUGEPAGE);
	memset(p, 1, size);
	drill_begin(3);
	t = thread(saver, NULL);
	name("fl-worker");
	while (goes_on()) {
		uint64_t from = now();
		char *q = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		q[0] = 1;
		munmap(q, 65536);
		took(ops, from, 3);
		nap(2);
	}
	pthread_join(t, NULL);
	drill_tell(ops, 10, 6);
	return 0;
}
