/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the socket's both ends: the first byte says which reads the rest: the server a
 * request, a client a trace, to a directory or to memory, or a page. Nothing is written anywhere: the trace's
 * directory cannot be made. What comes to memory is opened.
 *
 *	clang-16 -g -O1 -std=gnu11 -D_GNU_SOURCE -Isrc -fsanitize=fuzzer,address,undefined \
 *		-fno-sanitize-recover=undefined -o fuzz_wire tests/fuzz/fuzz_wire.c \
 *		$(find src/base src/abi src/trace -name '*.c')
 */
#include <stdlib.h>
#include <string.h>

#include "trace/wire.h"

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
	struct lkst_err e;

	memcpy(bytes, in->bytes, in->left < sizeof(bytes) ? in->left : sizeof(bytes));
	if (lkst_wire_request_parse(&e, bytes, &r))
		return;
	lkst_wire_request_format(&r, again);
	if (memcmp(bytes, again, sizeof(bytes)))
		abort();
}

static void receive_memory(const struct lkst_wire_source *source)
{
	struct lkst_collected c = { .max_bytes = 1 << 20 };
	struct lkst_trace *t = NULL;
	struct lkst_err e = {};

	if (!lkst_wire_receive_memory(&e, source, &c) && !lkst_collected_open(&e, &c, &t))
		lkst_trace_check(t, NULL, NULL);
	lkst_trace_close(t);
	lkst_collected_fini(&c);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data + 1, size - 1 };
	const struct lkst_wire_source source = { take, &in };
	struct lkst_err e = {};
	size_t length = 0;
	u64 bytes;

	if (!size)
		return 0;
	if (data[0] == 'r')
		parse_request(&in);
	else if (data[0] == 't')
		lkst_wire_receive_trace(&e, &source, "/dev/null/trace", &bytes);
	else if (data[0] == 'm')
		receive_memory(&source);
	else
		lkst_wire_receive_page(&e, &source, count, &length);
	if (length > size || strlen(e.text) >= sizeof(e.text))
		abort();
	return 0;
}
