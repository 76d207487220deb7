/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tool is asked: its arguments, from JSON to the options of the command that they are. */
#ifndef LKST_CMD_MCP_QUESTION_H
#define LKST_CMD_MCP_QUESTION_H

#include "cmd/mcp/tools.h"

struct lkst_mcp_question {
	const struct lkst_mcp_tool *tool;
	const void *options; /* of the tool's command */
	const char *text;    /* of a tool that takes one */
	u64 limit;
	bool is_continued; /* from `place` on */
	struct lkst_mcp_place place;
	u64 hash; /* of all that decides what the answer is, without limit and cursor */

	/* What these point into. */
	json_t *arguments;
	struct lkst_options parsed;
	char **words;
};

/*
 * Reads @arguments, an object as JSON. A wrong one is refused with the sentence of the command, and one that is not
 * there with those that are. The caller calls lkst_mcp_question_fini() in any case.
 */
int lkst_mcp_question_parse(struct lkst_err *e, const struct lkst_mcp_tool *tool,
			    const char *arguments, struct lkst_mcp_question *q);
void lkst_mcp_question_fini(struct lkst_mcp_question *q);

#endif
