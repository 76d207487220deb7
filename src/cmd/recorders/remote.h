/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command without root does by asking `lkst serve` over its socket. */
#ifndef LKST_CMD_RECORDERS_REMOTE_H
#define LKST_CMD_RECORDERS_REMOTE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/create.h"
#include "cmd/frame/cmd.h"
#include "trace/write/wire.h"

#define LKST_SOCKET_PATH "/run/lkst.socket"

/* The option of commands that can ask the service. */
#define LKST_OPTION_SOCKET_ROW(type, member)                                                       \
	LKST_OPTION(TEXT, type, member, .name = "socket", .argument = "PATH",                      \
		    .standard = "without root " LKST_SOCKET_PATH,                                  \
		    .help = "ask the service that listens there; see lkst-serve(1)")

/* True if a command is to ask the service: the user is not root, or has named @socket. */
bool lkst_remote_is_wanted(const char *socket);

/* Asks the service at @socket (NULL: the usual one) for a status and writes it to @to. */
int lkst_remote_status(struct lkst_err *e, const char *socket, enum lkst_wire_form form, FILE *to);

/*
 * Asks it for a snapshot and makes the trace directory @dir of it, with the rights of this
 * process. @access: who may read it. *@ret_bytes: how much that is.
 */
int lkst_remote_snapshot(struct lkst_err *e, const char *socket, u64 last_ns, const struct lkst_access *access,
			 const char *dir, u64 *ret_bytes);

/* The same, to memory, of which the caller has set the maximum. */
int lkst_remote_collect(struct lkst_err *e, const char *socket, u64 last_ns,
			struct lkst_collected *to);

/* Fills @ret_address for socket @path. */
struct sockaddr_un;
int lkst_remote_address(struct lkst_err *e, const char *path, struct sockaddr_un *ret_address);

#endif
