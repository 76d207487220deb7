/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which ends of connections the sockets of processes are, along a pass: whoever connects waits there for answers; and
 * of connections of the machine to itself, which thread has accepted them.
 */
#ifndef LKST_ANALYZE_WAITING_CONNECTIONS_H
#define LKST_ANALYZE_WAITING_CONNECTIONS_H

#include "analyze/model/model.h"
#include "base/map.h"

enum { LKST_CONNECTIONS_PENDING = 64 };

/* All zero is where it begins. Processes are given by a thread's life. */
struct lkst_connections {
	struct lkst_map sockets; /* by process and descriptor */
	struct lkst_map answered; /* by life and descriptor: whose life has ended the last wait there */
	u64 pending[LKST_CONNECTIONS_PENDING]; /* keys of those of the machine to itself that nobody has accepted yet */
	u32 nr_pending;
	int error;
};

void lkst_connections_init(struct lkst_connections *c);
void lkst_connections_fini(struct lkst_connections *c);

/* A thread asks for a connection. Returns a number for it, for lkst_connections_accepted(). */
u64 lkst_connections_connect(struct lkst_connections *c, const struct lkst_thread_life *life,
			     const struct lkst_rec_socket_connect *e);

/* That has failed. */
void lkst_connections_refused(struct lkst_connections *c, u64 connection);

/* A thread has a new connection. @is_known: of which lkst_connections_accepted() has told already. */
void lkst_connections_accept(struct lkst_connections *c, const struct lkst_thread_life *life,
			     const struct lkst_rec_socket_accept *e, bool is_known);

/* Thread @acceptor was woken in accept(2) by the connect(2) of @connection. */
void lkst_connections_accepted(struct lkst_connections *c, u64 connection, u32 acceptor);

/* Descriptor @fd is an end of a connection that was made before: the one that has asked for it, or the other. */
void lkst_connections_learn(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd, bool has_asked);

/* Descriptor @fd is closed; something is sent on it. */
void lkst_connections_close(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);
void lkst_connections_send(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);

/* Whether it is known which end @fd is; whether it is the one that has asked for the connection. */
bool lkst_connections_knows(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);
bool lkst_connections_is_connected(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);

/* Whether something was sent on @fd since this was asked last. */
bool lkst_connections_take_sent(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);

/* The life of the thread that has accepted the connection of @fd; LKST_LIFE_NONE: that is not known. */
u32 lkst_connections_acceptor(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd);

/* Life @by has ended a wait of @life at descriptor @fd; who has ended the last one, LKST_LIFE_NONE: not known. */
void lkst_connections_answered(struct lkst_connections *c, u32 life, s32 fd, u32 by);
u32 lkst_connections_answerer(const struct lkst_connections *c, u32 life, s32 fd);

#endif
