/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The type of an argument, as the kernel's kernel/trace/trace_probe.c accepts it, and what can be stored with which:
 * u8 to u64, s8 to s64, x8 to x64, char, symbol, string, ustring, symstr, b<width>@<offset>/<container>, arrays of
 * them, and u, s, x alone, whose width is the variable's.
 */
#ifndef LKST_PROBE_TEXT_FETCH_TYPE_H
#define LKST_PROBE_TEXT_FETCH_TYPE_H

#include "probe/text/cursor.h"
#include "probe/text/probe.h"

/*
 * Reads ":TYPE" into @arg, if it is there; @arg has what is fetched. -EINVAL: it is not a type, or not one of what is
 * fetched. @is_of_program: the probe is in a program.
 */
int lkst_fetch_type_parse(struct lkst_cursor *c, bool is_of_program, struct lkst_probe_arg *arg);

enum { LKST_FETCH_TYPE_TEXT = 32 };

/* The type as it is written, with its colon; "" if none is given. Returns @text. */
const char *lkst_fetch_type_format(const struct lkst_fetch_type *type,
				   char text[LKST_FETCH_TYPE_TEXT]);

#endif
