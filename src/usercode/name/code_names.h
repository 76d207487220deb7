/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for places of user code: the function, what is inlined there, the line of the source. They are found on the
 * machine that reads the trace, in the binary itself and in its debug information, if the build-id is the one that
 * the trace has; a file of another build is refused. Where names are is looked for in this order: the directories
 * of options, /usr/lib/debug/.build-id, what debuginfod(8) has fetched before, and the path that the trace has.
 *
 * Names that were found are kept; the memory is bounded.
 */
#ifndef LKST_USERCODE_NAME_CODE_NAMES_H
#define LKST_USERCODE_NAME_CODE_NAMES_H

#include "usercode/space/code_name.h"

struct lkst_code_names;

struct lkst_code_names_options {
	/*
	 * Directories to look in first, with ':' between them: <dir>/xx/yyyy.debug, <dir>/BUILDID/debuginfo or
	 * /executable.
	 */
	const char *directories; /* NULL: those of $LKST_DEBUG_PATH, or none */
	const char *jit_maps;	 /* where perf-PID.map files are; NULL: /tmp */
	bool no_jit; /* the trace is of another machine, or of another boot: processes here are not those */
	bool no_debug_info; /* only symbols: neither inlined functions nor lines */
};

/* @o may be NULL. Texts in it must stay. NULL: no memory. */
struct lkst_code_names *lkst_code_names_new(const struct lkst_code_names_options *o);
void lkst_code_names_free(struct lkst_code_names *n);
LKST_GUARD(lkst_code_names_free, struct lkst_code_names)

/*
 * The names of byte @offset of binary @b (struct lkst_code_place). Texts stay valid as long as @n, and are any bytes.
 * 0, or -ENOMEM; that there is no name is no error.
 */
int lkst_code_names_find(struct lkst_code_names *n, const struct lkst_binary *b, u64 offset,
			 struct lkst_code_name *ret_name);

/* The same as a namer, for those who know only that. @n must stay. */
struct lkst_code_namer lkst_code_names_namer(struct lkst_code_names *n);

#endif
