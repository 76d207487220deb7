/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Memory in which an earlier boot's recordings lie beside this one's: they are distinguished.
 */
#include "base/time.h"
#include "cmd/read/earlier.h"
#include "crash/cmdline.h"
#include "lib/extract.h"
#include "lib/unit.h"

/* Puts blocks of a recording with UUID @uuid (all bytes) of boot @boot (all bytes; 0: it does not say) into @m. */
static void put_blocks(struct make_memory *m, u8 uuid, u8 boot, u64 offset_ns, bool has_notes)
{
	struct make_trace *t = made_trace(MAKE_PAGE);
	unsigned int i;

	memset(t->catalog->uuid, uuid, 16);
	memset(t->catalog->boot_id, boot, 16);
	t->catalog->clock_offset_ns += offset_ns;
	if (has_notes)
		make_notes(m, t->catalog);
	for (i = 0; i < t->nr_streams; i++) {
		struct make_stream *s = &t->streams[i];
		size_t at;

		for (at = 0; at < s->used; at += MAKE_PAGE)
			memset(s->bytes + at + offsetof(struct lkst_block_header, uuid), uuid, 16);
		free(make_place(m, s, false));
	}
	make_end(t);
}

static void put_recording(struct make_memory *m, u8 uuid, u8 boot, u64 offset_ns)
{
	put_blocks(m, uuid, boot, offset_ns, true);
}

/* A recording of this boot that was stopped, when the pages of its metadata are in use again. */
TEST(extract_takes_nothing_for_earlier_that_has_lost_its_boot)
{
	struct scene x = { .m = make_memory(4 * PAGES) };
	struct lkst_recordings r = {};
	struct lkst_hits hits = {};
	struct lkst_dump dump;
	struct lkst_err e = {};

	put_blocks(x.m, 1, 7, 0, false);
	scene_dump(&x, make_elf(x.m, 3));
	CHECK_EQ(lkst_dump_open(&e, x.dump, &dump), 0);
	CHECK_EQ(lkst_hits_search(&e, &dump, 1, NULL, NULL, &hits), 0);
	CHECK_EQ(lkst_recordings_new(&e, &dump, 1, &hits, NULL, &r), 0);
	CHECK_EQ(r.nr, 1);
	/* Another trace's metadata makes it readable: then it is the user who says whose it is. */
	CHECK_EQ(lkst_earlier_take(&e, &hits, true, &r), 0);
	CHECK_EQ(r.nr, 1);
	CHECK_EQ(lkst_earlier_take(&e, &hits, false, &r), -ENOENT);
	CHECK(strstr(e.text, "is of an earlier boot's recording that can be read"));
	lkst_recordings_free(&r);
	lkst_hits_free(&hits);
	lkst_dump_close(&dump);
	scene_end(&x);
}

TEST(extract_leaves_out_what_this_boot_recorded)
{
	static const u8 another_boot[16] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
	static const u8 this_boot[16] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	struct scene x = { .m = make_memory(4 * PAGES) };
	struct lkst_recordings r = {};
	struct lkst_hits hits = {};
	struct lkst_dump dump;
	struct lkst_err e;

	/* Two of this boot, the latest and the oldest; between them two of earlier ones. */
	put_recording(x.m, 1, 7, 4 * LKST_NS_PER_S);
	put_recording(x.m, 2, 9, 3 * LKST_NS_PER_S);
	put_recording(x.m, 3, 0, 2 * LKST_NS_PER_S);
	put_recording(x.m, 4, 7, 0);
	scene_dump(&x, make_elf(x.m, 3));
	CHECK_EQ(lkst_dump_open(&e, x.dump, &dump), 0);
	CHECK_EQ(lkst_hits_search(&e, &dump, 1, NULL, NULL, &hits), 0);
	CHECK_EQ(hits.nr_skipped, 0);
	CHECK_EQ(lkst_recordings_new(&e, &dump, 1, &hits, NULL, &r), 0);
	CHECK_EQ(r.nr, 4);
	lkst_recordings_drop_boot(&r, this_boot);
	CHECK_EQ(r.nr, 2);
	CHECK_EQ(r.items[0].uuid[0], 2);
	CHECK_EQ(r.items[1].uuid[0], 3);
	lkst_recordings_drop_boot(&r, another_boot);
	CHECK_EQ(r.nr, 1);
	lkst_recordings_free(&r);
	lkst_hits_free(&hits);
	lkst_dump_close(&dump);
	scene_end(&x);
}

TEST(extract_knows_what_clears_memory)
{
	CHECK_STR(lkst_cmdline_eraser("quiet init_on_free=1 ro\n") ?: "none", "init_on_free");
	CHECK_STR(lkst_cmdline_eraser("page_poison=on") ?: "none", "page_poison");
	CHECK_STR(lkst_cmdline_eraser("quiet memtest\n") ?: "none", "memtest");
	CHECK_STR(lkst_cmdline_eraser("memtest=4") ?: "none", "memtest");
	CHECK_STR(lkst_cmdline_eraser("memtest=4 memtest=0\n") ?: "none", "none");
	CHECK_STR(lkst_cmdline_eraser("init_on_free=off page_poison=N memtest=0") ?: "none",
		  "none");
	CHECK_STR(lkst_cmdline_eraser("xmemtest=4 memtests memtest.x=1 a=memtest \n") ?: "none",
		  "none");
	CHECK_STR(lkst_cmdline_eraser("") ?: "none", "none");
	CHECK(lkst_cmdline_is_off("init_on_alloc=0", "init_on_alloc"));
	CHECK(!lkst_cmdline_is_off("init_on_alloc=0 init_on_alloc=1", "init_on_alloc"));
	CHECK(!lkst_cmdline_is_off("init_on_alloc", "init_on_alloc"));
	CHECK(!lkst_cmdline_is_off("quiet", "init_on_alloc"));
}

static const struct unit_test tests[] = {
	{ "extract_knows_what_clears_memory", test_extract_knows_what_clears_memory },
	{ "extract_takes_nothing_for_earlier_that_has_lost_its_boot",
	  test_extract_takes_nothing_for_earlier_that_has_lost_its_boot },
	{ "extract_leaves_out_what_this_boot_recorded",
	  test_extract_leaves_out_what_this_boot_recorded },
};
UNIT_MAIN(tests)
