/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a probe in a program costs on this machine: functions of the recorder's own are called with a probe and without.
 */
#ifndef LKST_LIVE_COST_MEASURE_PROGRAM_H
#define LKST_LIVE_COST_MEASURE_PROGRAM_H

#include "abi/budget.h"

/*
 * Measures with @program_fd, the program of a probe in a program, whose event no maskset has: for a moment it is
 * attached in this process, and in no other. What could be measured is put into @costs and marked there.
 */
void lkst_measure_program(int program_fd, struct lkst_costs *costs);

/* What that takes at most, but for attaching and detaching. */
#define LKST_MEASURE_PROGRAM_NS (4 * 1000000ULL)

#endif
