/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A column of one group of rows: its values, until they are a page, and its pages. Values are given to one page while
 * another is made of those that were given before, which a thread of its own may do: what each of the two uses is said
 * below, and nothing is used by both. Private to src/parquet.
 */
#ifndef LKST_PARQUET_CHUNK_H
#define LKST_PARQUET_CHUNK_H

#include <endian.h>
#include <stddef.h>
#include <zstd.h>

#include "parquet/dictionary.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

enum {
	LKST_PAGE_ROWS = 16 * 1024,	       /* that are given until pages are made; a multiple of 8 */
	LKST_SPARSE_ROWS = 4 * LKST_PAGE_ROWS, /* of a page of few values, at most */
	LKST_SPARSE_BYTES = 8 * 1024,	       /* of values; a page of less goes on where there is room for rows */
	LKST_PAGE_VALUES = LKST_PAGE_ROWS + LKST_SPARSE_BYTES / 4, /* of a page, at most */
	LKST_BOUND_MAX = 64, /* bytes of the least and greatest text that are noted */
};

/* The least or greatest text. */
struct lkst_bound_text {
	uint8_t bytes[LKST_BOUND_MAX];
	uint8_t length;
};

/* The least and greatest value. */
struct lkst_bounds {
	bool has_any, is_unknown; /* is_unknown: too long, or not a number */
	int64_t least, greatest;  /* whole numbers; unsigned ones with their highest bit turned */
	double least_double, greatest_double;
	struct lkst_bound_text least_text, greatest_text;
};

/* Values of a page to come. */
struct lkst_page {
	struct lkst_byte_list values; /* numbers, u32 of each text if is_numbered, else texts as they are stored */
	uint32_t nr_values, nr_rows;
	uint32_t nr_texts; /* of the dictionary */
	bool is_numbered;  /* by the dictionary */
	uint8_t has_value[LKST_SPARSE_ROWS / 8]; /* a bit for each row */
};

/*
 * Where a column's next value goes. What each value needs is here, and those of all columns are next to each other:
 * with many columns the caches have forgotten what is elsewhere.
 */
struct lkst_filling {
	struct lkst_page *page; /* whose nr_values and values.nr are those of here only when it is full */
	uint8_t *at, *end;	/* of its values */
	uint8_t *has_value;	/* of its */
	uint32_t nr_values;
	uint32_t first_row;  /* rows of the page before those that are given now */
	uint32_t turn;	     /* counts dictionaries from 1 on */
	uint8_t number_size; /* bytes of a number: 8, or the lower 4 of them */
	bool is_numbered;    /* texts are stored by number */
} __attribute__((aligned(64)));

struct lkst_column_chunk {
	enum lkst_parquet_type type;
	bool is_required, is_rising;

	/* Of text whoever gives values uses these, of numbers whoever makes pages. */
	bool prefers_plain; /* dictionaries do not pay */
	struct lkst_dictionary dictionary;
	struct lkst_bounds bounds;

	/* For those who give values. */
	struct lkst_filling *filling;
	struct lkst_page *full; /* the other page, which is made or was; for both, who agree when it changes */

	/* For those who make pages, of the one that is not being filled. */
	struct lkst_page page[2];
	struct lkst_byte_list made; /* pages with their headers */
	uint64_t raw_bytes;
	uint32_t nr_skipped; /* rows without a value that have no page yet */
	uint64_t nr_rows, nr_nulls;
	bool has_numbered; /* pages */
};

/* What pages of all columns are made with, one after the other. */
struct lkst_page_maker {
	ZSTD_CCtx *zstd;
	struct lkst_byte_list raw, packed;
	uint64_t values[LKST_PAGE_VALUES];
	uint32_t numbers[LKST_PAGE_VALUES]; /* of the dictionary */
	bool has_failed;
};

/* Makes one without a value of what is all zero; and of one whose last page is made, for the next group. */
void lkst_column_chunk_init(struct lkst_column_chunk *c, const struct lkst_parquet_column *column,
			    struct lkst_filling *filling);
void lkst_column_chunk_fini(struct lkst_column_chunk *c);
void lkst_column_chunk_reset(struct lkst_column_chunk *c);

/* Makes room for @nr more bytes of values. False: no memory, which the page notes. */
bool lkst_filling_grow(struct lkst_filling *f, size_t nr);

/* Row number @row of those that are given has a value, of @size bytes, which are @bits. */
static inline void lkst_filling_add(struct lkst_filling *f, uint32_t row, uint64_t bits, uint32_t size)
{
	uint64_t stored = htole64(bits);
	uint32_t bit = f->first_row + row;

	f->has_value[bit / 8] |= (uint8_t)(1u << bit % 8);
	f->nr_values++;
	if (f->end - f->at < (ptrdiff_t)sizeof(stored) && !lkst_filling_grow(f, sizeof(stored)))
		return;
	/* The values of a column come one at a time, and another line of the caches is needed soon. */
	__builtin_prefetch(f->at + 128, 1);
	memcpy(f->at, &stored, sizeof(stored));
	f->at += size;
}

/* It has this number: the bits of a double, or a whole number. */
static inline void lkst_filling_number(struct lkst_filling *f, uint32_t row, uint64_t number)
{
	lkst_filling_add(f, row, number, f->number_size);
}

/* It has the text that the column has at this place. False: it is not known there. */
static inline bool lkst_filling_again(struct lkst_filling *f, uint32_t row, const struct lkst_parquet_place *place)
{
	if (!f->is_numbered || place->turn != f->turn)
		return false;
	lkst_filling_add(f, row, place->number, sizeof(place->number));
	return true;
}

/* It has this text. *@ret_place: where the column has it from now on, if it keeps texts by number. */
void lkst_column_chunk_text(struct lkst_column_chunk *c, uint32_t row, const void *bytes, uint32_t length,
			    struct lkst_parquet_place *ret_place);

/* What @nr_rows rows have is to be made a page, if it is enough for one. That of the rows before has been made. */
void lkst_column_chunk_turn(struct lkst_column_chunk *c, uint32_t nr_rows);

/* Makes it. Returns by how many bytes the pages have grown. */
size_t lkst_column_chunk_make(struct lkst_column_chunk *c, struct lkst_page_maker *maker);

/* Makes a page of what is left: whether all of it is there, and not something missing for want of memory. */
bool lkst_column_chunk_end(struct lkst_column_chunk *c, struct lkst_page_maker *maker);

/*
 * Writes the pages to @out, where @offset bytes were written before, and what the footer says of them, a ColumnChunk of
 * column @name, to @t. Returns how many bytes it has written.
 */
uint64_t lkst_column_chunk_write(const struct lkst_column_chunk *c, const char *name,
				 struct lkst_page_maker *maker, struct lkst_out *out,
				 uint64_t offset, struct lkst_thrift *t);

/* What the footer says of a column: the rest of its SchemaElement, after the struct was begun. */
void lkst_column_chunk_schema(const struct lkst_parquet_column *column, struct lkst_thrift *t);

#endif
