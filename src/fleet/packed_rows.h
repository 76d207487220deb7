/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows in ClickHouse's format RowBinary, packed by gzip while they are made. */
#ifndef LKST_FLEET_PACKED_ROWS_H
#define LKST_FLEET_PACKED_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Failure sticks in `error`. */
struct lkst_packed_rows {
	uint8_t *bytes; /* packed */
	size_t length;
	int error;

	/* Private. */
	z_stream z;
	size_t room, nr_held;
	uint8_t held[65536]; /* not packed yet */
};

/* 0 or -ENOMEM. The struct is large: allocate it. _fini() takes one of zeroes. */
int lkst_packed_rows_init(struct lkst_packed_rows *rows);
void lkst_packed_rows_fini(struct lkst_packed_rows *rows);

void lkst_packed_put(struct lkst_packed_rows *rows, const void *bytes, size_t length);

/* A number of @size bytes, 1, 2, 4 or 8; a string, or how many elements an array has. */
void lkst_packed_int(struct lkst_packed_rows *rows, uint64_t value, unsigned int size);
void lkst_packed_text(struct lkst_packed_rows *rows, const void *bytes, size_t length);
void lkst_packed_count(struct lkst_packed_rows *rows, uint64_t count);

void lkst_packed_uuid(struct lkst_packed_rows *rows, const uint8_t uuid[16]);

/* Ends the packed bytes: 0, or `error`. They are there until lkst_packed_rows_again(), which begins others. */
int lkst_packed_rows_end(struct lkst_packed_rows *rows);
void lkst_packed_rows_again(struct lkst_packed_rows *rows);

#endif
