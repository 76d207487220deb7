/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as Parquet packs them (https://github.com/apache/parquet-format/blob/master/Encodings.md). Private to
 * src/parquet.
 */
#ifndef LKST_PARQUET_PACKED_NUMBERS_H
#define LKST_PARQUET_PACKED_NUMBERS_H

#include "parquet/byte_list.h"

/*
 * Small numbers, RLE/bit-packed hybrid: a run is either a number that is there so many times, or numbers one after the
 * other, so many bits each, eight at a time.
 */

/*
 * Bits for numbers up to @greatest, which is below 65536: 1, 2, 4, 8 or 16. That no number is in parts of several bytes
 * is worth more for what compresses them than the bits that could be saved.
 */
static inline unsigned int lkst_runs_width(uint32_t greatest)
{
	unsigned int width = 1;

	while (greatest >> width)
		width *= 2;
	return width;
}

/* Adds @nr numbers of @width bits each, which is one of lkst_runs_width(). */
void lkst_runs_add(struct lkst_byte_list *to, const uint32_t *numbers, uint32_t nr,
		   unsigned int width);

/* Adds @nr bits, of which the first is the lowest of the first byte of @bits; those after the last are 0. */
void lkst_runs_add_bits(struct lkst_byte_list *to, const uint8_t *bits, uint32_t nr);

/* Adds @nr times the bit @bit. */
void lkst_runs_add_same(struct lkst_byte_list *to, bool bit, uint32_t nr);

/*
 * Adds the @nr numbers at @numbers as differences from one to the next, DELTA_BINARY_PACKED: where they rise slowly, as
 * times do, few bits are left.
 */
void lkst_deltas_add(struct lkst_byte_list *to, const uint64_t *numbers, uint32_t nr);

#endif
