/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the kernel programs that are running: for what they may still write, or still read. */
#ifndef LKST_LIVE_RINGS_WRITERS_H
#define LKST_LIVE_RINGS_WRITERS_H

#include "abi/types.h"

/* Waits until every program of a hook that has begun before has ended, on all @nr_cpus CPUs. */
void lkst_wait_for_writers(u32 nr_cpus);

/*
 * The same by running on each CPU in turn: where CPUs are mostly idle, in less than the 10 ms that it takes otherwise.
 * If that is not done by @until_ns (CLOCK_MONOTONIC), or not possible on all, it waits as above.
 */
void lkst_wait_for_writers_soon(u32 nr_cpus, u64 until_ns);

/*
 * The same for those of CPU @cpu, mostly by running there once. What they stored, whatever has begun before, is seen
 * from then on; and of those that begin later nothing was seen before, even where a CPU's stores are in no order
 * (rings.h).
 */
void lkst_wait_for_writers_of(u32 cpu, u32 nr_cpus);

#endif
