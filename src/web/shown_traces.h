/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the page shows: a trace, or those of several hosts on one time line, with the lanes of each. Lanes, threads,
 * names and spans have numbers of the page, which go through all hosts; and the page's times are in nanoseconds after
 * the first record of any.
 */
#ifndef LKST_WEB_SHOWN_TRACES_H
#define LKST_WEB_SHOWN_TRACES_H

#include <stdbool.h>

#include "analyze/lanes/lanes.h"
#include "hosts/reading.h"

struct lkst_web_host {
	struct lkst_trace *trace;
	struct lkst_lanes *lanes;
	const char *name;
	u64 zero_ns; /* what its clock said at the page's time 0, modulo 2^64: it may have begun later */
	/* The page's numbers of its first ones. */
	u32 first_lane, first_life, first_name, first_span;
};

struct lkst_web_shown {
	struct lkst_reading reading;
	u64 begin_ns, end_ns; /* on the clock of the trace; of several hosts, the time of day */
	struct lkst_web_host *list;
	unsigned int nr; /* at least one */
};

/* NULL: nothing was read. */
const struct lkst_web_shown *lkst_web_shown(void);

/* Reads what there is, in place of what was shown. */
int lkst_web_shown_read(struct lkst_err *e);

/* Closes what is shown, whose files are about to go. */
void lkst_web_forget(void);

/* Of CPUs and threads, of what is counted, and of spans. */
u32 lkst_web_nr_lanes(const struct lkst_web_host *host);

/* The host of the page's lane *@lane, which becomes that host's own number. NULL: there is no such lane. */
const struct lkst_web_host *lkst_web_host_of(u32 *lane);

/* Whether these are times of the page, the first one before the second. */
bool lkst_web_are_times(double from_ns, double to_ns);

/* A time of the page on the clock of @host, which may be before it began. */
s64 lkst_web_own_ns(const struct lkst_web_host *host, double ns);

/* The same of a stretch, as far as that clock had begun. False: it had not, or there are no such times. */
bool lkst_web_own_times(const struct lkst_web_host *host, double from_ns, double to_ns, u64 *ret_from_ns,
			u64 *ret_to_ns);

/* And back; what is before the page's time 0 is 0. */
double lkst_web_page_ns(const struct lkst_web_host *host, u64 ns);

#endif
