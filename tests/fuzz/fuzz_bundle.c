/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of bundles: of what is refused and what is read, of texts while they are redacted, and of blocks, which
 * keep their records. How files lie in an archive has a target of its own, fuzz_pack.
 *
 * prints: text csv json
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bundle/moment.h"
#include "bundle/redact.h"
#include "lib/make_trace.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { BLOCK = 4096, LINES = 16 };

/* The first lines of a text, as they are shown. */
static void print(const struct lkst_bundle_text *text)
{
	const char *lines[LINES], *line = text->bytes;
	char *copy = strdup(line), *at = copy, *one;
	unsigned int nr = 0;

	while (copy && nr < LINES && (one = strsep(&at, "\n")))
		lines[nr++] = one;
	printed_names(lines, nr);
	free(copy);
}

/* The input as the first text of an archive, whose form a fuzzer could not guess. */
static void try_bundle(const u8 *data, size_t size)
{
	enum { UNIT = 512 };
	static u8 archive[UNIT * 24];
	static int fd = -1;
	struct lkst_bundle b = {};
	struct lkst_err e = {};
	unsigned int sum = 0, i;
	const size_t length = size < UNIT * 20 ? size : UNIT * 20;

	memset(archive, 0, sizeof(archive));
	strcpy((char *)archive, "bundle/about.txt");
	snprintf((char *)archive + 124, 12, "%011zo", length);
	memcpy(archive + 257, "ustar", 6);
	archive[156] = '0';
	memset(archive + 148, ' ', 8);
	for (i = 0; i < UNIT; i++)
		sum += archive[i];
	snprintf((char *)archive + 148, 8, "%06o", sum);
	memcpy(archive + UNIT, data, length);
	if (fd < 0)
		fd = memfd_create("bundle", MFD_CLOEXEC);
	if (fd < 0 || pwrite(fd, archive, sizeof(archive), 0) != (ssize_t)sizeof(archive))
		abort();
	if (lkst_bundle_read(&e, fd, &b)) {
		printed_error(&e);
		return;
	}
	print(&b.parts[LKST_BUNDLE_ABOUT]);
	if (b.parts[LKST_BUNDLE_ABOUT].length != length)
		abort();
	lkst_bundle_fini(&b);
}

static void follow_all(struct lkst_redaction *r)
{
	memset(r->rules, 1, sizeof(r->rules));
	r->words[r->nr_words++] = "secret";
	if (lkst_redaction_begin(NULL, r))
		abort();
}

/* The same input as each of the texts. A word that was there is there no more. */
static void try_texts(const u8 *data, size_t size)
{
	struct lkst_redaction r = {};
	struct lkst_bundle_text text = { malloc(size + 1), size }, got;
	struct lkst_moment moment;
	unsigned int part;

	if (!text.bytes)
		abort();
	memcpy(text.bytes, data, size);
	text.bytes[size] = 0;
	lkst_bundle_parse_moment(&text, &moment);
	printed_names((const char *const[]){ moment.reason, moment.event }, 2);
	follow_all(&r);
	for (part = 0; part < LKST_BUNDLE_NR_PARTS; part++) {
		if (lkst_redact_text(NULL, &r, part, &text, &got))
			abort();
		if (memmem(got.bytes, got.length, "secret", 6))
			abort();
		free(got.bytes);
	}
	lkst_redaction_fini(&r);
	free(text.bytes);
}

static unsigned int count_records(const struct lkst_catalog *c, const u8 *bytes, size_t size)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	unsigned int nr = 0;

	if (lkst_block_parse(NULL, bytes, size, NULL, &block))
		abort();
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(NULL, &cursor, c, &record) > 0)
		nr++;
	return nr;
}

/* The input as the records of a block: there are as many afterwards. */
static void try_block(const u8 *data, size_t size)
{
	static struct lkst_catalog *c;
	struct lkst_redaction r = {};
	static u8 bytes[BLOCK];
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC };
	struct lkst_block block;
	unsigned int nr;

	c = c ?: make_catalog();
	if (size > BLOCK - LKST_BLOCK_HEADER)
		size = BLOCK - LKST_BLOCK_HEADER;
	h.packet_size = BLOCK * 8;
	h.content_size = (LKST_BLOCK_HEADER + size) * 8;
	h.timestamp_end = LKST_TIME_MAX / 2;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + LKST_BLOCK_HEADER, data, size);
	if (lkst_block_parse(NULL, bytes, sizeof(bytes), NULL, &block))
		return;
	follow_all(&r);
	if (lkst_redact_plan(NULL, &r, c))
		abort();
	nr = count_records(c, bytes, sizeof(bytes));
	lkst_redact_block(&r, &block, bytes);
	if (count_records(c, bytes, sizeof(bytes)) != nr)
		abort();
	lkst_redaction_fini(&r);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		try_bundle(data + 1, size - 1);
		break;
	case 1:
		try_texts(data + 1, size - 1);
		break;
	default:
		try_block(data + 1, size - 1);
	}
	return 0;
}
