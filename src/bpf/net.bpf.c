// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: packets, receivers, sockets.
 */
#include <bpf/bpf_endian.h>

#include "bpf/record.h"
#include "bpf/socket.h"

/* An event of a packet and the interface it is at. */
#define PACKET_PROGRAM(event)                                                                      \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, struct sk_buff *skb)                                         \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->skb, skb);                                                           \
		r->ifindex = skb->dev->ifindex;                                                    \
		r->bytes = skb->len;                                                               \
		r->protocol = bpf_ntohs(skb->protocol);                                            \
		r->queue = skb->queue_mapping;                                                     \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

PACKET_PROGRAM(net_dev_queue)
PACKET_PROGRAM(netif_receive_skb)
PACKET_PROGRAM(netif_rx)

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(tp_btf__net_dev_start_xmit, struct sk_buff *skb, struct net_device *dev)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(net_dev_start_xmit);
	LKST_RECORD(net_dev_start_xmit, r);
	if (!r)
		return 0;
	LKST_PUT64(r->skb, skb);
	r->ifindex = dev->ifindex;
	r->bytes = skb->len;
	r->protocol = bpf_ntohs(skb->protocol);
	r->queue = skb->queue_mapping;
	LKST_COMMIT(net_dev_start_xmit);
	return 0;
}

SEC("tp_btf/net_dev_xmit")
int BPF_PROG(tp_btf__net_dev_xmit, struct sk_buff *skb, int result, struct net_device *dev,
	     unsigned int bytes)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(net_dev_xmit);
	LKST_RECORD(net_dev_xmit, r);
	if (!r)
		return 0;
	LKST_PUT64(r->skb, skb);
	r->ifindex = dev->ifindex;
	r->bytes = bytes;
	r->result = result;
	LKST_COMMIT(net_dev_xmit);
	return 0;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(tp_btf__napi_poll, struct napi_struct *napi, int work, int budget)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(napi_poll);
	LKST_RECORD(napi_poll, r);
	if (!r)
		return 0;
	r->ifindex = napi->dev->ifindex;
	r->napi_id = napi->napi_id;
	r->work = work;
	r->budget = budget;
	LKST_COMMIT(napi_poll);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tp_btf__inet_sock_set_state, struct sock *sk, int old_state, int new_state)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(inet_sock_set_state);
	LKST_RECORD(inet_sock_set_state, r);
	if (!r)
		return 0;
	LKST_PUT64(r->sk, sk);
	r->local_address = bpf_ntohl(lkst_local_address(sk));
	r->peer_address = bpf_ntohl(lkst_peer_address(sk));
	r->local_port = sk->__sk_common.skc_num;
	r->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
	r->family = sk->__sk_common.skc_family;
	r->protocol = sk->sk_protocol;
	r->old_state = old_state;
	r->new_state = new_state;
	LKST_COMMIT(inet_sock_set_state);
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(tp_btf__tcp_retransmit_skb, struct sock *sk, struct sk_buff *skb)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(tcp_retransmit_skb);
	LKST_RECORD(tcp_retransmit_skb, r);
	if (!r)
		return 0;
	LKST_PUT64(r->sk, sk);
	r->peer_address = bpf_ntohl(lkst_peer_address(sk));
	r->local_port = sk->__sk_common.skc_num;
	r->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
	r->family = sk->__sk_common.skc_family;
	r->state = sk->__sk_common.skc_state;
	LKST_COMMIT(tcp_retransmit_skb);
	return 0;
}

/* An event of a message on a socket. */
#define MESSAGE_PROGRAM(event)                                                                     \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, struct sock *sk, int result)                                 \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->sk, sk);                                                             \
		r->result = result;                                                                \
		r->family = sk->__sk_common.skc_family;                                            \
		r->protocol = sk->sk_protocol;                                                     \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

MESSAGE_PROGRAM(sock_send_length)
MESSAGE_PROGRAM(sock_recv_length)
