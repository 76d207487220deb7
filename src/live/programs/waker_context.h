/* SPDX-License-Identifier: GPL-2.0-only */
/* How a program tells an interrupt, a softirq and a thread apart, where it wakes a thread. */
#ifndef LKST_LIVE_PROGRAMS_WAKER_CONTEXT_H
#define LKST_LIVE_PROGRAMS_WAKER_CONTEXT_H

#include "abi/program.h"
#include "base/err.h"
#include "live/kernel/kernel_types.h"

/*
 * Finds where the kernel keeps its preemption count and which bits of it are whose, by looking at it in an
 * interrupt and in a softirq, and fills these fields of @cfg. That takes some milliseconds, at most 0.2 s, in which
 * this thread does not sleep. On failure the fields are 0, and records have LKST_WAKER_UNKNOWN.
 */
int lkst_waker_context_find(struct lkst_err *e, const struct lkst_kernel *k, struct lkst_program_config *cfg);

#endif
