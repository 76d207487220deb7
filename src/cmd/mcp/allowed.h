/* SPDX-License-Identifier: GPL-2.0-only */
/* Which traces may be asked: those that were given when the server was started, and those in directories that were. */
#ifndef LKST_CMD_MCP_ALLOWED_H
#define LKST_CMD_MCP_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct lkst_mcp_allowed {
	char **given; /* paths, as they were typed */
	unsigned int nr;
};

/* -ENOENT: one is not there. */
int lkst_mcp_allowed_check(struct lkst_err *e, const struct lkst_mcp_allowed *allowed);

/*
 * The trace that a client calls @name, NULL: the only one. It is one of those that were given, or the only one
 * whose last part is called so; or what is so called in one of their directories, also by a path that begins with
 * the directory's. Links do not lead out. -EINVAL: several are called so. *@ret_path is the caller's.
 */
int lkst_mcp_allowed_find(struct lkst_err *e, const struct lkst_mcp_allowed *allowed,
			  const char *name, char **ret_path);

enum { LKST_MCP_ALLOWED_TEXT = 4096 };

/* For the argument `trace`: which there are. */
void lkst_mcp_allowed_describe(const struct lkst_mcp_allowed *allowed,
			       char text[LKST_MCP_ALLOWED_TEXT]);

#endif
