/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A runtime whose threads park on words of their own, as Go's: one asks by a channel, which is memory, and parks;
 * the other computes and wakes it.
 *
 * truth: go-asker parks until go-slow, which computes 60 ms for each request, has put its answer into the channel
 * victim: go-asker
 * fact: WHO go-slow
 * fact: WHAT futex|park|answer|channel
 * fact: DID go-slow.*(\bran\b|comput)
 * amount: yes
 */
#include "drill.h"
#include <linux/futex.h>
#include <stdatomic.h>

static _Atomic int request, answer, word_of_asker, word_of_slow;

static void park(_Atomic int *word)
{
	while (!atomic_exchange(word, 0))
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void unpark(_Atomic int *word)
{
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *slow(void *arg)
{
	name("go-slow");
	while (goes_on()) {
		park(&word_of_slow);
		if (!atomic_exchange(&request, 0))
			continue;
		work(60);
		atomic_store(&answer, 1);
		unpark(&word_of_asker);
	}
	return arg;
}

int main(void)
{
	struct drill_ops *ops = ops_new();

	drill_init();
	drill_begin(3);
	thread(slow, NULL);
	name("go-asker");
	while (goes_on()) {
		uint64_t from = now();

		atomic_store(&request, 1);
		unpark(&word_of_slow);
		while (!atomic_exchange(&answer, 0))
			park(&word_of_asker);
		took(ops, from, 20);
		nap(10);
	}
	drill_tell(ops, 10, 50);
	exit(0);
}
