/* SPDX-License-Identifier: GPL-2.0-only */
/* The interactive side of lkst sql: lines with history and completion, and commands that begin with a dot. */
#ifndef LKST_CMD_SQL_SHELL_H
#define LKST_CMD_SQL_SHELL_H

#include "cmd/sql/sql.h"

enum { LKST_SQL_NO_COMMAND = 1 };

/* Runs @text if it is a command: ".tables". 0, LKST_SQL_NO_COMMAND, or a negative errno. */
int lkst_sql_command(struct lkst_err *e, struct lkst_sql_session *session, const char *text);

/* Reads queries from the terminal and answers them, until its end or .quit. */
int lkst_sql_shell(struct lkst_err *e, struct lkst_sql_session *session);

#endif
