/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that answers for one trace, one call after another, so that the server hears its client meanwhile, can end
 * any answer, and stays when a file of the trace cannot be read any more. It ends with the server.
 */
#ifndef LKST_CMD_MCP_WORKER_H
#define LKST_CMD_MCP_WORKER_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/mcp/protocol.h"
#include "cmd/mcp/tools.h"

struct lkst_mcp_worker;

/* @path is copied. Nothing is opened before the first call. */
int lkst_mcp_worker_new(struct lkst_err *e, const char *path, struct lkst_mcp_worker **ret_worker);

/* Ends it at once, whatever it does. */
void lkst_mcp_worker_free(struct lkst_mcp_worker *w);

/* Whether it answers for @path, and what is there is what was there when it was made. */
bool lkst_mcp_worker_is_of(const struct lkst_mcp_worker *w, const char *path);

/* Begins to answer. One that is answering already must not be called. -EPIPE: it is gone. */
int lkst_mcp_worker_call(struct lkst_mcp_worker *w, const struct lkst_mcp_tool *tool,
			 const char *arguments);

/* Readable when there is an answer, or no worker any more. */
int lkst_mcp_worker_fd(const struct lkst_mcp_worker *w);

/*
 * Takes the answer, which is valid until the next call. False: the worker is gone, and the answer says why, if that is
 * known; it is to be freed.
 */
bool lkst_mcp_worker_take(struct lkst_mcp_worker *w, struct lkst_mcp_reply *ret_reply);

/* Asks for an end of the call that is being answered: a query ends by itself, all else with the worker. */
void lkst_mcp_worker_interrupt(struct lkst_mcp_worker *w);
void lkst_mcp_worker_kill(struct lkst_mcp_worker *w);

#endif
