// SPDX-License-Identifier: GPL-2.0-only
/* A writer's sink that keeps the files of a trace in memory. */
#include "trace/write/collected.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "trace/format/stream_name.h"

struct lkst_collected_stream {
	u64 instance;
	u8 *bytes;
	size_t length, room;
	char name[LKST_STREAM_NAME_MAX];
};

static int collected_no_memory(struct lkst_err *e)
{
	return lkst_err_sys(e, -ENOMEM, "keeping a trace in memory");
}

static int collected_take_metadata(struct lkst_err *e, void *ctx, const char *text, size_t length)
{
	struct lkst_collected *c = ctx;
	char *copy = malloc(length ?: 1);

	if (!copy)
		return collected_no_memory(e);
	memcpy(copy, text, length);
	free(c->metadata);
	c->metadata = copy;
	c->metadata_length = length;
	return 0;
}

/* The stream @instance, made if it was not there; NULL: no memory. */
static struct lkst_collected_stream *collected_find_stream(struct lkst_collected *c, u64 instance)
{
	struct lkst_collected_stream *added;
	u32 i;

	if (c->last < c->nr_streams && c->streams[c->last].instance == instance)
		return &c->streams[c->last];
	for (i = 0; i < c->nr_streams; i++)
		if (c->streams[i].instance == instance) {
			c->last = i;
			return &c->streams[i];
		}
	added = lkst_vec_add(c->streams, c->nr_streams);
	if (!added)
		return NULL;
	c->last = c->nr_streams - 1;
	added->instance = instance;
	lkst_stream_name(instance, added->name);
	return added;
}

static int take_blocks(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
		       size_t length)
{
	struct lkst_collected *c = ctx;
	struct lkst_collected_stream *s;
	size_t room;
	u8 *grown;

	if (c->max_bytes && length > c->max_bytes - c->bytes)
		return lkst_err_set(e, -EFBIG, "the trace is larger than %llu MiB",
				    (unsigned long long)c->max_bytes >> 20);
	s = collected_find_stream(c, instance);
	if (!s)
		return collected_no_memory(e);
	if (length > s->room - s->length) {
		room = 2 * s->length + length;
		grown = realloc(s->bytes, room);
		if (!grown)
			return collected_no_memory(e);
		s->bytes = grown;
		s->room = room;
	}
	memcpy(s->bytes + s->length, blocks, length);
	s->length += length;
	c->bytes += length;
	return 0;
}

const struct lkst_writer_sink lkst_collected_sink = { collected_take_metadata, take_blocks };

int lkst_collected_open(struct lkst_err *e, const struct lkst_collected *c,
			struct lkst_trace **ret_trace)
{
	_cleanup_free_ struct lkst_memory_file *files = calloc(c->nr_streams + 1, sizeof(*files));
	u32 i;

	if (!files)
		return collected_no_memory(e);
	files[0] = (struct lkst_memory_file){ "metadata", c->metadata, c->metadata_length };
	for (i = 0; i < c->nr_streams; i++) {
		const struct lkst_collected_stream *s = &c->streams[i];

		files[i + 1] = (struct lkst_memory_file){ s->name, s->bytes, s->length };
	}
	return lkst_trace_open_memory(e, files, c->nr_streams + 1, ret_trace);
}

void lkst_collected_fini(struct lkst_collected *c)
{
	u32 i;

	for (i = 0; i < c->nr_streams; i++)
		free(c->streams[i].bytes);
	free(c->streams);
	free(c->metadata);
	*c = (struct lkst_collected){ .max_bytes = c->max_bytes };
}
