/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From made dumps back to traces: every format gives the same, nothing false comes out of what is
 * torn, stale, damaged or cut off, and nothing that a file may say does harm.
 */
#include "unit.h"

#include "crash/salvage.h"
#include "make_dump.h"

enum {
	PAGES = 160,
	RING_BLOCKS = 64,
	RECORDS = 3000,
};

/* A trace in memory, with its last blocks open, and the records it has. */
static struct make_trace *made_trace(u32 block_size, unsigned int *ret_records)
{
	struct make_trace *t = make_begin(NULL, NULL, block_size);
	char line[160];
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		snprintf(line, sizeof(line), "sched_switch cpu=%u tid=%u ns=%u next_tid=%u", i % 2,
			 i % 5, 1000 + i * 10, (i + 2) % 5);
		if (make_line(t, line))
			abort();
		if (i % 100 == 0) {
			snprintf(line, sizeof(line), "task_rename cpu=1 buffer=1 tid=%u ns=%u",
				 i % 5, 1005 + i * 10);
			if (make_line(t, line))
				abort();
		}
	}
	*ret_records = RECORDS + RECORDS / 100;
	return t;
}

/* The memory of a machine that recorded @t; @ret_states: its state pages of CPU 0 and 1, main. */
static struct make_memory *made_memory(struct make_trace *t, struct lkst_state **ret_states)
{
	struct make_memory *m = make_memory(PAGES);
	unsigned int i;

	make_notes(m, t->catalog);
	for (i = 0; i < t->nr_streams; i++) {
		struct make_stream *s = &t->streams[i];
		u32 cpu = lkst_instance_cpu(s->instance),
		    buffer = lkst_instance_buffer(s->instance);
		struct lkst_state *st = make_state(m, t->catalog, cpu, buffer, s->block_size);

		make_ring(st, s, RING_BLOCKS);
		free(make_place(m, s, false));
		if (!buffer && ret_states)
			ret_states[cpu] = st;
	}
	return m;
}

static void write_file(const char *dir, const char *name, struct make_file f, char path[128])
{
	snprintf(path, 128, "%s/%s", dir, name);
	make_write(dir, name, f.bytes, f.length);
	free(f.bytes);
}

/* What one run of extracting gives. */
struct outcome {
	int err;
	struct lkst_err e;
	unsigned int nr_recordings;
	bool has_catalog;
	struct lkst_salvage sum;
};

/* Extracts the latest recording of the dump at @path to @dir (NULL: only counts). */
static struct outcome extract(const char *path, const char *dir, const char *doubtful)
{
	struct lkst_salvage_options options = {};
	struct lkst_recordings recordings = {};
	struct lkst_finds finds = {};
	struct outcome o = {};
	struct lkst_dump dump;

	o.err = lkst_dump_open(&o.e, path, &dump);
	if (o.err)
		return o;
	o.err = lkst_find_all(&o.e, &dump, 1, NULL, NULL, &finds);
	if (!o.err)
		o.err = lkst_recordings_new(&o.e, &dump, 1, &finds, &recordings);
	o.nr_recordings = recordings.nr;
	o.has_catalog = recordings.nr && recordings.items[0].catalog;
	if (!o.err && o.has_catalog) {
		const struct lkst_catalog *c = recordings.items[0].catalog;

		if ((dir && lkst_writer_open(&o.e, dir, c, &options.trace)) ||
		    (doubtful && lkst_writer_open(&o.e, doubtful, c, &options.doubtful)))
			abort();
		o.err = lkst_salvage(&o.e, &dump, 1, &recordings.items[0], &options, &o.sum);
		lkst_writer_close(&o.e, options.trace);
		lkst_writer_close(&o.e, options.doubtful);
	}
	lkst_recordings_free(&recordings);
	lkst_finds_free(&finds);
	lkst_dump_close(&dump);
	return o;
}

static void complain(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
		     const char *text)
{
	(void)arg, (void)offset, (void)bytes;
	fprintf(stderr, "%s: %s\n", stream->file, text);
}

/* Records of the trace in @dir that are no state; -1: a block is bad or a gap is there. */
static long count_records(const char *dir)
{
	struct lkst_trace *t;
	struct lkst_merge *merge;
	struct lkst_record r;
	struct lkst_gap gap;
	struct lkst_err e;
	long nr = 0;

	if (lkst_trace_open(&e, dir, &t))
		return -1;
	if (lkst_trace_check(t, complain, NULL) || lkst_merge_new(&e, t, 0, UINT64_MAX, &merge)) {
		lkst_trace_close(t);
		return -1;
	}
	while (lkst_merge_next(merge, &r) > 0)
		nr += r.event->group != LKST_GROUP_STATE;
	if (lkst_merge_gap(merge, &gap) > 0)
		nr = -1;
	lkst_merge_free(merge);
	lkst_trace_close(t);
	return nr;
}

/* ---- formats ---------------------------------------------------------------------------- */

static struct make_file in_format(const struct make_memory *m, unsigned int format)
{
	struct make_file plain, flat;

	switch (format % 8) {
	case 0:
		plain = make_raw(m);
		break;
	case 1:
		plain = make_elf(m, 1);
		break;
	case 2:
		plain = make_elf(m, 7);
		break;
	default:
		plain = make_kdump(m, (enum make_packing)(format % 8 - 3));
	}
	if (format < 8)
		return plain;
	flat = make_flat(&plain);
	free(plain.bytes);
	return flat;
}

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
	u8 **blocks = NULL;

	make_notes(m, t->catalog);
	for (i = 0; i < t->nr_streams; i++) {
		u8 **list = make_place(m, &t->streams[i], false);

		make_ring(make_state(m, t->catalog, lkst_instance_cpu(t->streams[i].instance),
				     lkst_instance_buffer(t->streams[i].instance), MAKE_PAGE),
			  &t->streams[i], RING_BLOCKS);
		if (i)
			free(list);
		else
			blocks = list;
	}
	memset(blocks[2], 0, MAKE_PAGE);
	memset(blocks[4] + 2048, 0xff, 64);
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
	CHECK_EQ(access(kept, R_OK), 0);
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

/* ---- damage ------------------------------------------------------------------------------- */

/* What can be had of a dump is a sound trace with no more records than there were. */
static void expect_sound(const char *scratch, const struct make_file *f, size_t length,
			 unsigned int records)
{
	char path[128], dir[96];
	struct outcome o;

	snprintf(path, sizeof(path), "%s/dump", scratch);
	snprintf(dir, sizeof(dir), "%s/trace", scratch);
	make_write(scratch, "dump", f->bytes, length);
	o = extract(path, dir, NULL);
	CHECK(o.err <= 0);
	CHECK(o.sum.records <= records);
	if (!o.err && o.has_catalog) {
		struct lkst_trace *t;
		struct lkst_err e;

		CHECK_EQ(lkst_trace_open(&e, dir, &t), 0);
		CHECK_EQ(lkst_trace_check(t, complain, NULL), 0);
		lkst_trace_close(t);
	}
	make_scratch_remove(dir);
}

TEST(extract_takes_what_is_left_of_a_cut_dump)
{
	unsigned int records, format;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = made_memory(t, NULL);
	char scratch[64];

	make_scratch(scratch);
	for (format = 0; format < 16 && !unit_failed; format++) {
		struct make_file f = in_format(m, format);
		size_t at;

		for (at = 0; at <= f.length && !unit_failed; at += f.length / 13 + 1)
			expect_sound(scratch, &f, at, records);
		for (at = 1; at < 600 && !unit_failed; at += 61)
			expect_sound(scratch, &f, at < f.length ? at : f.length, records);
		for (at = MAKE_PAGE - 8; at < 5 * MAKE_PAGE && !unit_failed; at += 1337)
			expect_sound(scratch, &f, at, records);
		free(f.bytes);
	}
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
}

/* Numbers that a header may be made to hold. */
static const u64 hostile[] = { 0,
			       1,
			       0x7f,
			       0xff,
			       0xfff,
			       0x7fffffff,
			       0xffffffff,
			       0x7fffffffffffffff,
			       0xfffffffffffff000,
			       UINT64_MAX };

TEST(extract_survives_mutations)
{
	unsigned int records, format, round;
	struct make_trace *t = made_trace(MAKE_PAGE, &records);
	struct make_memory *m = made_memory(t, NULL);
	u64 random = 4711;
	char scratch[64];

	make_scratch(scratch);
	for (format = 0; format < 16 && !unit_failed; format++) {
		struct make_file f = in_format(m, format);
		u8 *sound = malloc(f.length);

		if (!sound)
			abort();
		memcpy(sound, f.bytes, f.length);
		for (round = 0; round < 25 && !unit_failed; round++) {
			unsigned int nr = 1 + (unsigned int)(make_random(&random) % 4), i;

			for (i = 0; i < nr; i++) {
				/* Half of them among the headers. */
				size_t area = make_random(&random) % 2 ? 9 * MAKE_PAGE : f.length;
				size_t at = make_random(&random) % (area - 8) & ~(size_t)3;
				u64 value = hostile[make_random(&random) % 10];

				if (make_random(&random) % 3 == 0)
					value = make_random(&random);
				memcpy(f.bytes + at, &value, make_random(&random) % 2 ? 8 : 4);
			}
			expect_sound(scratch, &f, f.length, records + PAGES * 200);
			memcpy(f.bytes, sound, f.length);
		}
		free(f.bytes);
		free(sound);
	}
	make_scratch_remove(scratch);
	make_memory_free(m);
	make_end(t);
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
	{ "extract_finds_nothing_in_nothing", test_extract_finds_nothing_in_nothing },
	{ "extract_takes_what_is_left_of_a_cut_dump",
	  test_extract_takes_what_is_left_of_a_cut_dump },
	{ "extract_survives_mutations", test_extract_survives_mutations },
};
UNIT_MAIN(tests)
