/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the page draws from: the lanes of the trace that it has given to the module (web/module.h), or of those of
 * several hosts. Times are in nanoseconds after the beginning of the first of them, as numbers of JavaScript have them.
 */
#ifndef LKST_WEB_DRAW_H
#define LKST_WEB_DRAW_H

#include <stdbool.h>

#include "abi/types.h"
#include "analyze/lanes/curve.h"
#include "analyze/lanes/shares.h"
#include "analyze/model/spans.h"
#include "web/module.h"

/* What lkst_web_slices() fills. */
struct lkst_web_slice {
	double from_ns, to_ns;
	u32 life; /* the place of its thread in "threads", UINT32_MAX: none */
	u8 state, detail;
	s16 cpu;
};

/* What lkst_web_cpus() fills. */
struct lkst_web_cpu {
	double ns;
	u32 cpu, unused;
};

/*
 * Reads the trace, and prints what there is as JSON: {"begin_ns", "end_ns", "offset_ns": text, since they may be
 * greater than numbers are exact, of several hosts the time of day, and 0; "hosts": [{"name", "release", "zero_ns":
 * text, what its clock said at the beginning of all; "begin_ns": when its own trace begins; "clock": what was done to
 * bring it to the common time, "" if there is one host}]; "notes": what is to be said of clocks; and in each of the
 * following lists "host" is the place of whose it is among "hosts"; "states", "causes", "endings": names by number;
 * "lanes": [{"kind": "cpu", "thread", "count" or "span", "number", "slices", "first_ns": when the first one begins;
 * of a count: "name", "unit", "group": what it is one of, "" if it is alone; of spans: "tid", and "number" is how
 * deep they lie in others}]; "spans_left_out": a number; "threads": [{"tid", "pid", "comm", "kernel", "running_ns"}];
 * "names": of system calls and interrupts; "marks": [{"at_ns", "event", "text": "" if its record says more}]; "gaps":
 * [{"cpu", "buffer", "from_ns", "to_ns", "records", "blocks": known to be missing, or 0; "pause": nothing was to be
 * recorded, "why": text}]}. 0, or a negative errno and a sentence on standard error.
 */
int lkst_web_read(void) LKST_WEB_EXPORT(lkst_web_read);

/*
 * The shares of @nr stretches between @from_ns and @to_ns, a struct lkst_shares for each. -EINVAL: there is no such
 * lane or time. -ENOMEM.
 */
int lkst_web_shares(u32 lane, double from_ns, double to_ns, u32 nr, struct lkst_shares *ret_shares)
	LKST_WEB_EXPORT(lkst_web_shares);

/*
 * The same of @nr_places lanes together, as lkst_lanes_sum() adds them. What is no lane of a CPU or a thread counts
 * nothing.
 */
int lkst_web_sum(const u32 *places, u32 nr_places, double from_ns, double to_ns, u32 nr,
		 struct lkst_shares *ret_shares) LKST_WEB_EXPORT(lkst_web_sum);

/*
 * The columns of lane @lane, which is a count's: a struct lkst_curve_column for each of @nr stretches. As
 * lkst_web_shares().
 */
int lkst_web_columns(u32 lane, double from_ns, double to_ns, u32 nr,
		     struct lkst_curve_column *ret_columns) LKST_WEB_EXPORT(lkst_web_columns);

/* What is drawn within a lane: parts of it that have slices of their own. */
enum lkst_web_part {
	LKST_WEB_STATES,
	LKST_WEB_IRQS,	/* of a CPU; `life` is the place in "names" */
	LKST_WEB_CALLS, /* of a thread; the same */
	LKST_WEB_FAULTS,
};

/* As lkst_web_slices(), of part @part (enum lkst_web_part) of a lane. */
u32 lkst_web_part_slices(u32 lane, u32 part, double from_ns, double to_ns, u32 max,
			 struct lkst_web_slice *ret_slices) LKST_WEB_EXPORT(lkst_web_part_slices);

/* What lkst_web_wakings() fills. */
struct lkst_web_waking {
	double ns; /* when the wake-up began */
	u32 life;  /* of the thread that did it, by its place in "threads", UINT32_MAX: none */
	u32 name;  /* of the interrupt that did it, by its place in "names", UINT32_MAX: none */
	u32 cpu;
	u32 reserved;
};

/* The wake-ups of the thread of @lane between two times, at most @max from the first on; returns how many. */
u32 lkst_web_wakings(u32 lane, double from_ns, double to_ns, u32 max,
		     struct lkst_web_waking *ret_wakings) LKST_WEB_EXPORT(lkst_web_wakings);

/* The slices of @lane between two times, at most @max from the first on; returns how many. */
u32 lkst_web_slices(u32 lane, double from_ns, double to_ns, u32 max,
		    struct lkst_web_slice *ret_slices) LKST_WEB_EXPORT(lkst_web_slices);

/* What lkst_web_span() fills. */
struct lkst_web_span {
	double from_ns, to_ns; /* all of it, whoever had it */
	u64 id;
	u32 ending; /* its place in "endings" */
	u32 is_doubtful;
	char name[LKST_SPAN_NAME];
};

/* The span that a slice of a lane of spans names by its `life`. -EINVAL: there is none such. */
int lkst_web_span(u32 span, struct lkst_web_span *ret_span) LKST_WEB_EXPORT(lkst_web_span);

/* The last slice of @lane that begins before @at_ns; returns how many there are, one or none. */
u32 lkst_web_slice_before(u32 lane, double at_ns, struct lkst_web_slice *ret_slice)
	LKST_WEB_EXPORT(lkst_web_slice_before);

/*
 * On which CPUs the thread of @lane ran between two times, at most @max of them, those that it came to first; returns
 * how many.
 */
u32 lkst_web_cpus(u32 lane, double from_ns, double to_ns, u32 max, struct lkst_web_cpu *ret_cpus)
	LKST_WEB_EXPORT(lkst_web_cpus);

#endif
