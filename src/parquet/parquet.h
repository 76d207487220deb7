/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes Parquet files: tables for DuckDB, pandas, Spark and their like
 * (https://github.com/apache/parquet-format). Rows are given cell by cell and held by column; what is held never grows
 * beyond a bounded group of rows, which then is written. Pages are compressed by zstd, what repeats is put in
 * dictionaries, and each column of a group has its least and greatest value, so that readers skip groups.
 */
#ifndef LKST_PARQUET_PARQUET_H
#define LKST_PARQUET_PARQUET_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/out.h"

/* What a column holds. To add one: a constant here, and its row in types[] of parquet/chunk.c. */
enum lkst_parquet_type {
	LKST_PARQUET_BOOL,
	LKST_PARQUET_INT32,
	LKST_PARQUET_UINT32,
	LKST_PARQUET_INT64,
	LKST_PARQUET_UINT64,
	LKST_PARQUET_TIME, /* ns since 1970, UTC */
	LKST_PARQUET_DOUBLE,
	LKST_PARQUET_TEXT, /* UTF-8: what is not becomes U+FFFD */
	LKST_PARQUET_BYTES,
};

struct lkst_parquet_column {
	const char *name; /* unique in its table; what is not UTF-8 in it becomes U+FFFD */
	enum lkst_parquet_type type;
	bool is_required; /* every row has a value; else a cell that is not given is null */
	bool is_rising; /* of a type with 64 bits: each value is little more than the one before */
};

enum { LKST_PARQUET_COLUMNS_MAX = 4096 };

struct lkst_parquet;

/*
 * Begins a file of @nr @columns, which are copied, on @out, in which failed writes stick. @created_by: the program and
 * its version. -ENOMEM, or -EINVAL: there is no column, or there are too many.
 */
int lkst_parquet_new(struct lkst_err *e, const struct lkst_parquet_column *columns, unsigned int nr,
		     const char *created_by, struct lkst_out *out,
		     struct lkst_parquet **ret_parquet);
void lkst_parquet_free(struct lkst_parquet *p);
LKST_GUARD(lkst_parquet_free, struct lkst_parquet)

/*
 * Has pages be made on a thread of its own from now on, while rows are given: the file is the same. If there can be no
 * thread, it goes on without.
 */
void lkst_parquet_use_thread(struct lkst_parquet *p);

/* Adds to what the file says of itself, which readers show on request. What is not UTF-8 in @value becomes U+FFFD. */
void lkst_parquet_note(struct lkst_parquet *p, const char *key, const char *value);

/*
 * The row's cell in column number @column, at most once a row. _int is for all whole numbers: of BOOL 0 or 1, of
 * UINT64 the same bits. _text is for TEXT and BYTES, and copies.
 */
void lkst_parquet_int(struct lkst_parquet *p, unsigned int column, int64_t value);
void lkst_parquet_double(struct lkst_parquet *p, unsigned int column, double value);
void lkst_parquet_text(struct lkst_parquet *p, unsigned int column, const void *bytes,
		       size_t length);

/*
 * As _text, for a text that comes in many rows: @place says where the column has it, is all zero at first, and is for
 * the same text in the same column each time.
 */
struct lkst_parquet_place {
	uint32_t turn, number;
};
void lkst_parquet_text_again(struct lkst_parquet *p, unsigned int column, const void *bytes, size_t length,
			     struct lkst_parquet_place *place);

/* Ends the row. 0 or -ENOMEM. */
int lkst_parquet_row_end(struct lkst_parquet *p);

/* Writes what is left, and what makes the file whole. 0 or -ENOMEM; @out is not flushed. */
int lkst_parquet_end(struct lkst_parquet *p);

#endif
