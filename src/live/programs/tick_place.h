/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel keeps the time of its ticks, and what they interrupt (bpf/tick.h). */
#ifndef LKST_LIVE_PROGRAMS_TICK_PLACE_H
#define LKST_LIVE_PROGRAMS_TICK_PLACE_H

#include "abi/program.h"
#include "base/err.h"
#include "live/kernel/kernel_types.h"

/*
 * Finds it in the kernel's types, and fills has_ticks and what belongs to it of @cfg. On failure has_ticks is 0, and no
 * tick is recorded.
 */
int lkst_tick_place_find(struct lkst_err *e, const struct lkst_kernel *k, struct lkst_program_config *cfg);

#endif
