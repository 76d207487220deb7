/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes structs in Thrift's compact protocol, in which Parquet has its headers and its footer
 * (https://github.com/apache/thrift, thrift-compact-protocol.md). Fields are written in the order
 * of their numbers. Private to src/parquet.
 */
#ifndef LKST_PARQUET_THRIFT_H
#define LKST_PARQUET_THRIFT_H

#include "parquet/byte_list.h"

enum { LKST_THRIFT_DEPTH = 8 };

/* Types of items of lists. */
enum lkst_thrift_type {
	LKST_THRIFT_I32 = 5,
	LKST_THRIFT_BINARY = 8,
	LKST_THRIFT_STRUCT = 12,
};

/* A struct that is being written; all zero but for `to` at first. */
struct lkst_thrift {
	struct lkst_byte_list *to;
	uint8_t last[LKST_THRIFT_DEPTH]; /* number of the last field, of each struct around */
	unsigned int depth;
};

/* Field @id of the struct. */
void lkst_thrift_bool(struct lkst_thrift *t, uint8_t id, bool value);
void lkst_thrift_i8(struct lkst_thrift *t, uint8_t id, int8_t value);
void lkst_thrift_i32(struct lkst_thrift *t, uint8_t id, int32_t value);
void lkst_thrift_i64(struct lkst_thrift *t, uint8_t id, int64_t value);
void lkst_thrift_binary(struct lkst_thrift *t, uint8_t id, const void *bytes, size_t length);

/* Field @id is a struct, whose fields follow; lkst_thrift_end() ends it, and also the outermost. */
void lkst_thrift_struct(struct lkst_thrift *t, uint8_t id);
void lkst_thrift_end(struct lkst_thrift *t);

/* Field @id is a list of @nr items, which follow. A struct as an item is ended like any. */
void lkst_thrift_list(struct lkst_thrift *t, uint8_t id, enum lkst_thrift_type type, uint32_t nr);
void lkst_thrift_item_i32(struct lkst_thrift *t, int32_t value);
void lkst_thrift_item_binary(struct lkst_thrift *t, const void *bytes, size_t length);
void lkst_thrift_item_struct(struct lkst_thrift *t);

#endif
