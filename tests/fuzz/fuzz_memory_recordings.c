/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of files in memory that are sorted by recording, as a page gets them: names and bytes are any, among
 * them those that metadata have. Each file of a recording is one that was given, and no two have one uuid.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/memory_recordings.h"
#include "lib/printed.h"
#include "source.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { FILES = 80, NAME = 24, BYTES = 64 };

static const char *const names[] = { "metadata",     "main.0",     "a/metadata", "a/main.0",
				     "a/b/metadata", "b/metadata", "/",          "" };

static void make_name(struct source *in, char name[NAME])
{
	u8 which = next(in);
	unsigned int i;

	if (which < 128) {
		strcpy(name, names[which % (sizeof(names) / sizeof(names[0]))]);
		return;
	}
	for (i = 0; i < (unsigned int)which % NAME; i++)
		name[i] = "ab/m"[next(in) % 4];
	name[i] = 0;
	if (which & 1 && i < NAME - 10)
		strcpy(name + i, "/metadata");
}

static size_t make_bytes(struct source *in, char bytes[BYTES])
{
	static const char before[] = "uuid = \"";
	size_t length = next(in) % BYTES, i, start = next(in) & 1 ? strlen(before) : 0;

	memcpy(bytes, before, start);
	for (i = start; i < length; i++)
		bytes[i] = next(in) % 16 ? "0123456789abcdef"[next(in) % 4] : (char)next(in);
	if (length > start + 32 && next(in) & 1)
		bytes[start + 32] = '"';
	return length;
}

static void check(const struct lkst_memory_file *files, unsigned int nr, const struct lkst_memory_recordings *r)
{
	unsigned int i, k, n;

	for (i = 0; i < r->nr; i++) {
		if (!r->list[i].nr || !r->list[i].name)
			abort();
		printed_name(r->list[i].name, strlen(r->list[i].name));
		for (k = 0; k < i; k++)
			if (!memcmp(r->list[i].uuid, r->list[k].uuid, sizeof(r->list[i].uuid)))
				abort();
		for (k = 0; k < r->list[i].nr; k++) {
			for (n = 0; n < nr && files[n].bytes != r->list[i].files[k].bytes; n++)
				;
			if (n == nr || files[n].length != r->list[i].files[k].length)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static char name[FILES][NAME], bytes[FILES][BYTES];
	struct source in = { .data = data, .left = size };
	struct lkst_memory_file files[FILES];
	struct lkst_memory_recordings r;
	unsigned int nr = next(&in) % (FILES + 1), i;
	struct lkst_err e = {};

	for (i = 0; i < nr; i++) {
		make_name(&in, name[i]);
		files[i] = (struct lkst_memory_file){ name[i], bytes[i], make_bytes(&in, bytes[i]) };
	}
	if (lkst_memory_recordings_find(&e, files, nr, &r)) {
		printed_error(&e);
		return 0;
	}
	check(files, nr, &r);
	lkst_memory_recordings_fini(&r);
	return 0;
}
