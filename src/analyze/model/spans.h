/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spans of programs (doc/marks.md), followed in a pass: begun and ended, one within the other, handed over to other
 * threads and processes; and what the threads that had them did meanwhile, by the state model.
 *
 * A span is ended under its name and number by any thread of the process that began it; after it was handed over, by
 * any thread. One with number 0 is its thread's own. What is not ended is reported as it was left, and never ended by
 * a guess.
 */
#ifndef LKST_ANALYZE_MODEL_SPANS_H
#define LKST_ANALYZE_MODEL_SPANS_H

#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/known/threads.h"

enum {
	LKST_SPAN_NAME = 64,		  /* bytes of a name, with its NUL */
	LKST_SPAN_PARTS = 8,		  /* of a span */
	LKST_SPANS_OPEN_MAX = 1 << 16,	  /* at a time */
	LKST_SPANS_SAME_MAX = 256,	  /* of them under one number, or of one thread */
	LKST_SPANS_ORPHANS_MAX = 1 << 10, /* of them whose thread has ended */
};

enum lkst_span_ending {
	LKST_SPAN_ENDED, /* by the program */
	LKST_SPAN_OPEN,	 /* it went on when the trace ended */
	LKST_SPAN_DEAD, /* the thread that had it ended, or ran another program, and nobody ended the span */
	LKST_SPAN_LOST, /* it seems to go on, but marks of its program are missing: its end may be one of them */
	LKST_NR_SPAN_ENDINGS,
};
extern const char *const lkst_span_ending_names[]; /* "ended", "open", "dead", "lost" */

/* Who had the span from `from_ns` on. */
struct lkst_span_part {
	u64 from_ns;
	s32 tid;   /* 0: nobody; it waited for a thread to take it */
	s32 giver; /* who handed it over; 0: it was begun, or taken by who is named here */
};

struct lkst_span {
	u64 number; /* of all spans, in order of their begin: 1, 2 ... */
	u64 outer;  /* the number of the one that its thread was in, 0: none */
	u64 id;	    /* the program's */
	char name[LKST_SPAN_NAME];
	u64 from_ns,
		to_ns; /* `to_ns`: of a dead one when its thread ended, of others that are not ended the trace's end */
	s32 pid;		/* of the process that began it, 0: not known */
	s32 begin_tid, end_tid; /* `end_tid` 0: not ended */
	u32 begin_cpu;
	u32 begin_life; /* of that thread then, LKST_LIFE_NONE: not known, or there is no state model */
	u8 ending;	  /* enum lkst_span_ending */
	bool is_doubtful; /* marks are missing within: begin and end may not belong together */
	u64 trace_high, trace_low, parent; /* the request of W3C Trace Context; all 0: not known */
	u32 nr_parts, nr_handovers;
	struct lkst_span_part parts[LKST_SPAN_PARTS];
	bool has_more_parts; /* others had it after the last one of these began */
	/* What those who had it did; the rest is not known, or nobody had it. 0 without a state model. */
	u64 running_ns, ready_ns, blocked_ns;
};

/* How much could not be followed. */
struct lkst_spans_doubts {
	u64 no_begin;	 /* ends of spans whose begin is not there */
	u64 no_room;	 /* spans that were begun when too many were open */
	u64 no_handover; /* handovers of spans that are not open */
	u64 no_number;	 /* handovers without a number, so that it is not known of what */
};

struct lkst_spans;

/* Gets a span when it is over, and at the end of the pass those that are not. A negative errno ends the pass. */
typedef int lkst_span_call(void *ctx, const struct lkst_span *span);

struct lkst_spans_options {
	struct lkst_feed *feed;
	struct lkst_model *model; /* of the same feed; NULL: what threads did is not asked */
	const struct lkst_threads
		*threads; /* kept up to date by the same feed (lkst_feed_threads()) */
	lkst_span_call *call;
	void *ctx;
};

/* Subscribes. What @options names must stay. *@ret_spans is freed after the pass. 0 or -ENOMEM. */
int lkst_spans_new(struct lkst_err *e, const struct lkst_spans_options *options,
		   struct lkst_spans **ret_spans);
void lkst_spans_free(struct lkst_spans *s);
LKST_GUARD(lkst_spans_free, struct lkst_spans)

/* Whether the trace can have spans. */
bool lkst_spans_can_be(const struct lkst_feed *feed);

const struct lkst_spans_doubts *lkst_spans_doubts(const struct lkst_spans *s);

/*
 * Reads the number of a request: 32 hexadecimal digits, or a whole header "00-<32>-<16>-<2>" of W3C Trace Context.
 * -EINVAL: it is neither, or zero.
 */
int lkst_span_parse_request(struct lkst_err *e, const char *text, u64 *ret_high, u64 *ret_low);

#endif
