/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own account of what BPF programs take: how often each ran, and for how long. It is kept as long as
 * somebody asks for it, and costs each run of every program two looks at the clock meanwhile.
 */
#ifndef LKST_LIVE_LOAD_RUN_TIME_H
#define LKST_LIVE_LOAD_RUN_TIME_H

#include "abi/types.h"

/* What programs did since they were loaded, while the account was kept: only differences say something. */
struct lkst_run_time {
	double runs, ns;
};

/*
 * Has the kernel keep the account until the descriptor is closed, which the end of this process does as well;
 * whoever else has asked for it goes on. -EPERM, -EINVAL: not for this process, not on this kernel (before Linux 5.8).
 */
int lkst_run_time_open(void);

/* Number of the program @program_fd, by which two descriptors of one are known; 0: it cannot be asked. */
u32 lkst_run_time_program(int program_fd);

/* Adds what @program_fd did to @sum. */
void lkst_run_time_add(int program_fd, struct lkst_run_time *sum);

/* While the account is kept: what it says of @program_fd, which does nothing, ns. 0: that is not known. */
double lkst_run_time_of_nothing(int program_fd);

#endif
