/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kinds of events the cost limit left out of a trace, and when (doc/cost-limit.md). The one place that is asked
 * whether what a number rests on was recorded all the time: by the records shed_begin and shed_end, and by what the
 * ledger says where these are no longer in the trace. What no maskset let through: unrecorded.h.
 */
#ifndef LKST_ANALYZE_ENGINE_LIMITED_H
#define LKST_ANALYZE_ENGINE_LIMITED_H

#include "abi/budget.h"
#include "base/cleanup.h"
#include "result/table.h"
#include "trace/read/reader.h"

struct lkst_limited;

/*
 * Reads it out of the streams that have hardly anything else; @t must outlive *@ret_limited. 0, or a negative errno and
 * a sentence.
 */
int lkst_limited_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_limited **ret_limited);
void lkst_limited_free(struct lkst_limited *l);
LKST_GUARD(lkst_limited_free, struct lkst_limited)

/* Makes @wants, by id of the trace's catalogue, true for events that one of @patterns, blanks between, is for. */
void lkst_limited_match(const struct lkst_limited *l, const char *patterns, bool wants[LKST_EVENT_SPACE]);

/*
 * Whether some of the events @wants were left out in some of the time from @from_ns to @to_ns. @text, which may be
 * NULL, says which and when: "syscall:* not recorded since +1.200 s".
 */
enum { LKST_LIMITED_TEXT = 512 };
bool lkst_limited_is(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns,
		     char text[LKST_LIMITED_TEXT]);

/*
 * The first moment from @from_ns to @to_ns in which a record of event @id of the catalogue may be missing, UINT64_MAX:
 * there is none. That is a moment more than it was left out: masksets change somewhat before the record of it, or after
 * it. Fast.
 */
u64 lkst_limited_since(const struct lkst_limited *l, u32 id, u64 from_ns, u64 to_ns);

/* Whether there is such a moment. */
bool lkst_limited_crosses(const struct lkst_limited *l, u32 id, u64 from_ns, u64 to_ns);

/* The times in which records of some of several events may be missing, in order and apart. All zero: none. */
struct lkst_limited_times {
	u64 *from_ns, *to_ns;
	u32 nr;
};
void lkst_limited_times_fini(struct lkst_limited_times *x);

/* Fills *@ret_times for the events @wants, by id. 0 or -ENOMEM. */
int lkst_limited_times_of(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE],
			  struct lkst_limited_times *ret_times);

/*
 * Before and after the time in which something was left out, records may be missing for so long: masksets change one
 * after the other, before that is recorded or after it.
 */
enum { LKST_LIMITED_SLACK_NS = 1000000 };

/* As lkst_limited_since(), of these events. */
u64 lkst_limited_times_since(const struct lkst_limited_times *x, u64 from_ns, u64 to_ns);

/* As lkst_limited_is(), as a note; returns whether there was one to add. */
bool lkst_limited_note(const struct lkst_limited *l, const bool wants[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns,
		       struct lkst_notes *notes);

/* A time in which a kind was left out. */
struct lkst_limited_time {
	const char *kind; /* "syscall:*" */
	u32 nr;		  /* of the kind, from 0 on */
	u64 from_ns, to_ns; /* to_ns UINT64_MAX: it was left out still when the trace ended */
};

/*
 * Calls @call for each time in which a kind was left out that has some of what is from @from_ns to @to_ns, kind after
 * kind, those of one in order. 0, or what @call returned that is not 0, after which it is not called again.
 */
int lkst_limited_each(const struct lkst_limited *l, u64 from_ns, u64 to_ns,
		      int (*call)(void *ctx, const struct lkst_limited_time *time), void *ctx);

/* Whether kind number @nr has event @id of the catalogue. */
bool lkst_limited_has(const struct lkst_limited *l, u32 nr, u32 id);

/* Adds a table with a row for each kind that was left out in that time, if there is one. 0 or -ENOMEM. */
int lkst_limited_put(const struct lkst_limited *l, u64 from_ns, u64 to_ns, struct lkst_tables *set);

#endif
