/* SPDX-License-Identifier: GPL-2.0-only */
/* The listening end of the service's socket, and who is on the other end of a connection. */
#ifndef LKST_CMD_LISTEN_H
#define LKST_CMD_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * The socket that the service manager has handed over (sd_listen_fds(3)), as a descriptor; -ENOENT:
 * it has not.
 */
int lkst_listen_inherited(struct lkst_err *e);

/*
 * Makes a socket at @path that root and members of group @gid may connect to. One that nobody
 * listens to any more is replaced.
 */
int lkst_listen_at(struct lkst_err *e, const char *path, gid_t gid);

/*
 * True if the other end of @fd was connected by root or by a member of group @gid, whose primary or
 * supplementary group that was at that moment. *@ret_uid, *@ret_pid: who.
 */
bool lkst_peer_may(int fd, gid_t gid, uid_t *ret_uid, pid_t *ret_pid);

#endif
