// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The text of a socket's address (bpf/address.h, the source that the kernel programs include): that of inet_ntop() for
 * addresses of all shapes, and of Unix sockets what the bytes say. It never leaves its room, whatever the bytes are.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"

#define LKST_LOAD(x) (*(volatile typeof(x) *)&(x))
#define LKST_STORE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define LKST_BOUNDED(v) (v)
#define LKST_STEP static __attribute__((noinline))
/* What the kernel's helper does. */
#define LKST_LOOP(nr, max, call, context)                                                          \
	do {                                                                                       \
		for (u32 turn_ = 0; turn_ < (nr); turn_++)                                         \
			if (call(turn_, context))                                                  \
				break;                                                             \
	} while (0)
/* gcc does not know clang's. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "bpf/address.h"
#pragma GCC diagnostic pop

#include "lib/unit.h"

static struct lkst_address a;

/* The text of @length bytes of the address that is in `a.from`. Its size must be what is said. */
static const char *write_text(u32 length)
{
	memset(a.text, 'x', sizeof(a.text));
	lkst_address_write(&a, length);
	if (!a.at || a.at > sizeof(a.text) || strnlen(a.text, sizeof(a.text)) + 1 != a.at)
		abort();
	return a.text;
}

/* That of an IPv6 address of groups, and of inet_ntop(). */
static void check_groups(const u16 groups[LKST_ADDRESS_GROUPS])
{
	char wanted[INET6_ADDRSTRLEN];
	unsigned int i;

	memset(&a.from, 0, sizeof(a.from));
	a.from.family = LKST_FAMILY_INET6;
	for (i = 0; i < LKST_ADDRESS_GROUPS; i++) {
		a.from.inet6.address[2 * i] = (u8)(groups[i] >> 8);
		a.from.inet6.address[2 * i + 1] = (u8)groups[i];
	}
	/* "::10.0.0.5" was given up (RFC 4291, 2.5.5.1), but the C library still writes it. */
	if (!memcmp(groups, (u16[6]){}, 6 * sizeof(u16)) && groups[6])
		return;
	inet_ntop(AF_INET6, a.from.inet6.address, wanted, sizeof(wanted));
	CHECK_STR(write_text(sizeof(a.from.inet6)), wanted);
}

TEST(address_of_ipv6_is_that_of_inet_ntop)
{
	static const u16 values[] = { 0, 1, 0x10, 0xabc, 0xffff, 0x2001 };
	u16 groups[LKST_ADDRESS_GROUPS] = {};
	unsigned int zeros, i, round;

	/* Each pattern of zeros, with numbers of each length between. */
	for (zeros = 0; zeros < 256; zeros++)
		for (round = 0; round < 5; round++) {
			for (i = 0; i < LKST_ADDRESS_GROUPS; i++)
				groups[i] = zeros >> i & 1 ? 0 : values[1 + (i + round) % 5];
			check_groups(groups);
		}
}

TEST(address_of_ipv4_in_ipv6_is_that_of_inet_ntop)
{
	static const u16 mapped[][LKST_ADDRESS_GROUPS] = {
		{ 0, 0, 0, 0, 0, 0xffff, 0x0a00, 0x0005 }, { 0, 0, 0, 0, 0, 0xffff, 0, 0 },
		{ 0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff }, { 1, 0, 0, 0, 0, 0xffff, 0x0a00, 0x0005 },
		{ 0, 0, 0, 0, 1, 0xffff, 0x0a00, 0x0005 }, { 0, 0, 0, 0, 0, 0xfffe, 0x0a00, 0x0005 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++)
		check_groups(mapped[i]);
}

TEST(address_of_ipv4_is_that_of_inet_ntop)
{
	static const u8 bytes[] = { 0, 1, 9, 10, 99, 100, 127, 199, 200, 255 };
	char wanted[INET_ADDRSTRLEN];
	unsigned int i, k;

	memset(&a.from, 0, sizeof(a.from));
	a.from.family = LKST_FAMILY_INET;
	for (i = 0; i < sizeof(bytes); i++)
		for (k = 0; k < 4; k++) {
			a.from.inet.address[k] = bytes[i];
			inet_ntop(AF_INET, a.from.inet.address, wanted, sizeof(wanted));
			CHECK_STR(write_text(sizeof(a.from.inet)), wanted);
		}
}

TEST(address_of_a_unix_socket_ends_where_it_does)
{
	memset(&a.from, 0, sizeof(a.from));
	a.from.family = LKST_FAMILY_UNIX;
	CHECK_STR(write_text(2), "");
	memcpy(a.from.unix_.path, "/run/x\0behind", 13);
	CHECK_STR(write_text(110), "/run/x");
	CHECK_STR(write_text(2 + 4), "/run");
	memcpy(a.from.unix_.path, "\0a\0b\0", 5);
	CHECK_STR(write_text(2 + 5), "@a@b@");
	memset(a.from.unix_.path, 'p', sizeof(a.from.unix_.path));
	CHECK_EQ(strlen(write_text(110)), 108);
	CHECK_EQ(strlen(write_text(LKST_ADDRESS_BYTES)), 108);
}

TEST(address_that_is_none_is_empty)
{
	u32 family, length;

	memset(&a.from, 0x7f, sizeof(a.from));
	for (family = 0; family < 64; family++)
		for (length = 0; length <= LKST_ADDRESS_BYTES; length++) {
			bool is_known = (family == LKST_FAMILY_INET && length >= 8) ||
					(family == LKST_FAMILY_INET6 && length >= 24) ||
					(family == LKST_FAMILY_UNIX && length > 2);

			a.from.family = (u16)family;
			CHECK_EQ(write_text(length)[0] != 0, is_known);
			CHECK_EQ(lkst_address_port(&a, length) != 0, is_known && family != LKST_FAMILY_UNIX);
		}
}

static const struct unit_test tests[] = {
	{ "address_of_ipv6_is_that_of_inet_ntop", test_address_of_ipv6_is_that_of_inet_ntop },
	{ "address_of_ipv4_in_ipv6_is_that_of_inet_ntop", test_address_of_ipv4_in_ipv6_is_that_of_inet_ntop },
	{ "address_of_ipv4_is_that_of_inet_ntop", test_address_of_ipv4_is_that_of_inet_ntop },
	{ "address_of_a_unix_socket_ends_where_it_does", test_address_of_a_unix_socket_ends_where_it_does },
	{ "address_that_is_none_is_empty", test_address_that_is_none_is_empty },
};
UNIT_MAIN(tests)
