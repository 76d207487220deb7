/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of any length from a descriptor, in bounded memory: a message of the Model Context Protocol each. */
#ifndef LKST_CMD_MCP_LINES_H
#define LKST_CMD_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a line, without its end. Of JSON that is only brackets, jansson makes some 80 times as much memory. */
enum { LKST_MCP_LINE_MAX = 256 * 1024 };

/* Takes a line, without its end or a NUL. @bytes NULL: it was longer than LKST_MCP_LINE_MAX, and is lost. */
typedef void lkst_mcp_line(void *ctx, char *bytes, size_t length);

/* All zero has read nothing. */
struct lkst_mcp_lines {
	char *bytes;
	size_t used, room;
	bool is_too_long; /* what comes up to the next end of a line is dropped */
};

/* Takes in @length bytes, and calls @take for every line that ends in them. 0 or -ENOMEM. */
int lkst_mcp_lines_feed(struct lkst_mcp_lines *l, const char *bytes, size_t length,
			lkst_mcp_line *take, void *ctx);

/* The last line, if it has no end. */
void lkst_mcp_lines_end(struct lkst_mcp_lines *l, lkst_mcp_line *take, void *ctx);
void lkst_mcp_lines_fini(struct lkst_mcp_lines *l);

#endif
