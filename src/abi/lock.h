/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What kind of lock a thread waits for, and how it waits: the flags of contention_begin. */
#ifndef LKST_ABI_LOCK_H
#define LKST_ABI_LOCK_H

/* LCB_F_*, include/trace/events/lock.h. A semaphore has none. */
enum {
	LKST_LOCK_SPIN = 1, /* it waits without sleeping */
	LKST_LOCK_READ = 2,
	LKST_LOCK_WRITE = 4,
	LKST_LOCK_RT = 8,
	LKST_LOCK_PERCPU = 16,
	LKST_LOCK_MUTEX = 32, /* with LKST_LOCK_SPIN: before it sleeps */
	LKST_LOCK_ALL = 63,
};

#endif
