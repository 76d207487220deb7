/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst sql and its interactive shell have in common. */
#ifndef LKST_CMD_SQL_H
#define LKST_CMD_SQL_H

#include "cmd/readers/traces.h"
#include "sql/query/sql.h"

struct lkst_sql_session {
	struct lkst_sql *sql;
	unsigned int format;  /* of lkst_sql_run() */
	struct lkst_out *out; /* to standard output or a file */
	bool is_over;	      /* .quit */
};

/*
 * Answers @query, or if that is NULL, what standard input has, in @format, to file @path, which gets its name when all
 * is answered, or if that is NULL, to standard output. Ctrl-C ends a query; a second time, the program.
 */
int lkst_sql_session_run(struct lkst_err *e, const struct lkst_reading *r, unsigned int format,
			 const char *path, const char *query);

/* Answers @text, queries or one command that begins with a dot, and writes all out. */
int lkst_sql_answer(struct lkst_err *e, struct lkst_sql_session *session, const char *text);

/*
 * Adds @line, without its end, to what @text has of a statement, which is NULL at first and the caller's to free.
 * *@ret_is_whole: it can be answered now.
 */
int lkst_sql_take_line(struct lkst_err *e, char **text, const char *line, bool *ret_is_whole);

/* Whether Ctrl-C was pressed since the last query or call. */
bool lkst_sql_was_interrupted(void);

#endif
