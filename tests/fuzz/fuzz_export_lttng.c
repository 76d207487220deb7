/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the export with LTTng's names. The first byte chooses: an odd one, metadata come first, up to a NUL;
 * else they are sound. What follows is the records of a trace, 32 bytes for each block; the second half of the blocks
 * is its state. What is written must be packets, one after the other, that hold what they say, and a text about them.
 *
 * prints: text csv json
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/syscalls.h"
#include "base/create.h"
#include "base/io.h"
#include "block_header.h"
#include "export/export.h"
#include "lib/make_trace.h"
#include "lib/printed.h"
#include "trace/format/metadata.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { BLOCK = 4096, RECORDS_PART = 32, PACKET_HEAD = 84, FILE_MAX = 1 << 26 };

static char dir[64], out[96];
static bool is_own; /* the metadata are of the input */

static void remove_dir(void)
{
	make_scratch_remove(dir);
}

static char *sound_metadata(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	char *metadata;
	u16 i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_catalog_add_builtin(&e, c, i + 1, i))
			abort();
	if (lkst_catalog_add_syscall(
		    &e, c, LKST_NR_EVENTS + 1, LKST_NR_EVENTS + 2,
		    (unsigned int)(lkst_syscall_find(false, "openat") - lkst_syscalls)) ||
	    make_test_events(&e, c, LKST_NR_EVENTS + 3) || lkst_metadata_format(&e, c, &metadata))
		abort();
	lkst_catalog_free(c);
	return metadata;
}

/* The file of CPU 0, which has all records, if it was made. */
static void check_packets(void)
{
	char path[128];
	char *bytes;
	size_t length, at = 0;

	snprintf(path, sizeof(path), "%s/kernel/channel0_0", out);
	if (lkst_read_file(NULL, AT_FDCWD, path, FILE_MAX, &bytes, &length))
		return;
	while (at < length) {
		const u8 *p = (const u8 *)bytes + at;
		u64 begin, end, content, size;

		if (length - at < PACKET_HEAD)
			abort();
		memcpy(&begin, p + 32, 8);
		memcpy(&end, p + 40, 8);
		memcpy(&content, p + 48, 8);
		memcpy(&size, p + 56, 8);
		if (content < PACKET_HEAD * 8 || content > size || size % (4096 * 8) ||
		    begin > end || size / 8 > length - at)
			abort();
		at += size / 8;
	}
	free(bytes);
}

static void check_metadata(void)
{
	char path[128];
	char *bytes;
	size_t length;

	snprintf(path, sizeof(path), "%s/kernel/metadata", out);
	if (lkst_read_file(NULL, AT_FDCWD, path, FILE_MAX, &bytes, &length))
		abort();
	printed_check(bytes, length, PRINTED_TABBED);
	free(bytes);
}

static void export_trace(struct lkst_trace *t)
{
	int format = lkst_choices_find(lkst_export_choices, "lttng");
	struct lkst_export_request request = {
		.trace = t, .trace_name = "fuzz", .format = (unsigned int)format, .path = out
	};
	struct lkst_export_result result;
	struct lkst_err e = {};
	char kernel[128];

	if (lkst_export_run(&e, &request, &result)) {
		if (!access(out, F_OK))
			abort();
		printed_error(&e);
		return;
	}
	check_packets();
	/* Sound ones are long, and of no interest. */
	if (is_own)
		check_metadata();
	snprintf(kernel, sizeof(kernel), "%s/kernel", out);
	lkst_remove_dir(AT_FDCWD, kernel);
	lkst_remove_dir(AT_FDCWD, out);
}

static void open_bytes(const char *metadata, const u8 *data, size_t size)
{
	size_t nr = (size + RECORDS_PART - 1) / RECORDS_PART, half = (nr + 1) / 2, i;
	u8 *bytes = calloc(nr + 1, BLOCK);
	struct lkst_memory_file files[] = {
		{ "metadata", metadata, strlen(metadata) },
		{ "main.0", bytes, half * BLOCK },
		{ "state", bytes + half * BLOCK, (nr - half) * BLOCK },
	};
	struct lkst_trace *t = NULL;
	struct lkst_err e;

	for (i = 0; i < nr; i++) {
		size_t left = size - i * RECORDS_PART;
		bool is_state = i >= half;

		memcpy(bytes + i * BLOCK + LKST_BLOCK_HEADER, data + i * RECORDS_PART,
		       left < RECORDS_PART ? left : RECORDS_PART);
		put_block_header(bytes + i * BLOCK, is_state ? i - half : i,
				 is_state ? lkst_stream_instance(0, LKST_BUFFER_STATE, 0) : 0,
				 BLOCK, RECORDS_PART);
	}
	if (!lkst_trace_open_memory(&e, files, 3, &t))
		export_trace(t);
	lkst_trace_close(t);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static char *metadata;
	const u8 *nul;

	if (!metadata) {
		metadata = sound_metadata();
		snprintf(dir, sizeof(dir), "/dev/shm/lkst-fuzz-XXXXXX");
		if (!mkdtemp(dir))
			abort();
		atexit(remove_dir);
		snprintf(out, sizeof(out), "%s/out", dir);
	}
	if (size < 2)
		return 0;
	is_own = data[0] & 1;
	if (!is_own) {
		open_bytes(metadata, data + 1, size - 1);
		return 0;
	}
	nul = memchr(data + 1, 0, size - 1);
	if (nul)
		open_bytes((const char *)data + 1, nul + 1, (size_t)(data + size - nul - 1));
	return 0;
}
