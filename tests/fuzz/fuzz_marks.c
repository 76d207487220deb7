/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what a program leaves as its marks: descriptions, positions and blocks. Whatever it says, a record
 * that comes out has the form of its description, a CPU that there is, and a time that has been.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/printed.h"
#include "liblkst/mark_fields.h"
#include "marks/marks_file.h"
#include "trace/format/declared.h"

enum { NR_CPUS = 4, NOW = 1000000000, PRINTED_MAX = 4 };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Of the trace that the marks of an input would be in. */
struct kept {
	struct lkst_catalog *catalog;
	struct lkst_threads *threads;
	u32 nr; /* records that were printed */
};

/* Prints the record as the trace has it: by a number of the trace's, and without the CPU. */
static void print(struct kept *k, const struct lkst_marks_record *r)
{
	struct lkst_event_class event = { .fields = r->event->fields + 1, .nr_fields = (u16)(r->event->nr_fields - 1) };
	const u32 head = sizeof(struct lkst_record_head);
	u8 bytes[LKST_MARK_BLOCK];
	struct lkst_view_config config = {};
	struct lkst_record record = { .bytes = bytes, .ns = r->ns, .size = r->size - 4, .tid = r->tid, .cpu = r->cpu };
	struct lkst_err e = {};
	u16 id;

	k->catalog = k->catalog ?: lkst_catalog_new();
	k->threads = k->threads ?: lkst_threads_new();
	if (!k->catalog || !k->threads)
		abort();
	memcpy(event.name, r->event->name, sizeof(event.name));
	if (lkst_catalog_add_mark(&e, k->catalog, &event, 0, &id) < 0) {
		printed_error(&e);
		return;
	}
	memcpy(bytes, r->bytes, head);
	memcpy(bytes + head, r->bytes + LKST_MARK_RECORD_FIELDS, r->size - LKST_MARK_RECORD_FIELDS);
	record.event = k->catalog->classes[id];
	config.catalog = k->catalog;
	config.threads = k->threads;
	printed_records(&config, &record, 1);
}

static int take(void *ctx, const struct lkst_marks_record *r)
{
	u32 fields = r->size - LKST_MARK_RECORD_FIELDS;
	struct kept *k = ctx;

	if (r->cpu >= NR_CPUS || r->ns > NOW || r->size < LKST_MARK_RECORD_FIELDS ||
	    r->size > LKST_MARK_BLOCK || r->tid <= 0 || !r->event->nr_fields ||
	    (r->event->is_fixed && r->size != r->event->size) ||
	    (!r->event->is_fixed && r->bytes[LKST_MARK_RECORD_FIELDS + fields - 1]))
		abort();
	if (k->nr++ < PRINTED_MAX)
		print(k, r);
	return 0;
}

enum { BLOCKS_MAX = 64 };

static u8 blocks[BLOCKS_MAX][LKST_MARK_BLOCK] __attribute__((aligned(8)));
static u32 nr_blocks;

static u8 *room(void *ctx)
{
	(void)ctx;
	if (nr_blocks == BLOCKS_MAX)
		abort();
	return blocks[nr_blocks++];
}

/* Writes the next @length bytes of the input, as far as there are any, to @at. */
static void put(int fd, size_t at, const u8 **data, size_t *size, size_t length)
{
	length = length < *size ? length : *size;
	if (pwrite(fd, *data, length, (off_t)at) != (ssize_t)length)
		abort();
	*data += length;
	*size -= length;
}

/* An area whose blocks are the input, with headers that are good but for what the input says. */
static void put_area(int fd, const u8 *id, const u8 **data, size_t *size)
{
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
				       .timestamp_end = NOW,
				       .content_size = LKST_MARK_BLOCK * 8 - 64,
				       .packet_size = LKST_MARK_BLOCK * 8 };
	struct lkst_mark_thread t = { .ring[0] = { .done = 100, .opened = 1 } };
	u64 seq;

	memcpy(h.uuid, id, sizeof(h.uuid));
	memcpy(&t.ring[0].done, *data, 2);
	*data += 2;
	*size -= 2;
	t.ring[0].opened = t.ring[0].done / LKST_MARK_BLOCK + 1;
	if (*size > 2 && **data & 0x80) {
		put(fd, lkst_mark_area_at(0), data, size, sizeof(t));
	} else if (pwrite(fd, &t, sizeof(t), lkst_mark_area_at(0)) != sizeof(t)) {
		abort();
	}
	for (seq = 0; seq < 3 && *size; seq++) {
		const off_t at = lkst_mark_area_at(0) + lkst_mark_block_at(0, seq);

		h.packet_seq_num = seq;
		if (pwrite(fd, &h, sizeof(h), at) != sizeof(h))
			abort();
		put(fd, (size_t)at + sizeof(h), data, size, LKST_MARK_BLOCK - sizeof(h));
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct lkst_mark_header h = { .page.magic = LKST_MARK_MAGIC,
				      .version = LKST_MARK_VERSION,
				      .nr_threads = 2 };
	const struct lkst_marks_owner owner = { .pid = getpid(), .uid = geteuid() };
	static struct lkst_catalog *catalog;
	struct kept k = {};
	struct lkst_marks_reading all = { .to_ns = NOW,
					  .most = BLOCKS_MAX,
					  .most_fields = UINT32_MAX,
					  .room = room,
					  .take = take,
					  .ctx = &k };
	struct lkst_mark_text text = { .is_there = 2 };
	struct lkst_mark_fields fields;
	struct lkst_marks_file *file;
	struct lkst_err e = {};
	int fd = memfd_create("marks", MFD_CLOEXEC);
	u32 i;

	if (size < 4)
		return close(fd);
	lkst_mark_fields_parse((const char *)data, size, &fields);
	memcpy(text.text, data, size < LKST_MARK_TEXT ? size : LKST_MARK_TEXT);
	if (ftruncate(fd, LKST_MARK_FILE_BYTES) || pwrite(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    pwrite(fd, &text, sizeof(text), lkst_mark_text_at(0)) != sizeof(text))
		abort();
	data += strnlen(text.text, size < LKST_MARK_TEXT ? size : LKST_MARK_TEXT);
	size -= strnlen(text.text, size < LKST_MARK_TEXT ? size : LKST_MARK_TEXT);
	if (size < 4)
		return close(fd);
	put_area(fd, h.page.id, &data, &size);
	/* Where the input says so, the file is cut short. */
	if (size && *data & 1 && ftruncate(fd, LKST_MARK_AREAS_AT + 9 * (off_t)*data))
		abort();
	if (lkst_marks_file_open(&e, fd, &owner, NR_CPUS, &file)) {
		printed_error(&e);
		return 0;
	}
	all.catalog = catalog = catalog ?: lkst_marks_catalog_new();
	if (!catalog)
		abort();
	for (i = 0; i < 2; i++) {
		nr_blocks = 0;
		lkst_marks_file_look(file, LKST_MARK_THREADS, 0, i);
		if (lkst_marks_file_read(file, &all))
			abort();
	}
	lkst_marks_file_close(file);
	lkst_catalog_free(k.catalog);
	lkst_threads_free(k.threads);
	return 0;
}
