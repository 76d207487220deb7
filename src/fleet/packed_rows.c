/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs rows as they come, so that memory holds little more than what is sent. */
#include "fleet/packed_rows.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVEL = 1,
	GZIP = 15 + 16, /* a window of 32 KiB, and gzip's header (zlib.h) */
	MEMORY = 8,
};

int lkst_packed_rows_init(struct lkst_packed_rows *rows)
{
	memset(rows, 0, offsetof(struct lkst_packed_rows, held));
	return deflateInit2(&rows->z, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

void lkst_packed_rows_fini(struct lkst_packed_rows *rows)
{
	deflateEnd(&rows->z);
	free(rows->bytes);
}

/* Makes room for what most often comes of the held bytes. */
static void packed_rows_reserve(struct lkst_packed_rows *rows)
{
	size_t need = rows->length + sizeof(rows->held);
	uint8_t *bytes;

	if (need <= rows->room)
		return;
	bytes = realloc(rows->bytes, 2 * need);
	if (bytes) {
		rows->bytes = bytes;
		rows->room = 2 * need;
	} else {
		rows->error = -ENOMEM;
	}
}

static void packed_rows_pack(struct lkst_packed_rows *rows, int how)
{
	rows->z.next_in = rows->held;
	rows->z.avail_in = (uInt)rows->nr_held;
	do {
		packed_rows_reserve(rows);
		if (rows->error)
			return;
		rows->z.next_out = rows->bytes + rows->length;
		rows->z.avail_out = (uInt)(rows->room - rows->length);
		deflate(&rows->z, how);
		rows->length = (size_t)(rows->z.next_out - rows->bytes);
		/* Bytes that do not get smaller may be more, with what deflate() still had before. */
	} while (!rows->z.avail_out);
	rows->nr_held = 0;
}

void lkst_packed_put(struct lkst_packed_rows *rows, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;
	size_t part;

	while (length) {
		if (rows->nr_held == sizeof(rows->held))
			packed_rows_pack(rows, Z_NO_FLUSH);
		part = sizeof(rows->held) - rows->nr_held;
		part = part < length ? part : length;
		memcpy(rows->held + rows->nr_held, from, part);
		rows->nr_held += part;
		from += part;
		length -= part;
		if (rows->error)
			rows->nr_held = 0;
	}
}

void lkst_packed_int(struct lkst_packed_rows *rows, uint64_t value, unsigned int size)
{
	uint64_t bytes = htole64(value);

	lkst_packed_put(rows, &bytes, size);
}

void lkst_packed_count(struct lkst_packed_rows *rows, uint64_t count)
{
	for (; count > 127; count >>= 7)
		lkst_packed_int(rows, (count & 127) | 128, 1);
	lkst_packed_int(rows, count, 1);
}

void lkst_packed_text(struct lkst_packed_rows *rows, const void *bytes, size_t length)
{
	lkst_packed_count(rows, length);
	lkst_packed_put(rows, bytes, length);
}

/* ClickHouse keeps a UUID as two numbers, the first half first. */
void lkst_packed_uuid(struct lkst_packed_rows *rows, const uint8_t uuid[16])
{
	uint64_t half[2];

	memcpy(half, uuid, sizeof(half));
	lkst_packed_int(rows, be64toh(half[0]), 8);
	lkst_packed_int(rows, be64toh(half[1]), 8);
}

int lkst_packed_rows_end(struct lkst_packed_rows *rows)
{
	packed_rows_pack(rows, Z_FINISH);
	return rows->error;
}

void lkst_packed_rows_again(struct lkst_packed_rows *rows)
{
	deflateReset(&rows->z);
	rows->length = rows->nr_held = 0;
}
