/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU has done, by the kernel's own account of it: what recording costs cannot be more than that. */
#ifndef LKST_LIVE_RECORDING_CPU_ACCOUNT_H
#define LKST_LIVE_RECORDING_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stdio.h>

#include "abi/types.h"

/* Of one CPU since the machine started, us, in whole ticks (lkst_cpu_account_tick_us()). */
struct lkst_cpu_account {
	bool is_known; /* false: it is not online */
	u64 user;      /* in programs, those of guests included */
	u64 busy;      /* that, and in the kernel and its interrupts */
	u64 idle;      /* including waits for disks */
	u64 steal;     /* that the hypervisor gave to others */
};

u64 lkst_cpu_account_tick_us(void);

/* Reads those of CPUs 0 to @nr - 1 from @f, a text as /proc/stat. What it does not have is not known. */
void lkst_cpu_account_read(FILE *f, u32 nr, struct lkst_cpu_account *ret_times);

/*
 * What share of @ns, the time from @before to @after, the CPU can have been in the kernel at most, as far as ticks
 * tell: all of it, but for what it spent in programs, was idle or did not have. What is not known allows all.
 */
double lkst_cpu_account_kernel_share(const struct lkst_cpu_account *before,
				   const struct lkst_cpu_account *after, u64 ns);

#endif
