/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A trace in memory reads as the same files on the disk do: one directory, parts of a recording, one file.
 */
#include <fcntl.h>
#include <unistd.h>

#include "lib/in_memory.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/format/pack.h"
#include "trace/format/zst.h"
#include "trace/read/ends.h"
#include "trace/write/collected.h"

enum { LINES = 8192 };

static struct lkst_err err;
static char scratch[64], dir[80], other[80];

static const char text[] = "sched_switch cpu=0 ns=1000 next_tid=1\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 ns=1200 next_tid=3\n"
			   "!skip cpu=0 blocks=2\n"
			   "sched_switch cpu=0 ns=1300 next_tid=4\n"
			   "sched_switch cpu=1 ns=900 next_tid=5\n"
			   "task_rename cpu=0 buffer=1 ns=1500 target_tid=5 newcomm=a\n"
			   "state_thread ns=5000 thread_tid=5\n"
			   "!end ns=2000 how=1\n";

/* All that a pass says of @t, a line for each record and gap. */
static void list(struct lkst_trace *t, char lines[LINES])
{
	struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	size_t used = (size_t)snprintf(lines, LINES, "%d\n", lkst_trace_ending(t));

	CHECK_EQ(lkst_merge_new(&err, t, 0, UINT64_MAX, &m), 0);
	while (lkst_merge_next(m, &r) > 0 && used < LINES) {
		used += (size_t)snprintf(lines + used, LINES - used, "%s %u %llu %u\n",
					 r.event->name, r.cpu, (unsigned long long)r.ns, r.size);
		while (lkst_merge_gap(m, &gap) > 0 && used < LINES)
			used += (size_t)snprintf(lines + used, LINES - used, "gap %llu %llu\n",
						 (unsigned long long)gap.from_ns,
						 (unsigned long long)gap.to_ns);
	}
	lkst_merge_free(m);
}

static void expect_same(struct lkst_trace *on_disk, const struct lkst_memory_file *files,
			unsigned int nr)
{
	static char want[LINES], got[LINES];
	struct lkst_trace *t = NULL;

	CHECK_EQ(lkst_trace_open_memory(&err, files, nr, &t), 0);
	if (!t)
		return;
	list(on_disk, want);
	list(t, got);
	CHECK(strstr(want, "sched_switch 0 1200 "));
	CHECK(strstr(want, "gap "));
	CHECK_STR(got, want);
	lkst_trace_close(t);
}

static int keep_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	struct in_memory *m = ctx;
	void *bytes = malloc(file->length + 1);

	if (!bytes || m->nr == IN_MEMORY_FILES)
		abort();
	m->files[m->nr++] =
		(struct lkst_memory_file){ strdup(file->name),
					   memcpy(bytes, file->bytes, file->length), file->length };
	return 0;
}

/* The files that an open trace says it consists of make the same trace. */
static void expect_own_files(struct lkst_trace *t, const char *one)
{
	struct in_memory m = {};
	unsigned int i;

	CHECK_EQ(lkst_trace_each_file(&err, t, keep_file, &m), 0);
	for (i = 0; i < m.nr && strcmp(m.files[i].name, one); i++)
		;
	CHECK(i < m.nr);
	expect_same(t, m.files, m.nr);
	in_memory_fini(&m);
}

static void begin(void)
{
	make_scratch(scratch);
	snprintf(dir, sizeof(dir), "%s/1", scratch);
	snprintf(other, sizeof(other), "%s/2", scratch);
	if (make_trace(dir, 4096, text))
		abort();
}

static void expect_same_dir(const char *prefix)
{
	struct in_memory m = {};
	struct lkst_trace *t;

	begin();
	in_memory_add(&m, dir, prefix);
	CHECK_EQ(lkst_trace_open(&err, dir, &t), 0);
	expect_same(t, m.files, m.nr);
	expect_own_files(t, "main.1");
	lkst_trace_close(t);
	in_memory_fini(&m);
	make_scratch_remove(scratch);
}

TEST(files_in_memory_read_as_their_directory)
{
	expect_same_dir("");
	expect_same_dir("somewhere/a trace/");
}

TEST(parts_in_memory_read_as_those_on_the_disk)
{
	struct in_memory m = {};
	struct lkst_trace *t;

	begin();
	if (make_trace(other, 4096,
		       "!skip cpu=0 blocks=6\n"
		       "sched_switch cpu=0 ns=3000 next_tid=1\n"
		       "!end ns=4000 how=1\n"))
		abort();
	in_memory_add(&m, dir, "trace/1/");
	in_memory_add(&m, other, "trace/2/");
	CHECK_EQ(lkst_trace_open(&err, scratch, &t), 0);
	expect_same(t, m.files, m.nr);
	expect_own_files(t, "2/main.0");
	lkst_trace_close(t);
	in_memory_fini(&m);
	make_scratch_remove(scratch);
}

TEST(one_file_in_memory_reads_as_on_the_disk)
{
	struct lkst_memory_file file = { .name = "trace.lkst" };
	struct lkst_trace *t;
	char path[96], *elsewhere;

	begin();
	snprintf(path, sizeof(path), "%s/trace.lkst", scratch);
	CHECK_EQ(lkst_pack_write(&err, NULL, dir, path), 0);
	file.bytes = make_read(scratch, file.name, &file.length);
	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	expect_same(t, &file, 1);
	expect_own_files(t, "metadata");
	lkst_trace_close(t);
	/* At an address that is no multiple of 8, too. */
	elsewhere = malloc(file.length + 8);
	CHECK(elsewhere);
	memcpy(elsewhere + 4, file.bytes, file.length);
	free((void *)file.bytes);
	file.bytes = elsewhere + 4;
	CHECK_EQ(lkst_trace_open_memory(&err, &file, 1, &t), 0);
	lkst_trace_close(t);
	free(elsewhere);
	make_scratch_remove(scratch);
}

/* What a writer has given to memory is the same trace as what it was given. */
TEST(what_is_collected_reads_as_on_the_disk)
{
	static char want[LINES], got[LINES];
	struct lkst_collected c = {};
	struct lkst_trace *t, *again;
	struct lkst_writer *w;
	unsigned int i, k;

	begin();
	CHECK_EQ(lkst_trace_open(&err, dir, &t), 0);
	CHECK_EQ(lkst_writer_open_sink(&err, lkst_trace_catalog(t), &lkst_collected_sink, &c, &w),
		 0);
	for (i = 0; i < lkst_trace_nr_streams(t); i++)
		for (k = 0; k < lkst_trace_stream(t, i)->nr_blocks; k++) {
			const struct lkst_block *block = lkst_trace_block(t, i, k);

			CHECK_EQ(lkst_writer_append(&err, w, block->instance, block->bytes,
						    block->size),
				 0);
		}
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);
	CHECK_EQ(lkst_collected_open(&err, &c, &again), 0);
	list(t, want);
	list(again, got);
	CHECK(strstr(want, "gap "));
	CHECK_STR(got, want);
	lkst_trace_close(t);
	lkst_trace_close(again);
	lkst_collected_fini(&c);
	make_scratch_remove(scratch);
}

static void expect_refused(struct lkst_memory_file *files, unsigned int nr, int error,
			   const char *says)
{
	struct lkst_trace *t;

	CHECK_EQ(lkst_trace_open_memory(&err, files, nr, &t), error);
	if (!strstr(err.text, says))
		CHECK_STR(err.text, says);
}

/* Compressed files, as zstd's library makes them, as recordings have them. */
TEST(compressed_files_in_memory_are_unpacked)
{
	struct lkst_trace *on_disk = NULL;
	const atomic_bool stop = false;
	struct in_memory m = {};
	int fd;

	begin();
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	CHECK_EQ(lkst_zst_pack(&err, NULL, fd, "main.0", &stop), 0);
	CHECK_EQ(lkst_zst_pack(&err, NULL, fd, "main.1", &stop), 0);
	close(fd);
	CHECK_EQ(lkst_trace_open(&err, dir, &on_disk), 0);
	in_memory_add(&m, dir, "");
	expect_same(on_disk, m.files, m.nr);
	in_memory_fini(&m);
	lkst_trace_close(on_disk);
	make_scratch_remove(scratch);
}

TEST(what_is_no_trace_is_refused)
{
	struct in_memory m = {};

	begin();
	in_memory_add(&m, dir, "");
	expect_refused(m.files, 0, -ENOENT, "no file called metadata");
	expect_refused(&(struct lkst_memory_file){ "a", "short", 5 }, 1, -EBADMSG,
		       "neither a trace");
	expect_refused((struct lkst_memory_file[]){ { "metadata", "x", 1 }, { "main.0", "", 0 } },
		       2, -EBADMSG, "metadata");
	free((void *)m.files[m.nr].name);
	m.files[m.nr++] = (struct lkst_memory_file){ strdup("main.9.zst"), strdup("x"), 1 };
	expect_refused(m.files, m.nr, -EBADMSG, "main.9.zst is damaged");
	in_memory_fini(&m);
	make_scratch_remove(scratch);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(files_in_memory_read_as_their_directory),
	ROW(compressed_files_in_memory_are_unpacked),
	ROW(parts_in_memory_read_as_those_on_the_disk),
	ROW(one_file_in_memory_reads_as_on_the_disk),
	ROW(what_is_collected_reads_as_on_the_disk),
	ROW(what_is_no_trace_is_refused),
};
UNIT_MAIN(tests)
