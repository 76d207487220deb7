/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets by their processes and descriptors, as far as connect(2), accept(2) and close(2) show them. */
#include "analyze/waiting/connections.h"

#include <errno.h>
#include <string.h>

#include "abi/events.h"

enum {
	SOCKETS_MAX = 1 << 16,
	FAMILY_UNIX = 1, /* AF_UNIX, include/linux/socket.h */
	/* Of a socket: which end it is, whether something was sent on it, and from ACCEPTOR on a life, plus 1. */
	CONNECTED = 1,
	ACCEPTED = 2,
	END = 3,
	SENT = 4,
	ACCEPTOR = 3,
};

void lkst_connections_init(struct lkst_connections *c)
{
	*c = (struct lkst_connections){ .sockets = { .max = SOCKETS_MAX }, .answered = { .max = SOCKETS_MAX } };
}

void lkst_connections_fini(struct lkst_connections *c)
{
	lkst_map_fini(&c->sockets);
	lkst_map_fini(&c->answered);
}

static u64 connections_key_of(const struct lkst_thread_life *life, s32 fd)
{
	const s32 pid = life->pid ? life->pid : life->tid;

	return (u64)(u32)pid << 32 | (u32)fd;
}

static u64 *connections_find(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	return fd >= 0 ? lkst_map_find(&c->sockets, connections_key_of(life, fd)) : NULL;
}

/* A full table forgets nothing: what is not in it is not known. */
static void connections_set(struct lkst_connections *c, u64 key, u64 end)
{
	if (lkst_map_set(&c->sockets, key, end) == -ENOMEM)
		c->error = -ENOMEM;
}

/* ---- connections of the machine to itself --------------------------------------------- */

void lkst_connections_refused(struct lkst_connections *c, u64 connection)
{
	u32 i;

	for (i = 0; i < c->nr_pending; i++)
		if (c->pending[i] == connection)
			c->pending[i--] = c->pending[--c->nr_pending];
}

/* Whether the other end is on this machine, as far as the address shows. */
static bool connections_is_local(u16 family, const char *address)
{
	return family == FAMILY_UNIX || !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

u64 lkst_connections_connect(struct lkst_connections *c, const struct lkst_thread_life *life,
			     const struct lkst_rec_socket_connect *e)
{
	const u64 key = connections_key_of(life, e->fd);

	connections_set(c, key, CONNECTED);
	lkst_connections_refused(c, key);
	if (connections_is_local(e->family, e->address.bytes) && c->nr_pending < LKST_CONNECTIONS_PENDING)
		c->pending[c->nr_pending++] = key;
	return key;
}

void lkst_connections_accepted(struct lkst_connections *c, u64 connection, u32 acceptor)
{
	u64 *end = lkst_map_find(&c->sockets, connection);

	if (end)
		*end = (*end & SENT) | CONNECTED | (u64)(acceptor + 1) << ACCEPTOR;
	lkst_connections_refused(c, connection);
}

void lkst_connections_accept(struct lkst_connections *c, const struct lkst_thread_life *life,
			     const struct lkst_rec_socket_accept *e, bool is_known)
{
	connections_set(c, connections_key_of(life, e->fd), ACCEPTED);
	/* Not every program asks for the address. */
	if (is_known || (e->family && !connections_is_local(e->family, e->address.bytes)))
		return;
	/* One that came before is accepted without a wait: it is the only one, or it is not known which. */
	if (c->nr_pending == 1)
		lkst_connections_accepted(c, c->pending[0], life->nr);
	c->nr_pending = 0;
}

void lkst_connections_learn(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd, bool has_asked)
{
	connections_set(c, connections_key_of(life, fd), has_asked ? CONNECTED : ACCEPTED);
}

/* ---- sockets -------------------------------------------------------------------------- */

void lkst_connections_close(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	lkst_map_remove(&c->sockets, connections_key_of(life, fd));
}

void lkst_connections_send(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	u64 *end = connections_find(c, life, fd);

	if (end)
		*end |= SENT;
}

bool lkst_connections_knows(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	return connections_find(c, life, fd);
}

bool lkst_connections_is_connected(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	const u64 *end = connections_find(c, life, fd);

	return end && (*end & END) == CONNECTED;
}

bool lkst_connections_take_sent(struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	u64 *end = connections_find(c, life, fd);

	if (!end || !(*end & SENT))
		return false;
	*end &= ~(u64)SENT;
	return true;
}

u32 lkst_connections_acceptor(const struct lkst_connections *c, const struct lkst_thread_life *life, s32 fd)
{
	const u64 *end = connections_find(c, life, fd);

	return end && *end >> ACCEPTOR ? (u32)(*end >> ACCEPTOR) - 1 : LKST_LIFE_NONE;
}

/* ---- who answers ---------------------------------------------------------------------- */

static u64 connections_wait_key(u32 life, s32 fd)
{
	return (u64)life << 32 | (u32)fd;
}

void lkst_connections_answered(struct lkst_connections *c, u32 life, s32 fd, u32 by)
{
	if (lkst_map_set(&c->answered, connections_wait_key(life, fd), by) == -ENOMEM)
		c->error = -ENOMEM;
}

u32 lkst_connections_answerer(const struct lkst_connections *c, u32 life, s32 fd)
{
	const u64 *by = lkst_map_find(&c->answered, connections_wait_key(life, fd));

	return by ? (u32)*by : LKST_LIFE_NONE;
}
