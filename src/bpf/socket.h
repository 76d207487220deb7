/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A socket's addresses, as the last 32 bits of each in network byte order: all of an IPv4 address,
 * and of an IPv6 address as much as distinguishes hosts at small cost.
 */
#ifndef LKST_BPF_SOCKET_H
#define LKST_BPF_SOCKET_H

#include "bpf/record.h"

enum {
	LKST_AF_INET6 = 10, /* AF_INET6, include/linux/socket.h */
};

static __always_inline bool lkst_is_inet6(const struct sock *sk)
{
	/* The field is missing where the kernel was built without IPv6. */
	return bpf_core_field_exists(sk->__sk_common.skc_v6_daddr) &&
	       sk->__sk_common.skc_family == LKST_AF_INET6;
}

static __always_inline u32 lkst_local_address(const struct sock *sk)
{
	return lkst_is_inet6(sk) ? sk->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3]
				 : sk->__sk_common.skc_rcv_saddr;
}

static __always_inline u32 lkst_peer_address(const struct sock *sk)
{
	return lkst_is_inet6(sk) ? sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3]
				 : sk->__sk_common.skc_daddr;
}

#endif
