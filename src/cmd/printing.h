/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands that print records have in common: the options that choose records and their form, and
 * the way of a record to the screen.
 */
#ifndef LKST_CMD_PRINTING_H
#define LKST_CMD_PRINTING_H

#include "cmd/cmd.h"
#include "trace/reader.h"
#include "trace/threads.h"
#include "view/select.h"
#include "view/view.h"

/* The values of those options. */
struct lkst_printing_wish {
	const char *format, *time;
	struct lkst_list events;
	s64 tid, pid, cpu;
	const char *comm;
	bool no_gaps, brief;
};

#define LKST_PRINTING_DEFAULTS                                                                     \
	{                                                                                          \
		.format = "text", .time = "day", .tid = -1, .pid = -1, .cpu = -1                   \
	}

/* Their rows in the table of a command whose options are a struct @type. */
#define LKST_PRINTING_ROWS(type, wish)                                                                 \
	{ "format",                                                                                    \
	  'f',                                                                                         \
	  LKST_OPTION_TEXT,                                                                            \
	  "FORMAT",                                                                                    \
	  offsetof(type, wish.format),                                                                 \
	  0,                                                                                           \
	  0,                                                                                           \
	  "text",                                                                                      \
	  "text: a line per event, values by name\n"                                                   \
	  "csv: LKST's columns; fields are pairs of 32-bit words\n"                                    \
	  "json: an object per line, raw values\n"                                                     \
	  "flight: system calls, switches and wake-ups as a dialogue" },                               \
		{ "event",                                                                             \
		  'e',                                                                                 \
		  LKST_OPTION_LIST,                                                                    \
		  "GLOB",                                                                              \
		  offsetof(type, wish.events),                                                         \
		  0,                                                                                   \
		  0,                                                                                   \
		  "all",                                                                               \
		  "only events that match; may be repeated" },                                         \
		{ "tid",     't',  LKST_OPTION_NUMBER, "N", offsetof(type, wish.tid), 0,               \
		  INT32_MAX, NULL,                                                                     \
		  "only this thread: what it did, the switches to it and who\nwoke it" },              \
		{ "pid",     'p',  LKST_OPTION_NUMBER, "N", offsetof(type, wish.pid), 0,               \
		  INT32_MAX, NULL, "the same of all threads of this process" },                        \
		{ "comm",                                                                              \
		  'c',                                                                                 \
		  LKST_OPTION_TEXT,                                                                    \
		  "NAME",                                                                              \
		  offsetof(type, wish.comm),                                                           \
		  0,                                                                                   \
		  0,                                                                                   \
		  NULL,                                                                                \
		  "the same of threads that are called so at the time" },                              \
		{ "cpu",     'C',  LKST_OPTION_NUMBER, "N", offsetof(type, wish.cpu), 0,               \
		  INT32_MAX, NULL, "only this CPU" },                                                  \
	{                                                                                              \
		"time", 0, LKST_OPTION_TEXT, "FORM", offsetof(type, wish.time), 0, 0, "day",           \
			"day: time of day; mono: CLOCK_MONOTONIC; rel: seconds since\nthe first event" \
	}

struct lkst_printing {
	bool no_gaps;
	const struct lkst_view *view;
	void *ctx;
	struct lkst_threads *threads;
	struct lkst_symbols *symbols; /* empty to begin with: the caller fills it */
	struct lkst_select *select;
	struct lkst_out *out;
};

/*
 * Prepares to print records of @catalog from @from_ns to @to_ns (both included) to standard output, and
 * prints what comes first. @begin_ns: the time that relative times count from.
 */
int lkst_printing_begin(struct lkst_err *e, const struct lkst_printing_wish *wish,
			const struct lkst_catalog *catalog, u64 begin_ns, u64 from_ns, u64 to_ns,
			struct lkst_printing *p);

/* Takes in a record: prints it if it is wanted, and remembers what it says of threads. */
int lkst_printing_record(struct lkst_printing *p, const struct lkst_record *r);
int lkst_printing_gap(struct lkst_printing *p, const struct lkst_gap *gap);

/* Prints what comes last, writes all out and frees it. Returns @err, or what failed now. */
int lkst_printing_end(struct lkst_err *e, struct lkst_printing *p, int err);

#endif
