/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of Protocol Buffers: what is too long to be inline. */
#include "export/perfetto/protobuf.h"

#include <string.h>

void lkst_protobuf_fixed64(struct lkst_protobuf *p, u32 field, u64 v)
{
	u8 *to;
	int i;

	lkst_protobuf_tag(p, field, LKST_PROTOBUF_FIXED64);
	if (p->is_full || !lkst_protobuf_has_room(p, sizeof(v))) {
		p->is_full = true;
		return;
	}
	to = p->bytes + p->used;
	for (i = 0; i < 8; i++)
		to[i] = (u8)(v >> 8 * i);
	p->used += sizeof(v);
}

void lkst_protobuf_bytes(struct lkst_protobuf *p, u32 field, const void *bytes, u32 length)
{
	lkst_protobuf_tag(p, field, LKST_PROTOBUF_LENGTH);
	lkst_protobuf_varint(p, length);
	if (p->is_full || !lkst_protobuf_has_room(p, length)) {
		p->is_full = true;
		return;
	}
	if (length)
		memcpy(p->bytes + p->used, bytes, length);
	p->used += length;
}

void lkst_protobuf_end_long(struct lkst_protobuf *p, u32 at)
{
	u32 length = p->used - at;
	struct lkst_protobuf head = { .bytes = p->bytes + at - 1, .room = LKST_PROTOBUF_TAG_MAX };
	u32 more = lkst_protobuf_varint_size(length) - 1;

	if (!lkst_protobuf_has_room(p, more)) {
		p->is_full = true;
		return;
	}
	memmove(p->bytes + at + more, p->bytes + at, length);
	head.room = more + 1;
	lkst_protobuf_varint(&head, length);
	p->used += more;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* How many bytes the character at @text takes, of which @length may be read; 0: it is not UTF-8 (RFC 3629). */
static u32 character(const u8 *text, u32 length)
{
	u32 size = text[0] < 0x80   ? 1
		   : text[0] < 0xc2 ? 0
		   : text[0] < 0xe0 ? 2
		   : text[0] < 0xf0 ? 3
				    : 4,
	    i;

	if (!size || size > length || text[0] > 0xf4)
		return 0;
	for (i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than it has to be, a half of a surrogate, or beyond U+10FFFF. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return size;
}

/* Appends @bytes alone. */
static void protobuf_put(struct lkst_protobuf *p, const void *bytes, u32 length)
{
	if (p->is_full || !lkst_protobuf_has_room(p, length)) {
		p->is_full = true;
		return;
	}
	memcpy(p->bytes + p->used, bytes, length);
	p->used += length;
}

void lkst_protobuf_text(struct lkst_protobuf *p, u32 field, const char *text, u32 length)
{
	const u8 *from = (const u8 *)text;
	u32 at, i = 0;

	while (i < length && from[i] && from[i] < 0x80)
		i++;
	if (i == length || !from[i]) {
		lkst_protobuf_bytes(p, field, text, i);
		return;
	}
	at = lkst_protobuf_begin(p, field);
	protobuf_put(p, from, i);
	while (i < length && from[i]) {
		u32 size = character(from + i, length - i);

		if (size)
			protobuf_put(p, from + i, size);
		else
			protobuf_put(p, "\xef\xbf\xbd", 3);
		i += size ? size : 1;
	}
	lkst_protobuf_end(p, at);
}
