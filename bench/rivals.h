/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other tracers, recording the entry of system calls: switched on and off around a measurement.
 * Each has a buffer of 4 MiB per CPU, as LKST has, and none may lose events while it is measured.
 */
#ifndef LKST_BENCH_RIVALS_H
#define LKST_BENCH_RIVALS_H

enum {
	RIVAL_BUFFER_BYTES = 4 << 20,
};

/*
 * ftrace's own raw_syscalls:sys_enter in an instance of its own, overwriting. It is reached
 * through a tracefs that is mounted nowhere.
 */
void rival_ftrace_open(void);
void rival_ftrace_on(void);
void rival_ftrace_off(void);
void rival_ftrace_close(void);

/* perf's overwriting ring (mapped read-only, written backward), as `perf record --overwrite`. */
void rival_perf_on(unsigned int cpu);
void rival_perf_off(void);

/* bpftrace as a process that prints time, thread and CPU of each to /dev/null. */
void rival_bpftrace_on(void);
void rival_bpftrace_off(void);

#endif
