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

/* ---- whose a packet is ------------------------------------------------------------------------- */

enum {
	ETH_IP = 0x0800, /* include/uapi/linux/if_ether.h */
	ETH_IPV6 = 0x86dd,
	AF_OF_IP = 2,
	PROTO_TCP = 6, /* include/uapi/linux/in.h */
	PROTO_UDP = 17,
	FRAGMENT = 0x3fff, /* more of them follow, or it is not the first */
};

struct ip_header {
	u8 version_length, tos;
	u16 length, id, fragment;
	u8 ttl, protocol;
	u16 check;
	u32 source, destination;
};

struct ipv6_header {
	u32 flow;
	u16 length;
	u8 protocol, hops;
	u32 source[4], destination[4];
};

/* Of UDP, the ports and, after a length, what it carries. */
struct transport_header {
	u16 source, destination;
	u32 sequence, acknowledgement;
	u8 length, flags;
};

struct whose {
	u32 source, destination; /* as in the packet */
	u32 bytes;		 /* after the header of IP */
	u8 protocol;
	bool is_inet6;
	struct transport_header transport;
};

/*
 * Reads the header of IP at @network, in front of @rest bytes in all. The header's length, 0: it is none of these. What
 * a raw socket sends may have its header elsewhere, and what was received was not checked yet.
 */
static __always_inline u32 read_network(struct whose *w, const void *network, u16 protocol, u32 rest)
{
	union {
		struct ip_header ip;
		struct ipv6_header ipv6;
	} h;
	u32 length, all;

	if (protocol == bpf_htons(ETH_IP)) {
		if (bpf_probe_read_kernel(&h.ip, sizeof(h.ip), network) || h.ip.version_length >> 4 != 4 ||
		    h.ip.fragment & bpf_htons(FRAGMENT))
			return 0;
		length = (h.ip.version_length & 15) * 4;
		if (length < sizeof(h.ip))
			return 0;
		/* A frame may be longer than the packet. What the hardware is to cut may be longer than the field. */
		all = h.ip.length ? bpf_ntohs(h.ip.length) : rest;
		w->is_inet6 = false;
		w->protocol = h.ip.protocol;
		w->source = h.ip.source;
		w->destination = h.ip.destination;
	} else if (protocol == bpf_htons(ETH_IPV6)) {
		if (bpf_probe_read_kernel(&h.ipv6, sizeof(h.ipv6), network) || bpf_ntohl(h.ipv6.flow) >> 28 != 6)
			return 0;
		length = sizeof(h.ipv6);
		all = h.ipv6.length ? length + bpf_ntohs(h.ipv6.length) : rest;
		w->is_inet6 = true;
		w->protocol = h.ipv6.protocol;
		w->source = h.ipv6.source[3];
		w->destination = h.ipv6.destination[3];
	} else {
		return 0;
	}
	w->bytes = all > length ? all - length : 0;
	return length;
}

/* The same for the header after it, of which @linear bytes are there. False: it is neither of TCP nor of UDP. */
static __always_inline bool read_transport(struct whose *w, const void *transport, u32 linear)
{
	struct transport_header *t = &w->transport;
	u32 length = 8;

	*t = (struct transport_header){};
	if (w->protocol == PROTO_TCP) {
		if (linear < 20 || bpf_probe_read_kernel(t, sizeof(*t), transport))
			return false;
		length = (t->length >> 4) * 4;
	} else if (w->protocol == PROTO_UDP) {
		if (linear < length || bpf_probe_read_kernel(t, 4, transport))
			return false;
		if (linear >= 16)
			bpf_probe_read_kernel(&t->sequence, 8, transport + 8);
		else if (linear >= 12)
			bpf_probe_read_kernel(&t->sequence, 4, transport + 8);
	} else {
		return false;
	}
	w->bytes = w->bytes > length ? w->bytes - length : 0;
	return true;
}

/* Reads the headers of @skb, whose header of IP is at @network. */
static __always_inline bool read_whose(struct whose *w, const struct sk_buff *skb, const unsigned char *network)
{
	u32 before = (u32)(network - skb->data), linear = skb->len - skb->data_len - before, length;

	length = read_network(w, network, skb->protocol, skb->len - before);
	return length && linear > length && linear <= skb->len && read_transport(w, network + length, linear - length);
}

/* An event of whose packet it is, beside that of the packet: the header of IP is at @network of the skb. */
#define WHOSE_PROGRAM(event, tracepoint, network)                                                  \
	SEC("tp_btf/" #tracepoint)                                                                 \
	int BPF_PROG(tp_too__##tracepoint, struct sk_buff *skb)                                    \
	{                                                                                          \
		struct whose w;                                                                    \
                                                                                                   \
		if (!lkst_wants_current() || !read_whose(&w, skb, network))                        \
			return LKST_UNWANTED(event);                                               \
		lkst_recording(event, r) {                                                         \
			r->source_address = bpf_ntohl(w.source);                                   \
			r->destination_address = bpf_ntohl(w.destination);                         \
			r->source_port = bpf_ntohs(w.transport.source);                            \
			r->destination_port = bpf_ntohs(w.transport.destination);                  \
			r->family = w.is_inet6 ? LKST_AF_INET6 : AF_OF_IP;                         \
			r->ip_protocol = w.protocol;                                               \
			r->sequence = bpf_ntohl(w.transport.sequence);                             \
			r->acknowledgement = bpf_ntohl(w.transport.acknowledgement);               \
			r->bytes = w.bytes;                                                        \
		}                                                                                  \
		return 0;                                                                          \
	}

WHOSE_PROGRAM(packet_send, net_dev_queue, skb->head + skb->network_header)
WHOSE_PROGRAM(packet_receive, netif_receive_skb, skb->data)

/* ---- packets at the driver ---------------------------------------------------------------------- */

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
