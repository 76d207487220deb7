/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is asked again and again. */
#include "cmd/mcp/session.h"

#include <errno.h>

#include "sql/rows.h"

bool lkst_mcp_session_has(struct lkst_mcp_session *s, const struct lkst_mcp_question *q)
{
	if (s->has_answer && s->hash == q->hash)
		return true;
	lkst_mcp_session_drop(s);
	s->hash = q->hash;
	return false;
}

void lkst_mcp_session_drop(struct lkst_mcp_session *s)
{
	lkst_shown_tables_fini(&s->tables);
	if (s->account_fini)
		s->account_fini(&s->account);
	s->account_fini = NULL;
	lkst_sql_rows_free(s->rows);
	s->rows = NULL;
	s->rows_given = 0;
	s->has_answer = false;
}

int lkst_mcp_session_answer(struct lkst_err *e, struct lkst_mcp_session *s,
			    const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	char *path = (char *)s->path;
	int err = s->trace ? 0 : lkst_cmd_open_trace(e, &path, 1, &s->trace);

	if (err)
		return err;
	err = q->tool->answer(e, s, q, page);
	if (!err && (page->text->error || page->json->error ||
		     page->text->used > LKST_MCP_TEXT_MAX || page->json->used > LKST_MCP_JSON_MAX))
		err = lkst_err_set(
			e, -E2BIG,
			"a part of the answer is larger than an answer may be: ask for less");
	if (err)
		lkst_mcp_session_drop(s);
	return err;
}

void lkst_mcp_session_fini(struct lkst_mcp_session *s)
{
	lkst_mcp_session_drop(s);
	lkst_sql_close(s->sql);
	lkst_trace_close(s->trace);
}
