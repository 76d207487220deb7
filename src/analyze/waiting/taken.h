/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time on a CPU that interrupts took from threads: those of devices and of the CPUs, and the softirqs behind them.
 * What a thread brings about itself, as a packet that it sends to its own machine, is its own work.
 */
#ifndef LKST_ANALYZE_WAITING_TAKEN_H
#define LKST_ANALYZE_WAITING_TAKEN_H

#include "abi/events.h"
#include "analyze/model/model.h"
#include "base/map.h"

/* What took it. */
enum {
	LKST_TAKEN_IRQ = LKST_NR_SOFTIRQS, /* devices' interrupts; before it: softirqs, by number */
	LKST_TAKEN_VECTOR,		   /* CPUs' own, as that of the local timer */
	LKST_NR_TAKEN
};

struct lkst_taken {
	u64 by_ns[LKST_NR_TAKEN]; /* from all threads of programs */
	/* The timer's function whose interrupts took most, and how much; 0: none is known. */
	u64 timer_code, timer_ns;

	/* Private. */
	const struct lkst_model *model;
	u64 *lives; /* by life */
	u32 nr_lives;
	struct lkst_map timers; /* time by function */
	struct lkst_taken_cpu *cpus;
	u32 nr_cpus;
	int error;
};

/* Has the pass of @model fill it. All zero before. 1, or a negative errno. */
int lkst_taken_subscribe(struct lkst_taken *x, struct lkst_model *model);
void lkst_taken_fini(struct lkst_taken *x);

/* Whether the interrupts for one timer took more than half of it. */
bool lkst_taken_is_by_timer(const struct lkst_taken *x);

/* How much was taken from life number @life. */
u64 lkst_taken_from(const struct lkst_taken *x, u32 life);

#endif
