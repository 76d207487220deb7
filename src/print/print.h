/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The views: ways to print a trace. One interface, a table of them all. To add one: write
 * print/<name>.c with its entry, and put it in LKST_VIEWS below; describe it in doc/man/lkst-print.1.
 */
#ifndef LKST_PRINT_PRINT_H
#define LKST_PRINT_PRINT_H

#include "base/err.h"
#include "base/out.h"
#include "base/choice.h"
#include "trace/format/block.h"
#include "trace/known/descriptors.h"
#include "trace/known/symbols.h"
#include "trace/known/threads.h"

struct lkst_code_view;
struct lkst_gap;

enum lkst_view_time {
	LKST_VIEW_DAY,	/* time of day, by the trace's clock offset */
	LKST_VIEW_MONO, /* seconds of CLOCK_MONOTONIC */
	LKST_VIEW_REL,	/* seconds since `begin_ns` */
};

/* All is borrowed, and must outlive the view. */
struct lkst_view_config {
	struct lkst_out *out;
	const struct lkst_catalog *catalog;
	const struct lkst_threads *threads;
	struct lkst_symbols *symbols; /* NULL: addresses have no names */
	const struct lkst_code_view *code; /* text: the same for those of user code */
	enum lkst_view_time time; /* text, csv, flight: json always has two, whatever this says */
	u64 begin_ns;		  /* the trace's first record */
	bool is_brief;		  /* csv: arguments have no description */
	bool has_process;	  /* json: after the thread, its process and that one's name */
	bool has_text;		  /* json: with what the view `text` says of it after the thread */
	bool is_bare;		  /* text: only that, without time, CPU and thread */
	bool has_cgroups;	  /* text, csv, json: with the thread's cgroup and container */
	const struct lkst_descriptors *descriptors; /* text: after a descriptor what it refers to; NULL: not so */
	const char *host;	 /* text, csv, json: with this name of the host; NULL: there is one host only */
	unsigned int host_width; /* text: of the longest of these names */
	const struct lkst_view_config *hosts; /* accounts: that of each host, by its number; NULL: there is one host */
	unsigned int nr_hosts;
};

struct lkst_view {
	const char *name;
	const char *help; /* for `lkst print --help`; a line break continues it */

	bool is_of_one_host; /* it has no place for names of hosts */
	bool needs_past; /* what it prints of a record may be from another one long before */
	/* Prints what comes first. *@ret_ctx goes to the others; end() frees it. */
	int (*begin)(struct lkst_err *e, const struct lkst_view_config *config, void **ret_ctx);
	/*
	 * Prints a record, by the threads' names as they were before it: feed it to the threads
	 * afterwards. 0 or -ENOMEM; failed writes stick in the output.
	 */
	int (*record)(void *ctx, const struct lkst_record *r);
	int (*gap)(void *ctx, const struct lkst_gap *gap);
	/* Prints what comes last and frees @ctx, which may be NULL. Flushing is the caller's. */
	int (*end)(void *ctx);
};

/* All views, in the order of their words; the first one is the usual one. */
#define LKST_VIEWS(V)                                                                              \
	V(text)                                                                                    \
	V(csv)                                                                                     \
	V(json)                                                                                    \
	V(flight)

#define V(name) extern const struct lkst_view lkst_view_##name;
LKST_VIEWS(V)
#undef V

/* The choices, and the one that choice number @i stands for. */
bool lkst_view_choices(unsigned int i, struct lkst_choice *ret_choice);
const struct lkst_view *lkst_view_of_choice(unsigned int i);

/* For an enum lkst_view_time: "day", "mono", "rel". */
bool lkst_view_time_choices(unsigned int i, struct lkst_choice *ret_choice);

#endif
