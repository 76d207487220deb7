/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands that print records have in common: the options that choose records and their form, and
 * the way of a record to the screen.
 */
#ifndef LKST_CMD_READERS_PRINTING_H
#define LKST_CMD_READERS_PRINTING_H

#include "cmd/readers/code_naming.h"
#include "cmd/frame/cmd.h"
#include "trace/read/gaps.h"
#include "trace/read/reader.h"
#include "trace/known/threads.h"
#include "print/select.h"
#include "print/print.h"

/* The values of the options that choose records. */
struct lkst_choosing_options {
	struct lkst_list events;
	s64 tid, pid, cpu;
	const char *comm, *cgroup;
};

#define LKST_CHOOSING_DEFAULTS                                                                     \
	{                                                                                          \
		.tid = -1, .pid = -1, .cpu = -1                                                    \
	}

/* Their rows in the table of a command whose options are a struct @type. */
#define LKST_CHOOSING_ROWS(type, options)                                                          \
	LKST_OPTION(LIST, type, options.events, .name = "event", .letter = 'e',                    \
		    .argument = "GLOB", .standard = "all",                                         \
		    .help = "only events that match; may be repeated"),                            \
		LKST_OPTION(NUMBER, type, options.tid, .name = "tid", .letter = 't',               \
			    .argument = "N", .max = INT32_MAX,                                     \
			    .help = "only this thread: what it did, the switches to it and who\n"  \
				    "woke it"),                                                    \
		LKST_OPTION(NUMBER, type, options.pid, .name = "pid", .letter = 'p',               \
			    .argument = "N", .max = INT32_MAX,                                     \
			    .help = "the same of all threads of this process"),                    \
		LKST_OPTION(TEXT, type, options.comm, .name = "comm", .letter = 'c',               \
			    .argument = "NAME",                                                    \
			    .help = "the same of threads that are called so at the time"),         \
		LKST_OPTION(TEXT, type, options.cgroup, .name = "cgroup", .argument = "GLOB",      \
			    .help = "the same of threads in a cgroup whose path, or whose\n"       \
				    "container, matches this shell pattern"),                      \
		LKST_OPTION(NUMBER, type, options.cpu, .name = "cpu", .letter = 'C',               \
			    .argument = "N", .max = INT32_MAX, .help = "only this CPU")

/* What they ask for, from @from_ns to @to_ns, both included. It borrows from @options. */
struct lkst_select_options lkst_choosing_which(const struct lkst_choosing_options *options,
					       u64 from_ns, u64 to_ns);

/* The values of all options. */
struct lkst_printing_options {
	unsigned int format, time; /* a view of lkst_view_of_choice(); an enum lkst_view_time */
	struct lkst_choosing_options which;
	bool no_gaps, brief, cgroups, files, text;
};

#define LKST_PRINTING_DEFAULTS                                                                     \
	{                                                                                          \
		.which = LKST_CHOOSING_DEFAULTS                                                    \
	}

/* Their rows in the table of a command whose options are a struct @type. */
#define LKST_PRINTING_ROWS(type, options)                                                          \
	LKST_OPTION(CHOICE, type, options.format, .name = "format", .letter = 'f',                 \
		    .argument = "FORMAT", .standard = "text", .help = "",                          \
		    .choices = lkst_view_choices),                                                 \
		LKST_CHOOSING_ROWS(type, options.which),                                           \
		LKST_OPTION(FLAG, type, options.cgroups, .name = "cgroups",                        \
			    .help = "text, csv, json: with the container of the thread, and its\n"  \
				    "cgroup"),                                                     \
		LKST_OPTION(FLAG, type, options.files, .name = "files",                            \
			    .help = "text: with what the descriptors of system calls refer to"),   \
		LKST_OPTION(CHOICE, type, options.time, .name = "time", .argument = "FORM",        \
			    .standard = "day", .help = "", .choices = lkst_view_time_choices)

/* How the records of one of several hosts are printed: with its name, to an output that all share. */
struct lkst_printing_host {
	const char *name;
	unsigned int width; /* of the longest name */
	struct lkst_out *out;
};

struct lkst_printing {
	bool no_gaps;
	bool is_host; /* `out` is not its own */
	const struct lkst_view *view;
	void *ctx;
	struct lkst_threads *threads;
	struct lkst_descriptors *descriptors; /* NULL: nobody asks for what they refer to */
	struct lkst_symbols *symbols; /* empty to begin with: the caller fills it */
	struct lkst_code_view code;   /* lkst_printing_code() fills it */
	struct lkst_select *select;
	struct lkst_gaps held; /* lkst_printing_hold_gap() */
	struct lkst_out *out;
};

/*
 * Prepares to print records of @catalog from @from_ns to @to_ns (both included), and prints what comes first.
 * @begin_ns: the time that relative times count from. @host NULL: they are of the only host, and go to standard
 * output; else a format that cannot name hosts is refused.
 */
int lkst_printing_begin(struct lkst_err *e, const struct lkst_printing_options *options,
			const struct lkst_catalog *catalog, u64 begin_ns, u64 from_ns, u64 to_ns,
			const struct lkst_printing_host *host, struct lkst_printing *p);

/* Has addresses of user code shown by their names, as far as trace @t says what they are in. */
int lkst_printing_code(struct lkst_err *e, struct lkst_printing *p, const struct lkst_trace *t);

/* Has descriptors shown by what the state of @t says of them, too, if they are. To be called before any record. */
int lkst_printing_files(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t);

/* The choice of records by these options; names are looked up in @threads. Free it with lkst_select_free(). */
int lkst_printing_select(struct lkst_err *e, const struct lkst_printing_options *options,
			 const struct lkst_catalog *catalog, const struct lkst_threads *threads,
			 u64 from_ns, u64 to_ns, struct lkst_select **ret_select);

/* Takes in what trace @t keeps of the threads before @ns, where its records are read from then on. */
int lkst_printing_before(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t, u64 ns);

/* Whether the options choose @r, which has not been taken in yet. */
bool lkst_printing_wants(const struct lkst_printing *p, const struct lkst_record *r);

/* Takes in a record: prints it if @is_printed, and remembers what it says of threads. */
int lkst_printing_take(struct lkst_printing *p, const struct lkst_record *r, bool is_printed);

/* The same: prints it if it is wanted. */
int lkst_printing_record(struct lkst_printing *p, const struct lkst_record *r);
int lkst_printing_gap(struct lkst_printing *p, const struct lkst_gap *gap);

/* Takes in a gap that is not to be printed; lkst_printing_gap() does so, too. */
void lkst_printing_note_gap(struct lkst_printing *p, const struct lkst_gap *gap);

/*
 * Takes in a gap that is met before the first record that is printed, and keeps it for lkst_printing_held_gaps(). No
 * record from now on is before @ns.
 */
void lkst_printing_hold_gap(struct lkst_printing *p, const struct lkst_gap *gap, u64 ns);

/*
 * Prints those of the gaps that were kept that reach beyond @ns, the time of the first record that is printed. @r, if
 * not NULL, is that record: the gap of its stream that ends with it is one of them.
 */
int lkst_printing_held_gaps(struct lkst_printing *p, u64 ns, const struct lkst_record *r);

/* Prints what comes last, writes all out and frees it. Returns @err, or what failed now. */
int lkst_printing_end(struct lkst_err *e, struct lkst_printing *p, int err);

#endif
