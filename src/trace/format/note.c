/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes: documents cut into pages, and put together again. */
#include "trace/format/note.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"

enum {
	TEXT_MAX = 64 << 20,
	UNPACK_STEP = 256 << 10,
};

u32 lkst_note_pages(size_t length)
{
	return length ? (u32)((length + LKST_NOTE_ROOM - 1) / LKST_NOTE_ROOM) : 1;
}

static u32 note_sum_of(const struct lkst_note *n, u32 length)
{
	const size_t from = offsetof(struct lkst_note, kind);
	uLong sum = crc32(0, (const u8 *)n + from, offsetof(struct lkst_note, sum) - from);

	return (u32)crc32(sum, n->bytes, length);
}

void lkst_note_fill(struct lkst_note *page, const u8 *memory_id, enum lkst_note_kind kind, u64 ns,
		    u32 part, u32 nr_parts, const void *bytes, size_t length)
{
	__atomic_store_n(&page->magic, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(page->memory_id, memory_id, sizeof(page->memory_id));
	page->version = htole32(LKST_NOTE_VERSION);
	page->kind = htole32(kind);
	page->part = htole32(part);
	page->nr_parts = htole32(nr_parts);
	page->length = htole32((u32)length);
	page->written_ns = htole64(ns);
	memset(page->pad, 0, sizeof(page->pad));
	memcpy(page->bytes, bytes, length);
	memset(page->bytes + length, 0, LKST_NOTE_ROOM - length);
	page->sum = htole32(note_sum_of(page, (u32)length));
	__atomic_store_n(&page->magic, htole32(LKST_NOTE_MAGIC), __ATOMIC_RELEASE);
}

void lkst_note_fill_all(struct lkst_note *pages, const u8 *memory_id, enum lkst_note_kind kind, u64 ns,
			const void *bytes, size_t length)
{
	u32 part, nr = lkst_note_pages(length);

	for (part = 0; part < nr; part++) {
		size_t from = (size_t)part * LKST_NOTE_ROOM, left = length - from;

		lkst_note_fill(&pages[part], memory_id, kind, ns, part, nr, (const u8 *)bytes + from,
			       left < LKST_NOTE_ROOM ? left : LKST_NOTE_ROOM);
	}
}

bool lkst_note_is_good(const struct lkst_note *page)
{
	u32 length = le32toh(page->length), nr_parts = le32toh(page->nr_parts);

	return le32toh(page->magic) == LKST_NOTE_MAGIC &&
	       le32toh(page->version) == LKST_NOTE_VERSION && length <= LKST_NOTE_ROOM &&
	       nr_parts <= LKST_NOTE_PARTS_MAX && le32toh(page->part) < nr_parts &&
	       le32toh(page->sum) == note_sum_of(page, length);
}

static int note_order(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

int lkst_note_compare(const void *a, const void *b)
{
	const struct lkst_note *x = *(const struct lkst_note *const *)a;
	const struct lkst_note *y = *(const struct lkst_note *const *)b;
	int by_kind = note_order(le32toh(x->kind), le32toh(y->kind));
	int by_time = note_order(le64toh(y->written_ns), le64toh(x->written_ns));

	return by_kind ?: by_time ?: note_order(le32toh(x->part), le32toh(y->part));
}

/* Joins the parts of the writing that begins at notes[0]. -ENOENT: some are missing. */
static int note_join(const struct lkst_note *const *notes, size_t nr, u8 **ret_bytes, size_t *ret_length)
{
	u32 nr_parts = le32toh(notes[0]->nr_parts), next = 0;
	u8 *bytes = malloc((size_t)nr_parts * LKST_NOTE_ROOM);
	size_t length = 0, i;

	if (!bytes)
		return -ENOMEM;
	for (i = 0; i < nr && next < nr_parts; i++) {
		u32 part = le32toh(notes[i]->part);

		if (part < next)
			continue; /* a second copy */
		if (part != next || le32toh(notes[i]->nr_parts) != nr_parts)
			break;
		memcpy(bytes + length, notes[i]->bytes, le32toh(notes[i]->length));
		length += le32toh(notes[i]->length);
		next++;
	}
	if (next < nr_parts) {
		free(bytes);
		return -ENOENT;
	}
	*ret_bytes = bytes;
	*ret_length = length;
	return 0;
}

int lkst_note_gather(const struct lkst_note *const *notes, size_t nr, enum lkst_note_kind kind,
		     u8 **ret_bytes, size_t *ret_length)
{
	size_t i = 0, end;

	while (i < nr) {
		int err = -ENOENT;

		/* The notes of one writing. */
		for (end = i + 1; end < nr && notes[end]->kind == notes[i]->kind &&
				  notes[end]->written_ns == notes[i]->written_ns;
		     end++)
			;
		if (le32toh(notes[i]->kind) == kind)
			err = note_join(notes + i, end - i, ret_bytes, ret_length);
		if (err != -ENOENT)
			return err;
		i = end;
	}
	return -ENOENT;
}

int lkst_note_pack(struct lkst_err *e, const char *text, u8 **ret_bytes, size_t *ret_length)
{
	size_t length = strlen(text);
	uLongf packed = compressBound(length);
	u8 *bytes = malloc(packed);

	if (!bytes || compress2(bytes, &packed, (const u8 *)text, length, 6) != Z_OK) {
		free(bytes);
		return lkst_err_sys(e, -ENOMEM, "packing the metadata");
	}
	*ret_bytes = bytes;
	*ret_length = packed;
	return 0;
}

/* Unpacks all of it into *@text, which grows as needed. */
static int unpack_all(z_stream *z, char **text, size_t *length)
{
	size_t room = 0;
	int status = Z_OK;

	*length = 0;
	while (status == Z_OK) {
		char *grown;

		if (room == *length) {
			room = room ? 2 * room : UNPACK_STEP;
			grown = room <= TEXT_MAX ? realloc(*text, room + 1) : NULL;
			if (!grown)
				return -EFBIG;
			*text = grown;
		}
		z->next_out = (u8 *)*text + *length;
		z->avail_out = (unsigned int)(room - *length);
		status = inflate(z, Z_NO_FLUSH);
		*length = room - z->avail_out;
	}
	(*text)[*length] = 0;
	return status == Z_STREAM_END ? 0 : -EBADMSG;
}

int lkst_note_unpack(struct lkst_err *e, const u8 *bytes, size_t length, char **ret_text,
		     size_t *ret_length)
{
	z_stream z = { .next_in = (u8 *)bytes, .avail_in = (unsigned int)length };
	_cleanup_free_ char *text = NULL;
	int err;

	if (inflateInit(&z) != Z_OK)
		return lkst_err_sys(e, -ENOMEM, "unpacking the metadata");
	err = unpack_all(&z, &text, ret_length);
	inflateEnd(&z);
	if (err)
		return lkst_err_set(e, err, "the recording's metadata cannot be unpacked");
	*ret_text = lkst_take(text);
	return 0;
}
