/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an opened trace consists of. Private to src/trace.
 */
#ifndef LKST_TRACE_READ_TRACE_H
#define LKST_TRACE_READ_TRACE_H

#include "trace/read/gaps.h"
#include "trace/read/stream.h"
#include "trace/read/stream_info.h"

/* A place where records are missing that no hole in the numbers of blocks shows (trace/read/holes.h). */
struct lkst_hole {
	u64 instance; /* of the stream */
	struct lkst_gap gap;
	bool is_end; /* the end marks say so (trace/read/ends.h), not the ledger */
};

/* In order of when they begin. */
struct lkst_holes {
	struct lkst_hole *list;
	unsigned int nr;
};

/* What the end marks say (trace/read/ends.h). */
struct lkst_ends {
	struct lkst_stream_end *list; /* by stream, one for each; see lkst_ends_find() */
	unsigned int nr;
	bool is_expected; /* the trace is of a program that writes them */
	bool is_closed;	  /* nothing follows on the last state_end */
	u32 how;	  /* enum lkst_ending, if is_closed: of the latest state_end */
	u64 ended_ns;	  /* its time */
	u64 next_seq; /* after a part that goes on: the number of the next part's first block of state, else 0 */
	bool skips_part; /* some part did not go on with that number */
};

struct lkst_trace {
	unsigned int nr_others; /* that hold it, and will close it */
	struct lkst_catalog *catalog;
	struct lkst_stream **streams; /* in order of CPU, then buffer, then file name */
	unsigned int nr_streams;
	u64 begin_ns, end_ns;
	bool is_partial; /* what made it was broken off */
	bool has_parts;	 /* it was opened as several parts, or as the directory of all */
	struct lkst_trace_part {
		char *metadata; /* as the file has it */
		size_t length;
		bool is_partial;
	} * parts;
	unsigned int nr_parts;
	struct lkst_holes holes;
	struct lkst_ends ends;
	void *kept; /* lkst_trace_keep() */
	void (*free_kept)(void *kept);
};

/* ---- reader.c: what those who open a trace put it together with, from a @t that is all zero ---- */

/*
 * Adds the next part, by its metadata, a copy of which is kept: one recording has the same catalogue in all. @name and
 * @first are its name and the first part's, for the error.
 */
int lkst_trace_add_part(struct lkst_err *e, struct lkst_trace *t, const char *first,
			const char *name, const char *metadata, size_t length, bool is_partial);

/* Adds the stream of the files called @name, as lkst_stream_open() opens it. */
int lkst_trace_add_stream(struct lkst_err *e, struct lkst_trace *t, const char *name,
			  struct lkst_stream_bytes *bytes);

/* Puts the streams in order, when all are there, and finds out what is missing. */
int lkst_trace_order(struct lkst_err *e, struct lkst_trace *t);

/* Adds stream @instance to @t as one of which there is nothing. */
int lkst_trace_add_missing(struct lkst_err *e, struct lkst_trace *t, u64 instance);

#endif
