/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A writer of a pthread rwlock starves: readers overlap, each of which sleeps while it has the lock.
 *
 * truth: rw-reader threads hold the rwlock that rw-writer wants, and sleep 60 ms while they do
 * victim: rw-writer
 * fact: WHO rw-reader
 * fact: WHAT futex|rwlock|\block\b
 * fact: DID rw-reader.*(nanosleep|sle(pt|ep))
 * amount: yes
 * short: yes
 */
#include "drill.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *after)
{
	name("rw-reader");
	nap(*(double *)after);
	while (goes_on()) {
		pthread_rwlock_rdlock(&lock);
		nap(60);
		pthread_rwlock_unlock(&lock);
		nap(40);
	}
	return NULL;
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	double first = 0, second = 30;

	drill_init();
	drill_begin(3);
	thread(reader, &first);
	thread(reader, &second);
	name("rw-writer");
	while (goes_on()) {
		uint64_t from = now();

		pthread_rwlock_wrlock(&lock);
		pthread_rwlock_unlock(&lock);
		took(ops, from, 15);
		nap(10);
	}
	drill_tell(ops, 5, 30);
	return 0;
}
