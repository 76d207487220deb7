/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The ends of parts: each part but the last says that the recording goes on, so that one that is missing is noticed,
 * and what is read together fits together.
 */
#include "ends.h"
#include "trace/read/ends.h"
#include "trace/write/cut.h"

/* Makes the parts of @texts in @dir, whose blocks' numbers go on. */
static void make_parts(const char *const *texts, unsigned int nr)
{
	u64 seq[MAKE_STREAMS_MAX] = {}, state_seq = 0;
	unsigned int i, k;

	make_scratch(dir);
	for (i = 0; i < nr; i++) {
		struct make_trace *t;

		snprintf(path, sizeof(path), "%s/%u", dir, i);
		t = make_begin(path, make_catalog_for(true), 4096);
		lkst_writer_set_state_number(t->writer, state_seq);
		for (k = 0; k < 2; k++)
			make_stream(t, lkst_stream_instance(k, 0, 0))->seq = seq[k];
		if (make_text(t, texts[i]))
			abort();
		for (k = 0; k < 2; k++)
			seq[k] = make_stream(t, lkst_stream_instance(k, 0, 0))->seq;
		state_seq = lkst_writer_state_number(t->writer);
		if (make_end(t))
			abort();
	}
}

#define PART1                                                                                      \
	"state_cpu ns=1 state_cpu=0 online=1\n"                                                    \
	"sched_switch cpu=0 tid=0 ns=100 next_tid=5\n!block cpu=0\n"                               \
	"sched_switch cpu=0 tid=5 ns=200 next_tid=0\n"                                             \
	"sched_switch cpu=1 tid=0 ns=110 next_tid=7\n"                                             \
	"!claim cpu=0 covered=230\n!claim cpu=1 covered=250\n"                                     \
	"!claim cpu=0 buffer=1 covered=240\n"
/* As it is written, and as it was when parts did not say that the recording goes on. */
static const char part1[] = PART1 "!end ns=250 how=4\n";
static const char old_part1[] = PART1 "!end ns=250\n";
#define PART2                                                                                      \
	"state_cpu ns=251 state_cpu=0 online=1\n"                                                  \
	"sched_switch cpu=0 tid=0 ns=300 next_tid=6\n!block cpu=0\n"                               \
	"sched_switch cpu=0 tid=6 ns=400 next_tid=0\n"                                             \
	"sched_switch cpu=1 tid=7 ns=500 next_tid=0\n"

#define LAST_PART PART2 COVERED "!end ns=600\n"

TEST(ends_of_parts_fit_together)
{
	const char *const parts[] = { part1, LAST_PART };

	make_parts(parts, 2);
	CHECK_EQ(ending_of(dir), LKST_TRACE_COMPLETE);
	CHECK(!lacks_part(dir));
	CHECK_STR(gaps_of(dir), "");
	CHECK_STR(cpu_of(dir, 0), "5:100-200 0:200-300 6:300-400 0:400-500");
	/* One of them alone. */
	CHECK_EQ(ending_of(path), LKST_TRACE_COMPLETE);
	CHECK_STR(gaps_of(path), "");
	make_scratch_remove(dir);
}

TEST(ends_of_parts_that_do_not_say_that_they_go_on)
{
	const char *const parts[] = { old_part1, LAST_PART };

	make_parts(parts, 2);
	CHECK_EQ(ending_of(dir), LKST_TRACE_COMPLETE);
	CHECK(!lacks_part(dir));
	CHECK_STR(gaps_of(dir), "");
	CHECK_STR(cpu_of(dir, 0), "5:100-200 0:200-300 6:300-400 0:400-500");
	make_scratch_remove(dir);
}

TEST(ends_of_one_part_alone_are_no_gaps)
{
	make(part1);
	CHECK_EQ(ending_of(path), LKST_TRACE_GOES_ON);
	CHECK(!lacks_part(path));
	CHECK_STR(gaps_of(path), "");
	CHECK_STR(cpu_of(path, 0), "5:100-200");
	CHECK_STR(cpu_of(path, 1), "0:100-110 7:110-200");
	make_scratch_remove(dir);
}

#define NEXT_PART_MISSING                                                                          \
	"0.0:230-250 0 the next part is missing: what came later is not known; "                    \
	"0.1:240-250 0 the next part is missing: what came later is not known; "                    \
	"1.0:250-250 0 the next part is missing: what came later is not known; "

TEST(ends_of_parts_show_that_the_last_one_is_missing)
{
	const char *const parts[] = { part1 };

	/* The first one of a directory. */
	make_parts(parts, 1);
	CHECK_EQ(ending_of(dir), LKST_TRACE_GOES_ON);
	CHECK(lacks_part(dir));
	CHECK_STR(gaps_of(dir), NEXT_PART_MISSING);
	CHECK_STR(cpu_of(dir, 0), "5:100-200 0:200-230 ?:230-250");
	CHECK_STR(thread_of(dir, 7), "W100-110 R110-250@1");
	CHECK(!lacks_part(path));
	make_scratch_remove(dir);
}

/* A recorder that was killed when it began a part had copied some records to it, or nothing, and no state. */
TEST(ends_of_parts_show_that_the_last_one_has_no_state)
{
	const char *const parts[] = { part1, LAST_PART };

	make_parts(parts, 2);
	CHECK_EQ(unlink(file("state")), 0);
	CHECK(lacks_part(dir));
	CHECK_STR(gaps_of(dir),
		  "0.1:240-500 0 the next part is missing: what came later is not known; "
		  "0.0:400-500 0 the next part is missing: what came later is not known; "
		  "1.0:500-500 0 the next part is missing: what came later is not known; ");
	CHECK_STR(cpu_of(dir, 0), "5:100-200 0:200-300 6:300-400 ?:400-500");
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_EQ(unlink(file("main.1")), 0);
	CHECK(lacks_part(dir));
	CHECK_STR(gaps_of(dir), NEXT_PART_MISSING);
	make_scratch_remove(dir);
}

/* Removes the part that was made last. */
static void remove_last_part(void)
{
	CHECK_EQ(unlink(file("state")), 0);
	CHECK_EQ(unlink(file("metadata")), 0);
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_EQ(unlink(file("main.1")), 0);
	CHECK_EQ(rmdir(path), 0);
}

TEST(ends_of_parts_show_that_one_between_is_missing)
{
	const char *const three[] = { part1, PART2 COVERED "!end ns=600 how=4\n",
				      "sched_switch cpu=0 tid=0 ns=700 next_tid=8\n"
				      "!claim cpu=0 covered=800\n!claim cpu=1 covered=800\n"
				      "!end ns=800\n" };
	char *paths[2], first[128], last[128];
	struct lkst_trace *t;

	make_parts(three, 3);
	CHECK(!lacks_part(dir));
	snprintf(first, sizeof(first), "%s/0", dir);
	snprintf(last, sizeof(last), "%s/2", dir);
	paths[0] = last;
	paths[1] = first;
	/* Both are named, in any order. */
	CHECK_EQ(lkst_trace_open_parts(&err, paths, 2, &t), 0);
	CHECK(lkst_trace_lacks_part(t));
	CHECK_EQ(lkst_trace_ending(t), LKST_TRACE_COMPLETE);
	lkst_trace_close(t);
	snprintf(path, sizeof(path), "%s/1", dir);
	remove_last_part();
	CHECK(lacks_part(dir));
	CHECK_STR(gaps_of(dir), "0.65535:250-800 1 blocks are missing; 0.0:200-700 2 blocks are missing; ");
	CHECK_STR(cpu_of(dir, 0), "5:100-200 ?:200-700");
	make_scratch_remove(dir);
}

/* A damaged block is one that is there. */
TEST(ends_of_parts_lack_none_for_a_damaged_block)
{
	static char long_part[16384];
	const char *const parts[] = { part1, long_part };
	size_t length;
	unsigned int i;
	char *bytes;

	long_part[0] = 0;
	for (i = 0; i < 200; i++)
		strcat(long_part, "state_cpu ns=251 state_cpu=1 online=1\n");
	strcat(long_part, LAST_PART);
	make_parts(parts, 2);
	bytes = make_read(path, "state", &length);
	CHECK(length >= 2 * 4096);
	bytes[0] ^= 1;
	make_write(path, "state", bytes, length);
	CHECK_EQ(missing_blocks(dir), 0);
	CHECK(!lacks_part(dir));
	/* It is cut off in place of that. */
	make_write(path, "state", bytes + 4096, length - 4096);
	CHECK(lacks_part(dir));
	free(bytes);
	make_scratch_remove(dir);
}

TEST(ends_of_parts_that_are_cut_to_size_go_on)
{
	static const char *const names[] = { "metadata", "state", "main.0", "main.1" };
	char text[16384], out[96], last[192];
	unsigned int nr, i;
	struct lkst_trace *t;
	struct stat st;

	text[0] = 0;
	for (i = 0; i < 200; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "sched_switch cpu=%u tid=0 ns=%u next_tid=5\n!block cpu=%u\n", i % 2,
			 1000 + 10 * i, i % 2);
	strcat(text, "!claim cpu=0 covered=2000\n!claim cpu=1 covered=2000\n!end ns=2000\n");
	make(text);
	snprintf(out, sizeof(out), "%s/pieces", dir);
	/* Each piece has the metadata, and must hold twice of what each has. */
	CHECK_EQ(stat(file("metadata"), &st), 0);
	t = open_trace(path);
	CHECK_EQ(lkst_cut_size(&err, NULL, t, 0, UINT64_MAX, 2 * (u64)st.st_size + 65536, out, &nr), 0);
	lkst_trace_close(t);
	CHECK(nr >= 2);
	CHECK_EQ(ending_of(out), LKST_TRACE_COMPLETE);
	CHECK(!lacks_part(out));
	snprintf(last, sizeof(last), "%s/%06u", out, nr);
	CHECK_EQ(ending_of(last), LKST_TRACE_COMPLETE);
	snprintf(last, sizeof(last), "%s/%06u", out, nr - 1);
	CHECK_EQ(ending_of(last), LKST_TRACE_GOES_ON);
	CHECK_STR(gaps_of(last), "");
	/* A trace that is cut out of such a piece has no end either. */
	t = open_trace(last);
	snprintf(last, sizeof(last), "%s/again", dir);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 0, UINT64_MAX, last), 0);
	lkst_trace_close(t);
	CHECK_EQ(ending_of(last), LKST_TRACE_GOES_ON);
	snprintf(path, sizeof(path), "%s/%06u", out, nr);
	for (i = 0; i < 4; i++)
		unlink(file(names[i]));
	CHECK_EQ(rmdir(path), 0);
	CHECK(lacks_part(out));
	make_scratch_remove(dir);
}

TEST(ends_of_parts_lack_the_last_one_of_a_killed_recorder)
{
	const char *const parts[] = { part1, PART2 };

	make_parts(parts, 2);
	CHECK_EQ(ending_of(dir), LKST_TRACE_UNFINISHED);
	CHECK_STR(gaps_of(dir),
		  "0.1:240-500 0 there is no end mark: what came later is not known; "
		  "0.0:400-500 0 there is no end mark: what came later is not known; ");
	CHECK_STR(cpu_of(dir, 0), "5:100-200 0:200-300 6:300-400 ?:400-500");
	make_scratch_remove(dir);
}

TEST(ends_of_parts_show_what_the_last_one_lacks)
{
	const char *const parts[] = { part1, PART2 COVERED "!end ns=600\n" };

	make_parts(parts, 2);
	CHECK_EQ(truncate(file("main.0"), 4096), 0);
	CHECK_STR(gaps_of(dir), "0.0:300-600 1 the end of the stream is missing; ");
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_STR(gaps_of(dir), "0.0:200-600 2 the end of the stream is missing; ");
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "ends_of_parts_fit_together", test_ends_of_parts_fit_together },
	{ "ends_of_parts_that_do_not_say_that_they_go_on",
	  test_ends_of_parts_that_do_not_say_that_they_go_on },
	{ "ends_of_one_part_alone_are_no_gaps", test_ends_of_one_part_alone_are_no_gaps },
	{ "ends_of_parts_show_that_the_last_one_is_missing",
	  test_ends_of_parts_show_that_the_last_one_is_missing },
	{ "ends_of_parts_show_that_the_last_one_has_no_state",
	  test_ends_of_parts_show_that_the_last_one_has_no_state },
	{ "ends_of_parts_show_that_one_between_is_missing",
	  test_ends_of_parts_show_that_one_between_is_missing },
	{ "ends_of_parts_lack_none_for_a_damaged_block",
	  test_ends_of_parts_lack_none_for_a_damaged_block },
	{ "ends_of_parts_that_are_cut_to_size_go_on", test_ends_of_parts_that_are_cut_to_size_go_on },
	{ "ends_of_parts_lack_the_last_one_of_a_killed_recorder",
	  test_ends_of_parts_lack_the_last_one_of_a_killed_recorder },
	{ "ends_of_parts_show_what_the_last_one_lacks",
	  test_ends_of_parts_show_what_the_last_one_lacks },
};
UNIT_MAIN(tests)
