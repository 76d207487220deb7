/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Model Context Protocol as a server has it: JSON-RPC 2.0, a message a line. Here messages are read, checked and
 * answered; what is asked of a trace is left to whoever made the server, and so is where lines come from and go.
 * https://modelcontextprotocol.io/specification has the protocol, in the versions that lkst_mcp_versions lists.
 */
#ifndef LKST_CMD_MCP_PROTOCOL_H
#define LKST_CMD_MCP_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/cleanup.h"

enum {
	LKST_MCP_CALLS_MAX = 64,	/* calls that wait or are being answered */
	LKST_MCP_WAITING_MAX = 1 << 20, /* bytes of their arguments */
	LKST_MCP_BATCH_MAX = 64,	/* messages in one line */
	LKST_MCP_ID_MAX = 256,		/* bytes of a request's id */
};

/* The versions that are known, the newest first; NULL ends them. */
extern const char *const lkst_mcp_versions[];

/* What a call was answered with. Text is UTF-8. */
struct lkst_mcp_reply {
	bool is_error;
	const char *text;
	size_t text_length;
	const char *json;   /* an object, for programs; line breaks only between its values */
	size_t json_length; /* 0: there is none */
};

struct lkst_mcp_ops {
	/* Sends a message, without the end of the line. */
	void (*send)(void *ctx, const char *line, size_t length);
	/* The tools, as tools/list has them, and @has_results, what their results for programs are. NULL: no memory. */
	json_t *(*tools)(void *ctx, bool has_results);
	bool (*has_tool)(void *ctx, const char *name);
	/*
	 * Calls a tool with the object @arguments, as JSON. The answer comes by lkst_mcp_server_answer() under the same
	 * @number, now or later.
	 */
	void (*call)(void *ctx, u64 number, const char *tool, const char *arguments);
	/* No answer is wanted any more, nor is one taken. */
	void (*cancel)(void *ctx, u64 number);
	/* For those who begin: what there is, and how it is asked. */
	const char *instructions;
};

struct lkst_mcp_server;

/* @ops is borrowed. NULL: no memory. */
struct lkst_mcp_server *lkst_mcp_server_new(const struct lkst_mcp_ops *ops, void *ctx);
void lkst_mcp_server_free(struct lkst_mcp_server *s);
LKST_GUARD(lkst_mcp_server_free, struct lkst_mcp_server)

/* Takes in a line; a lkst_mcp_line of a server. */
void lkst_mcp_server_line(void *server, char *bytes, size_t length);

/* Answers call @number; one that is not there is dropped. */
void lkst_mcp_server_answer(struct lkst_mcp_server *s, u64 number,
			    const struct lkst_mcp_reply *reply);

/* Calls that are not answered. */
unsigned int lkst_mcp_server_nr_calls(const struct lkst_mcp_server *s);

#endif
