/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a tool while it is made: text and JSON side by side, of bounded length. */
#ifndef LKST_CMD_MCP_PAGE_H
#define LKST_CMD_MCP_PAGE_H

#include "abi/types.h"
#include "base/err.h"
#include "base/out.h"

enum {
	LKST_MCP_TEXT_MAX = 64 * 1024,	/* bytes of text */
	LKST_MCP_JSON_MAX = 128 * 1024, /* bytes of the object for programs */
	LKST_MCP_PAGE_SPARE = 4096,	/* of both: for what comes after the rows */
};

struct lkst_mcp_page {
	struct lkst_out *text,
		*json; /* they are not flushed: what does not fit sticks as an error */
};

/* 0 or -ENOMEM; lkst_mcp_page_fini() in any case. */
int lkst_mcp_page_init(struct lkst_err *e, struct lkst_mcp_page *page);
void lkst_mcp_page_fini(struct lkst_mcp_page *page);

/* Back to nothing. */
void lkst_mcp_page_clear(struct lkst_mcp_page *page);

/* Whether there is more than fits, but for the spare bytes. */
bool lkst_mcp_page_is_full(const struct lkst_mcp_page *page);

/* Where the page is, to go back to, and going back. */
struct lkst_mcp_mark {
	size_t text, json;
};
struct lkst_mcp_mark lkst_mcp_page_mark(const struct lkst_mcp_page *page);
void lkst_mcp_page_return(struct lkst_mcp_page *page, struct lkst_mcp_mark mark);

/*
 * Where the next page begins: two numbers that the tool understands. They are given out with a hash of the question, so
 * that the cursor of another one is refused.
 */
struct lkst_mcp_place {
	u64 at, more;
};
enum { LKST_MCP_CURSOR_TEXT = 3 * 17 + 1 };
void lkst_mcp_cursor_format(struct lkst_mcp_place place, u64 hash, char text[LKST_MCP_CURSOR_TEXT]);
int lkst_mcp_cursor_parse(struct lkst_err *e, const char *text, u64 hash,
			  struct lkst_mcp_place *ret_place);

/* Ends the object that @page has, and the text, with the cursor of what follows; @place NULL: nothing does. */
void lkst_mcp_page_end(struct lkst_mcp_page *page, u64 hash, const struct lkst_mcp_place *place);

#endif
