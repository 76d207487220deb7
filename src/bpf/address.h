/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address of a socket as text: "10.0.0.5", "2001:db8::1" (RFC 5952), "::ffff:10.0.0.5", "/run/x.sock", and "@name",
 * which is an abstract name of a Unix socket. tests/unit/address.c includes this file, too, and compares it with
 * inet_ntop().
 *
 * What one step finds out it leaves in memory, for the next one to load: the verifier then does not follow each text
 * that there may be from one step to the next.
 *
 * The steps are global functions where they can be (LKST_STEP), which the verifier checks once and not along each path
 * to them. It takes their pointer for one that may be NULL.
 *
 * The includer supplies LKST_LOAD(), LKST_STORE() and LKST_BOUNDED() (bpf/ring.h), and LKST_STEP and LKST_LOOP()
 * (bpf/compat.h).
 */
#ifndef LKST_BPF_ADDRESS_H
#define LKST_BPF_ADDRESS_H

#include "abi/types.h"

enum {
	LKST_ADDRESS_TEXT = 128, /* room for one, with its NUL; a power of two */
	LKST_ADDRESS_BYTES = 128, /* struct sockaddr_storage, include/linux/socket.h: the longest */
	LKST_ADDRESS_PATH = 108, /* UNIX_PATH_MAX, include/uapi/linux/un.h */
	LKST_ADDRESS_GROUPS = 8, /* of an IPv6 address */
	/* include/linux/socket.h */
	LKST_FAMILY_UNIX = 1,
	LKST_FAMILY_INET = 2,
	LKST_FAMILY_INET6 = 10,
};

/* An address as a program gives it, and what becomes of it. */
struct lkst_address {
	char text[LKST_ADDRESS_TEXT]; /* first: it is copied from here */
	union {
		u16 family;
		struct {
			u16 family, port;
			u8 address[4];
		} inet; /* struct sockaddr_in, include/uapi/linux/in.h */
		struct {
			u16 family, port;
			u32 flow;
			u8 address[2 * LKST_ADDRESS_GROUPS];
		} inet6; /* struct sockaddr_in6, include/uapi/linux/in6.h */
		struct {
			u16 family;
			char path[LKST_ADDRESS_PATH];
		} unix_; /* struct sockaddr_un */
		u8 bytes[LKST_ADDRESS_BYTES];
	} from;
	u32 at;	   /* how much of `text` there is */
	u32 zeros; /* bit i: group i is 0 */
	u32 run, after_run; /* the first of the groups that "::" stands for, and the one after them */
};

static __always_inline void lkst_address_put(struct lkst_address *a, char c)
{
	u64 at = LKST_BOUNDED((u64)LKST_LOAD(a->at)) & (LKST_ADDRESS_TEXT - 1);

	LKST_STORE(a->text[at], c);
	LKST_STORE(a->at, (u32)at + 1);
}

#define LKST_ADDRESS_AT(member) (offsetof(struct lkst_address, from.member) - offsetof(struct lkst_address, from))

/* Four bytes, from byte @from of the address on, as decimal numbers with dots between. */
LKST_STEP int lkst_address_put_inet(struct lkst_address *a, u32 from)
{
	u32 i, v;

	if (!a)
		return 0;
#pragma clang loop unroll(disable)
	for (i = 0; i < 4; i++) {
		v = LKST_LOAD(a->from.bytes[LKST_BOUNDED((u64)from + i) & (LKST_ADDRESS_BYTES - 1)]);
		if (i)
			lkst_address_put(a, '.');
		if (v >= 100)
			lkst_address_put(a, '0' + v / 100);
		if (v >= 10)
			lkst_address_put(a, '0' + v / 10 % 10);
		lkst_address_put(a, '0' + v % 10);
	}
	return 0;
}

static __always_inline u32 lkst_address_group(const struct lkst_address *a, u32 i)
{
	return (u32)LKST_LOAD(a->from.inet6.address[2 * i]) << 8 | LKST_LOAD(a->from.inet6.address[2 * i + 1]);
}

/* The hexadecimal digit of @v from bit @shift on, but for zeros before all others. */
static __always_inline void lkst_address_put_digit(struct lkst_address *a, u32 v, u32 shift)
{
	u32 digit = v >> shift & 15;

	if (v >> shift || !shift)
		lkst_address_put(a, digit < 10 ? '0' + digit : 'a' + digit - 10);
}

/* A number of 16 bits in hexadecimal digits, without zeros before it. */
LKST_STEP int lkst_address_put_group(struct lkst_address *a, u32 v)
{
	if (!a)
		return 0;
	lkst_address_put_digit(a, v, 12);
	lkst_address_put_digit(a, v, 8);
	lkst_address_put_digit(a, v, 4);
	lkst_address_put_digit(a, v, 0);
	return 0;
}

/* Finds the longest run of groups that are 0, of the first of these if there are several; one group alone is none. */
LKST_STEP int lkst_address_find_run(struct lkst_address *a)
{
	u32 i, length, zeros;

	if (!a)
		return 0;
	LKST_STORE(a->zeros, 0);
#pragma clang loop unroll(disable)
	for (i = 0; i < LKST_ADDRESS_GROUPS; i++)
		if (!lkst_address_group(a, i))
			LKST_STORE(a->zeros, LKST_LOAD(a->zeros) | 1U << i);
	LKST_STORE(a->run, LKST_ADDRESS_GROUPS);
	LKST_STORE(a->after_run, LKST_ADDRESS_GROUPS);
	zeros = LKST_LOAD(a->zeros);
#pragma clang loop unroll(disable)
	for (length = LKST_ADDRESS_GROUPS; length >= 2; length--) {
		const u32 ones = (1U << length) - 1;

#pragma clang loop unroll(disable)
		for (i = 0; i + length <= LKST_ADDRESS_GROUPS; i++) {
			if ((zeros >> i & ones) != ones)
				continue;
			LKST_STORE(a->run, i);
			LKST_STORE(a->after_run, i + length);
			return 0;
		}
	}
	return 0;
}

/* "::ffff:10.0.0.5" is an address of IPv4, as a socket of IPv6 has it. */
static __always_inline bool lkst_address_is_mapped(const struct lkst_address *a)
{
	return (LKST_LOAD(a->zeros) & 0x3f) == 0x1f && lkst_address_group(a, 5) == 0xffff;
}

LKST_STEP int lkst_address_put_inet6(struct lkst_address *a)
{
	u32 i, run, after_run, nr;

	if (!a)
		return 0;
	lkst_address_find_run(a);
	nr = lkst_address_is_mapped(a) ? LKST_ADDRESS_GROUPS - 2 : LKST_ADDRESS_GROUPS;
#pragma clang loop unroll(disable)
	for (i = 0; i < LKST_ADDRESS_GROUPS; i++) {
		run = LKST_LOAD(a->run);
		after_run = LKST_LOAD(a->after_run);
		if (i >= nr)
			break;
		if (i == run)
			lkst_address_put(a, ':');
		if (i >= run && i < after_run)
			continue;
		if (i)
			lkst_address_put(a, ':');
		lkst_address_put_group(a, lkst_address_group(a, i));
	}
	if (LKST_LOAD(a->after_run) == LKST_ADDRESS_GROUPS && LKST_LOAD(a->run) != LKST_ADDRESS_GROUPS)
		lkst_address_put(a, ':');
	if (nr != LKST_ADDRESS_GROUPS) {
		lkst_address_put(a, ':');
		lkst_address_put_inet(a, LKST_ADDRESS_AT(inet6.address) + 12);
	}
	return 0;
}

static long lkst_address_put_path(u32 i, struct lkst_address **at)
{
	struct lkst_address *a = *at;
	u64 byte = LKST_BOUNDED((u64)i);
	char c;

	if (byte >= LKST_ADDRESS_PATH)
		return 1;
	c = LKST_LOAD(a->from.unix_.path[byte]);
	if (!c && LKST_LOAD(a->from.unix_.path[0]))
		return 1;
	lkst_address_put(a, c ?: '@');
	return 0;
}

/*
 * The first @length bytes of the path: up to a NUL, or, of an abstract name, all, as /proc/net/unix has it. By
 * bpf_loop() where there is one, for the verifier follows each turn of another loop.
 */
LKST_STEP int lkst_address_put_unix(struct lkst_address *a, u32 length)
{
	if (a)
		LKST_LOOP(length, LKST_ADDRESS_PATH + 1, lkst_address_put_path, &a);
	return 0;
}

/* Makes the text of the first @length bytes of `from`. It is empty if they are none of these kinds, or too few. */
static __always_inline void lkst_address_write(struct lkst_address *a, u32 length)
{
	const u16 family = LKST_LOAD(a->from.family);

	LKST_STORE(a->at, 0);
	if (family == LKST_FAMILY_INET && length >= sizeof(a->from.inet))
		lkst_address_put_inet(a, LKST_ADDRESS_AT(inet.address));
	else if (family == LKST_FAMILY_INET6 && length >= sizeof(a->from.inet6))
		lkst_address_put_inet6(a);
	else if (family == LKST_FAMILY_UNIX && length > sizeof(a->from.family))
		lkst_address_put_unix(a, length - sizeof(a->from.family));
	lkst_address_put(a, 0);
}

/* The port of the same, in network byte order; 0: it has none. */
static __always_inline u16 lkst_address_port(const struct lkst_address *a, u32 length)
{
	const u16 family = LKST_LOAD(a->from.family);

	if ((family == LKST_FAMILY_INET && length >= sizeof(a->from.inet)) ||
	    (family == LKST_FAMILY_INET6 && length >= sizeof(a->from.inet6)))
		return LKST_LOAD(a->from.inet.port);
	return 0;
}

#endif
