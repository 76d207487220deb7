/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine was like while a thread had a CPU: time that a hypervisor took, and a slow clock. Private to the
 * sentences of `lkst why`.
 */
#ifndef LKST_ANALYZE_WHY_NARRATE_MACHINE_H
#define LKST_ANALYZE_WHY_NARRATE_MACHINE_H

#include "analyze/why/narrate.h"

/*
 * Adds to @s, if it is a significant part of the stretches from @first to @last in which the thread ran, what the
 * hypervisor took of the CPU's time; the frequency of the clock, if that was clearly below the highest; and what was
 * counted in those of the stretches that are whole.
 */
void lkst_narrate_machine(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_stretch *first, const struct lkst_stretch *last);

#endif
