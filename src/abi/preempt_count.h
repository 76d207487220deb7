/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs that read the preemption count hand to user space while a recording starts. */
#ifndef LKST_ABI_PREEMPT_COUNT_H
#define LKST_ABI_PREEMPT_COUNT_H

#include "abi/types.h"

#define LKST_PREEMPT_SEEN (1U << 31) /* with each count that was read; no count has this bit */

struct lkst_preempt_seen {
	u32 thread, softirq, interrupt; /* the count in each; 0: not read yet */
};

#endif
