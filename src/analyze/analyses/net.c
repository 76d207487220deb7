/* SPDX-License-Identifier: GPL-2.0-only */
/* How long packets wait in the kernel's queues, and how large they are. */
#include <stdio.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/labels.h"

enum {
	BUSY = 16, /* NETDEV_TX_BUSY: the packet stays with the queue, include/linux/netdevice.h */
	RECEIVE = 1, /* the lowest bit of a key */
};

struct net {
	struct lkst_analysis_state work;
	struct lkst_labels names;
};

static u64 net_key_of(s32 ifindex, unsigned int direction)
{
	return (u64)(u32)ifindex << 1 | direction;
}

static void net_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct net *n = ctx;
	u32 ifindex = (u32)(key >> 1);
	const char *name = lkst_labels_find(&n->names, LKST_LABEL_NETDEV, ifindex);
	const char *direction = key & RECEIVE ? "receive" : "send";
	char full[LKST_KEY_TEXT];
	int length;

	if (name)
		length = snprintf(full, sizeof(full), "%s:%s", name, direction);
	else
		length = snprintf(full, sizeof(full), "interface%u:%s", ifindex, direction);
	lkst_put_key(text, full, (size_t)length);
}

static s64 net_key_number(void *ctx, u64 key)
{
	return (s64)(key >> 1);
}

static void net_fini(struct lkst_analysis_state *w)
{
	lkst_labels_fini(&((struct net *)w)->names);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A packet may be sent by several interfaces on top of each other: the key has both. */
static u64 send_id(u64 skb, s32 ifindex)
{
	return skb ^ (u64)(u32)ifindex << 40;
}

static int on_queue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_net_dev_queue *x = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[0], send_id(x->skb, x->ifindex), r, 0, false);
}

static int on_xmit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_net_dev_xmit *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry;

	entry = lkst_pending_find(&w->pending[0], send_id(x->skb, x->ifindex));
	if (x->result == BUSY)
		return 0;
	if (!entry)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN,
					    net_key_of(x->ifindex, 0), r->tid, r->cpu);
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[0], entry, net_key_of(x->ifindex, 0),
				   r);
}

static int on_rx(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_netif_rx *x = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[1], x->skb, r, 0, false);
}

static int on_receive(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_netif_receive_skb *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[1], x->skb);

	/* Drivers that poll hand packets in at once, without netif_rx. */
	if (!entry)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_QUEUE,
					    net_key_of(x->ifindex, RECEIVE), r->tid, r->cpu);
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[1], entry,
				   net_key_of(x->ifindex, RECEIVE), r);
}

static int net_begin_time(struct lkst_analysis_state *w)
{
	struct net *n = (struct net *)w;
	int err = lkst_labels_subscribe(&n->names, w->feed);
	bool has_send, has_receive;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "nettime",
							   .title = "Network queue time",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = net_put_key,
							   .key_number = net_key_number });
	has_send = lkst_analysis_want(w, LKST_EV_net_dev_queue, on_queue, &err);
	has_send &= lkst_analysis_want(w, LKST_EV_net_dev_xmit, on_xmit, &err);
	has_receive = lkst_analysis_want(w, LKST_EV_netif_rx, on_rx, &err);
	has_receive &= lkst_analysis_want(w, LKST_EV_netif_receive_skb, on_receive, &err);
	return err < 0 ? err : has_send || has_receive;
}

const struct lkst_analysis lkst_analysis_nettime = {
	.name = "nettime",
	.heritage = "H09",
	.title = "Network queue time",
	.help = "how long packets wait to be sent, or handed in ones to be looked at",
	.measures =
		"from net_dev_queue to net_dev_xmit, and from netif_rx to netif_receive_skb, by "
		"interface and direction; drivers that poll hand packets in without a wait",
	.events = "net_dev_queue net_dev_xmit netif_rx netif_receive_skb",
	.size = sizeof(struct net),
	.begin = net_begin_time,
	.fini = net_fini,
};

/* ---- size ------------------------------------------------------------------------------------ */

static int on_size(void *ctx, const struct lkst_record *r, u64 key, u32 bytes)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_tell(w, key, r->ns, bytes)
		       ?: lkst_tally_add(&w->tallies[0], key, bytes, r->ns, r->tid, r->cpu);
}

static int on_queue_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_net_dev_queue *x = record;

	return on_size(ctx, r, net_key_of(x->ifindex, 0), x->bytes);
}

static int on_receive_size(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_netif_receive_skb *x = record;

	return on_size(ctx, r, net_key_of(x->ifindex, RECEIVE), x->bytes);
}

static int begin_size(struct lkst_analysis_state *w)
{
	struct net *n = (struct net *)w;
	int err = lkst_labels_subscribe(&n->names, w->feed);
	bool has;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "netsize",
							   .title = "Network packet size",
							   .type = LKST_COLUMN_BYTES,
							   .put_key = net_put_key,
							   .key_number = net_key_number });
	has = lkst_analysis_want(w, LKST_EV_net_dev_queue, on_queue_size, &err);
	has |= lkst_analysis_want(w, LKST_EV_netif_receive_skb, on_receive_size, &err);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_netsize = {
	.name = "netsize",
	.heritage = "H10",
	.title = "Network packet size",
	.help = "how large packets are",
	.measures =
		"bytes in net_dev_queue (headers included) and netif_receive_skb (without the link's), "
		"by interface and direction",
	.events = "net_dev_queue netif_receive_skb",
	.size = sizeof(struct net),
	.begin = begin_size,
	.fini = net_fini,
};
