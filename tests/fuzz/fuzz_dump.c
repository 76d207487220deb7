/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the readers of dumps: a dump, searched to the end, and what is found made into a
 * trace as far as it goes. What it says of the machine is shown.
 *
 * prints: text csv json
 *
 * The first byte of the input says what is made of the rest, by its value modulo 18:
 *	0 to 15  changes to a sound dump, each of 8 bytes: where (4) and what (4). Odd values are
 *	         flattened; by twos: an image, two ELF cores, and five ways of packing.
 *	16       the dump itself
 *	17       a packed page, for each decoder
 */
#include <sys/mman.h>

#include "crash/dumped.h"
#include "crash/rebuild.h"
#include "lib/make_dump.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	PAGES = 32,
	FORMATS = 16,
	AS_IT_IS = 16,
	PAGE_ALONE = 17,
	MODES = 18,
};

static struct make_file sound[FORMATS];

/* A page of a program that marks. */
static void *make_program_page(struct make_memory *m, u32 at)
{
	struct lkst_mark_page *page = (void *)make_pages(m, 1);

	memset(page, 0, MAKE_PAGE);
	*page = (struct lkst_mark_page){ .magic = LKST_MARK_MAGIC, .index = at / MAKE_PAGE, .id = "fuzz" };
	return page;
}

/* A program with one block. */
static void make_program(struct make_memory *m)
{
	struct lkst_mark_header *h = make_program_page(m, 0);
	struct lkst_mark_thread *t = make_program_page(m, lkst_mark_area_at(0));
	struct lkst_block_header *b = (void *)make_pages(m, 1);

	h->version = LKST_MARK_VERSION;
	h->nr_threads = 1;
	t->ring[0].done = LKST_BLOCK_HEADER;
	t->ring[0].opened = 1;
	make_program_page(m, LKST_MARK_TEXTS_AT);
	*b = (struct lkst_block_header){ .magic = LKST_BLOCK_MAGIC,
					 .uuid = "fuzz",
					 .stream_id = LKST_STREAM_CLASS,
					 .packet_size = LKST_MARK_BLOCK * 8 };
}

static void make_sound(void)
{
	struct make_memory *m = make_memory(PAGES);
	struct make_trace *t = make_begin(NULL, NULL, MAKE_PAGE);
	unsigned int i;
	char line[128];

	for (i = 0; i < 400; i++) {
		snprintf(line, sizeof(line), "sched_switch tid=1 ns=%u next_tid=2", 1000 + i);
		if (make_line(t, line))
			abort();
	}
	make_notes(m, t->catalog);
	make_ring(make_state(m, t->catalog, 0, 0, MAKE_PAGE), &t->streams[0], 16);
	free(make_place(m, &t->streams[0], false));
	make_program(m);
	for (i = 0; i < FORMATS; i++) {
		struct make_file plain = i / 2 == 0   ? make_raw(m)
					 : i / 2 <= 2 ? make_elf(m, i / 2 * 3)
						      : make_kdump(m, i / 2 - 3);

		sound[i] = plain;
		if (i % 2) {
			sound[i] = make_flat(&plain);
			free(plain.bytes);
		}
	}
	make_memory_free(m);
	make_end(t);
}

static int put(void *ctx, u32 at, const u8 *bytes)
{
	if (at % LKST_MARK_PAGE || at > LKST_MARK_FILE_BYTES - LKST_MARK_PAGE || !bytes)
		abort();
	return 0;
}

static int each(void *ctx, const struct lkst_dumped_program *p)
{
	return lkst_dumped_pages(p, put, ctx);
}

/* What `lkst extract` says of a recording and of the dump. */
static void print(const struct lkst_dump *dump, const struct lkst_recording *r)
{
	char uuid[LKST_UUID_TEXT];

	lkst_uuid_format(r->uuid, uuid);
	printed_names((const char *const[]){ uuid, lkst_dump_format_text(dump), dump->machine }, 3);
	if (r->has_start)
		printed_names((const char *const[]){ r->start.hostname, r->start.release }, 2);
	if (r->catalog)
		printed_names((const char *const[]){ r->catalog->hostname, r->catalog->release }, 2);
}

static void extract(const char *path)
{
	const struct lkst_rebuild_options nothing = {};
	struct lkst_recordings recordings = {};
	struct lkst_hits hits = {};
	struct lkst_rebuild sum;
	struct lkst_dump dump;
	struct lkst_err e = {};
	unsigned int i;

	if (lkst_dump_open(&e, path, &dump)) {
		printed_error(&e);
		return;
	}
	if (lkst_hits_search(&e, &dump, 1, NULL, NULL, &hits) ||
	    lkst_recordings_new(&e, &dump, 1, &hits, NULL, &recordings))
		printed_error(&e);
	for (i = 0; i < recordings.nr; i++) {
		print(&dump, &recordings.items[i]);
		if (recordings.items[i].catalog &&
		    lkst_rebuild(&e, &dump, 1, &recordings.items[i], &nothing, &sum))
			abort();
	}
	if (hits.nr && lkst_dumped_programs(&e, &dump, 1, &hits, each, NULL))
		abort();
	lkst_recordings_free(&recordings);
	lkst_hits_free(&hits);
	lkst_dump_close(&dump);
}

static void extract_bytes(const u8 *bytes, size_t length)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || lkst_write_all(fd, bytes, length))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	extract(path);
	close(fd);
}

static void unpack(const u8 *data, size_t size)
{
	struct lkst_unpacker *u;
	u8 page[MAKE_PAGE];
	struct lkst_err e;
	int packing;

	if (lkst_unpacker_new(&e, &u))
		abort();
	for (packing = LKST_PACKING_ZLIB; packing <= LKST_PACKING_ZSTD; packing++)
		if (lkst_unpack(u, packing, data, size, page, sizeof(page)) > sizeof(page) ||
		    lkst_unpack(u, packing, data, size, page, 4) > 4)
			abort();
	lkst_unpacker_free(u);
}

static void extract_changed(const struct make_file *from, const u8 *data, size_t size)
{
	u8 *bytes = malloc(from->length);
	u32 at;

	if (!bytes)
		abort();
	memcpy(bytes, from->bytes, from->length);
	for (; size >= 8; data += 8, size -= 8) {
		memcpy(&at, data, sizeof(at));
		memcpy(bytes + at % (from->length - 4), data + 4, 4);
	}
	extract_bytes(bytes, from->length);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int mode;

	if (!sound[0].bytes)
		make_sound();
	if (!size)
		return 0;
	mode = *data++ % MODES;
	size--;
	if (mode == AS_IT_IS)
		extract_bytes(data, size);
	else if (mode == PAGE_ALONE)
		unpack(data, size);
	else
		extract_changed(&sound[mode], data, size);
	return 0;
}
