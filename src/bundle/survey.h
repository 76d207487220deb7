/* SPDX-License-Identifier: GPL-2.0-only */
/* What one pass over a bundle's trace finds: which threads it has, and what is missing. */
#ifndef LKST_BUNDLE_SURVEY_H
#define LKST_BUNDLE_SURVEY_H

#include "bundle/bundle.h"
#include "bundle/processes.h"
#include "trace/read/reader.h"

/* All zero: nothing. */
struct lkst_bundle_survey {
	struct lkst_bundle_thread *
		threads; /* that occur, sorted by process; the kernel's idle threads do not count */
	u32 nr_threads;
	struct lkst_threads *known; /* whose the paths of their cgroups are */
	u64 records, symbols;
	u64 begin_ns, end_ns; /* of records that are not state; 0 and 0: there are none */
	struct lkst_bundle_text losses; /* what is missing in the trace, as `lkst check` says it */
};

/* Has @t know, too, what its state says of descriptors (trace/known/descriptors_before.h). */
int lkst_bundle_survey(struct lkst_err *e, struct lkst_trace *t,
		       struct lkst_bundle_survey *ret_survey);
void lkst_bundle_survey_fini(struct lkst_bundle_survey *s);

#endif
