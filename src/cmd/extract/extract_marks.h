/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst extract: what programs marked before the crash, in the trace of a recording. */
#ifndef LKST_CMD_EXTRACT_EXTRACT_MARKS_H
#define LKST_CMD_EXTRACT_EXTRACT_MARKS_H

#include "crash/recording.h"
#include "trace/write/writer.h"

/* Where from, and where to. */
struct lkst_extract_marks {
	const struct lkst_dump *dumps;
	unsigned int nr_dumps;
	const struct lkst_hits *hits;
	struct lkst_recording *recording; /* its catalogue gets the programs' events */
	struct lkst_writer *trace;
	bool is_earlier; /* the dump is this machine's memory, which has programs of this boot as well */

	/* What was found. */
	u64 nr_programs, nr_marks;
};

/* Adds to the trace what programs marked, up to @end_ns, when the kernel stopped, and to its ledger what is missing. */
int lkst_extract_add_marks(struct lkst_err *e, struct lkst_extract_marks *x, u64 end_ns);

#endif
