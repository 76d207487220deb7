/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lock of the kernel's a thread waits for, and who has it. What a kernel keeps of that is tested for, field by
 * field.
 */
#ifndef LKST_BPF_BLOCKER_H
#define LKST_BPF_BLOCKER_H

#include "abi/lock.h"
#include "bpf/record.h"

/* The low bits of task_struct.blocker: which kind of lock it is (Linux 6.17, include/linux/hung_task.h). */
enum {
	BLOCKER_MUTEX,
	BLOCKER_SEMAPHORE,
	BLOCKER_READER, /* of a read-write semaphore */
	BLOCKER_WRITER,
	BLOCKER_MASK = 3,
};

enum {
	OWNER_FLAGS = 7,    /* what the locks keep in the low bits of their owner (kernel/locking/) */
	READER_OWNED = 1,   /* of a read-write semaphore's: the owner is a reader */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct lkst_atomic_long {
	long counter;
};

struct mutex {
	struct lkst_atomic_long owner;
};

struct rw_semaphore {
	struct lkst_atomic_long owner;
};

struct semaphore {
	unsigned long last_holder;
};

struct rt_mutex_base {
	struct task_struct *owner;
};

struct rt_mutex_waiter {
	struct rt_mutex_base *lock;
};

struct task_struct___blocker {
	unsigned long blocker;
	struct mutex *blocker_mutex;
	struct rt_mutex_waiter *pi_blocked_on;
};

#pragma clang attribute pop

/* As the flags of contention_begin have it. */
static __always_inline u32 lkst_blocker_flags(u64 blocker)
{
	const u32 kind = blocker & BLOCKER_MASK;

	return kind == BLOCKER_MUTEX	   ? LKST_LOCK_MUTEX
	       : kind == BLOCKER_SEMAPHORE ? 0
	       : kind == BLOCKER_READER	   ? LKST_LOCK_READ
					   : LKST_LOCK_WRITE;
}

/*
 * The lock that @task sleeps for or is about to, and its flags; 0: none that is known. Linux 6.15 keeps it of mutexes
 * (3cf67d61ff98), 6.16 of semaphores, too (e711faaafbe5), and 6.17 of read-write semaphores (77da18de55ac), the latter
 * only where no signal ends the wait. A lock that lends its holder priority is kept by all kernels.
 */
static __always_inline u64 lkst_blocker_of(struct task_struct *task, u32 *ret_flags)
{
	struct task_struct___blocker *t = (void *)task, *none = NULL;
	u64 lock = 0;

	if (bpf_core_field_exists(none->blocker)) {
		lock = t->blocker;
		*ret_flags = lkst_blocker_flags(lock);
		lock &= ~(u64)BLOCKER_MASK;
	} else if (bpf_core_field_exists(none->blocker_mutex)) {
		lock = (u64)t->blocker_mutex;
		*ret_flags = LKST_LOCK_MUTEX;
	}
	if (!lock && bpf_core_field_exists(none->pi_blocked_on) &&
	    bpf_core_field_exists(((struct rt_mutex_waiter *)NULL)->lock) && t->pi_blocked_on) {
		lock = (u64)t->pi_blocked_on->lock;
		*ret_flags = LKST_LOCK_RT;
	}
	return lock;
}

/* Where lock @lock has the address of its owner's task_struct; NULL: it has none that this kernel keeps. */
static __always_inline const void *lkst_owner_at(u64 lock, u32 flags)
{
	if (flags == LKST_LOCK_RT && bpf_core_field_exists(((struct rt_mutex_base *)NULL)->owner))
		return &((struct rt_mutex_base *)lock)->owner;
	if ((flags & ~LKST_LOCK_SPIN) == LKST_LOCK_MUTEX && bpf_core_field_exists(((struct mutex *)NULL)->owner))
		return &((struct mutex *)lock)->owner;
	if ((flags == LKST_LOCK_READ || flags == LKST_LOCK_WRITE) &&
	    bpf_core_field_exists(((struct rw_semaphore *)NULL)->owner))
		return &((struct rw_semaphore *)lock)->owner;
	if (!flags && bpf_core_field_exists(((struct semaphore *)NULL)->last_holder))
		return &((struct semaphore *)lock)->last_holder;
	return NULL;
}

/*
 * Who has lock @lock: the thread's number, and in the upper half enum lkst_holder; 0: not known. Lock and thread may be
 * gone. A function of its own, so that a program that never calls it, by its configuration, is allowed where kernel
 * memory may not be copied (lockdown=confidentiality).
 */
static __noinline u64 lkst_read_holder(u64 lock, u32 flags)
{
	const void *at = lkst_owner_at(lock, flags);
	enum lkst_holder is = LKST_HOLDER_OWNER;
	u64 owner = 0;
	u32 tid = 0;

	if (!at || bpf_probe_read_kernel(&owner, sizeof(owner), at))
		return 0;
	if (!flags)
		is = LKST_HOLDER_TAKER;
	else if (flags & (LKST_LOCK_READ | LKST_LOCK_WRITE) && owner & READER_OWNED)
		is = LKST_HOLDER_READER;
	owner &= ~(u64)OWNER_FLAGS;
	if (!owner || bpf_probe_read_kernel(&tid, sizeof(tid), &((struct task_struct *)owner)->pid) || !tid)
		return 0;
	return (u64)is << 32 | tid;
}

static __always_inline u64 lkst_holder_of(u64 lock, u32 flags)
{
	return lkst_cfg.may_copy ? lkst_read_holder(lock, flags) : 0;
}

#endif
