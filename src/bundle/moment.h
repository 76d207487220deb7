/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment that a bundle is of. */
#ifndef LKST_BUNDLE_MOMENT_H
#define LKST_BUNDLE_MOMENT_H

#include "abi/incident.h"
#include "bundle/bundle.h"
#include "bundle/survey.h"

enum { LKST_MOMENT_TEXT = 128 }; /* of a reason and of an event's name, with the NUL */

struct lkst_moment {
	bool is_incident;    /* or else a snapshot, of which there is nothing but `at_ns` */
	u32 number, trigger; /* of the incident; of its trigger, 0: none */
	s32 tid;	     /* the thread that it is about; 0: none */
	u64 at_ns;	     /* when, CLOCK_MONOTONIC; 0: the end of the trace */
	u64 value;	     /* what the trigger measured */
	char reason[LKST_MOMENT_TEXT], event[LKST_MOMENT_TEXT];
};

/* The moment of incident @number, which was kept for @cause; @c names its event. Trusts no byte of the reason. */
struct lkst_moment lkst_moment_of_incident(const struct lkst_catalog *c, u32 number,
					   const struct lkst_incident_cause *cause);

/* The first text: lines "KEY: value". @made_by: the program and its version. */
int lkst_bundle_tell_moment(struct lkst_err *e, const struct lkst_moment *moment,
			    const struct lkst_trace *t, const struct lkst_bundle_survey *survey,
			    const char *made_by, struct lkst_bundle_text *ret_text);

/* The moment of which such a text is; what it does not have is 0. Trusts no byte. */
void lkst_bundle_parse_moment(const struct lkst_bundle_text *text, struct lkst_moment *ret_moment);

#endif
