/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of traces in one file: what is listed lies within the file. The trace inside has targets of
 * its own, fuzz_metadata and fuzz_trace.
 *
 * prints: text csv json
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/printed.h"
#include "trace/format/pack.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	UNIT = 512,
	NAME_BYTES = 100,
	SIZE_AT = 124,
	SUM_AT = 148,
	TYPE_AT = 156,
	MAGIC_AT = 257,
	SHOWN = 8, /* names that are printed */
};

/* Makes the unit at @h a header: its magic and its sum, which the fuzzer could not guess. */
static void sign(u8 *h)
{
	unsigned int sum = 0, i;

	memcpy(h + MAGIC_AT, "ustar", 6);
	memset(h + SUM_AT, ' ', 8);
	for (i = 0; i < UNIT; i++)
		sum += h[i];
	for (i = 6; i-- > 0; sum >>= 3)
		h[SUM_AT + i] = '0' + (sum & 7);
	h[SUM_AT + 6] = 0;
}

/* Input that begins with '+' is headers in short: type, size, name; every one becomes a whole header. */
static size_t expand(const u8 *data, size_t size, u8 *out, size_t room)
{
	size_t used = 0, at;

	for (at = 1; at + 8 <= size && used + 2 * UNIT <= room; at += 8) {
		u8 *h = out + used;

		memset(h, 0, 2 * UNIT);
		memcpy(h, data[at + 1] & 1 ? "a/metadata" : "a/b", data[at + 1] & 1 ? 11 : 4);
		if (data[at + 1] & 2)
			memset(h, data[at + 2] ?: 1, NAME_BYTES);
		memcpy(h + SIZE_AT, data + at + 3, 5);
		memcpy(h + SIZE_AT + 7, data + at + 3, 5);
		h[TYPE_AT] = data[at];
		sign(h);
		used += data[at + 1] & 4 ? UNIT : 2 * UNIT;
	}
	return used;
}

static void print(const struct lkst_pack *pack)
{
	const char *names[SHOWN];
	unsigned int nr;

	for (nr = 0; nr < SHOWN && nr < pack->nr; nr++)
		names[nr] = pack->entries[nr].name;
	printed_names(names, nr);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 out[64 * UNIT];
	static int fd = -1;
	struct lkst_pack pack = {}, same = {};
	struct lkst_err e = {};
	unsigned int i;
	int err;

	if (fd < 0)
		fd = memfd_create("pack", MFD_CLOEXEC);
	if (size && data[0] == '+') {
		size = expand(data, size, out, sizeof(out));
		data = out;
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	err = lkst_pack_list_memory(&e, data, size, &same);
	if (lkst_pack_list(&e, fd, &pack) != err)
		abort();
	if (err) {
		printed_error(&e);
		return 0;
	}
	if (same.nr != pack.nr ||
	    memcmp(same.entries, pack.entries, pack.nr * sizeof(*pack.entries)))
		abort();
	lkst_pack_fini(&same);
	if (!lkst_pack_find(&pack, "metadata"))
		abort();
	for (i = 0; i < pack.nr; i++)
		if (pack.entries[i].offset > size ||
		    pack.entries[i].size > size - pack.entries[i].offset ||
		    strlen(pack.entries[i].name) >= LKST_PACK_NAME_MAX ||
		    strchr(pack.entries[i].name, '/'))
			abort();
	print(&pack);
	lkst_pack_fini(&pack);
	return 0;
}
