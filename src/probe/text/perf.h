/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The language of perf probe (tools/perf/Documentation/perf-probe.txt), which names lines, variables and marks:
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][+OFFS|:LINE|;PATTERN|%return|%next] [ARG ...] [if CONDITION]
 *	[[GROUP:]EVENT=]SRC:LINE[%next] [ARG ...] [if CONDITION]
 *	[[GROUP:]EVENT=]SRC;PATTERN[ARG ...] [if CONDITION]
 *	[[GROUP:]EVENT=]%[sdt_]PROVIDER:NAME[@PROGRAM] [ARG ...] [if CONDITION]
 *
 * ARG is in probe/text/fetch_text.h. A backslash before one of = @ + : ; % makes it part of a name. A pattern is the
 * last part of a place, and has no blank in it; none is needed (probe/text/lazy.h). Nothing is looked up.
 */
#ifndef LKST_PROBE_TEXT_PERF_H
#define LKST_PROBE_TEXT_PERF_H

#include "base/err.h"
#include "probe/text/probe.h"

/* Where a place is looked for. */
struct lkst_perf_target {
	const char *path;   /* of a program; NULL: the kernel */
	const char *module; /* of the kernel; NULL: all of it */
};

/*
 * Makes @text into *@ret. The group is "probe", or "probe_" and the program, if none is given. The event is that of
 * the function, and __return or _L and the line; it is "" where only debug information knows the function: then
 * lkst_perf_name() gives it. -EINVAL: it is not a probe; @e has the place. Trusts no byte. The caller calls
 * lkst_probe_fini() on success; on failure all is freed.
 */
int lkst_perf_parse(struct lkst_err *e, const char *text, const struct lkst_perf_target *target,
		    struct lkst_probe *ret);

/* Gives the probe the event of @function, which it is in, unless it has one. What follows a dot is left out. */
void lkst_perf_name(struct lkst_probe *p, const char *function);

/* Lines of a function or of a source file, which --line shows. */
struct lkst_line_range {
	char *function; /* NULL: of a source file */
	char *source;	/* by the end of its path; NULL: any */
	u32 first;	/* of a function: 0 is the line that it begins at */
	u32 last;	/* UINT32_MAX: to the end */
};

/*
 * Makes "FUNC[@SRC][:FIRST[+NUMBER|-LAST]]" or "SRC[:FIRST[+NUMBER|-LAST]]" into *@ret. -EINVAL: it is neither. The
 * caller calls lkst_line_range_fini() on success; on failure all is freed.
 */
int lkst_line_range_parse(struct lkst_err *e, const char *text, struct lkst_line_range *ret);
void lkst_line_range_fini(struct lkst_line_range *r);

#endif
