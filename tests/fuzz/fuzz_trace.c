/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the reader: metadata and one stream, opened as a directory, read to the end in
 * order of time, each field looked at, checked, exported as every format, and printed.
 *
 * prints: text csv json page
 *
 *	make CC=clang-16 SANITIZE=1 fuzz
 *	build/clang-16-san/tests/fuzz/fuzz_trace -max_len=8192 -len_control=0 -max_total_time=60 corpus
 *
 * The first byte of the input says what is made of it, by bits:
 *	1  the metadata comes first, up to a NUL; else it is sound metadata
 *	2  each 256 bytes of the stream are the start of a block of 4096, the rest zeros
 *	4  magic number, UUID, stream and CPU of each block are put right
 *	8  sizes, number and times are put right too
 *	16 each 32 bytes of the stream are the records of a block whose header is sound
 *	32 the stream is a compressed file: two of them, one after the other
 *	64 it is a compressed file as it stands
 *	128 it is the state of two parts, plain, of which each has half of the blocks
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/io.h"
#include "lib/exported.h"
#include "lib/in_memory.h"
#include "lib/paged.h"
#include "lib/touch.h"
#include "trace/format/metadata.h"
#include "trace/read/ends.h"
#include "trace/read/reader.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	OWN_METADATA = 1,
	EXPAND = 2,
	MEND_IDENTITY = 4,
	MEND_SIZES = 8,
	RECORDS = 16,
	PACK = 32,
	PACKED = 64,
	PARTS = 128,
	PART = 256,
	RECORDS_PART = 32,
	BLOCK = 4096,
};

static char dir[64];
static char parts_dir[64]; /* has two parts, "1" and "2" */

static void remove_dirs(void)
{
	static const char *const names[] = { "metadata", "main.0", "main.0.zst" };
	static const char *const part_names[] = { "1/metadata", "1/state", "2/metadata",
						  "2/state" };
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    parts_fd = open(parts_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int i;

	for (i = 0; i < 3; i++)
		unlinkat(fd, names[i], 0);
	for (i = 0; i < 4; i++)
		unlinkat(parts_fd, part_names[i], 0);
	unlinkat(parts_fd, "1", AT_REMOVEDIR);
	unlinkat(parts_fd, "2", AT_REMOVEDIR);
	close(fd);
	close(parts_fd);
	rmdir(dir);
	rmdir(parts_dir);
}

/* A directory in memory if there is one, since it is written many thousand times. */
static void make_dir(char path[64])
{
	snprintf(path, 64, "/dev/shm/lkst-fuzz-XXXXXX");
	if (!mkdtemp(path)) {
		snprintf(path, 64, "/tmp/lkst-fuzz-XXXXXX");
		if (!mkdtemp(path))
			abort();
	}
}

static void make_dirs(void)
{
	char path[128];
	unsigned int i;

	make_dir(dir);
	make_dir(parts_dir);
	for (i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "%s/%u", parts_dir, i);
		if (mkdir(path, 0700))
			abort();
	}
	atexit(remove_dirs);
}

static void write_file(const char *in, const char *name, const void *bytes, size_t length)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", in, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || lkst_write_all(fd, bytes, length))
		abort();
	close(fd);
}

/* Sound metadata: events with every type of field. */
static char *sound_metadata(void)
{
	struct lkst_field_class fields[5] = {
		{ .name = "length", .type = LKST_CLASS_UINT, .size = 2, .base = 10 },
		{ .name = "text", .type = LKST_CLASS_TEXT, .base = 10 },
		{ .name = "number", .type = LKST_CLASS_UINT, .size = 8, .base = 16 },
		{ .name = "string", .type = LKST_CLASS_STRING, .base = 10 },
		{ .name = "words",
		  .type = LKST_CLASS_WORDS,
		  .size = 8,
		  .base = 16,
		  .length_field = 2,
		  .meaning = LKST_MEANING_CODE },
	};
	struct lkst_event_class class = { .id = 9, .name = "varying", .fields = fields };
	static const u16 events[] = { LKST_EV_sched_switch,	  LKST_EV_sched_process_fork,
				      LKST_EV_sched_process_exec, LKST_EV_task_rename,
				      LKST_EV_state_thread,	  LKST_EV_state_irq,
				      LKST_EV_state_stream,	  LKST_EV_state_end };
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	char *text;
	u16 i;

	class.nr_fields = 5;
	if (!c || lkst_catalog_add(&e, c, &class))
		abort();
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (lkst_catalog_add_builtin(&e, c, i + 1, events[i]))
			abort();
	if (lkst_metadata_format(&e, c, &text))
		abort();
	lkst_catalog_free(c);
	return text;
}

static void mend(u8 *bytes, u64 number, u32 content, u8 mode)
{
	struct lkst_block_header h;

	memcpy(&h, bytes, sizeof(h));
	if (mode & (MEND_IDENTITY | RECORDS)) {
		h.magic = LKST_BLOCK_MAGIC;
		memset(h.uuid, 0, sizeof(h.uuid));
		h.stream_id = LKST_STREAM_CLASS;
		h.stream_instance_id =
			mode & PARTS ? lkst_stream_instance(0, LKST_BUFFER_STATE, 0) : 0;
		h.cpu_id = 0;
	}
	if (mode & (MEND_SIZES | RECORDS)) {
		h.packet_size = BLOCK * 8;
		h.content_size = content * 8;
		h.packet_seq_num = number;
		h.timestamp_begin = number << LKST_TIME_BITS;
		/* Longer, and it would be taken for damage unless its records fill it. */
		h.timestamp_end = h.timestamp_begin + LKST_TIME_GAP_MAX - 1;
	}
	memcpy(bytes, &h, sizeof(h));
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

/* Writes two frames, of half the bytes each. */
static void write_packed(const u8 *bytes, size_t size)
{
	size_t room = ZSTD_compressBound(size), half = size / 2, first, second;
	u8 *packed = malloc(2 * room);

	if (!packed)
		abort();
	first = ZSTD_compress(packed, room, bytes, half, 1);
	second = ZSTD_compress(packed + first, room, bytes + half, size - half, 1);
	if (ZSTD_isError(first) || ZSTD_isError(second))
		abort();
	write_file(dir, "main.0.zst", packed, first + second);
	free(packed);
}

/* Writes the blocks of @bytes, half of them to each part. */
static void write_parts(const u8 *bytes, size_t size)
{
	size_t half = size / 2 / BLOCK * BLOCK;

	write_file(parts_dir, "1/state", bytes, half);
	write_file(parts_dir, "2/state", bytes + half, size - half);
}

static void write_metadata(const u8 *text, size_t length)
{
	write_file(dir, "metadata", text, length);
	write_file(parts_dir, "1/metadata", text, length);
	write_file(parts_dir, "2/metadata", text, length);
}

static void write_stream(const u8 *data, size_t size, u8 mode)
{
	size_t part = mode & RECORDS ? RECORDS_PART : mode & EXPAND ? PART : BLOCK;
	size_t nr = (size + part - 1) / part, at = mode & RECORDS ? LKST_BLOCK_HEADER : 0, i;
	u8 *bytes = calloc(nr + 1, BLOCK);
	const size_t raw = size;

	if (!bytes)
		abort();
	for (i = 0; i < nr; i++) {
		size_t left = size - i * part;

		memcpy(bytes + i * BLOCK + at, data + i * part, left < part ? left : part);
		mend(bytes + i * BLOCK, i, (u32)(at + (part < PART ? part : PART)), mode);
	}
	/* Where parts are not expanded to blocks, the file may end anywhere. */
	if (part < BLOCK)
		size = nr * BLOCK;
	remove_file(mode & (PACK | PACKED) ? "main.0" : "main.0.zst");
	if (mode & PARTS)
		write_parts(bytes, size);
	else if (mode & PACKED)
		write_file(dir, "main.0.zst", data, raw);
	else if (mode & PACK)
		write_packed(bytes, size);
	else
		write_file(dir, "main.0", bytes, size);
	free(bytes);
}

static void report(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
		   const char *text)
{
	u64 *sum = arg;

	*sum += offset + bytes + strlen(text) + stream->cpu;
}

static void read_trace(struct lkst_trace *t, u64 from, u64 to)
{
	struct lkst_threads *threads;
	struct lkst_record record;
	struct lkst_merge *m;
	struct lkst_gap gap;
	struct lkst_err e;
	u64 last = 0, sum = 0;

	sum += strlen(lkst_trace_ending_text(lkst_trace_ending(t))) + lkst_trace_lacks_part(t);
	threads = lkst_threads_new();
	if (!threads || lkst_merge_new(&e, t, from, to, &m))
		abort();
	while (lkst_merge_next(m, &record)) {
		if (record.buffer != 0xffff &&
		    (record.ns < last || record.ns < from || record.ns > to))
			abort();
		last = record.ns;
		touch_fields(&record, threads);
		while (lkst_merge_gap(m, &gap))
			sum += gap.from_ns + strlen(gap.why);
	}
	lkst_trace_check(t, report, &sum);
	lkst_merge_free(m);
	lkst_threads_free(threads);
}

/* The files of the trace, in memory: there they read as on the disk. */
static void read_in_memory(u8 mode, struct lkst_trace *on_disk)
{
	struct in_memory files = {};
	u64 begin = 0, end = 0, other_begin = 0, other_end = 0;
	struct lkst_trace *t;
	struct lkst_err e;
	char path[128];
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "%s/%u", parts_dir, i);
		in_memory_add(&files, mode & PARTS ? path : dir, i == 1 ? "1/" : "2/");
		if (!(mode & PARTS))
			break;
	}
	if (lkst_trace_open_memory(&e, files.files, files.nr, &t)) {
		if (on_disk)
			abort();
	} else {
		if (!on_disk)
			abort();
		lkst_trace_range(t, &begin, &end);
		lkst_trace_range(on_disk, &other_begin, &other_end);
		if (begin != other_begin || end != other_end ||
		    lkst_trace_nr_streams(t) != lkst_trace_nr_streams(on_disk))
			abort();
		read_trace(t, 0, UINT64_MAX);
		lkst_trace_close(t);
		paged_print(&files);
		paged_draw(&files);
	}
	in_memory_fini(&files);
}

static void read_all(u8 mode)
{
	char exported[128];
	struct lkst_trace *t = NULL;
	struct lkst_err e;

	if (!lkst_trace_open(&e, mode & PARTS ? parts_dir : dir, &t)) {
		read_trace(t, 0, UINT64_MAX);
		read_trace(t, 1000, (u64)3 << LKST_TIME_BITS);
		snprintf(exported, sizeof(exported), "%s.exported", dir);
		export_all(t, exported);
	}
	if (mode & PARTS || !(mode & (PACK | PACKED)))
		read_in_memory(mode, t);
	lkst_trace_close(t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static bool is_sound; /* what the metadata file holds now */
	static char *sound;
	const u8 *end;
	u8 mode;

	if (!dir[0])
		make_dirs();
	if (!sound)
		sound = sound_metadata();
	if (size < 1)
		return 0;
	mode = data[0];
	data++;
	size--;
	if (mode & OWN_METADATA) {
		end = memchr(data, 0, size);
		if (!end)
			return 0;
		write_metadata(data, (size_t)(end - data));
		is_sound = false;
		size -= (size_t)(end - data) + 1;
		data = end + 1;
	} else if (!is_sound) {
		write_metadata((const u8 *)sound, strlen(sound));
		is_sound = true;
	}
	write_stream(data, size, mode);
	read_all(mode);
	return 0;
}
