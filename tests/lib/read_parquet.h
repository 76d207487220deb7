/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads Parquet files that are small enough to be read at once, by what https://github.com/apache/parquet-format
 * says and by nothing of the writer's: PLAIN, RLE_DICTIONARY and DELTA_BINARY_PACKED, zstd or not, no nesting.
 */
#ifndef LKST_TESTS_READ_PARQUET_H
#define LKST_TESTS_READ_PARQUET_H

#include <stddef.h>
#include <stdint.h>

/*
 * The columns, "name:type?" each with a blank between, "?" where there may be nulls. The caller frees it; NULL: it is
 * damaged.
 */
char *parquet_columns(const void *file, size_t length);

/* The rows as lines of cells with "|" between, null as nothing. The caller frees it; NULL: damaged. */
char *parquet_rows(const void *file, size_t length);

/* Each group of rows as "rows:" and a column's "least..greatest nulls". The caller frees it; NULL: damaged. */
char *parquet_bounds(const void *file, size_t length, unsigned int column);

/*
 * Column number @column, a line for each of its pages with data: "rows encoding", the encoding by its number. The
 * caller frees it; NULL: damaged.
 */
char *parquet_pages(const void *file, size_t length, unsigned int column);

#endif
