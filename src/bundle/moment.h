/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment that a bundle is of: which it is, and the account of what its thread waited for. */
#ifndef LKST_BUNDLE_MOMENT_H
#define LKST_BUNDLE_MOMENT_H

#include "abi/incident.h"
#include "bundle/bundle.h"
#include "bundle/processes.h"
#include "trace/read/reader.h"

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

/* What one pass over a trace finds. All zero: nothing. */
struct lkst_bundle_survey {
	struct lkst_bundle_thread *
		threads; /* that occur, sorted by process; the kernel's idle threads do not count */
	u32 nr_threads;
	struct lkst_threads *known; /* whose the paths of their cgroups are */
	u64 records, symbols;
	u64 begin_ns, end_ns; /* of records that are not state; 0 and 0: there are none */
};

int lkst_bundle_survey(struct lkst_err *e, struct lkst_trace *t,
		       struct lkst_bundle_survey *ret_survey);
void lkst_bundle_survey_fini(struct lkst_bundle_survey *s);

/* The first text: lines "KEY: value". @made_by: the program and its version. */
int lkst_bundle_tell_moment(struct lkst_err *e, const struct lkst_moment *moment,
			    const struct lkst_trace *t, const struct lkst_bundle_survey *survey,
			    const char *made_by, struct lkst_bundle_text *ret_text);

/* The moment of which such a text is; what it does not have is 0. Trusts no byte. */
void lkst_bundle_parse_moment(const struct lkst_bundle_text *text, struct lkst_moment *ret_moment);

/*
 * The account in words, as `lkst why` prints it: of the moment's thread, up to the moment, and of the longest system
 * call, wait for a disk, wait and time without a CPU. Where there is none, it says so.
 */
int lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
			 struct lkst_bundle_text *ret_text);

#endif
