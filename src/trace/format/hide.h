/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes from blocks what shows where the kernel is in memory: addresses in its half, and page frame numbers,
 * become hashes with a secret key. Equal ones stay equal, and nothing else can be learnt from them. Addresses of
 * programs stay.
 */
#ifndef LKST_TRACE_FORMAT_HIDE_H
#define LKST_TRACE_FORMAT_HIDE_H

#include "base/siphash.h"
#include "trace/format/catalog.h"

struct lkst_hider {
	const struct lkst_catalog *catalog;
	u8 key[LKST_SIPHASH_KEY];
};

/*
 * What takes the place of kernel address @address: bit 63 is set and bit 62 is not, which no address of the kernel
 * has. Values that are none (0, error numbers, the programs' half) stay.
 */
u64 lkst_hide_address(const struct lkst_hider *h, u64 address);

/* Whether that is what @address is: then addresses near it have nothing to do with it. */
static inline bool lkst_address_is_hidden(u64 address)
{
	return address >> 62 == 2;
}

/*
 * Hides what @length bytes of whole blocks have: fields whose meaning is an address (lkst_meaning_is_address()), and
 * in events that are not system calls any number of 64 bits that can be one. What lies between and after records is
 * cleared; so is, from its first bad record on, a block that makes no sense.
 */
void lkst_hide(const struct lkst_hider *h, u8 *blocks, size_t length);

#endif
