/* SPDX-License-Identifier: GPL-2.0-only */
/* For the tests of commands: runs one as from its command line, and keeps what it says. */
#ifndef LKST_TESTS_RUN_COMMAND_H
#define LKST_TESTS_RUN_COMMAND_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"

/*
 * Of the last command: what it printed, as far as there is room, and its error, "" if it had none; what is marked as
 * wrong in a line of the user's, from there to its end.
 */
extern char output[65536], message[LKST_ERR_MAX], marked[LKST_ERR_LINE];

/* Runs @cmd in directory @dir with the words of @line as its options and arguments; returns its result. */
int run_command(const struct lkst_cmd *cmd, const char *dir, const char *line);

#endif
