/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of any length from a descriptor, in bounded memory. */
#include "cmd/mcp/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 4096 };

/* Adds bytes to the line that is not ended. */
static int lines_add(struct lkst_mcp_lines *l, const char *bytes, size_t length)
{
	size_t room = l->room ?: ROOM_MIN;
	char *more;

	if (l->is_too_long || length > LKST_MCP_LINE_MAX - l->used) {
		l->is_too_long = true;
		l->used = 0;
		return 0;
	}
	while (room < l->used + length)
		room *= 2;
	if (room != l->room) {
		more = realloc(l->bytes, room);
		if (!more)
			return -ENOMEM;
		l->bytes = more;
		l->room = room;
	}
	memcpy(l->bytes + l->used, bytes, length);
	l->used += length;
	return 0;
}

/* Gives the line away. A large one does not keep its memory. */
static void end_line(struct lkst_mcp_lines *l, lkst_mcp_line *take, void *ctx)
{
	if (l->is_too_long || l->used)
		take(ctx, l->is_too_long ? NULL : l->bytes, l->used);
	lkst_mcp_lines_fini(l);
}

int lkst_mcp_lines_feed(struct lkst_mcp_lines *l, const char *bytes, size_t length,
			lkst_mcp_line *take, void *ctx)
{
	while (length) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;
		int err = lines_add(l, bytes, part);

		if (err)
			return err;
		if (!end)
			return 0;
		end_line(l, take, ctx);
		bytes += part + 1;
		length -= part + 1;
	}
	return 0;
}

void lkst_mcp_lines_end(struct lkst_mcp_lines *l, lkst_mcp_line *take, void *ctx)
{
	end_line(l, take, ctx);
}

void lkst_mcp_lines_fini(struct lkst_mcp_lines *l)
{
	free(l->bytes);
	*l = (struct lkst_mcp_lines){};
}
