/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decompressing the pages of a dump, wholly or only their first bytes: a few bytes show whether a
 * page is ours, which makes a scan fast.
 */
#ifndef LKST_CRASH_UNPACK_H
#define LKST_CRASH_UNPACK_H

#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

enum lkst_packing {
	LKST_PACKING_ZLIB,
	LKST_PACKING_LZO, /* LZO1X */
	LKST_PACKING_SNAPPY,
	LKST_PACKING_ZSTD,
};

/* What a thread needs for it. */
struct lkst_unpacker;
int lkst_unpacker_new(struct lkst_err *e, struct lkst_unpacker **ret_unpacker);
void lkst_unpacker_free(struct lkst_unpacker *u);

/*
 * Unpacks the @length bytes at @in to @out, at most @room bytes; returns how many. If these are
 * fewer than there should be, the rest is damaged.
 */
size_t lkst_unpack(struct lkst_unpacker *u, enum lkst_packing packing, const u8 *in, size_t length,
		   u8 *out, size_t room);

/* The two formats that no library unpacks in part. */
size_t lkst_unlzo(const u8 *in, size_t length, u8 *out, size_t room);
size_t lkst_unsnappy(const u8 *in, size_t length, u8 *out, size_t room);

#endif
