/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows the place in a definition of either language: arguments, and a condition after the word "if". */
#ifndef LKST_PROBE_TEXT_ARGUMENTS_H
#define LKST_PROBE_TEXT_ARGUMENTS_H

#include "probe/text/cursor.h"
#include "probe/text/probe.h"

/* How arguments are named that have no name. What stands for several has none in either. */
enum lkst_argument_names {
	LKST_NAMES_OF_KERNEL, /* a variable as it is called, all others arg1, arg2 ... */
	LKST_NAMES_OF_PERF, /* members by the last of their names, too; _1 and so on makes it unique */
};

/*
 * Reads the rest of the text into @p, whose place is known. -EINVAL: an argument is none, or has the name of another.
 * The caller frees @p in any case.
 */
int lkst_arguments_parse(struct lkst_cursor *c, enum lkst_argument_names names,
			 struct lkst_probe *p);

#endif
