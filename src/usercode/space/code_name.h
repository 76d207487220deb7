/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name of a place of code, and whoever finds it: src/usercode/name does, where the binaries are and there is a
 * library for debug information. A page in a browser has neither.
 */
#ifndef LKST_USERCODE_SPACE_CODE_NAME_H
#define LKST_USERCODE_SPACE_CODE_NAME_H

#include "usercode/space/mappings.h"

enum {
	LKST_CODE_FRAMES_MAX =
		32, /* functions inlined in each other, with the one that they are inlined in */
	LKST_CODE_TEXT = 2048, /* what lkst_code_name_put() needs */
};

/* A function, as written in the source where debug information says it, else the symbol. */
struct lkst_code_frame {
	const char *function; /* demangled it is not */
	const char *source;   /* the file; NULL: not known */
	u32 line; /* in it, 0: not known. Of all but the innermost: where the next inner one is called */
};

struct lkst_code_name {
	const char *function; /* the symbol that the place lies in; NULL: there is none */
	u64 offset;	      /* how far after the symbol's beginning */
	const char *
		why; /* why there is no function: one sentence without its dot; NULL: there is one */
	/* What is inlined there, the innermost first; the last is the function itself. 0: not known. */
	u32 nr_frames;
	struct lkst_code_frame frames[LKST_CODE_FRAMES_MAX];
};

/* Finds the name of byte @offset of @b (struct lkst_code_place). 0, or -ENOMEM; that there is no name is no error. */
struct lkst_code_namer {
	int (*find)(void *ctx, const struct lkst_binary *b, u64 offset,
		    struct lkst_code_name *ret_name);
	void *ctx;
};

/*
 * Puts at @p "function+0x12[libc.so.6]", or "0x1f3a0[libc.so.6]" with the offset in the file if there is no name;
 * @name NULL: none. No blanks, quotes or control characters, whatever the trace or the file has. Returns the end.
 */
char *lkst_code_name_put(char *p, const struct lkst_binary *b, u64 offset,
			 const struct lkst_code_name *name);

/* Puts a function's name, or that of a binary's file, alone: as the above does it. Return the end. */
char *lkst_code_function_put(char *p, const char *function);
char *lkst_code_file_put(char *p, const struct lkst_binary *b);

/* What it takes to show addresses of user code by name. */
struct lkst_code_view {
	struct lkst_mappings *mappings; /* NULL: addresses have no names */
	struct lkst_code_namer namer;	/* find NULL: only the file and the place in it are shown */
};

/*
 * Puts address @address of process @pid at @ns, as lkst_code_name_put() does, or nothing if nothing is known of it:
 * then @p comes back. @is_return: it is where a call returns to, so that the call before it is what is named. Needs
 * LKST_CODE_TEXT.
 */
char *lkst_code_put(const struct lkst_code_view *c, char *p, s32 pid, u64 ns, u64 address,
		    bool is_return);

#endif
