/* SPDX-License-Identifier: GPL-2.0-only */
/* Incidents of a recording: keeping, listing, saving and dropping moments (abi/incident.h). */
#ifndef LKST_LIVE_DRAIN_INCIDENTS_H
#define LKST_LIVE_DRAIN_INCIDENTS_H

#include "live/session/session.h"

enum { LKST_INCIDENTS_MAX = LKST_NR_BUFFERS - LKST_BUFFERS_AT_START };

/*
 * Makes @nr banks in addition to main, of its size, in memory that was set aside for them
 * (lkst_session_options.nr_banks). So many incidents can be kept at a time.
 */
int lkst_incidents_prepare(struct lkst_err *e, struct lkst_session *s, u32 nr);

/* How many incidents can be kept; how many more now. */
u32 lkst_incidents_room(const struct lkst_session *s, u32 *ret_free);

struct lkst_incident {
	u32 number, bank;
	u64 begin_ns; /* of what is left of it: on the CPU that reaches back least; 0: nothing was recorded */
	u64 until_ns;
	bool is_over; /* its post-trigger time is */
	struct lkst_incident_cause cause;
};

/* Those that are kept, by number; the caller frees the list. */
int lkst_incidents_list(struct lkst_err *e, const struct lkst_session *s,
			struct lkst_incident **ret_incidents, u32 *ret_nr);

/* Whether any is kept and over; by its control page alone, which is no system call. */
bool lkst_incidents_have_ended(const struct lkst_control *c);

/* When the first of those ends that are kept and not over, CLOCK_MONOTONIC; 0: there is none; by the same page. */
u64 lkst_incidents_next_end(const struct lkst_control *c);

/* The number of the last one, kept still or not. What lkst_incidents_list() does not list later on is gone. */
u32 lkst_incidents_last(const struct lkst_session *s);

/* Keeps the moment, for @reason. *@ret_number: the incident's, 0: it is part of one that is not over yet. */
int lkst_incident_keep(struct lkst_err *e, struct lkst_session *s, u64 post_ns, const char *reason,
		       u32 *ret_number);

/*
 * To be called before an incident is saved or dropped; close the descriptor that it returns when that is done. No
 * other process does either meanwhile. -EBUSY: one does; -ESTALE: it is no longer kept; -EAGAIN: it is not over.
 */
int lkst_incident_claim(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_incident *incident);

/* -EAGAIN, with a text: its post-trigger time is not over. */
int lkst_incident_check_over(struct lkst_err *e, const struct lkst_incident *i);

/* Empties the bank, and keeps it ready for another incident. Not before it is over. */
int lkst_incident_drop(struct lkst_err *e, struct lkst_session *s,
		       const struct lkst_incident *incident);

#endif
