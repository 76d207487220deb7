/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that become more. A failure sticks: it is looked at once, after much was added. Private to src/parquet. */
#ifndef LKST_PARQUET_BYTE_LIST_H
#define LKST_PARQUET_BYTE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero is an empty one. */
struct lkst_byte_list {
	uint8_t *bytes;
	size_t nr, room;
	bool has_failed; /* there was no memory, and something is missing */
};

void lkst_byte_list_fini(struct lkst_byte_list *list);

/* Room for @nr bytes at the end, which the caller fills and counts in `nr`; NULL: no memory. */
uint8_t *lkst_byte_list_grow(struct lkst_byte_list *list, size_t nr);
static inline uint8_t *lkst_byte_list_room(struct lkst_byte_list *list, size_t nr)
{
	if (__builtin_expect(list->room - list->nr >= nr, 1))
		return list->bytes + list->nr;
	return lkst_byte_list_grow(list, nr);
}

static inline void lkst_byte_list_add(struct lkst_byte_list *list, const void *bytes, size_t nr)
{
	uint8_t *at = nr ? lkst_byte_list_room(list, nr) : NULL;

	if (!at)
		return;
	memcpy(at, bytes, nr);
	list->nr += nr;
}

/* An unsigned number of seven bits a byte, the lowest first, the highest bit set but in the last (LEB128). */
void lkst_byte_list_varint(struct lkst_byte_list *list, uint64_t v);

/* A signed one in this way: small numbers are short, whatever their sign. */
void lkst_byte_list_zigzag(struct lkst_byte_list *list, int64_t v);

#endif
