/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * From made dumps back to traces: every format gives the same, and torn, stale or damaged pages give
 * nothing false.
 */
#include "lib/extract.h"
#include "lib/unit.h"

/* ---- formats ---------------------------------------------------------------------------- */

TEST(extract_takes_every_format)
{
	struct scene x = made_scene(MAKE_PAGE);
	unsigned int format;

	for (format = 0; format < 16; format++) {
		struct outcome o = scene_extract(&x, in_format(x.m, format), x.dir, x.doubtful);

		if (o.err)
			fprintf(stderr, "format %u: %s\n", format, o.e.text);
		CHECK_EQ(o.err, 0);
		CHECK_EQ(o.nr_recordings, 1);
		CHECK_EQ(o.sum.records, RECORDS);
		CHECK_EQ(o.sum.missing_blocks + o.sum.damaged_blocks + o.sum.copies +
				 o.sum.stale_blocks + o.sum.torn_records +
				 o.sum.rings_without_state,
			 0);
		CHECK_EQ(count_records(x.dir), RECORDS);
		CHECK_EQ(count_records(x.doubtful), 0);
	}
	scene_end(&x);
}

/* What was kept of the machine's state is in the trace. */
TEST(extract_keeps_the_state)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_trace *trace;
	struct lkst_merge *merge;
	struct lkst_record r;
	struct lkst_err e;
	unsigned int threads = 0, losses = 0;

	x.states[1]->lost[LKST_LOSS_LEVEL] = 3;
	CHECK_EQ(scene_extract(&x, make_raw(x.m), x.dir, NULL).sum.lost_events, 3);
	CHECK_EQ(lkst_trace_open(&e, x.dir, &trace), 0);
	CHECK_EQ(lkst_merge_new(&e, trace, 0, UINT64_MAX, &merge), 0);
	while (lkst_merge_next(merge, &r) > 0) {
		threads += r.event->index == LKST_EV_state_thread &&
			   !strcmp((const char *)r.bytes + offsetof(struct lkst_rec_state_thread, comm), "seven");
		losses += r.event->index == LKST_EV_state_loss;
	}
	CHECK_EQ(threads, 1);
	CHECK_EQ(losses, 1);
	CHECK_STR(lkst_trace_catalog(trace)->hostname, "testhost");
	lkst_merge_free(merge);
	lkst_trace_close(trace);
	scene_end(&x);
}

/* ---- the moment of the crash -------------------------------------------------------------- */

/* Takes the last record of CPU 0 back: it was being written. @id: is its id there already? */
static void tear(struct make_trace *t, bool has_id)
{
	struct make_stream *s = &t->streams[0];
	u32 size = sizeof(struct lkst_rec_sched_switch);
	u8 *record = s->bytes + s->used - s->block_size + s->at - size;

	s->at = ((s->at - size) - 1) & ~7u;
	s->at = s->at < LKST_BLOCK_HEADER ? LKST_BLOCK_HEADER : s->at;
	if (!has_id)
		memset(record, 0, 2);
}

static void expect_torn(bool has_id, bool has_state, unsigned int records, unsigned int doubtful)
{
	struct scene x = { .t = made_trace(MAKE_PAGE) };
	struct outcome o;
	u32 at;

	at = x.t->streams[0].at;
	tear(x.t, has_id);
	/* Records of 24 bytes: the end of the one before is that of its content. */
	x.t->streams[0].at = at - (u32)((sizeof(struct lkst_rec_sched_switch) + 7) & ~7u);
	x.m = made_memory(x.t, x.states);
	x.states[0]->nest = 1;
	if (!has_state)
		x.states[0]->magic = 0;
	o = scene_extract(&x, make_elf(x.m, 3), x.dir, x.doubtful);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, records);
	CHECK_EQ(count_records(x.dir), records);
	CHECK_EQ(o.sum.doubtful_records, doubtful);
	CHECK_EQ(count_records(x.doubtful), doubtful);
	CHECK_EQ(o.sum.rings_without_state, !has_state);
	CHECK_EQ(o.sum.torn_records, has_id && !has_state ? 0 : 1);
	CHECK_EQ(o.sum.damaged_blocks, 0);
	scene_end(&x);
}

TEST(extract_cuts_what_was_being_written)
{
	expect_torn(false, true, RECORDS - 1, 0);
}

TEST(extract_keeps_a_whole_unpublished_record_apart)
{
	expect_torn(true, true, RECORDS - 1, 1);
}

TEST(extract_cuts_without_a_state_page)
{
	expect_torn(false, false, RECORDS - 1, 0);
}

TEST(extract_takes_all_that_has_an_id_without_a_state_page)
{
	expect_torn(true, false, RECORDS, 0);
}

/* After the open block's content comes what the lap before left there. */
TEST(extract_ignores_what_an_earlier_lap_left)
{
	struct scene x = { .t = made_trace(MAKE_PAGE) };
	struct make_stream *s = &x.t->streams[0];
	u8 *open = s->bytes + s->used - s->block_size;
	struct outcome o;

	memcpy(open + ((s->at + 7) & ~7u), s->bytes + LKST_BLOCK_HEADER,
	       s->block_size - ((s->at + 7) & ~7u) - 8);
	x.m = made_memory(x.t, x.states);
	x.states[0]->magic = 0;
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(o.sum.torn_records, 0);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

/* ---- what does not belong --------------------------------------------------------------- */

TEST(extract_tells_recordings_apart)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct make_trace *old = made_trace(MAKE_PAGE);
	struct outcome o;
	unsigned int i;

	memset(old->catalog->uuid, 0x44, 16);
	old->catalog->clock_offset_ns -= 1000000000;
	for (i = 0; i < old->nr_streams; i++) {
		size_t at;

		for (at = 0; at < old->streams[i].used; at += MAKE_PAGE)
			memset(old->streams[i].bytes + at + 4, 0x44, 16);
	}
	make_notes(x.m, old->catalog);
	for (i = 0; i < old->nr_streams; i++)
		free(make_place(x.m, &old->streams[i], false));
	o = scene_extract(&x, make_kdump(x.m, MAKE_ZLIB), x.dir, NULL);
	CHECK_EQ(o.nr_recordings, 2);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
	make_end(old);
}

/* Copies of blocks, as the page cache has them of a snapshot: some that the ring overwrote since. */
TEST(extract_throws_out_copies)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct make_stream *s = &x.t->streams[0], copy = *s;
	struct outcome o;

	/* The ring of CPU 0 has room for four. */
	make_ring(x.states[0], s, 4);
	/* The first three blocks again, and the open one shorter, with nothing closed. */
	copy.used = 3 * MAKE_PAGE;
	free(make_place(x.m, &copy, false));
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.copies, 3);
	CHECK_EQ(o.sum.stale_blocks, s->seq - 4);
	CHECK_EQ(o.sum.missing_blocks, 0);
	CHECK_EQ(count_records(x.dir), o.sum.records);
	scene_end(&x);
}

/* Of a block that was found twice the longer one counts. */
TEST(extract_takes_the_longer_copy)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_block_header *h = (struct lkst_block_header *)make_pages(x.m, 1);
	struct outcome o;

	memcpy(h, x.t->streams[0].bytes, MAKE_PAGE);
	make_id(x.m, h->uuid, h->uuid);
	h->content_size = (LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch)) * 8;
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.sum.copies, 1);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

static long read_page(const char *path, u8 page[MAKE_PAGE])
{
	int fd = open(path, O_RDONLY);
	long got = read(fd, page, MAKE_PAGE);

	close(fd);
	return got;
}

/* A damaged block is kept beside as it was found, its header too. */
TEST(extract_counts_missing_and_damaged_blocks)
{
	struct scene x = { .t = made_trace(MAKE_PAGE) };
	u8 *blocks = x.t->streams[0].bytes, page[MAKE_PAGE];
	struct lkst_trace *trace;
	struct lkst_err e;
	struct outcome o;
	char kept[192];

	memset(blocks + 2 * MAKE_PAGE, 0, MAKE_PAGE);
	memset(blocks + 4 * MAKE_PAGE + 2048, 0xff, 64);
	x.m = made_memory(x.t, x.states);
	o = scene_extract(&x, make_raw(x.m), x.dir, x.doubtful);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.missing_blocks, 1);
	CHECK_EQ(o.sum.damaged_blocks, 1);
	CHECK(o.sum.records < RECORDS - 100);
	snprintf(kept, sizeof(kept), "%s/pages/main.0-4", x.doubtful);
	CHECK_EQ(read_page(kept, page), MAKE_PAGE);
	CHECK(!memcmp(page, blocks + 4 * MAKE_PAGE, MAKE_PAGE));
	CHECK_EQ(lkst_trace_open(&e, x.dir, &trace), 0);
	CHECK_EQ(lkst_trace_check(trace, complain, NULL), 0);
	lkst_trace_close(trace);
	scene_end(&x);
}

/* ---- larger blocks, lost notes ------------------------------------------------------------ */

TEST(extract_takes_large_blocks_as_far_as_they_go)
{
	unsigned int scattered;

	for (scattered = 0; scattered < 2; scattered++) {
		struct scene x = { .t = made_trace(4 * MAKE_PAGE), .m = make_memory(PAGES) };
		struct outcome o;

		make_notes(x.m, x.t->catalog);
		make_rings(x.m, x.t, scattered, NULL);
		o = scene_extract(&x, make_kdump(x.m, MAKE_LZO), x.dir, NULL);
		CHECK_EQ(o.err, 0);
		CHECK_EQ(count_records(x.dir) < 0, scattered);
		if (scattered)
			CHECK(o.sum.damaged_blocks > 0 && o.sum.records > RECORDS / 5 &&
			      o.sum.records < RECORDS / 2);
		else
			CHECK_EQ(o.sum.records, RECORDS);
		scene_end(&x);
	}
}

/* Overwrites the notes of @kind in @m; returns how many. */
static unsigned int lose_notes(struct make_memory *m, u32 kind, unsigned int most)
{
	unsigned int lost = 0;
	u32 i;

	for (i = 0; i < m->nr && lost < most; i++) {
		struct lkst_note *n = (struct lkst_note *)(m->pages + (size_t)i * MAKE_PAGE);

		if (n->magic == LKST_NOTE_MAGIC && n->kind == kind) {
			n->bytes[17] ^= 1;
			lost++;
		}
	}
	return lost;
}

TEST(extract_needs_one_copy_of_each_note)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct outcome o;

	CHECK_EQ(lose_notes(x.m, LKST_NOTE_METADATA, 1), 1);
	CHECK(!scene_extract(&x, make_raw(x.m), NULL, NULL).has_catalog);
	make_notes(x.m, x.t->catalog);
	o = scene_extract(&x, make_raw(x.m), NULL, NULL);
	CHECK(o.has_catalog);
	CHECK_EQ(o.sum.records, RECORDS);
	scene_end(&x);
}

/* The catalogue as it was before the handler came that declares test.stack. */
static struct lkst_catalog *earlier(const struct lkst_catalog *now)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	u32 id;

	memcpy(c->uuid, now->uuid, sizeof(c->uuid));
	for (id = 0; id <= LKST_ID_MAX; id++)
		if (now->classes[id] && now->classes[id]->group != LKST_GROUP_HANDLER &&
		    lkst_catalog_add(&e, c, now->classes[id]))
			abort();
	return c;
}

TEST(extract_knows_events_that_handlers_have_declared)
{
	struct scene x = { .t = made_trace(MAKE_PAGE), .m = make_memory(PAGES) };
	struct lkst_catalog *before = earlier(x.t->catalog);
	struct outcome o;

	CHECK_EQ(make_line(x.t, "test.stack cpu=0 tid=1 ns=90000 by=1 took=2 frames=1,2,3"), 0);
	make_notes(x.m, before);
	make_rings(x.m, x.t, false, NULL);
	CHECK_EQ(scene_extract(&x, make_raw(x.m), NULL, NULL).sum.records, RECORDS);
	make_metadata_note(x.m, x.t->catalog, 700);
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.sum.records, RECORDS + 1);
	CHECK_EQ(o.sum.damaged_blocks, 0);
	CHECK_EQ(count_records(x.dir), RECORDS + 1);
	lkst_catalog_free(before);
	scene_end(&x);
}

/* The gap in the trace in @dir: "<cpu>.<buffer>:<from>-<to> <blocks>", "" if there is none. */
static const char *gap_in(const char *dir)
{
	static char text[128];
	struct lkst_merge *m;
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_gap g;
	struct lkst_err e;

	text[0] = 0;
	if (lkst_trace_open(&e, dir, &t) || lkst_merge_new(&e, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r))
		;
	if (lkst_merge_gap(m, &g))
		snprintf(text, sizeof(text), "%u.%u:%llu-%llu %llu%s", g.cpu, g.buffer,
			 (unsigned long long)g.from_ns, (unsigned long long)g.to_ns,
			 (unsigned long long)g.blocks, lkst_merge_gap(m, &g) ? " and more" : "");
	lkst_merge_free(m);
	lkst_trace_close(t);
	return text;
}

/*
 * CPU 0 switched from main to buffer 2 at 25 and back at 75; of buffer 2 only the fourth block is left.
 * @is_cleared: because the others were cleared. @level: whose ring it is.
 */
static void extract_hole(bool is_cleared, u32 level, const char *wanted)
{
	struct scene x = { .t = make_begin(NULL, NULL, MAKE_PAGE), .m = make_memory(PAGES) };
	struct outcome o;
	unsigned int i;
	char line[64];

	snprintf(line, sizeof(line), "!skip cpu=0 buffer=2 level=%u blocks=3\n", level);
	CHECK_EQ(make_text(x.t, "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=80\n"), 0);
	CHECK_EQ(make_text(x.t, line), 0);
	snprintf(line, sizeof(line), "sched_switch cpu=0 buffer=2 level=%u ns=65\n", level);
	CHECK_EQ(make_text(x.t, line), 0);
	make_notes(x.m, x.t->catalog);
	for (i = 0; i < x.t->nr_streams; i++) {
		struct make_stream *s = &x.t->streams[i];
		u32 buffer = lkst_instance_buffer(s->instance);
		struct lkst_state *st = make_state(x.m, x.t->catalog, 0, buffer, s->block_size);

		make_ring(st, s, buffer ? 1 : RING_BLOCKS);
		if (buffer) {
			st->ring[level].first = is_cleared ? 3 : 0;
			st->marks = (struct lkst_marks){ 5, 2, { { 0, 25 }, { 4 * MAKE_PAGE, 75 } } };
		}
		free(make_place(x.m, s, false));
	}
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, 3);
	CHECK_EQ(o.sum.missing_blocks, 0);
	CHECK_STR(gap_in(x.dir), wanted);
	scene_end(&x);
}

TEST(extract_tells_what_a_buffer_had_overwritten)
{
	extract_hole(false, 0, "0.2:25-65 3");
	/* The marks are of level 0. */
	extract_hole(false, 1, "0.2:10-65 0");
}

TEST(extract_does_not_miss_what_was_cleared)
{
	extract_hole(true, 0, "");
	extract_hole(true, 1, "");
}

TEST(extract_finds_nothing_in_nothing)
{
	struct scene x = { .m = make_memory(16) };
	struct outcome o = scene_extract(&x, make_raw(x.m), NULL, NULL);

	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.nr_recordings, 0);
	make_write(x.scratch, "dump", "", 0);
	CHECK_EQ(extract(x.dump, NULL, NULL).err, -ENODATA);
	make_write(x.scratch, "dump", "x", 1);
	CHECK_EQ(extract(x.dump, NULL, NULL).err, -ENODATA);
	CHECK_EQ(extract(x.scratch, NULL, NULL).err, -EISDIR);
	CHECK_EQ(extract("/nonexistent", NULL, NULL).err, -ENOENT);
	scene_end(&x);
}

/* Also a pipe that nobody has opened for writing: lkst does not wait for that. */
TEST(extract_refuses_a_pipe)
{
	char scratch[64], path[128];

	make_scratch(scratch);
	snprintf(path, sizeof(path), "%s/pipe", scratch);
	CHECK_EQ(mkfifo(path, 0600), 0);
	alarm(10);
	CHECK_EQ(extract(path, NULL, NULL).err, -ESPIPE);
	alarm(0);
	make_scratch_remove(scratch);
}

static const struct unit_test tests[] = {
	{ "extract_takes_every_format", test_extract_takes_every_format },
	{ "extract_keeps_the_state", test_extract_keeps_the_state },
	{ "extract_cuts_what_was_being_written", test_extract_cuts_what_was_being_written },
	{ "extract_keeps_a_whole_unpublished_record_apart",
	  test_extract_keeps_a_whole_unpublished_record_apart },
	{ "extract_cuts_without_a_state_page", test_extract_cuts_without_a_state_page },
	{ "extract_takes_all_that_has_an_id_without_a_state_page",
	  test_extract_takes_all_that_has_an_id_without_a_state_page },
	{ "extract_ignores_what_an_earlier_lap_left",
	  test_extract_ignores_what_an_earlier_lap_left },
	{ "extract_tells_recordings_apart", test_extract_tells_recordings_apart },
	{ "extract_throws_out_copies", test_extract_throws_out_copies },
	{ "extract_takes_the_longer_copy", test_extract_takes_the_longer_copy },
	{ "extract_counts_missing_and_damaged_blocks",
	  test_extract_counts_missing_and_damaged_blocks },
	{ "extract_takes_large_blocks_as_far_as_they_go",
	  test_extract_takes_large_blocks_as_far_as_they_go },
	{ "extract_needs_one_copy_of_each_note", test_extract_needs_one_copy_of_each_note },
	{ "extract_knows_events_that_handlers_have_declared",
	  test_extract_knows_events_that_handlers_have_declared },
	{ "extract_tells_what_a_buffer_had_overwritten",
	  test_extract_tells_what_a_buffer_had_overwritten },
	{ "extract_does_not_miss_what_was_cleared", test_extract_does_not_miss_what_was_cleared },
	{ "extract_finds_nothing_in_nothing", test_extract_finds_nothing_in_nothing },
	{ "extract_refuses_a_pipe", test_extract_refuses_a_pipe },
};
UNIT_MAIN(tests)
