/* SPDX-License-Identifier: GPL-2.0-only */
/* What the descriptors of processes that live refer to, as the kernel lists it. */
#ifndef LKST_LIVE_STATE_STATE_DESCRIPTORS_H
#define LKST_LIVE_STATE_STATE_DESCRIPTORS_H

#include <stddef.h>

#include "abi/program.h"
#include "base/hash.h"
#include "live/state/life.h"

/* A state_descriptor record. */
struct lkst_state_descriptor {
	struct lkst_rec_state_descriptor r;
	char file[LKST_STRING_MAX];
};

/*
 * Calls @each for the descriptors of the processes of @threads that live, until it returns other than 0, which is
 * passed on: 16384 at most, 1024 of a process. @open_files is lkst_session_list_open_files(); without it, which is -1,
 * /proc is read, which takes longer. @length is that of the record, whose head is not filled in. It leaves
 * out all where this runs in a PID namespace of its own. Where there is no memory, sockets are without addresses.
 */
int lkst_state_list_descriptors(const struct lkst_thread_list *threads, int open_files,
				int (*each)(void *ctx, struct lkst_state_descriptor *descriptor, size_t length),
				void *ctx);

/* ---- for tests ---- */

/* The sockets of a network namespace, or of several: their names by inode. All zero is an empty list. */
struct lkst_socket_list {
	struct lkst_hash by_inode;
	u16 first_port, last_port; /* that the kernel gives to who connects (ip_local_port_range); 0: the standard */
	u8 listened[65536 / 8];	   /* the local ports of this table that somebody listens on */
};
void lkst_socket_list_fini(struct lkst_socket_list *l);

/*
 * What a socket is called, or NULL: it is not known. "socket to 10.0.0.5:5432" was connected to there, "socket from"
 * was accepted by a "socket at"; "socket with": which of the two is not known. Good until the list changes.
 */
const char *lkst_socket_list_find(const struct lkst_socket_list *l, unsigned long inode);

enum lkst_socket_table {
	LKST_SOCKET_TABLE_INET,
	LKST_SOCKET_TABLE_INET6,
	LKST_SOCKET_TABLE_UNIX,
};

/* A table of another namespace, or of another protocol, comes next. */
void lkst_socket_list_begin(struct lkst_socket_list *l);

/* Takes in a line of /proc/net/tcp, tcp6, udp, udp6 or unix, which may be anything. -ENOMEM, -ENOSPC: full, or 0. */
int lkst_socket_list_add(struct lkst_socket_list *l, enum lkst_socket_table table, const char *line);

#endif
