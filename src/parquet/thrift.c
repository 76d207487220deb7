/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes structs in Thrift's compact protocol. */
#include "parquet/thrift.h"

#include <assert.h>

/* Types of fields that are no types of items here. */
enum {
	TYPE_TRUE = 1,
	TYPE_FALSE = 2,
	TYPE_I8 = 3,
	TYPE_I64 = 6,
	TYPE_LIST = 9,
};

enum { LIST_SHORT = 15 }; /* a list with fewer items has their number in its first byte */

static void thrift_put_byte(struct lkst_thrift *t, uint8_t byte)
{
	lkst_byte_list_add(t->to, &byte, 1);
}

static void put_binary(struct lkst_thrift *t, const void *bytes, size_t length)
{
	lkst_byte_list_varint(t->to, length);
	lkst_byte_list_add(t->to, bytes, length);
}

/* A field begins with how far its number is from that of the last one, and its type. */
static void thrift_put_head(struct lkst_thrift *t, uint8_t id, uint8_t type)
{
	uint8_t *last = &t->last[t->depth];

	assert(id > *last && id - *last < 16);
	thrift_put_byte(t, (uint8_t)((id - *last) << 4 | type));
	*last = id;
}

static void thrift_enter(struct lkst_thrift *t)
{
	t->depth++;
	assert(t->depth < LKST_THRIFT_DEPTH);
	t->last[t->depth] = 0;
}

void lkst_thrift_bool(struct lkst_thrift *t, uint8_t id, bool value)
{
	thrift_put_head(t, id, value ? TYPE_TRUE : TYPE_FALSE);
}

void lkst_thrift_i8(struct lkst_thrift *t, uint8_t id, int8_t value)
{
	thrift_put_head(t, id, TYPE_I8);
	thrift_put_byte(t, (uint8_t)value);
}

void lkst_thrift_i32(struct lkst_thrift *t, uint8_t id, int32_t value)
{
	thrift_put_head(t, id, LKST_THRIFT_I32);
	lkst_byte_list_zigzag(t->to, value);
}

void lkst_thrift_i64(struct lkst_thrift *t, uint8_t id, int64_t value)
{
	thrift_put_head(t, id, TYPE_I64);
	lkst_byte_list_zigzag(t->to, value);
}

void lkst_thrift_binary(struct lkst_thrift *t, uint8_t id, const void *bytes, size_t length)
{
	thrift_put_head(t, id, LKST_THRIFT_BINARY);
	put_binary(t, bytes, length);
}

void lkst_thrift_struct(struct lkst_thrift *t, uint8_t id)
{
	thrift_put_head(t, id, LKST_THRIFT_STRUCT);
	thrift_enter(t);
}

void lkst_thrift_end(struct lkst_thrift *t)
{
	thrift_put_byte(t, 0);
	if (t->depth)
		t->depth--;
}

void lkst_thrift_list(struct lkst_thrift *t, uint8_t id, enum lkst_thrift_type type, uint32_t nr)
{
	thrift_put_head(t, id, TYPE_LIST);
	if (nr < LIST_SHORT) {
		thrift_put_byte(t, (uint8_t)(nr << 4 | type));
		return;
	}
	thrift_put_byte(t, (uint8_t)(LIST_SHORT << 4 | type));
	lkst_byte_list_varint(t->to, nr);
}

void lkst_thrift_item_i32(struct lkst_thrift *t, int32_t value)
{
	lkst_byte_list_zigzag(t->to, value);
}

void lkst_thrift_item_binary(struct lkst_thrift *t, const void *bytes, size_t length)
{
	put_binary(t, bytes, length);
}

void lkst_thrift_item_struct(struct lkst_thrift *t)
{
	thrift_enter(t);
}
