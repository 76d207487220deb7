/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Incidents: moments that are kept. A recording may have banks: buffers of main's size, one of which gets
 * what is sent to main. Some time after a trigger fires, all CPUs switch to a free bank, each with its first
 * record from that time on, and the bank that they leave is the incident.
 *
 * Kernel programs keep incidents (src/bpf/incident.h); user space makes banks, saves what they hold and
 * frees them (src/live/drain/incidents.h).
 */
#ifndef LKST_ABI_INCIDENT_H
#define LKST_ABI_INCIDENT_H

#include "abi/types.h"

enum { LKST_INCIDENT_REASON = 48 }; /* with its NUL */

enum lkst_bank_state {
	LKST_BANK_NONE,	 /* the buffer is no bank */
	LKST_BANK_FREE,	 /* empty, and nobody writes to it */
	LKST_BANK_TAKEN, /* written to, or about to be */
	LKST_BANK_KEPT,	 /* it holds an incident, once the time `until` is over */
};

/* Why a moment is to be kept. */
struct lkst_incident_cause {
	u32 trigger; /* its number; 0: a command, or a handler by itself */
	u32 id;	     /* of the event; 0: none */
	s32 tid;     /* the thread that caused it */
	u32 pad;
	u64 ns;	     /* when, CLOCK_MONOTONIC */
	u64 value;   /* what the trigger measured */
	u64 post_ns; /* how long to go on until the bank is left */
	char reason[LKST_INCIDENT_REASON];
};
_Static_assert(sizeof(struct lkst_incident_cause) == 40 + LKST_INCIDENT_REASON, "no holes");

struct lkst_bank {
	u32 state;    /* enum lkst_bank_state */
	u32 number;   /* of the incident, from 1 in each recording */
	u64 until_ns; /* no record of the incident is of this time or later */
	struct lkst_incident_cause cause;
};

/* All banks of a recording, in the control page. */
struct lkst_banks {
	u32 active; /* the bank that gets what is sent to main, or will when the last incident ends */
	u32 nr;	      /* incidents so far */
	u32 is_keeping; /* a program is keeping one; a cause that comes meanwhile is part of the same incident */
	u32 pad;
	u64 until_ns; /* of the last incident */
	u64 joined;   /* causes that came while an incident was not over yet */
	u64 missed;   /* causes that found no free bank */
};

#endif
