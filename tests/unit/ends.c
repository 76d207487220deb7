/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The end of a trace: what is missing is a gap as far as the end marks say, and a stream without a mark is
 * known to its last record. No analysis invents time there.
 */
#include "ends.h"
#include "trace/read/ends.h"
#include "trace/write/cut.h"

/* CPU 0 has four blocks of one switch each, CPU 1 one block. */
#define SWITCHES                                                                                   \
	"sched_switch cpu=0 tid=0 ns=100 next_tid=5\n!block cpu=0\n"                               \
	"sched_switch cpu=0 tid=5 ns=200 next_tid=6 prev_state=1\n!block cpu=0\n"                  \
	"sched_switch cpu=0 tid=6 ns=300 next_tid=0 prev_state=1\n!block cpu=0\n"                  \
	"sched_switch cpu=0 tid=0 ns=400 next_tid=5\n"                                             \
	"sched_switch cpu=1 tid=0 ns=110 next_tid=7\n"                                             \
	"sched_switch cpu=1 tid=7 ns=500 next_tid=0 prev_state=1\n"
static const char closed[] = SWITCHES COVERED "!end ns=600\n";
static const char unclosed[] = SWITCHES "!open\n";

TEST(ends_of_a_whole_trace_are_no_gaps)
{
	make(closed);
	CHECK_STR(gaps_of(path), "");
	CHECK_EQ(ending_of(path), LKST_TRACE_COMPLETE);
	CHECK_EQ(missing_blocks(path), 0);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 5:400-500");
	make_scratch_remove(dir);
}

TEST(ends_show_a_stream_that_is_missing)
{
	make(closed);
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_STR(gaps_of(path), "0.0:100-600 4 the stream is missing; ");
	CHECK_EQ(missing_blocks(path), 4);
	CHECK_STR(cpu_of(path, 0), "?:110-600");
	CHECK_STR(cpu_of(path, 1), "7:110-500 0:500-600");
	make_scratch_remove(dir);
}

TEST(ends_take_what_is_no_file_for_missing)
{
	make(closed);
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_EQ(mkfifo(file("main.0"), 0600), 0);
	CHECK_STR(gaps_of(path), "0.0:100-600 4 the stream is missing; ");
	CHECK_EQ(unlink(file("main.0")), 0);
	CHECK_EQ(symlink("/dev/zero", file("main.0")), 0);
	CHECK_STR(gaps_of(path), "0.0:100-600 4 the stream is missing; ");
	CHECK_EQ(unlink(file("main.0")), 0);
	make_write(path, "main.0", "", 0);
	CHECK_STR(gaps_of(path), "0.0:100-600 4 the stream is missing; ");
	make_scratch_remove(dir);
}

TEST(ends_show_how_much_of_a_stream_is_cut_off)
{
	make(closed);
	CHECK_EQ(truncate(file("main.0"), 2 * 4096), 0);
	CHECK_STR(gaps_of(path), "0.0:200-600 2 the end of the stream is missing; ");
	CHECK_EQ(missing_blocks(path), 2);
	CHECK_STR(cpu_of(path, 0), "5:100-200 ?:200-600");
	/* It was blocked, and CPU 0 may have woken it. */
	CHECK_STR(thread_of(path, 5), "R100-200@0 U200-600");
	make_scratch_remove(dir);
}

TEST(ends_show_a_stream_that_is_cut_within_a_block)
{
	make(closed);
	CHECK_EQ(truncate(file("main.0"), 2 * 4096 + 100), 0);
	/* One block is damaged and one is missing. */
	CHECK_STR(gaps_of(path), "0.0:200-600 1 blocks cannot be read; "
				 "0.0:200-600 1 the end of the stream is missing; ");
	CHECK_EQ(missing_blocks(path), 1);
	CHECK_STR(cpu_of(path, 0), "5:100-200 ?:200-600");
	make_scratch_remove(dir);
}

TEST(ends_show_a_beginning_that_is_cut_off)
{
	size_t length;
	char *bytes;

	make(closed);
	bytes = make_read(path, "main.0", &length);
	make_write(path, "main.0", bytes + 2 * 4096, length - 2 * 4096);
	free(bytes);
	CHECK_STR(gaps_of(path), "0.0:100-300 2 the beginning of the stream is missing; ");
	make_scratch_remove(dir);
}

TEST(ends_of_a_killed_recorder_are_its_last_records)
{
	make(unclosed);
	CHECK_EQ(ending_of(path), LKST_TRACE_UNFINISHED);
	CHECK_STR(gaps_of(path),
		  "0.0:400-500 0 there is no end mark: what came later is not known; ");
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 ?:400-500");
	CHECK_STR(thread_of(path, 6), "W100-200 R200-300@0 B300-400 U400-500");
	make_scratch_remove(dir);
}

TEST(ends_of_a_killed_recorder_have_cpus_without_a_block)
{
	make("state_cpu ns=1 state_cpu=0 online=1\nstate_cpu ns=1 state_cpu=1 online=1\n"
	     "state_cpu ns=1 state_cpu=2 online=0\n"
	     "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
	     "sched_switch cpu=0 tid=5 ns=200 next_tid=0\n!open\n");
	/* It is not known either what the life buffers had. */
	CHECK_STR(gaps_of(path),
		  "1.0:100-200 0 there is no end mark: what came later is not known; "
		  "0.1:100-200 0 there is no end mark: what came later is not known; "
		  "1.1:100-200 0 there is no end mark: what came later is not known; ");
	make_scratch_remove(dir);
	/* Closed, it has had nothing to record. */
	make("state_cpu ns=1 state_cpu=0 online=1\nstate_cpu ns=1 state_cpu=1 online=1\n"
	     "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n!end ns=200\n");
	CHECK_STR(gaps_of(path), "");
	make_scratch_remove(dir);
}

TEST(ends_are_lost_with_the_state_stream)
{
	struct stat st;

	make("state_cpu ns=1 state_cpu=0 online=1\n" SWITCHES COVERED "!end ns=600\n");
	CHECK_EQ(stat(file("state"), &st), 0);
	CHECK_EQ(truncate(file("state"), st.st_size - 1), 0);
	CHECK_EQ(ending_of(path), LKST_TRACE_UNFINISHED);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 ?:400-500");
	CHECK_EQ(unlink(file("state")), 0);
	CHECK_EQ(ending_of(path), LKST_TRACE_UNFINISHED);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 ?:400-500");
	make_scratch_remove(dir);
}

/* No block may have such a time, and who draws it would have no place for it. */
TEST(ends_after_all_time_are_none)
{
	make(SWITCHES COVERED "!claim cpu=2 covered=0xfffffffffffffffe left=1\n"
			      "state_end ns=600 ended=0xfffffffffffffffe\n!end ns=600\n");
	CHECK_STR(gaps_of(path), "");
	CHECK_EQ(ending_of(path), LKST_TRACE_COMPLETE);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 5:400-500");
	make_scratch_remove(dir);
}

TEST(ends_say_what_a_full_disk_left_out)
{
	make(SWITCHES "!claim cpu=0 covered=450 left=3\n!claim cpu=1 covered=700\n"
		      "!claim cpu=2 covered=150 left=1\n!end ns=700 how=1\n");
	CHECK_EQ(ending_of(path), LKST_TRACE_DISK_FULL);
	CHECK_STR(gaps_of(path), "2.0:150-700 1 the disk was full: blocks could not be written; "
				 "0.0:450-700 3 the disk was full: blocks could not be written; ");
	CHECK_EQ(missing_blocks(path), 4);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 5:400-450 ?:450-700");
	make_scratch_remove(dir);
}

TEST(ends_that_no_program_wrote_are_no_gaps)
{
	make(SWITCHES);
	CHECK_EQ(ending_of(path), LKST_TRACE_UNPROVEN);
	CHECK_STR(gaps_of(path), "");
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 5:400-500");
	make_scratch_remove(dir);
}

TEST(ends_of_cpus_differ_where_they_were_copied_one_by_one)
{
	/* CPU 0 was copied at 420 and may have done anything since. */
	make(SWITCHES "state_thread ns=1 thread_tid=9 state=1 comm=still\n"
		      "!claim cpu=0 covered=420\n!claim cpu=1 covered=600\n!end ns=600\n");
	CHECK_STR(gaps_of(path), "");
	CHECK_EQ(ending_of(path), LKST_TRACE_COMPLETE);
	CHECK_STR(cpu_of(path, 0), "5:100-200 6:200-300 0:300-400 5:400-420 ?:420-500");
	CHECK_STR(cpu_of(path, 1), "0:100-110 7:110-500");
	CHECK_STR(thread_of(path, 5), "R100-200@0 U200-400 R400-420@0 U420-500");
	CHECK_STR(thread_of(path, 6), "W100-200 R200-300@0 B300-420 U420-500");
	CHECK_STR(thread_of(path, 9), "B100-420 U420-500");
	make_scratch_remove(dir);
}

/* ---- pieces -------------------------------------------------------------------------- */

TEST(ends_stay_in_pieces_that_are_cut)
{
	struct lkst_trace *t;
	char out[128];

	make(closed);
	CHECK_EQ(truncate(file("main.0"), 2 * 4096), 0);
	snprintf(out, sizeof(out), "%s/all", dir);
	t = open_trace(path);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 0, UINT64_MAX, out), 0);
	CHECK_STR(gaps_of(out), "0.0:200-600 2 the end of the stream is missing; ");
	CHECK_EQ(ending_of(out), LKST_TRACE_COMPLETE);
	/* Nothing comes before the missing part. */
	snprintf(out, sizeof(out), "%s/early", dir);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 0, 150, out), 0);
	CHECK_STR(gaps_of(out), "");
	CHECK_EQ(ending_of(out), LKST_TRACE_COMPLETE);
	lkst_trace_close(t);
	make_scratch_remove(dir);

	make(unclosed);
	snprintf(out, sizeof(out), "%s/all", dir);
	t = open_trace(path);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 0, UINT64_MAX, out), 0);
	CHECK_EQ(ending_of(out), LKST_TRACE_UNPROVEN);
	CHECK_STR(cpu_of(out, 0), "5:100-200 6:200-300 0:300-400 ?:400-500");
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

/* ---- whatever is cut off ------------------------------------------------------------ */

/* Adds up how long threads other than the idle ones ran. */
static int add_busy(void *ctx, const struct lkst_cpu_interval *i)
{
	u64 *busy_ns = ctx;

	if (i->life && i->life->idle_cpu < 0)
		*busy_ns += i->to_ns - i->from_ns;
	return 0;
}

static u64 busy_of(const char *what)
{
	static const struct lkst_model_calls calls = { .cpu = add_busy };
	struct lkst_trace *t = open_trace(what);
	u64 busy_ns = 0;
	struct lkst_feed *f;
	struct lkst_model *s;

	if (lkst_feed_new(&err, t, &f) || lkst_model_new(&err, f, &s) ||
	    lkst_model_subscribe(s, &calls, &busy_ns) < 0 || lkst_feed_run(&err, f))
		abort();
	lkst_model_free(s);
	lkst_feed_free(f);
	lkst_trace_close(t);
	return busy_ns;
}

TEST(ends_never_invent_busy_time)
{
	static const char *const names[] = { "main.0", "main.1", "state" };
	struct stat st;
	unsigned int i;
	u64 truth;
	off_t at;

	make(closed);
	truth = busy_of(path);
	CHECK_EQ(truth, 100 + 100 + 100 + 390);
	make_scratch_remove(dir);
	for (i = 0; i < 3; i++)
		for (at = 0; at < 4 * 4096; at += 512) {
			make(closed);
			CHECK_EQ(stat(file(names[i]), &st), 0);
			if (at < st.st_size) {
				CHECK_EQ(truncate(file(names[i]), at), 0);
				CHECK(busy_of(path) <= truth);
				CHECK(ending_of(path) == LKST_TRACE_UNFINISHED || gaps_of(path)[0]);
			}
			make_scratch_remove(dir);
		}
}

static const struct unit_test tests[] = {
	{ "ends_of_a_whole_trace_are_no_gaps", test_ends_of_a_whole_trace_are_no_gaps },
	{ "ends_show_a_stream_that_is_missing", test_ends_show_a_stream_that_is_missing },
	{ "ends_take_what_is_no_file_for_missing", test_ends_take_what_is_no_file_for_missing },
	{ "ends_show_how_much_of_a_stream_is_cut_off", test_ends_show_how_much_of_a_stream_is_cut_off },
	{ "ends_show_a_stream_that_is_cut_within_a_block",
	  test_ends_show_a_stream_that_is_cut_within_a_block },
	{ "ends_show_a_beginning_that_is_cut_off", test_ends_show_a_beginning_that_is_cut_off },
	{ "ends_of_a_killed_recorder_are_its_last_records",
	  test_ends_of_a_killed_recorder_are_its_last_records },
	{ "ends_of_a_killed_recorder_have_cpus_without_a_block",
	  test_ends_of_a_killed_recorder_have_cpus_without_a_block },
	{ "ends_are_lost_with_the_state_stream", test_ends_are_lost_with_the_state_stream },
	{ "ends_after_all_time_are_none", test_ends_after_all_time_are_none },
	{ "ends_say_what_a_full_disk_left_out", test_ends_say_what_a_full_disk_left_out },
	{ "ends_that_no_program_wrote_are_no_gaps", test_ends_that_no_program_wrote_are_no_gaps },
	{ "ends_of_cpus_differ_where_they_were_copied_one_by_one",
	  test_ends_of_cpus_differ_where_they_were_copied_one_by_one },
	{ "ends_stay_in_pieces_that_are_cut", test_ends_stay_in_pieces_that_are_cut },
	{ "ends_never_invent_busy_time", test_ends_never_invent_busy_time },
};
UNIT_MAIN(tests)
