/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own descriptions of its tracepoints, read from a tracefs that is mounted nowhere:
 * it works on a machine where nothing is prepared and leaves nothing mounted.
 */
#ifndef LKST_LIVE_KERNEL_TRACEFS_H
#define LKST_LIVE_KERNEL_TRACEFS_H

#include "abi/program.h"
#include "trace/format/catalog.h"

/* A descriptor of tracefs' root, or -errno with a sentence. Close it. */
int lkst_tracefs_open(struct lkst_err *e);

/* The same of debugfs, for what the kernel says of its probes and of its scheduler there. */
int lkst_debugfs_open(struct lkst_err *e);

/*
 * Calls @each for every tracepoint whose "system:name" matches @glob, in order of name, until
 * @each returns other than 0, which is passed on.
 */
int lkst_tracefs_each(struct lkst_err *e, int tracefs, const char *glob,
		      int (*each)(void *ctx, const char *system, const char *name), void *ctx);

/* What else is known about a tracepoint. */
struct lkst_tracefs_about {
	int perf_id; /* the number that perf knows it by */
	/* Of a probe: the names of the values that it fetches by its arguments. They are not recorded. */
	char not_recorded[LKST_NAME_MAX];
};

/*
 * Reads how @system:@name lays out its record: fills @ret_event (its fields are malloc'ed, the
 * caller frees them), the program's plan (without the id) and what else is known.
 */
int lkst_tracefs_describe(struct lkst_err *e, int tracefs, const char *system, const char *name,
			  struct lkst_event_class *ret_event, struct lkst_tracepoint_plan *ret_plan,
			  struct lkst_tracefs_about *ret_about);

/*
 * Parses the text of a `format` file: what lkst_tracefs_describe() does with it. A probe's fields are
 * those of enum lkst_tracefs_probe: the registers that hold the first arguments when a function begins. They are called
 * arg1 and so on only with @is_at_function, else by the registers' names.
 */
int lkst_tracefs_parse_format(struct lkst_err *e, char *text, bool is_at_function,
			      struct lkst_event_class *ret_event,
			      struct lkst_tracepoint_plan *ret_plan,
			      struct lkst_tracefs_about *ret_about);

/*
 * Whether the probe @system/@name is known to be where a function of the kernel begins, by @line of tracefs'
 * dynamic_events: "p:GROUP/NAME SYMBOL ARGUMENT...", and no offset. An address, or a place in a program's file,
 * may be anywhere.
 */
bool lkst_tracefs_is_at_function(const char *line, const char *system, const char *name);

#endif
