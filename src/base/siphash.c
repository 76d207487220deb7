/* SPDX-License-Identifier: GPL-2.0-only */
/* SipHash-2-4. */
#include "base/siphash.h"

#include <endian.h>
#include <string.h>

#include "base/rotate.h"

struct siphash_state {
	uint64_t v0, v1, v2, v3;
};

static void siphash_mix(struct siphash_state *s, unsigned int rounds)
{
	while (rounds--) {
		s->v0 += s->v1;
		s->v1 = lkst_rotate(s->v1, 13) ^ s->v0;
		s->v0 = lkst_rotate(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = lkst_rotate(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = lkst_rotate(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = lkst_rotate(s->v1, 17) ^ s->v2;
		s->v2 = lkst_rotate(s->v2, 32);
	}
}

static uint64_t siphash_load(const uint8_t *bytes)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
	return le64toh(v);
}

static void siphash_take(struct siphash_state *s, uint64_t word)
{
	s->v3 ^= word;
	siphash_mix(s, 2);
	s->v0 ^= word;
}

uint64_t lkst_siphash(const uint8_t key[LKST_SIPHASH_KEY], const void *bytes, size_t length)
{
	const uint64_t k0 = siphash_load(key), k1 = siphash_load(key + 8);
	struct siphash_state s = { k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
			   k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573 };
	const uint8_t *p = bytes;
	uint8_t last[8] = {};
	size_t left;

	for (left = length; left >= 8; left -= 8, p += 8)
		siphash_take(&s, siphash_load(p));
	memcpy(last, p, left);
	last[7] = (uint8_t)length;
	siphash_take(&s, siphash_load(last));
	s.v2 ^= 0xff;
	siphash_mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
