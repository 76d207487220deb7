// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: packets, receivers, sockets.
 */
#include <bpf/bpf_endian.h>

#include "bpf/record.h"
#include "bpf/socket.h"

/* An event of a packet and the interface it is at. */
#define PACKET_PROGRAM(event)                                                                      \
	LKST_TP(event, struct sk_buff *skb)                                                        \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->skb, skb);                                                   \
			r->ifindex = skb->dev->ifindex;                                            \
			r->bytes = skb->len;                                                       \
			r->protocol = bpf_ntohs(skb->protocol);                                    \
			r->queue = skb->queue_mapping;                                             \
		}                                                                                  \
		return 0;                                                                          \
	}

PACKET_PROGRAM(net_dev_queue)
PACKET_PROGRAM(netif_receive_skb)
PACKET_PROGRAM(netif_rx)

LKST_TP(net_dev_start_xmit, struct sk_buff *skb, struct net_device *dev)
{
	lkst_recording_if(net_dev_start_xmit, r, lkst_wants_current()) {
		LKST_PUT64(r->skb, skb);
		r->ifindex = dev->ifindex;
		r->bytes = skb->len;
		r->protocol = bpf_ntohs(skb->protocol);
		r->queue = skb->queue_mapping;
	}
	return 0;
}

LKST_TP(net_dev_xmit, struct sk_buff *skb, int result, struct net_device *dev, unsigned int bytes)
{
	lkst_recording_if(net_dev_xmit, r, lkst_wants_current()) {
		LKST_PUT64(r->skb, skb);
		r->ifindex = dev->ifindex;
		r->bytes = bytes;
		r->result = result;
	}
	return 0;
}

LKST_TP(napi_poll, struct napi_struct *napi, int work, int budget)
{
	lkst_recording_if(napi_poll, r, lkst_wants_current()) {
		r->ifindex = napi->dev->ifindex;
		r->napi_id = napi->napi_id;
		r->work = work;
		r->budget = budget;
	}
	return 0;
}

LKST_TP(inet_sock_set_state, struct sock *sk, int old_state, int new_state)
{
	lkst_recording_if(inet_sock_set_state, r, lkst_wants_current()) {
		LKST_PUT64(r->sk, sk);
		r->local_address = bpf_ntohl(lkst_local_address(sk));
		r->peer_address = bpf_ntohl(lkst_peer_address(sk));
		r->local_port = sk->__sk_common.skc_num;
		r->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
		r->family = sk->__sk_common.skc_family;
		r->protocol = sk->sk_protocol;
		r->old_state = old_state;
		r->new_state = new_state;
	}
	return 0;
}

LKST_TP(tcp_retransmit_skb, struct sock *sk, struct sk_buff *skb)
{
	lkst_recording_if(tcp_retransmit_skb, r, lkst_wants_current()) {
		LKST_PUT64(r->sk, sk);
		r->peer_address = bpf_ntohl(lkst_peer_address(sk));
		r->local_port = sk->__sk_common.skc_num;
		r->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
		r->family = sk->__sk_common.skc_family;
		r->state = sk->__sk_common.skc_state;
	}
	return 0;
}

/* An event of a message on a socket. */
#define MESSAGE_PROGRAM(event)                                                                     \
	LKST_TP(event, struct sock *sk, int result)                                                \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->sk, sk);                                                     \
			r->result = result;                                                        \
			r->family = sk->__sk_common.skc_family;                                    \
			r->protocol = sk->sk_protocol;                                             \
		}                                                                                  \
		return 0;                                                                          \
	}

MESSAGE_PROGRAM(sock_send_length)
MESSAGE_PROGRAM(sock_recv_length)
