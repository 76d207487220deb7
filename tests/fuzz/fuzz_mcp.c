/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client of lkst mcp sends: lines of any bytes. Whatever is sent back is JSON, and every call is answered once.
 * The first byte says in pieces of which length the others come, and which calls are answered when. The arguments of
 * each call are read as those of a tool that takes options of all kinds.
 *
 * prints: text json
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/mcp/lines.h"
#include "cmd/mcp/protocol.h"
#include "cmd/mcp/question.h"
#include "lib/printed.h"

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

struct options {
	bool flag;
	const char *text;
	struct lkst_list list;
	u64 size, duration, share;
	s64 number;
	unsigned int choice;
};

static bool choices(unsigned int i, struct lkst_choice *ret_choice)
{
	*ret_choice = (struct lkst_choice){ i ? "b" : "a", "" };
	return i < 2;
}

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct options, flag, .name = "flag", .help = ""),
	LKST_OPTION(TEXT, struct options, text, .name = "text", .argument = "T", .help = ""),
	LKST_OPTION(LIST, struct options, list, .name = "list", .argument = "L", .help = ""),
	LKST_OPTION(SIZE, struct options, size, .name = "size", .argument = "S", .help = ""),
	LKST_OPTION(DURATION, struct options, duration, .name = "duration", .argument = "D",
		    .help = ""),
	LKST_OPTION(SHARE, struct options, share, .name = "share", .argument = "P", .help = ""),
	LKST_OPTION(NUMBER, struct options, number, .name = "number", .argument = "N", .min = -9,
		    .max = 9, .help = ""),
	LKST_OPTION(CHOICE, struct options, choice, .name = "choice", .argument = "C",
		    .choices = choices, .help = ""),
	LKST_OPTION(TEXT, struct options, text, .name = "hidden", .argument = "H", .help = ""),
	{},
};

static const struct options defaults;

static const struct lkst_cmd cmd = {
	.name = "tool",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
};

/* What is not refused is within the limits of its row. */
static void read_arguments(const char *text)
{
	static const struct lkst_mcp_tool tool = {
		.name = "tool", .cmd = &cmd, .without = " hidden ", .limit = 10
	};
	struct lkst_mcp_question q;
	struct lkst_err e = {};
	int err = lkst_mcp_question_parse(&e, &tool, text, &q);
	const struct options *o = q.options;

	if (err)
		printed_error(&e);
	if (!err && (o->number < -9 || o->number > 9 || o->choice > 1 || o->list.nr > LKST_LIST_MAX ||
		     q.limit < 1 || q.limit > LKST_MCP_LIMIT_MAX))
		abort();
	lkst_mcp_question_fini(&q);
}

static void call(void *ctx, u64 number, const char *tool, const char *arguments)
{
	read_arguments(arguments);
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
