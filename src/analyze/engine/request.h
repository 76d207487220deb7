/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request of a disk on its way, as one number: disk, operation, and sectors that are not done. A request may be
 * done in parts, and may have to wait for another try after it was sent.
 */
#ifndef LKST_ANALYZE_ENGINE_REQUEST_H
#define LKST_ANALYZE_ENGINE_REQUEST_H

#include "abi/types.h"

enum {
	LKST_REQUEST_OP_MASK =
		0xff, /* of its flags: what is to be done, include/linux/blk_types.h */
	LKST_REQUEST_SECTOR_SHIFT = 9,
	LKST_REQUEST_SECTORS_MAX = (1 << 23) - 1,
	LKST_REQUEST_REQUEUED = 1 << 23, /* with the sectors: it waits for another try */
};

static inline u64 lkst_request_pack(u32 dev, u32 flags, u32 bytes)
{
	u32 sectors = bytes >> LKST_REQUEST_SECTOR_SHIFT;

	return (u64)dev << 32 | (u64)(flags & LKST_REQUEST_OP_MASK) << 24 |
	       (sectors < LKST_REQUEST_SECTORS_MAX ? sectors : LKST_REQUEST_SECTORS_MAX);
}

/* Disk and operation; the disk alone. */
static inline u64 lkst_request_key(u64 request)
{
	return request >> 24;
}

static inline u32 lkst_request_disk(u64 request)
{
	return (u32)(request >> 32);
}

static inline u64 lkst_request_requeue(u64 request)
{
	return request | LKST_REQUEST_REQUEUED;
}

static inline bool lkst_request_is_requeued(u64 request)
{
	return request & LKST_REQUEST_REQUEUED;
}

/* @bytes of it are done. True: these were the last. */
static inline bool lkst_request_complete(u64 *request, u32 bytes)
{
	u32 sectors = bytes >> LKST_REQUEST_SECTOR_SHIFT;

	if ((*request & LKST_REQUEST_SECTORS_MAX) <= sectors)
		return true;
	*request -= sectors;
	return false;
}

#endif
