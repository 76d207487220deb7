/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as Parquet packs them. */
#include "parquet/packed_numbers.h"

#include <endian.h>
#include <string.h>

/* ---- runs of small numbers ------------------------------------------------------------------- */

enum { GROUP = 8 }; /* numbers that are packed at a time */

static void add_same(struct lkst_byte_list *to, uint32_t number, uint32_t nr, unsigned int width)
{
	uint8_t bytes[4] = { (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16) };

	lkst_byte_list_varint(to, (uint64_t)nr << 1);
	lkst_byte_list_add(to, bytes, (width + 7) / 8);
}

static void begin_packed(struct lkst_byte_list *to, uint32_t nr_groups)
{
	lkst_byte_list_varint(to, (uint64_t)nr_groups << 1 | 1);
}

/* Packs @nr numbers, a multiple of the group's, of @width bits. */
static void runs_pack(uint8_t *at, const uint32_t *numbers, uint32_t nr, unsigned int width)
{
	const uint32_t in_byte = 8 / width;
	uint32_t i, k;

	for (i = 0; width == 8 && i < nr; i++)
		*at++ = (uint8_t)numbers[i];
	for (i = 0; width == 16 && i < nr; i++, at += 2) {
		at[0] = (uint8_t)numbers[i];
		at[1] = (uint8_t)(numbers[i] >> 8);
	}
	for (i = 0; width < 8 && i < nr; i += in_byte) {
		uint32_t byte = 0;

		for (k = 0; k < in_byte; k++)
			byte |= numbers[i + k] << k * width;
		*at++ = (uint8_t)byte;
	}
}

/* Only the last run may have a number of numbers that is no multiple of the group's; zeros fill it up. */
static void add_packed(struct lkst_byte_list *to, const uint32_t *numbers, uint32_t nr,
		       unsigned int width)
{
	uint32_t nr_groups = (nr + GROUP - 1) / GROUP, nr_whole = nr - nr % GROUP, last[GROUP] = {};
	uint8_t *at;

	if (!nr)
		return;
	begin_packed(to, nr_groups);
	at = lkst_byte_list_room(to, (size_t)nr_groups * width);
	if (!at)
		return;
	runs_pack(at, numbers, nr_whole, width);
	if (nr > nr_whole) {
		memcpy(last, numbers + nr_whole, (nr - nr_whole) * sizeof(*last));
		runs_pack(at + (size_t)nr_whole / GROUP * width, last, GROUP, width);
	}
	to->nr += (size_t)nr_groups * width;
}

/* How many of the numbers at @numbers are the same as the first. */
static uint32_t length_of_run(const uint32_t *numbers, uint32_t nr)
{
	uint32_t i = 1;

	while (i < nr && numbers[i] == numbers[0])
		i++;
	return i;
}

void lkst_runs_add(struct lkst_byte_list *to, const uint32_t *numbers, uint32_t nr,
		   unsigned int width)
{
	uint32_t at = 0, packed = 0; /* those from number `packed` on wait for being packed */

	while (at < nr) {
		uint32_t run = length_of_run(numbers + at, nr - at);

		if (run < GROUP) {
			at = nr - at < GROUP ? nr : at + GROUP;
			continue;
		}
		add_packed(to, numbers + packed, at - packed, width);
		add_same(to, numbers[at], run, width);
		at += run;
		packed = at;
	}
	add_packed(to, numbers + packed, nr - packed, width);
}

void lkst_runs_add_same(struct lkst_byte_list *to, bool bit, uint32_t nr)
{
	if (nr)
		add_same(to, bit, nr, 1);
}

/* How many bytes from @bits on are the same as the first, if that is all zeros or all ones; else 0. */
static uint32_t length_of_bytes(const uint8_t *bits, uint32_t nr)
{
	const uint64_t same = bits[0] ? UINT64_MAX : 0;
	uint32_t i = 0;
	uint64_t word;

	if (bits[0] != 0 && bits[0] != 0xff)
		return 0;
	for (; nr - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, bits + i, sizeof(word));
		if (word != same)
			break;
	}
	while (i < nr && bits[i] == bits[0])
		i++;
	return i;
}

void lkst_runs_add_bits(struct lkst_byte_list *to, const uint8_t *bits, uint32_t nr)
{
	uint32_t nr_bytes = nr / GROUP, at = 0, packed = 0;

	while (at < nr_bytes) {
		uint32_t run = length_of_bytes(bits + at, nr_bytes - at);

		/* A byte alone is shorter among its neighbours. */
		if (run < 2) {
			at++;
			continue;
		}
		if (at > packed) {
			begin_packed(to, at - packed);
			lkst_byte_list_add(to, bits + packed, at - packed);
		}
		add_same(to, bits[at] & 1, run * GROUP, 1);
		at += run;
		packed = at;
	}
	nr_bytes += nr % GROUP != 0;
	if (nr_bytes > packed) {
		begin_packed(to, nr_bytes - packed);
		lkst_byte_list_add(to, bits + packed, nr_bytes - packed);
	}
}

/* ---- differences from one number to the next ------------------------------------------------- */

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
