/* SPDX-License-Identifier: GPL-2.0-only */
/* What shells complete, made of the tables of commands, options and verbs. */
#ifndef LKST_CMD_COMPLETION_H
#define LKST_CMD_COMPLETION_H

#include "cmd/frame/cmd.h"

/* All commands, then the original's, each list ended by NULL. */
extern const struct lkst_cmd *const lkst_completion_commands[];
extern const struct lkst_cmd *const lkst_completion_links[];

/* What a place of the command line may have. */
enum lkst_completion_kind {
	LKST_COMPLETION_TEXT, /* nobody can guess it */
	LKST_COMPLETION_WORDS,
	LKST_COMPLETION_EVENTS,
	LKST_COMPLETION_FILES,
	LKST_COMPLETION_DIRECTORIES,
	LKST_COMPLETION_GROUPS,
	LKST_COMPLETION_PROCESSES,
	LKST_COMPLETION_MODULES,
	LKST_COMPLETION_PROGRAMS,
};

/* What the value of @o is. WORDS: one of o->choices. */
enum lkst_completion_kind lkst_completion_of_value(const struct lkst_option *o);

/* What arguments are that the usage shows as @args; NULL: there are none. */
enum lkst_completion_kind lkst_completion_of_args(const char *args);

/* Prints the script for that shell to standard output. */
void lkst_completion_print_bash(void);
void lkst_completion_print_zsh(void);

#endif
