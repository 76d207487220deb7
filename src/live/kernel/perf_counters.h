/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the CPUs and of the kernel that programs read at each switch: which, and opening them. */
#ifndef LKST_LIVE_KERNEL_PERF_COUNTERS_H
#define LKST_LIVE_KERNEL_PERF_COUNTERS_H

#include "abi/perf_counter.h"
#include "base/err.h"

/*
 * Reads "cycles,instructions" into @ret, numbers of enum lkst_perf_counter followed by 0. -EINVAL: there is no such
 * counter, one is there twice, or there are too many.
 */
int lkst_perf_counters_parse(struct lkst_err *e, const char *text, u8 ret[LKST_PERF_AT_ONCE]);

/*
 * Opens what @counters has on each CPU that is online, for all threads, and puts it into the map that programs read
 * it from, where it stays as long as the map does. -ENOENT: the machine cannot count one of them.
 */
int lkst_perf_counters_open(struct lkst_err *e, const u8 counters[LKST_PERF_AT_ONCE], int map_fd,
			    u32 nr_cpus);

/*
 * Whether @counter, an enum lkst_perf_counter, can be counted for all threads: on the first CPU that is online, for a
 * moment. 0, or as lkst_perf_counters_open().
 */
int lkst_perf_counters_try(struct lkst_err *e, u8 counter);

#endif
