/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that a probe at many functions is at, and by which of the two ways (live/hooks/probe_places.h). */
#ifndef LKST_LIVE_PROBES_PROBE_FUNCTIONS_H
#define LKST_LIVE_PROBES_PROBE_FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "live/kernel/function_returns.h"
#include "probe/text/probe.h"

/* All zero is none. */
struct lkst_probe_functions {
	u32 nr; /* in the order of their addresses, each once */
	struct lkst_probe_function {
		char *name;
		u64 address;
		bool is_refused; /* the kernel lets nobody set a probe there */
	} * list;
	/* If it is asked what they return, names that match, of functions that are not among these: */
	u32 nr_no_error; /* those that return no error, by their type */
	u32 nr_unknown;	 /* those of which BTF does not tell what they return */
};

/* Which functions are asked for. */
struct lkst_probe_choice {
	const char *globs;	     /* with "," between them */
	const char *module;	     /* of this one alone; NULL: of all, and of the kernel itself */
	enum lkst_returns_kind kind; /* what they are to return */
	/* Says what function @name of @in, "[ext4]" or "", returns; NULL: whatever that is. */
	enum lkst_returns_kind (*returns)(void *ctx, const char *name, const char *in);
	void *ctx;
};

void lkst_probe_functions_fini(struct lkst_probe_functions *f);

/*
 * Reads from @kallsyms, in the form of /proc/kallsyms, the functions that @choice asks for. -ENOENT: there is none.
 * -E2BIG: there are more than LKST_PROBE_PLACES_MAX. -EPERM: their addresses are hidden.
 */
int lkst_probe_functions_read(struct lkst_err *e, FILE *kallsyms,
			      const struct lkst_probe_choice *choice,
			      struct lkst_probe_functions *ret);

/* Refuses those that @blacklist names, in the form of kprobes/blacklist in debugfs. */
void lkst_probe_functions_refuse(struct lkst_probe_functions *f, FILE *blacklist);

/*
 * Refuses those that @traceable does not name, in the form of tracefs' available_filter_functions: ftrace, and as a
 * rule kprobes, too, refuse them (kernel/trace/trace_kprobe.c, within_notrace_func()). Where several functions have one
 * name and only some of them are named, all are refused if @is_strict, else none. False: none would be left, and
 * nothing is changed.
 */
bool lkst_probe_functions_keep(struct lkst_probe_functions *f, FILE *traceable, bool is_strict);

/*
 * Whether @probe fetches only what one link for many functions gives to its program: not all registers, in Linux
 * 6.14.
 */
bool lkst_probe_functions_fit_multi(const struct lkst_probe *probe);

/*
 * What the functions of @probe are to return. A probe of group `errors` at the returns of many functions, which
 * fetches what they return as `ret`, is at those alone that can return an error: an int, if that is fetched as s32; a
 * long or a pointer, if it is s64; one at their entries at those of either kind. Of any other probe it is
 * LKST_RETURNS_UNKNOWN: that does not matter.
 */
enum lkst_returns_kind lkst_probe_functions_kind(const struct lkst_probe *probe);

/* What was found for a probe. */
struct lkst_probe_functions_found {
	u64 *addresses; /* for the caller to free() */
	u32 nr;
	u32 nr_matched;		     /* with those that the kernel refuses */
	u32 nr_no_error, nr_unknown; /* as above */
	bool is_multi;		     /* one link is to attach it */
};

/*
 * Finds the functions of the running kernel that @probe, whose place is_many, is to be at. The errors are those of
 * lkst_probe_functions_read(); -EPERM also if the kernel refuses all.
 */
int lkst_probe_functions_find(struct lkst_err *e, const struct lkst_probe *probe,
			      struct lkst_probe_functions_found *ret);

#endif
