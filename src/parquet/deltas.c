/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as differences from one to the next. */
#include "parquet/deltas.h"

#include <endian.h>
#include <string.h>

enum {
	BLOCK = 128, /* differences that share the least one, which is taken off all */
	PARTS = 4,   /* of a block, each with as many bits as its largest needs */
	PART = BLOCK / PARTS,
	PART_BYTES_MAX = PART * 8 + 4,
};

/* Packs the numbers of a part, @width bits each. */
static void deltas_put_part(struct lkst_byte_list *to, const uint64_t *numbers, unsigned int width)
{
	uint8_t *at = lkst_byte_list_room(to, PART_BYTES_MAX);
	unsigned int nr_held = 0, i;
	uint64_t held = 0, stored;

	if (!at)
		return;
	for (i = 0; i < PART; i++) {
		held |= numbers[i] << nr_held;
		nr_held += width;
		if (nr_held < 64)
			continue;
		stored = htole64(held);
		memcpy(at, &stored, sizeof(stored));
		at += sizeof(stored);
		nr_held -= 64;
		held = nr_held ? numbers[i] >> (width - nr_held) : 0;
	}
	/* What is left is nothing, or half a word. */
	stored = htole64(held);
	memcpy(at, &stored, sizeof(stored) / 2);
	to->nr += (size_t)width * PART / 8;
}

static unsigned int deltas_width_of(const uint64_t *numbers)
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
		widths[i] = (uint8_t)deltas_width_of(deltas + i * PART);
	lkst_byte_list_add(to, widths, sizeof(widths));
	/* Parts behind the last number have no bits. */
	for (i = 0; i < PARTS; i++)
		deltas_put_part(to, deltas + i * PART, widths[i]);
}

void lkst_deltas_add(struct lkst_byte_list *to, const uint64_t *numbers, uint32_t nr)
{
	uint64_t deltas[BLOCK], last = nr ? numbers[0] : 0;
	uint32_t i, at = 0;

	lkst_byte_list_varint(to, BLOCK);
	lkst_byte_list_varint(to, PARTS);
	lkst_byte_list_varint(to, nr);
	lkst_byte_list_zigzag(to, (int64_t)last);
	for (i = 1; i < nr; i++) {
		deltas[at++] = numbers[i] - last;
		last = numbers[i];
		if (at == BLOCK || i + 1 == nr) {
			put_block(to, deltas, at);
			at = 0;
		}
	}
}
