/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking samples: what has a program run every so often on each CPU. */
#ifndef LKST_LIVE_HOOKS_SAMPLING_H
#define LKST_LIVE_HOOKS_SAMPLING_H

#include "abi/control.h"
#include "abi/events.h"
#include "base/err.h"

enum { LKST_SAMPLE_HZ_MAX = 10000 };

struct lkst_sampling {
	u64 period_ns; /* of CPU time */
	u32 clock;     /* enum lkst_sample_clock */
};

/*
 * Attaches @program_fd to a perf event of each CPU that is online. A CPU without one takes no samples: one that comes
 * online later, or was offline since. Returns a descriptor that keeps all of it attached, for the caller to close or
 * pin: a map that holds the events, since links of one event each would be as many pins as there are CPUs.
 */
int lkst_sampling_attach(struct lkst_err *e, const struct lkst_sampling *s, int program_fd);

/* 0, or -ENOTSUP with the reason: this machine does not count what @clock needs, as many guests don't. */
int lkst_sampling_check(struct lkst_err *e, enum lkst_sample_clock clock);

/* How many frames of a stack the kernel gives, LKST_STACK_FRAMES at most: kernel.perf_event_max_stack. */
u32 lkst_sampling_stack_frames(void);

#endif
