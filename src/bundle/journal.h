/* SPDX-License-Identifier: GPL-2.0-only */
/* What the journal of systemd has of the time of a trace. */
#ifndef LKST_BUNDLE_JOURNAL_H
#define LKST_BUNDLE_JOURNAL_H

#include "bundle/bundle.h"

enum {
	LKST_BUNDLE_JOURNAL_LINES = 4000,    /* the newest */
	LKST_BUNDLE_JOURNAL_BYTES = 2 << 20, /* of all lines */
	LKST_BUNDLE_JOURNAL_MESSAGE = 4096,  /* bytes of a message */
	LKST_BUNDLE_JOURNAL_LOOKS = 100000,  /* entries that are looked at */
};

/* A test names a directory of journal files here, to be read instead of the machine's. */
#define LKST_JOURNAL_VARIABLE "LKST_JOURNAL"

/* Of which stretch, by the time of day, ns since 1970, and where the journal is. */
struct lkst_bundle_journal {
	u64 from_ns, to_ns;
	const char *directory; /* of journal files; NULL: this machine's */
	const char *having;    /* only entries that have this text, in upper or lower case; NULL: all */
};

/*
 * A line "TIME<tab>PRIORITY<tab>WHO[PID]<tab>MESSAGE" for each entry, the oldest first; TIME is UTC, PRIORITY a number
 * as in syslog(3). The number of a request that an entry has as its field TRACE_ID or OTEL_TRACE_ID follows the
 * message, unless that has it. A line that begins with '#' says something of all: why there are none, or that older
 * ones are left out. What this process may not read is not there. libsystemd is loaded for that; where it or a journal
 * is missing, the text says so, and that is no error.
 */
int lkst_bundle_tell_journal(struct lkst_err *e, const struct lkst_bundle_journal *journal,
			     struct lkst_bundle_text *ret_text);

#endif
