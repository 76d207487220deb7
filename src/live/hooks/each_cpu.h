/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program at a perf event that each CPU has one of: a clock for samples, memory that is watched. (A probe is at all
 * CPUs by one event.)
 */
#ifndef LKST_LIVE_HOOKS_EACH_CPU_H
#define LKST_LIVE_HOOKS_EACH_CPU_H

#include "abi/types.h"
#include "base/err.h"

struct perf_event_attr;

/* Opens the event on @cpu, for all threads; a negative errno if that fails. */
int lkst_each_cpu_open(struct perf_event_attr *attr, u32 cpu);

/*
 * Opens it on each CPU that is online, runs @program_fd at it and enables it. Returns a descriptor, of a map that keeps
 * all of them as long as it or a pin of it is open.
 */
int lkst_each_cpu_attach(struct lkst_err *e, struct perf_event_attr *attr, int program_fd);

#endif
