/* SPDX-License-Identifier: GPL-2.0-only */
/* The tools: what they are called, what they take, and who answers. Most take the options of a command. */
#ifndef LKST_CMD_MCP_TOOLS_H
#define LKST_CMD_MCP_TOOLS_H

#include <jansson.h>

#include "cmd/frame/cmd.h"
#include "cmd/mcp/page.h"

struct lkst_mcp_question;
struct lkst_mcp_session;

/* A row per tool. */
struct lkst_mcp_tool {
	const char *name, *title, *help;
	const struct lkst_cmd *cmd;   /* its options are arguments */
	const char *without;	      /* those that are not, with a blank before and after each */
	const char *text, *text_help; /* a text that it takes besides; NULL: none */
	const char *unit;	      /* what `limit` counts */
	u64 limit;		      /* if nobody says otherwise */
	const char *result;	      /* what its result for programs has, as JSON Schema */
	/* Writes an answer, or a part, to @page. What fails is one sentence in @e. */
	int (*answer)(struct lkst_err *e, struct lkst_mcp_session *session,
		      const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
};

enum { LKST_MCP_LIMIT_MAX = 10000 };

/* The tool called @name; NULL: there is none. */
const struct lkst_mcp_tool *lkst_mcp_tool_find(const char *name);

/*
 * The tools as tools/list has them, and @has_results, with the schemas of their results. @traces says what the argument
 * `trace` may be, and @needs_trace whether it must be given. NULL: no memory.
 */
json_t *lkst_mcp_tools(const char *traces, bool needs_trace, bool has_results);

/* A row of answers each. */
int lkst_mcp_answer_report(struct lkst_err *e, struct lkst_mcp_session *session,
			   const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
int lkst_mcp_answer_analyze(struct lkst_err *e, struct lkst_mcp_session *session,
			    const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
int lkst_mcp_answer_why(struct lkst_err *e, struct lkst_mcp_session *session,
			const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
int lkst_mcp_answer_lint(struct lkst_err *e, struct lkst_mcp_session *session,
			 const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
int lkst_mcp_answer_sql(struct lkst_err *e, struct lkst_mcp_session *session,
			const struct lkst_mcp_question *question, struct lkst_mcp_page *page);
int lkst_mcp_answer_events(struct lkst_err *e, struct lkst_mcp_session *session,
			   const struct lkst_mcp_question *question, struct lkst_mcp_page *page);

/* The options of tool `events`, which are most of those of lkst print. */
extern const struct lkst_cmd lkst_mcp_events_options;

#endif
