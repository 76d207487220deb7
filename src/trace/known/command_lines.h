/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command lines of a trace: the arguments that processes gave their programs, and whose they are, as records say it
 * (exec_args, state_process). Which process has which is known to the threads (trace/known/threads.h).
 */
#ifndef LKST_TRACE_KNOWN_COMMAND_LINES_H
#define LKST_TRACE_KNOWN_COMMAND_LINES_H

#include "base/cleanup.h"
#include "trace/format/block.h"

/* What a process runs. It never changes; a process that runs another program has another. */
struct lkst_command_line {
	u32 uid, euid, gid;
	u32 args_bytes; /* of all arguments, with one after each */
	u32 length;	/* of `args`, without its NUL */
	/* The first of them, with blanks between; "": they could not be read, or there were none. */
	char args[];
};

struct lkst_command_lines;
struct lkst_command_lines *lkst_command_lines_new(void);
void lkst_command_lines_free(struct lkst_command_lines *c);
LKST_GUARD(lkst_command_lines_free, struct lkst_command_lines)

/*
 * What @r, an exec_args or state_process, says, in @ret_command: good until @c is freed. NULL: nothing, since there are
 * too many already. -ENOMEM or 0.
 */
int lkst_command_lines_add(struct lkst_command_lines *c, const struct lkst_record *r,
			   const struct lkst_command_line **ret_command);

/* Whether there were more arguments than the trace has. */
bool lkst_command_line_is_cut(const struct lkst_command_line *command);

enum {
	LKST_COMMAND_LINE_TEXT = 544, /* of lkst_command_line_text(), with the NUL */
};

/* What stands for @command in a table: its arguments, "..." after those that are cut; "": it is NULL, or has none. */
const char *lkst_command_line_text(const struct lkst_command_line *command,
				   char text[LKST_COMMAND_LINE_TEXT]);

#endif
