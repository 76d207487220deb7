/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of a trace's state that is about the clocks and the idle states of CPUs. */
#ifndef LKST_LIVE_STATE_WRITE_POWER_H
#define LKST_LIVE_STATE_WRITE_POWER_H

#include <stdbool.h>

#include "abi/events.h"

enum { LKST_POWER_NAME_MAX = 64 }; /* of an idle state, with its NUL */

struct lkst_state_idle {
	struct lkst_rec_state_idle r;
	char name[LKST_POWER_NAME_MAX];
};

/* What the kernel says of the clock of @cpu, under /sys/devices/system/cpu. False: nothing. */
bool lkst_power_read_frequency(u32 cpu, struct lkst_rec_state_frequency *ret);

/* The name of idle state @state, as CPU 0 has it. False: there is no such state. */
bool lkst_power_read_idle(u32 state, struct lkst_state_idle *ret);

#endif
