/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is opened to be asked: the trace of one host, or those of several at once, on one time line. Each host keeps its
 * own trace: its catalogue, its CPUs and threads, its CLOCK_MONOTONIC. What they share is the time of day, which each
 * catalogue's clock offset gives: when several are opened, those are corrected by what is known of the clocks
 * (doc/several-hosts.md), against the first host. One host's is taken as it is; where it does not say what time of day
 * it was, the common time is its own.
 */
#ifndef LKST_HOSTS_READING_H
#define LKST_HOSTS_READING_H

#include "base/cleanup.h"
#include "hosts/bounds.h"
#include "result/notes.h"
#include "trace/read/reader.h"

enum { LKST_HOST_NAME_MAX = 80 };

/* What a trace says of its machine's time of day; traces of older programs say less of it. */
struct lkst_host_clock {
	bool is_known;	      /* false: the trace does not say what time of day it was */
	u64 offset_ns;	      /* time of day = CLOCK_MONOTONIC + this, when the trace was saved */
	bool is_synchronised; /* a program such as chronyd kept it right whenever the trace says so */
	bool has_error;	      /* and that also said each time how far it may be off */
	u64 max_error_ns;     /* if so: by at most so much */
	u64 step_ns;	      /* by so much it was set while recording */
};

struct lkst_host {
	struct lkst_trace *trace;
	char name[LKST_HOST_NAME_MAX]; /* its own, made different from the others' */
	u64 offset_ns;		       /* time of day, corrected = its times + this, modulo 2^64 */
	struct lkst_host_clock clock;
	struct lkst_clock_bound bound; /* what was added, and how far that may be off */
	bool is_same_boot;    /* recorded by the same kernel as a host before: its clock is the same */
	unsigned int same_as; /* that host's number, or its own */
	u64 nr_messages;   /* that it sent to or received from the others */
};

/* All zero is closed. */
struct lkst_reading {
	struct lkst_host *list; /* at least one, if it is open */
	unsigned int nr;
	u64 nr_messages;  /* between them */
	u64 nr_backwards; /* of these, received before they were sent: by the clocks as they were */
	u64 nr_still;	  /* and with what was added */
	struct lkst_notes notes;
};

/*
 * Takes @nr traces that are open, which the reading closes, also on failure, and brings the clocks of several together.
 * -EINVAL: that cannot be done.
 */
int lkst_reading_take(struct lkst_err *e, struct lkst_trace **traces, unsigned int nr,
		      struct lkst_reading *ret_reading);

/* The same for somebody else, who closes it as well: the traces are held. 0 or -ENOMEM. */
int lkst_reading_hold(struct lkst_err *e, const struct lkst_reading *r, struct lkst_reading *ret_reading);
void lkst_reading_close(struct lkst_reading *r);

/* Opens the traces of recordings (hosts/recordings.h). */
struct lkst_recording_list;
int lkst_reading_open(struct lkst_err *e, const struct lkst_recording_list *list,
		      struct lkst_reading *ret_reading);

/* The trace of a reading of one host; NULL: it has several, or is closed. */
static inline struct lkst_trace *lkst_reading_one(const struct lkst_reading *r)
{
	return r->nr == 1 ? r->list[0].trace : NULL;
}

/* The number of the host called @name; -ENOENT, and a sentence that names those that there are. */
int lkst_reading_find_host(struct lkst_err *e, const struct lkst_reading *r, const char *name);

/* From the first record of any to the last, by the common time of day. */
void lkst_reading_range(const struct lkst_reading *r, u64 *ret_begin_ns, u64 *ret_end_ns);

/* A common time as host @host's own: 0 if that is before its clock began. 0 and UINT64_MAX, no limits, stay. */
u64 lkst_host_own_ns(const struct lkst_host *host, u64 ns);

/* "1.2 ms added, right to 85 us": what is known of the clock of host @i. */
enum { LKST_HOST_CLOCK_TEXT = 256 };
void lkst_reading_clock_text(const struct lkst_reading *r, unsigned int i,
			     char text[LKST_HOST_CLOCK_TEXT]);

#endif
