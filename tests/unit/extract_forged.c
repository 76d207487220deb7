// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Memory into which a user's program has written pages that look like those of a recording: they neither reduce nor
 * replace the true one. The id that identifies the true ones is not written to a trace.
 */
#include <dirent.h>

#include "cmd/frame/cmd.h"
#include "crash/ids.h"
#include "lib/extract.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum { FORGER = 0x3c }; /* the ids of a forger, who does not know the secret of make_memory() */

/* State pages of both CPUs, which say that the rings are far beyond the blocks that are there. */
static void forge_state(struct scene *x, u8 secret)
{
	const u8 true_secret = x->m->secret;
	unsigned int i;

	x->m->secret = secret;
	for (i = 0; i < 6; i++) {
		struct make_stream *s = &x->t->streams[i % x->t->nr_streams];
		struct lkst_state *st =
			make_state(x->m, x->t->catalog, lkst_instance_cpu(s->instance),
				   lkst_instance_buffer(s->instance), MAKE_PAGE);

		make_ring(st, s, RING_BLOCKS);
		st->ring[0].done += 1ULL << 40;
		st->ring[0].opened += 1ULL << 28;
		st->ring[0].last += 1000;
	}
	x->m->secret = true_secret;
}

/* A whole recording with UUID @uuid, or that of the true one, NULL, of three blocks and a later clock. */
static void forge_recording(struct scene *x, const u8 *uuid)
{
	const u8 true_secret = x->m->secret;
	struct make_trace *t = make_begin(NULL, NULL, MAKE_PAGE);
	char line[128];
	unsigned int i;

	x->m->secret = FORGER;
	if (uuid)
		memcpy(t->catalog->uuid, uuid, 16);
	t->catalog->clock_offset_ns += 3600ULL * 1000000000;
	for (i = 0; i < 300; i++) {
		snprintf(line, sizeof(line), "sched_switch cpu=0 tid=1 ns=%u next_tid=2", 500000 + i);
		if (make_line(t, line))
			abort();
	}
	if (uuid)
		for (i = 0; i < t->streams[0].used; i += MAKE_PAGE)
			memcpy(t->streams[0].bytes + i + offsetof(struct lkst_block_header, uuid),
			       uuid, 16);
	make_notes(x->m, t->catalog);
	make_rings(x->m, t, false, NULL);
	make_end(t);
	x->m->secret = true_secret;
}

static struct lkst_memory_ids secret_of(const struct scene *x)
{
	struct lkst_memory_ids ids = { .nr = 1 };

	memcpy(ids.items[0].uuid, x->t->catalog->uuid, 16);
	make_id(x->m, ids.items[0].uuid, ids.items[0].id);
	return ids;
}

/* The trace's UUID is in every trace, and so anybody may know it. */
TEST(forged_state_pages_with_the_uuid_change_nothing)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct outcome o;

	forge_state(&x, 0);
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(o.sum.stale_blocks + o.sum.missing_blocks, 0);
	CHECK_EQ(o.nr_overridden, 1);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

/* Traces in the page cache have more blocks of the recording than its rings, and no metadata that could be found. */
TEST(copies_of_traces_do_not_replace_the_recording)
{
	struct scene x = { .t = made_trace(MAKE_PAGE), .m = make_memory(4 * PAGES) };
	const u8 secret = x.m->secret;
	struct outcome o;
	unsigned int i;

	make_notes(x.m, x.t->catalog);
	make_rings(x.m, x.t, false, NULL);
	x.m->secret = 0;
	for (i = 0; i < 3 * x.t->nr_streams; i++)
		free(make_place(x.m, &x.t->streams[i % x.t->nr_streams], false));
	x.m->secret = secret;
	/* With a state page that says whose they are, and without. */
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(o.nr_overridden, 1);
	forge_state(&x, 0);
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(o.nr_overridden, 1);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

/* Even of two state pages with the right id the one counts whose blocks are there. */
TEST(state_page_without_blocks_is_not_believed)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct outcome o;

	forge_state(&x, x.m->secret);
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(o.sum.stale_blocks + o.sum.missing_blocks, 0);
	CHECK(o.rivals >= 3);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

TEST(forged_recording_does_not_replace_the_proven_one)
{
	static const u8 other[16] = { 0x66, 1, 2 };
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_memory_ids known = secret_of(&x);
	struct outcome o;

	forge_recording(&x, other);
	o = scene_extract(&x, make_raw(x.m), NULL, NULL);
	/* By its clock it is the later one, and nothing proves otherwise. */
	CHECK_EQ(o.nr_recordings, 2);
	CHECK(!o.is_proven);
	CHECK_EQ(o.sum.records, 300);
	o = extract_known(x.dump, &known, x.dir, NULL);
	CHECK(o.is_proven);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

/* Of two that claim to be the same recording the one with more blocks counts, also where no id is known. */
TEST(forged_recording_of_the_same_uuid_is_overridden)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_memory_ids known = secret_of(&x);
	struct outcome o;

	forge_recording(&x, NULL);
	o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
	CHECK_EQ(o.nr_recordings, 2);
	CHECK_EQ(o.nr_overridden, 1);
	CHECK_EQ(o.sum.records, RECORDS);
	CHECK_EQ(count_records(x.dir), RECORDS);
	CHECK(extract_known(x.dump, &known, NULL, NULL).is_proven);
	scene_end(&x);
}

/* However many there are, the proven one is among those that are kept. */
TEST(many_forged_recordings_do_not_crowd_out_the_proven_one)
{
	struct scene x = { .t = made_trace(MAKE_PAGE), .m = make_memory(6000) };
	struct lkst_memory_ids known = secret_of(&x);
	u8 other[16] = { 0 };
	struct outcome o;
	int i;

	make_notes(x.m, x.t->catalog);
	make_rings(x.m, x.t, false, NULL);
	for (i = 0; i < 200; i++) {
		/* Some come before the true one in order of their ids, some after it. */
		other[0] = (u8)(i * 5);
		other[1] = (u8)i;
		forge_recording(&x, other);
	}
	scene_dump(&x, make_raw(x.m));
	o = extract_known(x.dump, &known, x.dir, NULL);
	CHECK_EQ(o.err, 0);
	CHECK_EQ(o.nr_recordings, 128);
	CHECK(o.is_proven);
	CHECK_EQ(count_records(x.dir), RECORDS);
	scene_end(&x);
}

/* Whether a file of directory @dir has @id in it; directories in it, too. */
static bool has_id(const char *dir, const u8 *id)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[512];
	size_t length;
	bool has = false;
	char *bytes;

	if (!d)
		abort();
	while (!has && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%.200s/%s", dir, entry->d_name);
		if (entry->d_type == DT_DIR) {
			has = has_id(path, id);
			continue;
		}
		bytes = make_read(dir, entry->d_name, &length);
		has = memmem(bytes, length, id, 16) != NULL;
		free(bytes);
	}
	closedir(d);
	return has;
}

/* Not in the trace, not in what is doubtful, nor in a damaged block that is kept as it was. */
TEST(secret_id_does_not_leave)
{
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_memory_ids known = secret_of(&x);
	u32 i;

	/* A record in the middle of a block makes no sense. */
	for (i = 0; i < x.m->nr; i++) {
		struct lkst_block_header h;

		memcpy(&h, x.m->pages + (size_t)i * MAKE_PAGE, sizeof(h));
		if (h.magic == LKST_BLOCK_MAGIC && !h.stream_instance_id && h.packet_seq_num == 1)
			memset(x.m->pages + (size_t)i * MAKE_PAGE + 2048, 0xff, 64);
	}
	CHECK_EQ(scene_extract(&x, make_raw(x.m), x.dir, x.doubtful).sum.damaged_blocks, 1);
	CHECK(!has_id(x.dir, known.items[0].id));
	CHECK(!has_id(x.doubtful, known.items[0].id));
	CHECK(has_id(x.dir, known.items[0].uuid));
	CHECK(has_id(x.scratch, known.items[0].id));
	scene_end(&x);
}

/* The command takes the ids from a file, says what it met, and shows no id. */
TEST(extract_says_what_it_met)
{
	static const u8 other[16] = { 0x66, 1, 2 };
	struct scene x = made_scene(MAKE_PAGE);
	struct lkst_memory_ids known = secret_of(&x);
	char ids[128], line[256], id[33];
	struct lkst_err e;
	int i;

	forge_recording(&x, other);
	forge_recording(&x, NULL);
	forge_state(&x, x.m->secret);
	scene_dump(&x, make_raw(x.m));
	snprintf(ids, sizeof(ids), "%s/ids", x.scratch);
	CHECK_EQ(lkst_memory_ids_add(&e, ids, &known.items[0]), 0);
	snprintf(line, sizeof(line), "--ids %s -o trace dump", ids);
	CHECK_EQ(run_command(&lkst_cmd_extract, x.scratch, line), 0);
	CHECK_EQ(count_records(x.dir), RECORDS);
	CHECK(strstr(output, "there were two state pages of a ring"));
	CHECK(strstr(output, "with the same UUID that are left out"));
	CHECK(!strstr(output, "cannot be told"));
	snprintf(line, sizeof(line), "--ids %s --list --json dump", ids);
	CHECK_EQ(run_command(&lkst_cmd_extract, x.scratch, line), 0);
	CHECK(strstr(output, "\"is_proven\":true"));
	for (i = 0; i < 16; i++)
		snprintf(id + 2 * i, 3, "%02x", known.items[0].id[i]);
	CHECK(!strstr(output, id));
	/* Another machine's ids prove nothing. */
	known.items[0].id[0]++;
	CHECK(!unlink(ids));
	CHECK_EQ(lkst_memory_ids_add(&e, ids, &known.items[0]), 0);
	snprintf(line, sizeof(line), "--ids %s -o other dump", ids);
	CHECK_EQ(run_command(&lkst_cmd_extract, x.scratch, line), 0);
	CHECK(strstr(output, "has no id of this recording"));
	scene_end(&x);
}

TEST(file_of_ids_keeps_the_latest)
{
	struct lkst_memory_ids ids;
	struct lkst_memory_id id = {};
	char dir[64], path[96];
	struct lkst_err e;
	struct stat st;
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/sub/ids", dir);
	CHECK_EQ(lkst_memory_ids_read(&e, path, &ids), -ENOENT);
	for (i = 0; i < LKST_MEMORY_IDS_MAX + 5; i++) {
		memset(id.id, i + 1, 16);
		memset(id.uuid, 0xf0, 16);
		CHECK_EQ(lkst_memory_ids_add(&e, path, &id), 0);
	}
	/* One that is there stays as it is. */
	CHECK_EQ(lkst_memory_ids_add(&e, path, &id), 0);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, 0600);
	CHECK_EQ(lkst_memory_ids_read(&e, path, &ids), 0);
	CHECK_EQ(ids.nr, LKST_MEMORY_IDS_MAX);
	CHECK_EQ(ids.items[0].id[15], 6);
	CHECK_EQ(ids.items[ids.nr - 1].id[0], LKST_MEMORY_IDS_MAX + 5);
	CHECK_EQ(ids.items[ids.nr - 1].uuid[0], 0xf0);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "forged_state_pages_with_the_uuid_change_nothing",
	  test_forged_state_pages_with_the_uuid_change_nothing },
	{ "copies_of_traces_do_not_replace_the_recording",
	  test_copies_of_traces_do_not_replace_the_recording },
	{ "state_page_without_blocks_is_not_believed",
	  test_state_page_without_blocks_is_not_believed },
	{ "forged_recording_does_not_replace_the_proven_one",
	  test_forged_recording_does_not_replace_the_proven_one },
	{ "forged_recording_of_the_same_uuid_is_overridden",
	  test_forged_recording_of_the_same_uuid_is_overridden },
	{ "many_forged_recordings_do_not_crowd_out_the_proven_one",
	  test_many_forged_recordings_do_not_crowd_out_the_proven_one },
	{ "secret_id_does_not_leave", test_secret_id_does_not_leave },
	{ "extract_says_what_it_met", test_extract_says_what_it_met },
	{ "file_of_ids_keeps_the_latest", test_file_of_ids_keeps_the_latest },
};

UNIT_MAIN(tests)
