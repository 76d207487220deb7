/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is asked again and again: it stays open, and so does what the next page of an answer needs. */
#ifndef LKST_CMD_MCP_SESSION_H
#define LKST_CMD_MCP_SESSION_H

#include <signal.h>

#include "cmd/mcp/question.h"
#include "cmd/read/accounts.h"
#include "cmd/read/tables.h"
#include "cmd/readers/code_naming.h"
#include "cmd/readers/traces.h"

struct lkst_sql;
struct lkst_sql_rows;

/* What the files of a trace were when it was opened: more of any of these, and it has grown. */
struct lkst_mcp_files {
	u64 nr, bytes;
};

struct lkst_mcp_session {
	const char *path;		   /* of the trace */
	const volatile sig_atomic_t *stop; /* other than 0: a query is to end */
	struct lkst_reading reading;	   /* of the one host; closed: nobody has asked yet */
	struct lkst_trace *trace;	   /* its trace; NULL: the same */
	struct lkst_sql *sql;		   /* the same */
	struct lkst_code_namer namer;	   /* of user code, while the trace is open */
	struct lkst_mcp_files files;

	/* The last answer, by the hash of its question: its further pages need no work. */
	bool has_answer;
	u64 hash;
	struct lkst_shown_tables tables;
	struct lkst_shown_account account;
	void (*account_fini)(struct lkst_shown_account *account);
	struct lkst_sql_rows *rows;
	u64 rows_given; /* of them */
};

/*
 * Answers @q in @page; opens the trace if nobody has done so, and again if it has grown since, as one that is being
 * recorded does. The pages of one answer are of the trace as it was for the first.
 */
int lkst_mcp_session_answer(struct lkst_err *e, struct lkst_mcp_session *s,
			    const struct lkst_mcp_question *q, struct lkst_mcp_page *page);

/* Whether the answer of @q is kept; if not, what is kept is dropped, and the caller keeps its own. */
bool lkst_mcp_session_has(struct lkst_mcp_session *s, const struct lkst_mcp_question *q);
void lkst_mcp_session_drop(struct lkst_mcp_session *s);
void lkst_mcp_session_fini(struct lkst_mcp_session *s);

#endif
