/* SPDX-License-Identifier: GPL-2.0-only */
/* What hashes do with words. */
#ifndef LKST_BASE_ROTATE_H
#define LKST_BASE_ROTATE_H

#include <stdint.h>

/* @value with its highest @bits, 1 to 63, moved to the lowest place. */
static inline uint64_t lkst_rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

#endif
