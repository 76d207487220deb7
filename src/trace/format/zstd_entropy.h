/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How zstd writes symbols as bits (RFC 8878, section 4): by tables of states (FSE), or by codes of varying length
 * (Huffman). Nothing that is read is trusted.
 */
#ifndef LKST_TRACE_FORMAT_ZSTD_ENTROPY_H
#define LKST_TRACE_FORMAT_ZSTD_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- bits, from the last one of some bytes to the first ----------------------------------------- */

struct lkst_zstd_bits {
	const uint8_t *bytes;
	size_t length;
	int64_t left; /* bits that were not read; below 0: more were read than there are, as zeros */
};

/* False: they do not end with the mark of the last bit. */
bool lkst_zstd_bits_init(struct lkst_zstd_bits *b, const uint8_t *bytes, size_t length);

/* The next @nr bits, at most 56, without taking them. */
uint64_t lkst_zstd_bits_peek(const struct lkst_zstd_bits *b, unsigned int nr);
uint64_t lkst_zstd_bits_take(struct lkst_zstd_bits *b, unsigned int nr);

/* ---- FSE ---------------------------------------------------------------------------------------- */

enum {
	LKST_FSE_LOG_MAX = 9,
	LKST_FSE_SYMBOLS_MAX = 64,
};

struct lkst_fse_state {
	uint8_t symbol, bits; /* what it stands for; how many bits the next one takes */
	uint16_t base;	      /* the next one is that plus these bits */
};

struct lkst_fse {
	bool is_there;
	unsigned int log; /* there are 1 << log states */
	struct lkst_fse_state states[1 << LKST_FSE_LOG_MAX];
};

/* A table of @nr counts, which add up to 1 << @log; -1 is one that is less than 1. False: they do not. */
bool lkst_fse_build(struct lkst_fse *t, const int16_t *counts, unsigned int nr, unsigned int log);

/* The same of one symbol, which takes no bits. */
void lkst_fse_build_one(struct lkst_fse *t, uint8_t symbol);

/*
 * Reads a table as it is written, of at most @nr_max symbols, at most LKST_FSE_SYMBOLS_MAX, and 1 << @log_max states.
 * Returns how many bytes it takes; 0: it is damaged.
 */
size_t lkst_fse_read(struct lkst_fse *t, const uint8_t *bytes, size_t length, unsigned int nr_max,
		     unsigned int log_max);

/* ---- Huffman ------------------------------------------------------------------------------------ */

enum { LKST_HUFFMAN_LOG_MAX = 11 };

struct lkst_huffman {
	bool is_there;
	unsigned int log; /* the longest code */
	struct {
		uint8_t symbol, bits;
	} codes[1 << LKST_HUFFMAN_LOG_MAX]; /* by the next `log` bits */
};

/* Reads a tree as it is written. Returns how many bytes it takes; 0: it is damaged. */
size_t lkst_huffman_read(struct lkst_huffman *h, const uint8_t *bytes, size_t length);

/* Decodes exactly @nr symbols, which take all @length bytes. False: they do not. */
bool lkst_huffman_decode(const struct lkst_huffman *h, const uint8_t *bytes, size_t length,
			 uint8_t *to, size_t nr);

#endif
