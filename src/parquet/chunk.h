/* SPDX-License-Identifier: GPL-2.0-only */
/* A column of one group of rows: its values, until they are a page, and its pages. Private to src/parquet. */
#ifndef LKST_PARQUET_CHUNK_H
#define LKST_PARQUET_CHUNK_H

#include <zstd.h>

#include "parquet/dictionary.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

enum {
	LKST_PAGE_ROWS = 16 * 1024, /* of a page, at most; a multiple of 8 */
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

struct lkst_column_chunk {
	enum lkst_parquet_type type;
	bool is_required, is_rising;
	bool prefers_plain; /* dictionaries do not pay */

	/* The page to come. */
	uint8_t has_value[LKST_PAGE_ROWS / 8]; /* a bit for each row */
	uint32_t nr_values;
	struct lkst_byte_list
		values; /* as they are stored; numbers of texts, u32, if is_numbered */
	bool is_numbered;

	/* The pages. */
	struct lkst_byte_list pages; /* with their headers */
	uint64_t nr_pages, raw_bytes;
	uint32_t nr_skipped; /* rows without a value that have no page yet */
	uint64_t nr_rows, nr_nulls;
	struct lkst_dictionary dictionary;
	bool has_numbered; /* pages */
	struct lkst_bounds bounds;
};

/* What pages of all columns are made with, one after the other. */
struct lkst_page_maker {
	ZSTD_CCtx *zstd;
	struct lkst_byte_list raw, packed;
	bool has_failed;
};

/* All zero but for type, is_required and is_rising is one without a value; this is one again. */
void lkst_column_chunk_fini(struct lkst_column_chunk *c);

/* Row number @row of the page has this value. */
void lkst_column_chunk_int(struct lkst_column_chunk *c, uint32_t row, int64_t value);
void lkst_column_chunk_double(struct lkst_column_chunk *c, uint32_t row, double value);
void lkst_column_chunk_text(struct lkst_column_chunk *c, uint32_t row, const void *bytes,
			    uint32_t length);

/* Makes a page of what @nr_rows rows have. Returns by how many bytes the pages have grown. */
size_t lkst_column_chunk_page(struct lkst_column_chunk *c, struct lkst_page_maker *maker,
			      uint32_t nr_rows);

/* After the last page: whether all of it is there, and not something missing for want of memory. */
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
