/* SPDX-License-Identifier: GPL-2.0-only */
/* Little-endian numbers at any place in memory: those of blocks and of dumps. */
#ifndef LKST_BASE_BYTES_H
#define LKST_BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t lkst_le32(const uint8_t *bytes)
{
	uint32_t v;

	memcpy(&v, bytes, sizeof(v));
	return le32toh(v);
}

static inline uint64_t lkst_le64(const uint8_t *bytes)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
	return le64toh(v);
}

#endif
