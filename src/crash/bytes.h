/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers at any place in a dump: little-endian, as on every machine whose dumps are read. */
#ifndef LKST_CRASH_BYTES_H
#define LKST_CRASH_BYTES_H

#include <endian.h>
#include <string.h>

#include "abi/types.h"

static inline u32 lkst_get_le32(const u8 *bytes)
{
	u32 v;

	memcpy(&v, bytes, sizeof(v));
	return le32toh(v);
}

static inline u64 lkst_get_le64(const u8 *bytes)
{
	u64 v;

	memcpy(&v, bytes, sizeof(v));
	return le64toh(v);
}

#endif
