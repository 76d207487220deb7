/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts or numbers by number, each only once, as a dictionary page has them. Private to src/parquet. */
#ifndef LKST_PARQUET_DICTIONARY_H
#define LKST_PARQUET_DICTIONARY_H

#include "base/hash.h"
#include "parquet/byte_list.h"

enum {
	LKST_DICTIONARY_FULL = -1,
	LKST_DICTIONARY_RECENT = 64,
};

/* All zero is an empty one. */
struct lkst_dictionary {
	struct lkst_byte_list bytes;  /* of each, as PLAIN has them: a text with its length before it */
	struct lkst_byte_list starts; /* u32 of each text: where it begins in `bytes` */
	uint32_t nr;
	struct lkst_hash places;
	uint32_t recent
		[LKST_DICTIONARY_RECENT]; /* number of the text that was last at such an address */
};

void lkst_dictionary_fini(struct lkst_dictionary *d);

/*
 * The number of the text, which is added if it is new: *@ret_is_new. LKST_DICTIONARY_FULL: it is new, and there are too
 * many, or there is no memory.
 */
int32_t lkst_dictionary_number(struct lkst_dictionary *d, const void *bytes, uint32_t length,
			       bool *ret_is_new);

/* Text @number with its length before it; *@ret_length: of both. */
const uint8_t *lkst_dictionary_text(const struct lkst_dictionary *d, uint32_t number,
				    uint32_t *ret_length);

/*
 * The same for @value, a number of which @size bytes are stored, 4 or 8. A dictionary has either texts or numbers of
 * one size.
 */
int32_t lkst_dictionary_int(struct lkst_dictionary *d, uint64_t value, uint32_t size, bool *ret_is_new);

#endif
