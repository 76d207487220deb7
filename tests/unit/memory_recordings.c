/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Files in memory are sorted by recording as directories on the disk are, whatever their names and order.
 */
#include "hosts/memory_recordings.h"

#include "lib/in_memory.h"
#include "lib/make_hosts.h"
#include "lib/unit.h"
#include "trace/format/pack.h"

static const char text[] = "sched_switch cpu=0 ns=1000 next_tid=1\n"
			   "sched_switch cpu=1 ns=1200 next_tid=3\n";

static char scratch[64];
static struct lkst_err err;
static struct in_memory files;
static struct lkst_memory_recordings found;

/* Adds the files of host @name, which is made, in directory @prefix. */
static void add_host(const char *name, const char *prefix)
{
	char dir[160];

	snprintf(dir, sizeof(dir), "%s/%s", scratch, name);
	if (access(dir, F_OK))
		make_host(scratch, name, 0, 0, text);
	in_memory_add(&files, dir, prefix);
}

static void add_text(const char *name, const char *bytes)
{
	files.files[files.nr++] = (struct lkst_memory_file){ strdup(name), strdup(bytes), strlen(bytes) };
}

static void end(void)
{
	lkst_memory_recordings_fini(&found);
	in_memory_fini(&files);
	make_scratch_remove(scratch);
}

static bool is_of(const struct lkst_memory_recording *one, const char *prefix)
{
	unsigned int i;

	for (i = 0; i < one->nr && !strncmp(one->files[i].name, prefix, strlen(prefix)); i++)
		;
	return one->nr && i == one->nr;
}

/* Each is its host's, and opens; what is of none is left out. */
TEST(memory_recordings_are_those_of_directories)
{
	struct lkst_trace *t = NULL;
	unsigned int i;

	make_scratch(scratch);
	add_host("web1", "a/");
	add_text("words", "nothing of a trace");
	add_text("b/words", "");
	add_host("db1", "b/");
	CHECK_EQ(lkst_memory_recordings_find(&err, files.files, files.nr, &found), 0);
	CHECK_EQ(found.nr, 2);
	CHECK(is_of(&found.list[0], "a/"));
	CHECK(is_of(&found.list[1], "b/"));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(lkst_trace_open_memory(&err, found.list[i].files, found.list[i].nr, &t), 0);
		CHECK_STR(lkst_trace_catalog(t)->hostname, i ? "db1" : "web1");
		lkst_trace_close(t);
	}
	end();
}

/* Two directories of one recording are its parts. */
TEST(memory_recordings_have_their_parts)
{
	make_scratch(scratch);
	add_host("web1", "1/");
	add_host("db1", "x/");
	add_host("web1", "2/");
	CHECK_EQ(lkst_memory_recordings_find(&err, files.files, files.nr, &found), 0);
	CHECK_EQ(found.nr, 2);
	CHECK_EQ(found.list[0].nr, 2 * found.list[1].nr);
	CHECK(is_of(&found.list[1], "x/"));
	end();
}

/* A trace in one file beside others; its metadata are looked for in it. */
TEST(memory_recordings_are_in_archives)
{
	struct lkst_trace *t = NULL;
	char dir[160], file[160];
	size_t length;
	char *bytes;

	make_scratch(scratch);
	make_host(scratch, "db1", 0, 0, text);
	snprintf(dir, sizeof(dir), "%s/db1", scratch);
	snprintf(file, sizeof(file), "%s/db1.tar", scratch);
	CHECK_EQ(lkst_pack_write(&err, NULL, dir, file), 0);
	bytes = make_read(scratch, "db1.tar", &length);
	add_host("web1", "");
	files.files[files.nr++] = (struct lkst_memory_file){ strdup("db1.tar"), bytes, length };
	CHECK_EQ(lkst_memory_recordings_find(&err, files.files, files.nr, &found), 0);
	CHECK_EQ(found.nr, 2);
	CHECK_EQ(found.list[1].nr, 1);
	CHECK_EQ(lkst_trace_open_memory(&err, found.list[1].files, 1, &t), 0);
	CHECK_STR(lkst_trace_catalog(t)->hostname, "db1");
	lkst_trace_close(t);
	end();
}

/* A list that has a file twice, and metadata of nothing. */
TEST(memory_recordings_take_nothing_twice)
{
	unsigned int nr;

	make_scratch(scratch);
	add_host("web1", "a/");
	nr = files.nr;
	add_host("web1", "a/");
	add_text("c/metadata", "uuid = \"01234567-89ab-cdef-0123-456789abcde\"");
	add_text("d/metadata", "uuid = \"");
	add_text("e/metadata", "");
	CHECK_EQ(lkst_memory_recordings_find(&err, files.files, files.nr, &found), 0);
	CHECK_EQ(found.nr, 1);
	CHECK_EQ(found.list[0].nr, 2 * nr);
	end();
}

/* As many as hosts can be read together, and one more. */
TEST(memory_recordings_are_bounded)
{
	static struct lkst_memory_file many[LKST_HOSTS_MAX + 1];
	static char names[LKST_HOSTS_MAX + 1][24], texts[LKST_HOSTS_MAX + 1][64];
	unsigned int i;

	for (i = 0; i <= LKST_HOSTS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%u/metadata", i);
		snprintf(texts[i], sizeof(texts[i]), "uuid = \"%032x\"", i);
		many[i] = (struct lkst_memory_file){ names[i], texts[i], strlen(texts[i]) };
	}
	CHECK_EQ(lkst_memory_recordings_find(&err, many, LKST_HOSTS_MAX, &found), 0);
	CHECK_EQ(found.nr, LKST_HOSTS_MAX);
	lkst_memory_recordings_fini(&found);
	CHECK_EQ(lkst_memory_recordings_find(&err, many, LKST_HOSTS_MAX + 1, &found), -E2BIG);
	CHECK_EQ(found.nr, 0);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(memory_recordings_are_those_of_directories),
	ROW(memory_recordings_have_their_parts),
	ROW(memory_recordings_are_in_archives),
	ROW(memory_recordings_take_nothing_twice),
	ROW(memory_recordings_are_bounded),
};

UNIT_MAIN(tests)
