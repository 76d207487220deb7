/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lkst errors: what is watched while something runs (errors_watch.c), and what is said about it
 * (errors_answer.c).
 */
#ifndef LKST_CMD_ERRORS_H
#define LKST_CMD_ERRORS_H

#include "cmd/frame/answer.h"

struct lkst_errors_options {
	const char *module, *call, *output;
	struct lkst_list functions; /* of --path */
	s64 pid;		    /* 0: not given */
	u64 for_ns;		    /* 0: no limit */
	struct lkst_answer_form form;
	bool with_arguments; /* of functions */
	bool quiet;
};

enum { LKST_ERRORS_ROOTS_MAX = 4096 /* threads of a process that are there at the beginning */ };

/* What was watched. */
struct lkst_errors_watched {
	s32 roots
		[LKST_ERRORS_ROOTS_MAX]; /* the threads that count, with those that they create; 0: all */
	unsigned int nr_roots;
	int result; /* of the command that was run */
};

/*
 * Watches while the command @args runs, or until it is told to end, and leaves a trace in the new directory @dir.
 * What it has set it removes again.
 */
int lkst_errors_watch(struct lkst_err *e, const struct lkst_errors_options *o, const char *dir,
		      char **args, unsigned int nr_args, struct lkst_errors_watched *ret);

/* Prints which calls failed in the trace @dir, and why. */
int lkst_errors_answer(struct lkst_err *e, const struct lkst_errors_options *o, const char *dir,
		       const struct lkst_errors_watched *watched);

#endif
