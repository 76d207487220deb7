/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting a recording. */
#ifndef LKST_LIVE_RECORDING_START_H
#define LKST_LIVE_RECORDING_START_H

#include "live/session/session.h"

/* What recording may cost of each CPU's time, and the unit of its memory, if nobody says otherwise. */
enum { LKST_USUAL_BUDGET_PPM = 50000, LKST_USUAL_BLOCK_BYTES = 4 << 10 };

struct lkst_session_options {
	u64 buffer_bytes; /* per CPU */
	u64 block_bytes;
	u64 spare_bytes; /* per CPU, for buffers made later (live/session/buffers.h) */
	/* What asks for stacks; the plan has its events. */
	struct lkst_sampling sampling; /* period_ns 0: none is taken */
	u64 off_cpu_ns;		       /* as lkst_control.off_cpu_ns */
	u64 wish_ns;	 /* of history, that `buffer_bytes` was chosen for; 0: for none */
	u32 nr_banks;	 /* that incidents can be kept in (live/drain/incidents.h) */
	u32 budget_ppm;	 /* what recording may cost of each CPU's time; 0: no limit */
	u64 behind_bytes; /* of memory that the rings must not get, see lkst_memory_ballast() */
	bool is_on_node; /* memory is taken from NUMA node `numa_node` */
	int numa_node;
	struct lkst_filter filter;
	/* The maskset to begin with, as lkst_maskset_get() takes it; NULL: what the plan selects. */
	const char *maskset;
	/* Masksets whose hooks stay attached while another one is active. */
	char *const *armed;
	unsigned int nr_armed;
	bool is_to_be_pinned; /* lkst_session_pin() follows, and then masksets with conditions once more */
};

/*
 * Loads and attaches what @plan says. Nothing is recorded until lkst_session_arm(). The plan stays the
 * caller's and must outlive the session.
 */
int lkst_session_start(struct lkst_err *e, const struct lkst_plan *plan,
		       const struct lkst_session_options *options,
		       struct lkst_session **ret_session);

/* Switches recording on, with the maskset that was chosen, or off: one store, recorded. */
void lkst_session_arm(struct lkst_session *s, bool on);

/* Pins all there is, so that it outlives the process. Takes lkst_pins_prepare() first. */
int lkst_session_pin(struct lkst_err *e, struct lkst_session *s);

/*
 * Lets this process change the recording before it arms it, by what requires a pinned one: masksets, handlers, probes.
 * The pins are the session's own (live/hooks/own_pins.h). The maskset that is to be active is armed, in the sense of
 * masksets: what is added meanwhile is added to it.
 */
int lkst_session_keep_own(struct lkst_err *e, struct lkst_session *s);

#endif
