/* SPDX-License-Identifier: GPL-2.0-only */
/* The server: a client on standard input and output, and a worker that answers for a trace. */
#ifndef LKST_CMD_MCP_LOOP_H
#define LKST_CMD_MCP_LOOP_H

#include "abi/types.h"
#include "cmd/mcp/allowed.h"

/* Serves until standard input ends, or nobody reads the answers. A call that takes longer than @timeout_ns is ended. */
int lkst_mcp_serve(struct lkst_err *e, const struct lkst_mcp_allowed *allowed, u64 timeout_ns);

#endif
