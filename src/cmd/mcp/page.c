/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a tool while it is made. */
#include "cmd/mcp/page.h"

#include <errno.h>
#include <stdlib.h>

int lkst_mcp_page_init(struct lkst_err *e, struct lkst_mcp_page *page)
{
	*page = (struct lkst_mcp_page){ malloc(sizeof(*page->text)), malloc(sizeof(*page->json)) };
	if (!page->text || !page->json)
		return lkst_err_sys(e, -ENOMEM, "preparing to answer");
	lkst_mcp_page_clear(page);
	return 0;
}

void lkst_mcp_page_fini(struct lkst_mcp_page *page)
{
	free(page->text);
	free(page->json);
	*page = (struct lkst_mcp_page){};
}

void lkst_mcp_page_clear(struct lkst_mcp_page *page)
{
	/* No descriptor: their memory holds more than a page, and what would be written beyond that fails. */
	lkst_out_init(page->text, -1);
	lkst_out_init(page->json, -1);
}

bool lkst_mcp_page_is_full(const struct lkst_mcp_page *page)
{
	return page->text->error || page->json->error ||
	       page->text->used > LKST_MCP_TEXT_MAX - LKST_MCP_PAGE_SPARE ||
	       page->json->used > LKST_MCP_JSON_MAX - LKST_MCP_PAGE_SPARE;
}

struct lkst_mcp_mark lkst_mcp_page_mark(const struct lkst_mcp_page *page)
{
	return (struct lkst_mcp_mark){ page->text->used, page->json->used };
}

void lkst_mcp_page_return(struct lkst_mcp_page *page, struct lkst_mcp_mark mark)
{
	page->text->used = mark.text;
	page->json->used = mark.json;
}

void lkst_mcp_cursor_format(struct lkst_mcp_place place, u64 hash, char text[LKST_MCP_CURSOR_TEXT])
{
	snprintf(text, LKST_MCP_CURSOR_TEXT, "%llx-%llx-%llx", (unsigned long long)place.at,
		 (unsigned long long)place.more, (unsigned long long)hash);
}

int lkst_mcp_cursor_parse(struct lkst_err *e, const char *text, u64 hash,
			  struct lkst_mcp_place *ret_place)
{
	unsigned long long at, more, of;
	char end;

	if (sscanf(text, "%16llx-%16llx-%16llx%c", &at, &more, &of, &end) != 3)
		return lkst_err_set(
			e, -EINVAL,
			"there is no such cursor; take next_cursor as the answer before has it");
	if (of != hash)
		return lkst_err_set(
			e, -EINVAL,
			"the cursor is of another question: but for limit, the arguments must "
			"be those of the answer that it is from");
	*ret_place = (struct lkst_mcp_place){ at, more };
	return 0;
}

void lkst_mcp_page_end(struct lkst_mcp_page *page, u64 hash, const struct lkst_mcp_place *place)
{
	char cursor[LKST_MCP_CURSOR_TEXT];

	if (place) {
		lkst_mcp_cursor_format(*place, hash, cursor);
		lkst_out_printf(page->json, ",\"next_cursor\":\"%s\"", cursor);
		lkst_out_printf(page->text, "There is more: ask the same with cursor \"%s\".\n",
				cursor);
	}
	lkst_out_str(page->json, "}");
}
