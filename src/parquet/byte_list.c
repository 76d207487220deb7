/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that become more. */
#include "parquet/byte_list.h"

#include <stdlib.h>

enum {
	ROOM_MIN = 256,
	VARINT_MAX = 10, /* bytes */
};

void lkst_byte_list_fini(struct lkst_byte_list *list)
{
	free(list->bytes);
	*list = (struct lkst_byte_list){};
}

uint8_t *lkst_byte_list_grow(struct lkst_byte_list *list, size_t nr)
{
	size_t least, room = list->room ? list->room : ROOM_MIN;
	uint8_t *more = NULL;

	if (!__builtin_add_overflow(list->nr, nr, &least) && least <= SIZE_MAX / 2) {
		while (room < least)
			room *= 2;
		more = realloc(list->bytes, room);
	}
	if (!more) {
		list->has_failed = true;
		return NULL;
	}
	list->bytes = more;
	list->room = room;
	return list->bytes + list->nr;
}

void lkst_byte_list_varint(struct lkst_byte_list *list, uint64_t v)
{
	uint8_t *at = lkst_byte_list_room(list, VARINT_MAX);

	if (!at)
		return;
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(v | 0x80);
	*at++ = (uint8_t)v;
	list->nr = (size_t)(at - list->bytes);
}

void lkst_byte_list_zigzag(struct lkst_byte_list *list, int64_t v)
{
	lkst_byte_list_varint(list, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}
