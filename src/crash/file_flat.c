/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * makedumpfile's flattened output (makedumpfile -F, Debian's kdump-tools, QEMU's kdump formats): the
 * dump as a sequence of "these bytes go there", for pipes. Here: an index of where each byte is.
 * Format: makedumpfile_header and makedumpfile_data_header in makedumpfile's source; its numbers are
 * big-endian.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "crash/file.h"

enum {
	FLAT_HEADER = 4096,
	FLAT_TYPE = 1,
	CHUNK_HEADER = 16,
	CHUNKS_MAX = 1 << 26,
	/* They are written a buffer at a time: pages, not bytes. Each takes as much memory as 100 bytes. */
	CHUNKS_MIN = 4096,
	CHUNK_AVERAGE_MIN = 512,
};

static const char signature[16] = "makedumpfile";

static u64 file_flat_be64(const u8 *bytes)
{
	u64 v;

	memcpy(&v, bytes, sizeof(v));
	return be64toh(v);
}

static bool is_flat(const struct lkst_file *f)
{
	u8 scratch[24];
	const u8 *h =
		f->file_size > FLAT_HEADER ? lkst_file_at(f, 0, sizeof(scratch), scratch) : NULL;

	return h && !memcmp(h, signature, sizeof(signature)) && file_flat_be64(h + 16) == FLAT_TYPE;
}

static int add_chunk(struct lkst_err *e, struct lkst_file *f, struct lkst_chunk **chunks,
		     struct lkst_chunk chunk)
{
	struct lkst_chunk *added;

	if (f->nr_chunks > CHUNKS_MIN + f->file_size / CHUNK_AVERAGE_MIN)
		return lkst_err_set(e, -EBADMSG,
				    "it is a flattened dump of more than %zu pieces, which are too "
				    "small to be pages",
				    f->nr_chunks - 1);
	added = f->nr_chunks < CHUNKS_MAX ? lkst_vec_add(*chunks, f->nr_chunks) : NULL;
	if (!added)
		return lkst_err_sys(e, -ENOMEM, "its pieces are too many");
	*added = chunk;
	return 0;
}

/* Reads all chunk headers. A file that ends within a chunk keeps what there is of it. */
static int read_chunks(struct lkst_err *e, struct lkst_file *f, struct lkst_chunk **chunks)
{
	u64 at = FLAT_HEADER;

	f->is_cut = true;
	while (f->file_size - at >= CHUNK_HEADER) {
		u8 scratch[CHUNK_HEADER];
		const u8 *h = lkst_file_at(f, at, sizeof(scratch), scratch);
		u64 offset = h ? file_flat_be64(h) : 0, length = h ? file_flat_be64(h + 8) : 0;
		int err;

		if (!h)
			break;
		if (offset == UINT64_MAX && length == UINT64_MAX) {
			f->is_cut = false;
			break;
		}
		at += CHUNK_HEADER;
		if (offset > INT64_MAX || length > INT64_MAX || length > f->file_size)
			break;
		if (length > f->file_size - at)
			length = f->file_size - at;
		if (length) {
			err = add_chunk(e, f, chunks, (struct lkst_chunk){ offset, length, at });
			if (err)
				return err;
		}
		at += length;
	}
	return 0;
}

static int file_flat_by_offset(const void *a, const void *b)
{
	const struct lkst_chunk *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * The chunks that begin before some place and end after it. Of two for the same byte the one that
 * comes later in the file counts, as if they were written one after the other.
 */
struct heap {
	struct lkst_chunk *items;
	size_t nr;
};

static void heap_add(struct heap *h, struct lkst_chunk chunk)
{
	size_t i = h->nr++;

	for (; i && h->items[(i - 1) / 2].at < chunk.at; i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = chunk;
}

static void heap_drop_first(struct heap *h)
{
	struct lkst_chunk last = h->items[--h->nr];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < h->nr; i = child) {
		child += child + 1 < h->nr && h->items[child + 1].at > h->items[child].at;
		if (h->items[child].at <= last.at)
			break;
		h->items[i] = h->items[child];
	}
	h->items[i] = last;
}

/* Adds @length bytes of @c from offset @from on, to the chunk before if they follow it there too. */
static size_t file_flat_emit(struct lkst_chunk *out, size_t nr, const struct lkst_chunk *c, u64 from,
			     u64 length)
{
	struct lkst_chunk part = { from, length, c->at + (from - c->offset) };

	if (nr && out[nr - 1].offset + out[nr - 1].length == from &&
	    out[nr - 1].at + out[nr - 1].length == part.at) {
		out[nr - 1].length += length;
		return nr;
	}
	out[nr] = part;
	return nr + 1;
}

/* From chunks in order of offset, which may overlap, to chunks that do not. At most twice as many. */
static size_t file_flat_resolve(const struct lkst_chunk *in, size_t nr_in, struct heap *heap,
				struct lkst_chunk *out)
{
	size_t nr = 0, i = 0;
	u64 at = 0, until;

	while (i < nr_in || heap->nr) {
		while (heap->nr && heap->items[0].offset + heap->items[0].length <= at)
			heap_drop_first(heap);
		if (!heap->nr) {
			if (i == nr_in)
				break;
			at = in[i].offset > at ? in[i].offset : at;
		}
		while (i < nr_in && in[i].offset <= at)
			heap_add(heap, in[i++]);
		while (heap->nr && heap->items[0].offset + heap->items[0].length <= at)
			heap_drop_first(heap);
		if (!heap->nr)
			continue;
		until = heap->items[0].offset + heap->items[0].length;
		if (i < nr_in && in[i].offset < until)
			until = in[i].offset;
		nr = file_flat_emit(out, nr, &heap->items[0], at, until - at);
		at = until;
	}
	return nr;
}

int lkst_flat_index(struct lkst_err *e, struct lkst_file *f)
{
	_cleanup_free_ struct lkst_chunk *chunks = NULL, *out = NULL;
	struct heap heap = {};
	size_t nr;
	int err;

	if (!is_flat(f))
		return 0;
	err = read_chunks(e, f, &chunks);
	if (err)
		return err;
	if (!f->nr_chunks)
		return lkst_err_set(e, -EBADMSG,
				    "it is a flattened dump and ends after its header");
	nr = f->nr_chunks;
	qsort(chunks, nr, sizeof(*chunks), file_flat_by_offset);
	out = calloc(2 * nr, sizeof(*out));
	heap.items = calloc(nr, sizeof(*heap.items));
	if (!out || !heap.items) {
		free(heap.items);
		return lkst_err_sys(e, -ENOMEM, "indexing its %zu pieces", nr);
	}
	nr = file_flat_resolve(chunks, nr, &heap, out);
	free(heap.items);
	f->chunks = lkst_take(out);
	f->nr_chunks = nr;
	f->size = f->chunks[nr - 1].offset + f->chunks[nr - 1].length;
	return 0;
}
