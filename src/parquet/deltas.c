/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as differences from one to the next. */
#include "parquet/deltas.h"

#include "base/bytes.h"

enum {
	BLOCK = 128, /* differences that share the least one, which is taken off all */
	PARTS = 4,   /* of a block, each with as many bits as its largest needs */
	PART = BLOCK / PARTS,
	HALF = 32, /* bits that are packed at a time */
	PART_BYTES_MAX = PART * 8,
};

/* Packs the numbers of a part, @width bits each. */
static void put_part(struct lkst_byte_list *to, const uint64_t *numbers, unsigned int width)
{
	unsigned int low = width < HALF ? width : HALF, high = width - low, nr_held = 0, i;
	uint8_t *at = lkst_byte_list_room(to, PART_BYTES_MAX);
	uint64_t held = 0;

	if (!at)
		return;
	for (i = 0; i < PART; i++) {
		held |= (numbers[i] & UINT32_MAX) << nr_held;
		for (nr_held += low; nr_held >= 8; nr_held -= 8, held >>= 8)
			*at++ = (uint8_t)held;
		if (!high)
			continue;
		held |= numbers[i] >> HALF << nr_held;
		for (nr_held += high; nr_held >= 8; nr_held -= 8, held >>= 8)
			*at++ = (uint8_t)held;
	}
	to->nr += (size_t)width * PART / 8;
}

static unsigned int width_of(const uint64_t *numbers)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < PART; i++)
		all |= numbers[i];
	return all ? 64 - (unsigned int)__builtin_clzll(all) : 0;
}

/* @deltas has @nr of them, and room for a block. */
static void put_block(struct lkst_byte_list *to, uint64_t *deltas, uint32_t nr)
{
	uint8_t widths[PARTS];
	int64_t least = (int64_t)deltas[0];
	uint32_t i;

	for (i = 1; i < nr; i++)
		least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
	for (i = 0; i < BLOCK; i++)
		deltas[i] = i < nr ? deltas[i] - (uint64_t)least : 0;
	lkst_byte_list_zigzag(to, least);
	for (i = 0; i < PARTS; i++)
		widths[i] = (uint8_t)width_of(deltas + i * PART);
	lkst_byte_list_add(to, widths, sizeof(widths));
	/* Parts behind the last number have no bits. */
	for (i = 0; i < PARTS; i++)
		put_part(to, deltas + i * PART, widths[i]);
}

void lkst_deltas_add(struct lkst_byte_list *to, const uint8_t *numbers, uint32_t nr)
{
	uint64_t deltas[BLOCK], last = nr ? lkst_le64(numbers) : 0;
	uint32_t i, at = 0;

	lkst_byte_list_varint(to, BLOCK);
	lkst_byte_list_varint(to, PARTS);
	lkst_byte_list_varint(to, nr);
	lkst_byte_list_zigzag(to, (int64_t)last);
	for (i = 1; i < nr; i++) {
		uint64_t number = lkst_le64(numbers + (size_t)i * 8);

		deltas[at++] = number - last;
		last = number;
		if (at == BLOCK || i + 1 == nr) {
			put_block(to, deltas, at);
			at = 0;
		}
	}
}
