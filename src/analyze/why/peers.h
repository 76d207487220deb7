/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several hosts: where a thread was woken by a packet, the moment at which another host sent it. What each host did in
 * the time that is explained is read when it is first asked for.
 */
#ifndef LKST_ANALYZE_WHY_PEERS_H
#define LKST_ANALYZE_WHY_PEERS_H

#include "analyze/why/stretch.h"
#include "hosts/reading.h"

struct lkst_peers;

/*
 * Reads what host @host did from @from_ns to @to_ns of its time, as lkst_excerpt_new() does with @options, and makes
 * *@ret_peers for the others, which belongs to the caller and has all excerpts.
 */
int lkst_peers_new(struct lkst_err *e, const struct lkst_reading *h, unsigned int host, u64 from_ns,
		   u64 to_ns, const struct lkst_excerpt_options *options,
		   struct lkst_peers **ret_peers);
void lkst_peers_free(struct lkst_peers *p);
LKST_GUARD(lkst_peers_free, struct lkst_peers)

/* That of @host; NULL: it was not asked for. */
struct lkst_excerpt *lkst_peers_excerpt(const struct lkst_peers *p, unsigned int host);
const struct lkst_reading *lkst_peers_hosts(const struct lkst_peers *p);

/* What could not be read of a host; 0: nothing. */
int lkst_peers_error(const struct lkst_peers *p);

struct lkst_peer_packet {
	const struct lkst_excerpt *w; /* of the host that sent it */
	u32 sent;		      /* the moment in `w` */
	u32 received;		      /* that in the excerpt of the host that received it */
};

/*
 * Finds where the packet was sent that led to the wake-up at moment @waking of @w: of those that came in just before,
 * in the same softirq, the last that another host sent. False: there is none, or @w has no peers.
 */
bool lkst_peers_find(const struct lkst_excerpt *w, u32 waking, u32 search_max,
		     struct lkst_peer_packet *ret_packet);

/* A time of @from's host as one of @to's. */
u64 lkst_peers_ns(const struct lkst_excerpt *from, u64 ns, const struct lkst_excerpt *to);

/* How far a time of one host may be off on the other; false: that is not known. */
bool lkst_peers_error_ns(const struct lkst_excerpt *a, const struct lkst_excerpt *b, u64 *ret_ns);

#endif
