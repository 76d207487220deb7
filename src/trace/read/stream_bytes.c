// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of a stream's files, one file after the other. */
#include "trace/read/stream_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/block.h"

enum {
	UNIT = 1 << LKST_BLOCK_SHIFT_MIN,
	DROP = 4 << 20, /* bytes at a time */
};

static void free_copy(struct lkst_stream_bytes *b)
{
	free(b->memory);
}

static const struct lkst_stream_keeper copied = { .release = free_copy };

/* Places the files at multiples of the smallest block, since blocks are counted in these. */
static int stream_bytes_place(struct lkst_err *e, struct lkst_stream_bytes *b,
			      const struct lkst_memory_file *files)
{
	unsigned int i;

	for (i = 0; i < b->nr_segments; i++) {
		size_t units = files[i].length / UNIT + !!(files[i].length % UNIT);

		if (units > UINT32_MAX - 1 - b->length / UNIT ||
		    units > (SIZE_MAX - b->length) / UNIT)
			return lkst_err_set(e, -EFBIG, "%s is too large", b->file);
		b->segments[i] =
			(struct lkst_segment){ .start = b->length, .length = files[i].length };
		b->length += units * UNIT;
	}
	return 0;
}

static int stream_bytes_copy(struct lkst_err *e, struct lkst_stream_bytes *b,
			     const struct lkst_memory_file *files)
{
	unsigned int i;

	b->memory = calloc(b->length / UNIT, UNIT);
	if (!b->memory)
		return lkst_err_sys(e, -ENOMEM, "%s", b->file);
	b->bytes = b->memory;
	b->memory_length = b->length;
	b->keeper = &copied;
	for (i = 0; i < b->nr_segments; i++)
		if (files[i].length)
			memcpy((u8 *)b->memory + b->segments[i].start, files[i].bytes,
			       files[i].length);
	return 0;
}

int lkst_stream_bytes_take(struct lkst_err *e, struct lkst_stream_bytes *b,
			   const struct lkst_memory_file *files, unsigned int nr_files)
{
	bool is_aligned = !((uintptr_t)files[0].bytes % sizeof(u64));
	int err;

	b->nr_segments = nr_files;
	b->segments = calloc(nr_files, sizeof(*b->segments));
	if (!b->segments)
		return lkst_err_sys(e, -ENOMEM, "%s", b->file);
	err = stream_bytes_place(e, b, files);
	if (err || !b->length)
		return err;
	if (nr_files > 1 || !is_aligned)
		return stream_bytes_copy(e, b, files);
	b->bytes = files[0].bytes;
	b->length = files[0].length;
	return 0;
}

void lkst_stream_bytes_keep(struct lkst_stream_bytes *b, void *memory)
{
	b->memory = memory;
	b->memory_length = b->length;
	b->keeper = &copied;
}

void lkst_stream_bytes_fini(struct lkst_stream_bytes *b)
{
	if (b->keeper)
		b->keeper->release(b);
	free(b->segments);
	free(b->holes);
	*b = (struct lkst_stream_bytes){};
}

void lkst_stream_bytes_pass(const struct lkst_stream_bytes *b, size_t *passed, size_t at)
{
	if (at < *passed)
		*passed = at;
	if (at - *passed < DROP)
		return;
	if (b->keeper && b->keeper->drop)
		b->keeper->drop(b, *passed, at);
	*passed = at;
}

void lkst_stream_bytes_drop(const struct lkst_stream_bytes *b)
{
	if (b->keeper && b->keeper->drop)
		b->keeper->drop(b, 0, b->length);
}
