/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the socket's both ends: the first byte says which reads the rest: the server a
 * request, a client a trace, to a directory or to memory, or a page. Nothing is written anywhere: the trace's
 * directory cannot be made. What comes to memory is opened.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "trace/write/wire.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

struct input {
	const u8 *bytes;
	size_t left;
};

static ssize_t take(void *ctx, void *bytes, size_t size)
{
	struct input *in = ctx;

	size = size < in->left ? size : in->left;
	memcpy(bytes, in->bytes, size);
	in->bytes += size;
	in->left -= size;
	return (ssize_t)size;
}

static int count(void *ctx, const void *bytes, size_t length)
{
	(void)bytes;
	*(size_t *)ctx += length;
	return 0;
}

static void parse_request(const struct input *in)
{
	u8 bytes[sizeof(struct lkst_wire_request)] = { 0 }, again[sizeof(bytes)];
	struct lkst_wire_request r;
	struct lkst_err e = {};

	memcpy(bytes, in->bytes, in->left < sizeof(bytes) ? in->left : sizeof(bytes));
	if (lkst_wire_request_parse(&e, bytes, &r)) {
		printed_error(&e);
		return;
	}
	lkst_wire_request_format(&r, again);
	if (memcmp(bytes, again, sizeof(bytes)))
		abort();
}

static void tell(void *ctx, const struct lkst_stream_info *stream, u64 offset, u64 bytes, const char *text)
{
	printed_name(text, strlen(text));
}

static void receive_memory(const struct lkst_wire_source *source)
{
	struct lkst_collected c = { .max_bytes = 1 << 20 };
	struct lkst_trace *t = NULL;
	struct lkst_err e = {};

	if (lkst_wire_receive_memory(&e, source, &c) || lkst_collected_open(&e, &c, &t)) {
		printed_error(&e);
	} else {
		lkst_trace_check(t, tell, NULL);
		printed_catalog(lkst_trace_catalog(t), 0xff);
	}
	lkst_trace_close(t);
	lkst_collected_fini(&c);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data + 1, size - 1 };
	const struct lkst_wire_source source = { take, &in };
	struct lkst_err e = {};
	size_t length = 0;
	int err = 0;
	u64 bytes;

	if (!size)
		return 0;
	if (data[0] == 'r')
		parse_request(&in);
	else if (data[0] == 't')
		err = lkst_wire_receive_trace(&e, &source, NULL, "/dev/null/trace", &bytes);
	else if (data[0] == 'm')
		receive_memory(&source);
	else
		err = lkst_wire_receive_page(&e, &source, count, &length);
	if (length > size)
		abort();
	if (err)
		printed_error(&e);
	return 0;
}
