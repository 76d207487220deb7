/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From made dumps back to traces: every format gives the same, and nothing false comes out of what is
 * torn, stale or damaged.
 */
#include "extract.h"
#include "unit.h"

/* ---- formats ---------------------------------------------------------------------------- */

TEST(extract_takes_every_format)
{
	unsigned int records, format;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = made_memory(t, NULL);
	char scratch[64], path[128], dir[96], doubtful[128];

	make_scratch(scratch);
	for (format = 0; format < 16; format++) {
		struct outcome o;

		snprintf(dir, sizeof(dir), "%s/trace%u", scratch, format);
		snprintf(doubtful, sizeof(doubtful), "%s/doubtful%u", scratch, format);
		write_file(scratch, "dump", in_format(m, format), path);
		o = extract(path, dir, doubtful);
		if (o.err)
			fprintf(stderr, "format %u: %s\n", format, o.e.text);
		CHECK_EQ(o.err, 0);
		CHECK_EQ(o.nr_recordings, 1);
		CHECK_EQ(o.sum.records, records);
		CHECK_EQ(o.sum.missing_blocks + o.sum.damaged_blocks + o.sum.copies +
				 o.sum.stale_blocks + o.sum.torn_records +
				 o.sum.rings_without_state,
			 0);
		CHECK_EQ(count_records(dir), records);
		CHECK_EQ(count_records(doubtful), 0);
	}
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

/* What was kept of the machine's state is in the trace. */
TEST(extract_keeps_the_state)
{
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct lkst_state *states[2];
	struct make_memory *m = made_memory(t, states);
	char scratch[64], path[128], dir[96];
	struct lkst_trace *trace;
	struct lkst_merge *merge;
	struct lkst_record r;
	struct lkst_err e;
	unsigned int threads = 0, losses = 0;

	states[1]->lost[LKST_LOSS_LEVEL] = 3;
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	CHECK_EQ(extract(path, dir, NULL).sum.lost_events, 3);
	CHECK_EQ(lkst_trace_open(&e, dir, &trace), 0);
	CHECK_EQ(lkst_merge_new(&e, trace, 0, UINT64_MAX, &merge), 0);
	while (lkst_merge_next(merge, &r) > 0) {
		threads += r.event->index == LKST_EV_state_thread &&
			   !strcmp((const char *)r.bytes + r.size - 16, "seven");
		losses += r.event->index == LKST_EV_state_loss;
	}
	CHECK_EQ(threads, 1);
	CHECK_EQ(losses, 1);
	CHECK_STR(lkst_trace_catalog(trace)->hostname, "testhost");
	lkst_merge_free(merge);
	lkst_trace_close(trace);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
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
	unsigned int all;
	struct make_trace *t = made_trace(MAKE_PAGE, &all);
	struct lkst_state *states[2];
	struct make_memory *m;
	char scratch[64], path[128], dir[96], doubt[128];
	struct outcome o;
	u32 at;

	at = t->streams[0].at;
	tear(t, has_id);
	/* Records of 24 bytes: the end of the one before is that of its content. */
	t->streams[0].at = at - (u32)((sizeof(struct lkst_rec_sched_switch) + 7) & ~7u);
	m = made_memory(t, states);
	states[0]->nest = 1;
	if (!has_state)
		states[0]->magic = 0;
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	snprintf(doubt, sizeof(doubt), "%s/doubtful", scratch);
	write_file(scratch, "dump", make_elf(m, 3), path);
	o = extract(path, dir, doubt);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, records);
	CHECK_EQ(count_records(dir), records);
	CHECK_EQ(o.sum.doubtful_records, doubtful);
	CHECK_EQ(count_records(doubt), doubtful);
	CHECK_EQ(o.sum.rings_without_state, !has_state);
	CHECK_EQ(o.sum.torn_records, has_id && !has_state ? 0 : 1);
	CHECK_EQ(o.sum.damaged_blocks, 0);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

TEST(extract_cuts_what_was_being_written)
{
	expect_torn(false, true, RECORDS + RECORDS / 100 - 1, 0);
}

TEST(extract_keeps_a_whole_unpublished_record_apart)
{
	expect_torn(true, true, RECORDS + RECORDS / 100 - 1, 1);
}

TEST(extract_cuts_without_a_state_page)
{
	expect_torn(false, false, RECORDS + RECORDS / 100 - 1, 0);
}

TEST(extract_takes_all_that_has_an_id_without_a_state_page)
{
	expect_torn(true, false, RECORDS + RECORDS / 100, 0);
}

/* Behind the open block's content stands what the lap before left there. */
TEST(extract_ignores_what_an_earlier_lap_left)
{
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_stream *s = &t->streams[0];
	u8 *open = s->bytes + s->used - s->block_size;
	struct lkst_state *states[2];
	struct make_memory *m;
	char scratch[64], path[128], dir[96];
	struct outcome o;

	memcpy(open + ((s->at + 7) & ~7u), s->bytes + LKST_BLOCK_HEADER,
	       s->block_size - ((s->at + 7) & ~7u) - 8);
	m = made_memory(t, states);
	states[0]->magic = 0;
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.sum.records, records);
	CHECK_EQ(o.sum.torn_records, 0);
	CHECK_EQ(count_records(dir), records);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

/* ---- what does not belong --------------------------------------------------------------- */

TEST(extract_tells_recordings_apart)
{
	unsigned int records, old_records;
	struct make_trace *old = made_trace(MAKE_PAGE, &old_records);
	struct make_trace *t;
	struct make_memory *m;
	char scratch[64], path[128], dir[96];
	struct outcome o;
	unsigned int i;

	memset(old->catalog->uuid, 0x44, 16);
	old->catalog->clock_offset_ns -= 1000000000;
	for (i = 0; i < old->nr_streams; i++) {
		size_t at;

		for (at = 0; at < old->streams[i].used; at += MAKE_PAGE)
			memset(old->streams[i].bytes + at + 4, 0x44, 16);
	}
	t = made_trace(MAKE_PAGE, &records);
	m = made_memory(t, NULL);
	make_notes(m, old->catalog);
	for (i = 0; i < old->nr_streams; i++)
		free(make_place(m, &old->streams[i], false));
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_kdump(m, MAKE_ZLIB), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.nr_recordings, 2);
	CHECK_EQ(o.sum.records, records);
	CHECK_EQ(count_records(dir), records);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
	make_end(old);
}

/* Copies of blocks, as the page cache has them of a snapshot: some that the ring overwrote since. */
TEST(extract_throws_out_copies)
{
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = make_memory(PAGES);
	struct make_stream *s = &t->streams[0], copy = *s;
	struct lkst_state *st;
	char scratch[64], path[128], dir[96];
	struct outcome o;
	unsigned int i;

	make_notes(m, t->catalog);
	for (i = 0; i < t->nr_streams; i++) {
		st = make_state(m, t->catalog, lkst_instance_cpu(t->streams[i].instance),
				lkst_instance_buffer(t->streams[i].instance), MAKE_PAGE);
		make_ring(st, &t->streams[i], i ? RING_BLOCKS : 4);
		free(make_place(m, &t->streams[i], false));
	}
	/* The first three blocks again, and the open one shorter, with nothing closed. */
	copy.used = 3 * MAKE_PAGE;
	free(make_place(m, &copy, false));
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.copies, 3);
	CHECK_EQ(o.sum.stale_blocks, s->seq - 4);
	CHECK_EQ(o.sum.missing_blocks, 0);
	CHECK_EQ(count_records(dir), o.sum.records);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

/* Of a block that was found twice the longer one counts. */
TEST(extract_takes_the_longer_copy)
{
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_stream *s = &t->streams[0];
	struct make_memory *m = made_memory(t, NULL);
	struct lkst_block_header *h = (struct lkst_block_header *)make_pages(m, 1);
	char scratch[64], path[128], dir[96];
	struct outcome o;

	memcpy(h, s->bytes, MAKE_PAGE);
	h->content_size = (LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch)) * 8;
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.sum.copies, 1);
	CHECK_EQ(o.sum.records, records);
	CHECK_EQ(count_records(dir), records);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
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
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = make_memory(PAGES);
	char scratch[64], path[128], dir[96], doubtful[128], kept[192];
	struct lkst_trace *trace;
	struct lkst_err e;
	struct outcome o;
	unsigned int i;
	u8 **blocks, **list, found[MAKE_PAGE], page[MAKE_PAGE];

	make_notes(m, t->catalog);
	blocks = make_place(m, &t->streams[0], false);
	for (i = 0; i < t->nr_streams; i++) {
		list = i ? make_place(m, &t->streams[i], false) : NULL;
		make_ring(make_state(m, t->catalog, lkst_instance_cpu(t->streams[i].instance),
				     lkst_instance_buffer(t->streams[i].instance), MAKE_PAGE),
			  &t->streams[i], RING_BLOCKS);
		free(list);
	}
	memset(blocks[2], 0, MAKE_PAGE);
	memset(blocks[4] + 2048, 0xff, 64);
	memcpy(found, blocks[4], MAKE_PAGE);
	free(blocks);
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	snprintf(doubtful, sizeof(doubtful), "%s/doubtful", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, doubtful);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.missing_blocks, 1);
	CHECK_EQ(o.sum.damaged_blocks, 1);
	CHECK(o.sum.records < records - 100);
	snprintf(kept, sizeof(kept), "%s/pages/main.0-4", doubtful);
	CHECK_EQ(read_page(kept, page), MAKE_PAGE);
	CHECK(!memcmp(page, found, MAKE_PAGE));
	CHECK_EQ(lkst_trace_open(&e, dir, &trace), 0);
	CHECK_EQ(lkst_trace_check(trace, complain, NULL), 0);
	lkst_trace_close(trace);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

/* ---- larger blocks, lost notes ------------------------------------------------------------ */

TEST(extract_takes_large_blocks_as_far_as_they_go)
{
	unsigned int records, scattered;
	char scratch[64], path[128], dir[96];

	make_scratch(scratch);
	for (scattered = 0; scattered < 2; scattered++) {
		struct make_trace *t = made_trace(4 * MAKE_PAGE, &records);
		struct make_memory *m = make_memory(PAGES);
		struct outcome o;
		unsigned int i;

		make_notes(m, t->catalog);
		for (i = 0; i < t->nr_streams; i++) {
			make_ring(make_state(m, t->catalog,
					     lkst_instance_cpu(t->streams[i].instance),
					     lkst_instance_buffer(t->streams[i].instance),
					     4 * MAKE_PAGE),
				  &t->streams[i], RING_BLOCKS);
			free(make_place(m, &t->streams[i], scattered));
		}
		snprintf(dir, sizeof(dir), "%s/trace%u", scratch, scattered);
		write_file(scratch, "dump", make_kdump(m, MAKE_LZO), path);
		o = extract(path, dir, NULL);
		CHECK_EQ(o.err, 0);
		CHECK_EQ(count_records(dir) < 0, scattered);
		if (scattered)
			CHECK(o.sum.damaged_blocks > 0 && o.sum.records > records / 5 &&
			      o.sum.records < records / 2);
		else
			CHECK_EQ(o.sum.records, records);
		make_memory_free(m);
		make_end(t);
	}
	make_scratch_remove(scratch);
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
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = made_memory(t, NULL);
	char scratch[64], path[128];
	struct outcome o;

	make_scratch(scratch);
	CHECK_EQ(lose_notes(m, LKST_NOTE_METADATA, 1), 1);
	write_file(scratch, "dump", make_raw(m), path);
	CHECK(!extract(path, NULL, NULL).has_catalog);
	make_notes(m, t->catalog);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, NULL, NULL);
	CHECK(o.has_catalog);
	CHECK_EQ(o.sum.records, records);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
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
	unsigned int records;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = make_memory(PAGES);
	struct lkst_catalog *before = earlier(t->catalog);
	char scratch[64], path[128], dir[96];
	struct outcome o;

	CHECK_EQ(make_line(t, "test.stack cpu=0 tid=1 ns=90000 by=1 took=2 frames=1,2,3"), 0);
	make_notes(m, before);
	make_rings(m, t, NULL);
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	CHECK_EQ(extract(path, NULL, NULL).sum.records, records);
	make_metadata_note(m, t->catalog, 700);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.sum.records, records + 1);
	CHECK_EQ(o.sum.damaged_blocks, 0);
	CHECK_EQ(count_records(dir), records + 1);
	make_scratch_remove(scratch);
	make_memory_free(m);
	lkst_catalog_free(before);
	make_end(t);
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
 * CPU 0 went over from main to buffer 2 at 25 and back at 75; of buffer 2 only the fourth block is left.
 * @is_cleared: because the others were cleared. @level: whose ring it is.
 */
static void extract_hole(bool is_cleared, u32 level, const char *wanted)
{
	struct make_trace *t = make_begin(NULL, NULL, MAKE_PAGE);
	struct make_memory *m = make_memory(PAGES);
	char scratch[64], path[128], dir[96], line[64];
	struct outcome o;
	unsigned int i;

	snprintf(line, sizeof(line), "!skip cpu=0 buffer=2 level=%u blocks=3\n", level);
	CHECK_EQ(make_text(t, "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=80\n"), 0);
	CHECK_EQ(make_text(t, line), 0);
	snprintf(line, sizeof(line), "sched_switch cpu=0 buffer=2 level=%u ns=65\n", level);
	CHECK_EQ(make_text(t, line), 0);
	make_notes(m, t->catalog);
	for (i = 0; i < t->nr_streams; i++) {
		struct make_stream *s = &t->streams[i];
		u32 buffer = lkst_instance_buffer(s->instance);
		struct lkst_state *st = make_state(m, t->catalog, 0, buffer, s->block_size);

		make_ring(st, s, buffer ? 1 : RING_BLOCKS);
		if (buffer) {
			st->ring[level].first = is_cleared ? 3 : 0;
			st->marks = (struct lkst_marks){ 5, 2, { { 0, 25 }, { 4 * MAKE_PAGE, 75 } } };
		}
		free(make_place(m, s, false));
	}
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, 3);
	CHECK_EQ(o.sum.missing_blocks, 0);
	CHECK_STR(gap_in(dir), wanted);
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
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
	struct make_memory *m = make_memory(16);
	char scratch[64], path[128];
	struct outcome o;

	make_scratch(scratch);
	write_file(scratch, "dump", make_raw(m), path);
	o = extract(path, NULL, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.nr_recordings, 0);
	make_write(scratch, "dump", "", 0);
	CHECK_EQ(extract(path, NULL, NULL).err, -ENODATA);
	make_write(scratch, "dump", "x", 1);
	CHECK_EQ(extract(path, NULL, NULL).err, -ENODATA);
	CHECK_EQ(extract(scratch, NULL, NULL).err, -EISDIR);
	CHECK_EQ(extract("/nonexistent", NULL, NULL).err, -ENOENT);
	make_scratch_remove(scratch);
	make_memory_free(m);
}

/* Also one that nobody has opened to write: it does not wait for who might. */
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
