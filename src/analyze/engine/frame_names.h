/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the frames of stacks, as numbers: each function is one, however many addresses of it there are. A frame
 * is more than one function where some are inlined in it.
 */
#ifndef LKST_ANALYZE_ENGINE_FRAME_NAMES_H
#define LKST_ANALYZE_ENGINE_FRAME_NAMES_H

#include "base/cleanup.h"
#include "trace/known/symbols.h"
#include "usercode/space/code_name.h"

enum lkst_frame_kind {
	LKST_FRAME_KERNEL,
	LKST_FRAME_PROGRAM,
	LKST_FRAME_INLINED, /* of a program, in the function after it */
	LKST_FRAME_JIT,	    /* of a program, which has made it while it ran */
};

struct lkst_frame_name {
	char *text; /* "inflate", or where it is if that has no name; printable, without blanks or quotes */
	char *where; /* "kernel", "libz.so.1", or "program" where nothing is known of what it is of */
	u8 kind;
};

/* Where a frame is. */
struct lkst_frame {
	u64 address;
	u64 ns; /* when it was there */
	const struct lkst_code_space
		*space; /* of its process; NULL: it is the kernel's, or not to be looked for */
	s32 pid;
	bool is_user;
	bool has_called; /* the address is where its call returns to, so that the call before is what is named */
};

struct lkst_frame_names;

/* @symbols names the kernel's, and @code those of programs; NULL: nothing does. Both must stay. NULL: no memory. */
struct lkst_frame_names *lkst_frame_names_new(struct lkst_symbols *symbols,
					      const struct lkst_code_view *code);
void lkst_frame_names_free(struct lkst_frame_names *n);
LKST_GUARD(lkst_frame_names_free, struct lkst_frame_names)

/* Appends the numbers of its functions, the innermost first, to the @nr in @list, up to @max. How many; -ENOMEM. */
s64 lkst_frame_names_put(struct lkst_frame_names *n, const struct lkst_frame *frame, u32 *list,
			 u32 nr, u32 max);

u32 lkst_frame_names_nr(const struct lkst_frame_names *n);
const struct lkst_frame_name *lkst_frame_names_at(const struct lkst_frame_names *n, u32 i);

#endif
