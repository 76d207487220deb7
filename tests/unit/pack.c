/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A trace in one file: the same as the directory it was made of, tar(1)'s too, and damage is refused.
 */
#include "trace/format/pack.h"

#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/format/zst.h"

static struct lkst_err err;
static char dir[64], path[80], file[80];

static const char text[] = "sched_switch cpu=0 ns=1000 next_tid=1\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 ns=1200 next_tid=3\n"
			   "sched_switch cpu=1 ns=900 next_tid=5\n"
			   "task_rename cpu=0 buffer=1 ns=1500 target_tid=5 newcomm=a\n"
			   "state_thread ns=5000 thread_tid=5\n";

static void make(void)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(file, sizeof(file), "%s/trace.log", dir);
	if (make_trace(path, 4096, text))
		abort();
}

/* All records of the trace at @from, a line each. */
static void list(const char *from, char *lines, size_t size)
{
	struct lkst_merge *m = NULL;
	struct lkst_trace *t = NULL;
	struct lkst_record r;
	size_t used = 0;

	lines[0] = 0;
	if (lkst_trace_open(&err, from, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m)) {
		snprintf(lines, size, "%s", err.text);
	} else {
		while (lkst_merge_next(m, &r) > 0 && used < size)
			used += snprintf(lines + used, size - used, "%s %u %llu %u\n",
					 r.event->name, r.cpu, (unsigned long long)r.ns, r.size);
	}
	lkst_merge_free(m);
	lkst_trace_close(t);
}

static void expect_same(const char *other)
{
	char want[1024], got[1024];

	list(path, want, sizeof(want));
	list(other, got, sizeof(got));
	CHECK(strstr(want, "sched_switch 0 1200 "));
	CHECK_STR(got, want);
}

TEST(a_packed_trace_reads_as_the_directory_does)
{
	struct lkst_trace *t;
	unsigned int i;

	make();
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	expect_same(file);
	CHECK_EQ(lkst_trace_open(&err, file, &t), 0);
	CHECK_EQ(lkst_trace_nr_streams(t), 4);
	for (i = 0; i < 4; i++)
		CHECK_EQ(lkst_trace_stream(t, i)->nr_bad_blocks, 0);
	lkst_trace_close(t);
	/* Again: it is replaced. */
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	expect_same(file);
	make_scratch_remove(dir);
}

static int shell(const char *format, const char *a, const char *b)
{
	char command[512];

	snprintf(command, sizeof(command), format, a, b);
	return system(command);
}

TEST(tar_takes_it_apart_and_what_tar_makes_is_read)
{
	char apart[128];

	make();
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	CHECK_EQ(shell("mkdir %s/apart && cd %s/apart && tar xf ../trace.log", dir, dir), 0);
	snprintf(apart, sizeof(apart), "%s/apart/trace", dir);
	expect_same(apart);
	/* With entries of directories, links and files that are none of the trace's. */
	CHECK_EQ(shell("cd %s && echo > other && mkdir trace/sub && echo > trace/sub/x && "
		       "ln -s main.0 trace/link && tar cf %s other trace",
		       dir, file),
		 0);
	unlink(file);
	CHECK_EQ(shell("cd %s && rm trace/link && tar --format=ustar -cf %s other trace", dir,
		       file),
		 0);
	expect_same(file);
	make_scratch_remove(dir);
}

/* Opens the file with @bytes at @at replaced; it must be refused with a sentence that has @why in it. */
static void expect_refused(off_t at, const char *bytes, size_t length, const char *why)
{
	struct lkst_trace *t = NULL;
	char was[512];
	int fd = open(file, O_RDWR | O_CLOEXEC), code;

	if (fd < 0 || pread(fd, was, length, at) != (ssize_t)length ||
	    pwrite(fd, bytes, length, at) != (ssize_t)length)
		abort();
	code = lkst_trace_open(&err, file, &t);
	lkst_trace_close(t);
	if (code >= 0)
		snprintf(err.text, sizeof(err.text), "it was taken, in place of: %s", why);
	CHECK_STR(code < 0 ? "" : err.text, "");
	CHECK(strstr(err.text, why));
	if (pwrite(fd, was, length, at) != (ssize_t)length)
		abort();
	close(fd);
}

/* Streams that are compressed, as in a bundle, are unpacked. */
TEST(compressed_streams_in_it_are_read)
{
	const atomic_bool never = false;
	char want[1024], got[1024];
	int fd;

	make();
	list(path, want, sizeof(want));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_EQ(lkst_zst_pack(&err, NULL, fd, "main.0", &never), 0);
	CHECK_EQ(lkst_zst_pack(&err, NULL, fd, "main.1", &never), 0);
	CHECK_EQ(lkst_zst_pack(&err, NULL, fd, "state", &never), 0);
	close(fd);
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	list(file, got, sizeof(got));
	CHECK_STR(got, want);
	CHECK(strstr(want, "sched_switch 0 1200 "));
	make_scratch_remove(dir);
}

/* Files before the trace, as in a bundle, are none of its streams; those of any name are listed. */
TEST(other_files_in_it_are_listed_and_left_alone)
{
	static const struct lkst_pack_text texts[] = {
		{ "bundle/about", "bundle: 1\n", 10 },
		{ "../../other", "", 0 },
	};
	struct lkst_pack pack = {};
	char bytes[10];
	int fd;

	make();
	CHECK_EQ(lkst_pack_write_with(&err, NULL, texts, 2, 1000, path, file), 0);
	expect_same(file);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	CHECK_EQ(lkst_pack_list_files(&err, fd, &pack), 0);
	CHECK_EQ(pack.nr, 7);
	CHECK_STR(pack.entries[0].name, "bundle/about");
	CHECK_EQ(pack.entries[0].size, 10);
	CHECK_EQ(pread(fd, bytes, 10, (off_t)pack.entries[0].offset), 10);
	CHECK(!memcmp(bytes, "bundle: 1\n", 10));
	CHECK(lkst_pack_find(&pack, "../../other"));
	CHECK(lkst_pack_find(&pack, "trace/metadata"));
	lkst_pack_fini(&pack);
	close(fd);
	CHECK_EQ(shell("tar tf %s >%s/listed", file, dir), 0);
	/* What is taken out of it may be read by those who may read it. */
	CHECK_EQ(shell("test $(tar tvf %s | cut -c1-10 | sort -u) = $(stat -c %%A %s)", file, file), 0);
	make_scratch_remove(dir);
}

TEST(damage_is_refused)
{
	struct stat st;

	make();
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	expect_refused(257, "x", 1, "neither a trace directory nor");
	expect_refused(0, "x", 1, "neither a trace directory nor"); /* the sum */
	expect_refused(124, "77777777777", 11, "neither a trace directory nor");
	CHECK(!stat(file, &st));
	CHECK(!truncate(file, st.st_size - 1024));
	expect_refused(0, "t", 1, "it is cut short");
	CHECK(!truncate(file, 4096));
	expect_refused(0, "t", 1, "it is cut short");
	CHECK(!truncate(file, 100));
	expect_refused(0, "t", 1, "neither a trace directory nor");
	CHECK(!truncate(file, 0));
	CHECK(!truncate(file, 4096));
	expect_refused(0, "", 1, "no file called metadata");
	make_scratch_remove(dir);
}

TEST(what_cannot_be_written_leaves_no_file)
{
	make();
	CHECK(lkst_pack_write(&err, NULL, "/no/such/directory", file) < 0);
	CHECK(access(file, F_OK));
	CHECK(lkst_pack_write(&err, NULL, path, "/no/such/directory/file") < 0);
	make_scratch_remove(dir);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(a_packed_trace_reads_as_the_directory_does),
	ROW(tar_takes_it_apart_and_what_tar_makes_is_read),
	ROW(compressed_streams_in_it_are_read),
	ROW(other_files_in_it_are_listed_and_left_alone),
	ROW(damage_is_refused),
	ROW(what_cannot_be_written_leaves_no_file),
};
UNIT_MAIN(tests)
