/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes messages of Protocol Buffers (protobuf.dev/programming-guides/encoding) into memory of a fixed size. A field
 * is its number, the form of its value, and the value:
 *
 *	u32 at = lkst_protobuf_begin(&p, 1);	field 1 is a message, of what follows
 *	lkst_protobuf_u64(&p, 8, ns);
 *	lkst_protobuf_text(&p, 2, "name", 4);
 *	lkst_protobuf_end(&p, at);
 *
 * What has no room is not written, and `is_full` says so from then on: then `used` may be set back to what it was
 * before the message. Numbers of fields are below 2^29.
 */
#ifndef LKST_EXPORT_PERFETTO_PROTOBUF_H
#define LKST_EXPORT_PERFETTO_PROTOBUF_H

#include "abi/types.h"

enum {
	LKST_PROTOBUF_VARINT_MAX = 10, /* bytes that a number may take */
	LKST_PROTOBUF_TAG_MAX = 5,     /* bytes that a field's number and form may take */
};

/* How a value is written: the lowest 3 bits of what comes before it. */
enum lkst_protobuf_form {
	LKST_PROTOBUF_VARINT = 0,
	LKST_PROTOBUF_FIXED64 = 1,
	LKST_PROTOBUF_LENGTH =
		2, /* text, bytes, messages and packed numbers: their length comes first */
};

struct lkst_protobuf {
	u8 *bytes; /* the caller's, of `room` bytes */
	u32 room, used;
	bool is_full;
};

static inline bool lkst_protobuf_has_room(const struct lkst_protobuf *p, u32 bytes)
{
	return p->room - p->used >= bytes;
}

/* Bytes that number @v takes: seven bits in each. */
static inline u32 lkst_protobuf_varint_size(u64 v)
{
	return (u32)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* A number alone, as in a packed field, whose numbers have no field's number each. */
static inline void lkst_protobuf_varint(struct lkst_protobuf *p, u64 v)
{
	u8 *to = p->bytes + p->used;

	if (__builtin_expect(!lkst_protobuf_has_room(p, LKST_PROTOBUF_VARINT_MAX), 0) &&
	    !lkst_protobuf_has_room(p, lkst_protobuf_varint_size(v))) {
		p->is_full = true;
		return;
	}
	for (; v >= 0x80; v >>= 7)
		*to++ = (u8)(v | 0x80);
	*to++ = (u8)v;
	p->used = (u32)(to - p->bytes);
}

static inline void lkst_protobuf_tag(struct lkst_protobuf *p, u32 field,
				     enum lkst_protobuf_form form)
{
	lkst_protobuf_varint(p, (u64)field << 3 | form);
}

/* A field whose type is an unsigned integer, a bool or an enum. */
static inline void lkst_protobuf_u64(struct lkst_protobuf *p, u32 field, u64 v)
{
	lkst_protobuf_tag(p, field, LKST_PROTOBUF_VARINT);
	lkst_protobuf_varint(p, v);
}

/* int32 or int64, both of which are widened to 64 bits. Not sint32 or sint64. */
static inline void lkst_protobuf_s64(struct lkst_protobuf *p, u32 field, s64 v)
{
	lkst_protobuf_u64(p, field, (u64)v);
}

/* fixed64. */
void lkst_protobuf_fixed64(struct lkst_protobuf *p, u32 field, u64 v);

/* Bytes, a whole message, or packed numbers. */
void lkst_protobuf_bytes(struct lkst_protobuf *p, u32 field, const void *bytes, u32 length);

/* At most @length bytes of @text, up to its NUL; bytes that are not UTF-8 become U+FFFD. */
void lkst_protobuf_text(struct lkst_protobuf *p, u32 field, const char *text, u32 length);

/* A message: what is written until lkst_protobuf_end() gets the number that this returns. They may be nested. */
static inline u32 lkst_protobuf_begin(struct lkst_protobuf *p, u32 field)
{
	lkst_protobuf_tag(p, field, LKST_PROTOBUF_LENGTH);
	lkst_protobuf_varint(p, 0);
	return p->used;
}

/* The half of lkst_protobuf_end() for messages whose length takes more than a byte. */
void lkst_protobuf_end_long(struct lkst_protobuf *p, u32 at);

static inline void lkst_protobuf_end(struct lkst_protobuf *p, u32 at)
{
	if (__builtin_expect(p->is_full, 0))
		return;
	if (__builtin_expect(p->used - at < 0x80, 1))
		p->bytes[at - 1] = (u8)(p->used - at);
	else
		lkst_protobuf_end_long(p, at);
}

#endif
