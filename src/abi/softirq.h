/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The numbers of softirqs, which the kernel does not change: include/linux/interrupt.h. */
#ifndef LKST_ABI_SOFTIRQ_H
#define LKST_ABI_SOFTIRQ_H

#include "abi/types.h"

enum lkst_softirq {
	LKST_SOFTIRQ_HI,
	LKST_SOFTIRQ_TIMER,
	LKST_SOFTIRQ_NET_TX,
	LKST_SOFTIRQ_NET_RX,
	LKST_SOFTIRQ_BLOCK,
	LKST_SOFTIRQ_IRQ_POLL,
	LKST_SOFTIRQ_TASKLET,
	LKST_SOFTIRQ_SCHED,
	LKST_SOFTIRQ_HRTIMER,
	LKST_SOFTIRQ_RCU,
};

/* Whether packets may be sent in softirq @number by itself: by timers, tasklets and queues of network devices. */
static inline bool lkst_softirq_may_send(u64 number)
{
	return number != LKST_SOFTIRQ_NET_RX && number != LKST_SOFTIRQ_BLOCK && number != LKST_SOFTIRQ_IRQ_POLL &&
	       number != LKST_SOFTIRQ_SCHED && number != LKST_SOFTIRQ_RCU;
}

#endif
