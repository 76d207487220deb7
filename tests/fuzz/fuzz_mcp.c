/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client of lkst mcp sends: lines of any bytes. Whatever is sent back is JSON, and every call is answered once.
 * The first byte says in pieces of which length the others come, and which calls are answered when.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/mcp/lines.h"
#include "cmd/mcp/protocol.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { CALLS_MAX = 4096 };

static u64 calls[CALLS_MAX];
static unsigned int nr_calls;

static void send_line(void *ctx, const char *line, size_t length)
{
	json_t *message = json_loadb(line, length, 0, NULL);

	if (!message || memchr(line, '\n', length))
		abort();
	json_decref(message);
}

static json_t *tools(void *ctx, bool has_results)
{
	return json_array();
}

static bool has_tool(void *ctx, const char *name)
{
	return name[0] == 't';
}

static void call(void *ctx, u64 number, const char *tool, const char *arguments)
{
	if (nr_calls < CALLS_MAX)
		calls[nr_calls++] = number;
}

static void cancel(void *ctx, u64 number)
{
}

static const struct lkst_mcp_ops ops = { send_line, tools, has_tool, call, cancel, "" };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct lkst_mcp_reply reply = {
		.text = "\xff \"\n", .text_length = 4, .json = "{\"a\":\n1}", .json_length = 8
	};
	struct lkst_mcp_server *s = lkst_mcp_server_new(&ops, NULL);
	struct lkst_mcp_lines lines = {};
	size_t piece = size ? (data[0] & 63) + 1 : 1, at;

	nr_calls = 0;
	for (at = 1; at < size; at += piece) {
		size_t length = piece < size - at ? piece : size - at;

		if (lkst_mcp_lines_feed(&lines, (const char *)data + at, length,
					lkst_mcp_server_line, s))
			abort();
		if (nr_calls && data[0] & 64)
			lkst_mcp_server_answer(s, calls[--nr_calls], &reply);
	}
	lkst_mcp_lines_end(&lines, lkst_mcp_server_line, s);
	while (nr_calls && data[0] & 128)
		lkst_mcp_server_answer(s, calls[--nr_calls], &reply);
	lkst_mcp_server_free(s);
	return 0;
}
