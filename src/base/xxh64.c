/* SPDX-License-Identifier: GPL-2.0-only */
/* XXH64, as https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md has it. */
#include "base/xxh64.h"

#include "base/rotate.h"

#define PRIME_1 0x9E3779B185EBCA87ULL
#define PRIME_2 0xC2B2AE3D27D4EB4FULL
#define PRIME_3 0x165667B19E3779F9ULL
#define PRIME_4 0x85EBCA77C2B2AE63ULL
#define PRIME_5 0x27D4EB2F165667C5ULL

/* The number of @nr bytes at @bytes, little-endian. */
static uint64_t xxh64_load(const unsigned char *bytes, unsigned int nr)
{
	uint64_t value = 0;

	while (nr--)
		value = value << 8 | bytes[nr];
	return value;
}

static uint64_t xxh64_mix(uint64_t lane, uint64_t input)
{
	return lkst_rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

/* Takes stripes of 32 bytes off @length, and returns what they add up to. */
static uint64_t add_stripes(const unsigned char **bytes, size_t *length)
{
	uint64_t lanes[4] = { PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1 }, sum;
	unsigned int i;

	for (; *length >= 32; *bytes += 32, *length -= 32)
		for (i = 0; i < 4; i++)
			lanes[i] = xxh64_mix(lanes[i], xxh64_load(*bytes + 8 * i, 8));
	sum = lkst_rotate(lanes[0], 1) + lkst_rotate(lanes[1], 7) + lkst_rotate(lanes[2], 12) +
	      lkst_rotate(lanes[3], 18);
	for (i = 0; i < 4; i++)
		sum = (sum ^ xxh64_mix(0, lanes[i])) * PRIME_1 + PRIME_4;
	return sum;
}

uint64_t lkst_xxh64(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t sum = PRIME_5, total = length;

	if (length >= 32)
		sum = add_stripes(&at, &length);
	sum += total;
	for (; length >= 8; at += 8, length -= 8)
		sum = lkst_rotate(sum ^ xxh64_mix(0, xxh64_load(at, 8)), 27) * PRIME_1 + PRIME_4;
	if (length >= 4) {
		sum = lkst_rotate(sum ^ xxh64_load(at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
		at += 4;
		length -= 4;
	}
	for (; length; at++, length--)
		sum = lkst_rotate(sum ^ *at * PRIME_5, 11) * PRIME_1;
	sum = (sum ^ sum >> 33) * PRIME_2;
	sum = (sum ^ sum >> 29) * PRIME_3;
	return sum ^ sum >> 32;
}
