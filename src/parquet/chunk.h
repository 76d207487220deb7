/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A column of one group of rows: its values, until they are a page, and its pages. Values are given to one page while
 * another is made of those that were given before, which a thread of its own may do: what each of the two uses is said
 * below, and nothing is used by both. Private to src/parquet.
 */
#ifndef LKST_PARQUET_CHUNK_H
#define LKST_PARQUET_CHUNK_H

#include <endian.h>
#include <zstd.h>

#include "parquet/dictionary.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

enum {
	LKST_PAGE_ROWS = 16 * 1024, /* that are given until pages are made; a multiple of 8 */
	LKST_SPARSE_ROWS = 8 * LKST_PAGE_ROWS, /* of a page of few values */
	LKST_SPARSE_BYTES = 8 * 1024, /* of values; a page of less goes on, if there is room for more rows */
	LKST_PAGE_VALUES = LKST_PAGE_ROWS + LKST_SPARSE_BYTES / 4, /* of a page, at most */
	LKST_BOUND_MAX = 64,	    /* bytes of the least and greatest text that are noted */
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

/* Values of a page to come. What each of them changes is together. */
struct lkst_page {
	struct lkst_byte_list values; /* numbers, u32 of each text if is_numbered, else texts as they are stored */
	uint32_t nr_values;
	uint32_t nr_rows;     /* before those that are given now */
	uint32_t nr_texts;    /* of the dictionary */
	bool is_numbered;     /* by the dictionary */
	uint8_t has_value[LKST_SPARSE_ROWS / 8]; /* a bit for each row */
};

struct lkst_column_chunk {
	enum lkst_parquet_type type;
	bool is_required, is_rising;

	/* Of text whoever gives values uses these, of numbers whoever makes pages. */
	bool prefers_plain; /* dictionaries do not pay */
	struct lkst_dictionary dictionary;
	struct lkst_bounds bounds;

	/* For those who give values. */
	struct lkst_page *filling;
	uint32_t number_bytes; /* of a number in the page: 8, or the lower 4 of them */
	uint32_t turn;	       /* counts dictionaries from 1 on */

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
void lkst_column_chunk_init(struct lkst_column_chunk *c, const struct lkst_parquet_column *column);
void lkst_column_chunk_fini(struct lkst_column_chunk *c);
void lkst_column_chunk_reset(struct lkst_column_chunk *c);

/* Row number @row of those that are given has a value. */
static inline void lkst_column_chunk_note(struct lkst_page *page, uint32_t row)
{
	uint32_t bit = page->nr_rows + row;

	page->has_value[bit / 8] |= (uint8_t)(1u << bit % 8);
	page->nr_values++;
}

/* It has this number: the bits of a double, or a whole number. */
static inline void lkst_column_chunk_number(struct lkst_column_chunk *c, uint32_t row, uint64_t number)
{
	struct lkst_page *page = c->filling;
	uint64_t stored = htole64(number);
	uint8_t *at = lkst_byte_list_room(&page->values, sizeof(stored));

	lkst_column_chunk_note(page, row);
	if (!at)
		return;
	/* With many columns, each is forgotten by the caches before its next value. */
	__builtin_prefetch(at + 128, 1);
	memcpy(at, &stored, sizeof(stored));
	page->values.nr += c->number_bytes;
}

/* It has this text; or one that has come before. *@place is as for lkst_parquet_text_again(). */
void lkst_column_chunk_text(struct lkst_column_chunk *c, uint32_t row, const void *bytes, uint32_t length,
			    struct lkst_parquet_place *place);
bool lkst_column_chunk_again(struct lkst_column_chunk *c, uint32_t row, const struct lkst_parquet_place *place);

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
