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

enum {
	/*
	 * For which one NET_RX lasts at most: net_rx_action() ends after two ticks (netdev_budget_usecs), 20 ms where
	 * HZ is 100, and the packet that it is at.
	 */
	LKST_RECEIVING_MOST_NS = 25 * 1000 * 1000,
	/* From there to the interrupt of another CPU, to which it has passed a packet on, if that has them off. */
	LKST_PASSING_ON_MOST_NS = 1000 * 1000,
};

/* Whether packets may be sent in softirq @number by itself: by timers, tasklets and queues of network devices. */
static inline bool lkst_softirq_may_send(u64 number)
{
	return number != LKST_SOFTIRQ_NET_RX && number != LKST_SOFTIRQ_BLOCK && number != LKST_SOFTIRQ_IRQ_POLL &&
	       number != LKST_SOFTIRQ_SCHED && number != LKST_SOFTIRQ_RCU;
}

#endif
