/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread as the kernel program lists it for user space, which makes a state_thread and a state_wait of it. */
#ifndef LKST_ABI_LISTED_H
#define LKST_ABI_LISTED_H

#include "abi/events.h"
#include "abi/program.h"

struct lkst_listed_thread {
	struct lkst_rec_state_thread r; /* thread 0: the idle thread of its CPU, of which nothing more is said */
	s16 call;
	u8 where; /* enum lkst_where; UNKNOWN: it did not sleep */
	u8 flags;
	u16 holder_is, lock_flags; /* as those of sched_blocker */
	s32 holder_tid;
	u32 nr_args;
	u64 lock;
	u64 args[LKST_SYSCALL_ARGS];
} __attribute__((packed, aligned(4)));

#endif
