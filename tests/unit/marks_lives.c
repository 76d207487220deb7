// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Whose threads were that have ended (src/marks/marks_lives.h): a mark is taken only for the process, and from the
 * user, whose the thread was when it marked; where that is not known it is not taken.
 */
#include "marks/marks_lives.h"

#include "lib/make_trace.h"
#include "lib/unit.h"

enum { ALICE = 12, BOB = 65534 };

static struct lkst_marks_lives *lives;

/* Has lives be those that @text records. */
static void record(const char *text)
{
	struct lkst_trace *t = NULL;
	struct lkst_err err;
	char dir[64], path[96];
	unsigned int s, i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/t", dir);
	lkst_marks_lives_free(lives);
	lives = lkst_marks_lives_new();
	if (!lives || make_trace(path, 4096, text) || lkst_trace_open(&err, path, &t))
		abort();
	for (s = 0; s < lkst_trace_nr_streams(t); s++)
		for (i = 0; i < lkst_trace_stream(t, s)->nr_blocks; i++) {
			struct lkst_block_cursor cursor;

			lkst_block_cursor_init(&cursor, lkst_trace_block(t, s, i));
			lkst_marks_lives_feed(lives, lkst_trace_catalog(t), &cursor);
		}
	lkst_trace_close(t);
	make_scratch_remove(path);
	make_scratch_remove(dir);
}

static u64 from, to;

/* Whether a mark of @tid at @ns is taken from the memory of @uid that is called as process @pid's. */
static bool is_taken(s32 tid, s32 pid, u32 uid, u64 ns)
{
	const struct lkst_marks_ended ended = { .tid = tid, .pid = pid, .uid = uid, .ns = ns };

	return lkst_marks_lives_was_of(lives, &ended, &from, &to);
}

static const char *const program =
	"sched_process_fork cpu=0 buffer=1 tid=4 ns=1000 child_tid=5 child_pid=5 parent_pid=4\n"
	"exec_args cpu=0 buffer=1 tid=5 ns=2000 uid=12 euid=12 args=run\n"
	"sched_process_fork cpu=1 buffer=1 tid=5 ns=3000 child_tid=6 child_pid=5 parent_pid=5\n"
	"sched_process_exit cpu=1 buffer=1 tid=6 ns=4000 exit_pid=5\n"
	"sched_process_exit cpu=0 buffer=1 tid=5 ns=5000 exit_pid=5\n";

TEST(a_thread_that_ended_is_its_process_and_its_users)
{
	record(program);
	CHECK(is_taken(5, 5, ALICE, 2500));
	CHECK(from == 1000 && to == 5000);
	CHECK(is_taken(6, 5, ALICE, 3500));
	CHECK(from == 3000 && to == 4000);
	/* Of another user, or called as another process. */
	CHECK(!is_taken(5, 5, BOB, 2500) && !is_taken(6, 5, BOB, 3500));
	CHECK(!is_taken(6, 6, ALICE, 3500) && !is_taken(5, 77, BOB, 2500));
	/* When it did not live. */
	CHECK(!is_taken(5, 5, ALICE, 5001) && !is_taken(6, 5, ALICE, 2999));
	CHECK(!is_taken(8, 5, ALICE, 2500));
}

/* Two lives of one number: each is its own. */
TEST(a_number_that_is_given_again_is_another_thread)
{
	record("exec_args cpu=0 buffer=1 tid=5 ns=500 uid=65534 euid=65534 args=before\n"
	       "sched_process_exit cpu=0 buffer=1 tid=5 ns=900 exit_pid=5\n"
	       "sched_process_fork cpu=0 buffer=1 tid=4 ns=1000 child_tid=5 child_pid=5 parent_pid=4\n"
	       "exec_args cpu=0 buffer=1 tid=5 ns=2000 uid=12 euid=12 args=run\n"
	       "sched_process_exit cpu=0 buffer=1 tid=5 ns=5000 exit_pid=5\n"
	       "sched_process_fork cpu=0 buffer=1 tid=4 ns=6000 child_tid=5 child_pid=9 parent_pid=9\n"
	       "sched_process_exit cpu=0 buffer=1 tid=5 ns=7000 exit_pid=9\n");
	CHECK(is_taken(5, 5, BOB, 800) && to == 900);
	CHECK(!is_taken(5, 5, ALICE, 800));
	CHECK(is_taken(5, 5, ALICE, 3000) && !is_taken(5, 5, BOB, 3000));
	CHECK(!is_taken(5, 5, ALICE, 6500) && !is_taken(5, 5, ALICE, 950));
}

/* A child runs as its parent did, and a program that root begins may be of any user's later: that is not known. */
TEST(who_runs_a_program_is_known_from_its_beginning)
{
	record("exec_args cpu=0 buffer=1 tid=4 ns=500 uid=12 euid=12 args=shell\n"
	       "sched_process_fork cpu=0 buffer=1 tid=4 ns=1000 child_tid=5 child_pid=5 parent_pid=4\n"
	       "sched_process_fork cpu=0 buffer=1 tid=5 ns=1100 child_tid=6 child_pid=6 parent_pid=5\n"
	       "sched_process_exit cpu=0 buffer=1 tid=6 ns=2000 exit_pid=6\n"
	       "exec_args cpu=0 buffer=1 tid=7 ns=3000 uid=0 euid=0 args=daemon\n"
	       "sched_process_exit cpu=0 buffer=1 tid=7 ns=4000 exit_pid=7\n"
	       "sched_process_exit cpu=0 buffer=1 tid=8 ns=4000 exit_pid=8\n");
	CHECK(is_taken(6, 6, ALICE, 1500) && !is_taken(6, 6, BOB, 1500));
	CHECK(!is_taken(7, 7, BOB, 3500));
	CHECK(!is_taken(8, 8, ALICE, 3500) && !is_taken(8, 8, BOB, 3500));
}

/* The rights of a program that has another user's count as well. */
TEST(either_user_of_a_program_counts)
{
	record("exec_args cpu=0 buffer=1 tid=5 ns=2000 uid=12 euid=65534 args=run\n"
	       "sched_process_exit cpu=0 buffer=1 tid=5 ns=5000 exit_pid=5\n");
	CHECK(is_taken(5, 5, ALICE, 3000) && is_taken(5, 5, BOB, 3000) && !is_taken(5, 5, 13, 3000));
}

/* What was seen of a process holds for that process, and not for the one that has its number then. */
TEST(what_was_seen_of_a_process_counts)
{
	struct lkst_marks_ended e = { .tid = 6, .pid = 5, .uid = BOB, .ns = 3500, .is_there = true };

	record("sched_process_exit cpu=0 buffer=1 tid=6 ns=4000 exit_pid=5\n");
	CHECK(lkst_marks_lives_was_of(lives, &e, &from, &to));
	e.pid = 7;
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
	/* The process that had the thread has ended: another one is there. */
	record(program);
	e.pid = 5;
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
	record("sched_process_exit cpu=0 buffer=1 tid=6 ns=4000 exit_pid=5\n"
	       "sched_process_fork cpu=0 buffer=1 tid=4 ns=6000 child_tid=5 child_pid=5 parent_pid=4\n");
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
	/* It has begun as root's, and was seen as the user's while it lived. */
	record("sched_process_fork cpu=0 buffer=1 tid=4 ns=1000 child_tid=5 child_pid=5 parent_pid=4\n"
	       "exec_args cpu=0 buffer=1 tid=5 ns=2000 uid=0 euid=0 args=daemon\n"
	       "sched_process_exit cpu=0 buffer=1 tid=5 ns=5000 exit_pid=5\n");
	e = (struct lkst_marks_ended){ .tid = 5, .pid = 5, .uid = BOB, .ns = 3500 };
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
	e.was_there_ns = 4500;
	CHECK(lkst_marks_lives_was_of(lives, &e, &from, &to));
	e.was_there_ns = 5500;
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
	e.was_there_ns = 500;
	CHECK(!lkst_marks_lives_was_of(lives, &e, &from, &to));
}

/* What is forgotten is not known, and nothing of it is mixed with what came to its place. */
TEST(old_lives_are_forgotten)
{
	enum { LIVES = 40000 };
	char *text = malloc((size_t)LIVES * 100), *at = text;
	u32 i, nr_known = 0;

	for (i = 1; i <= LIVES; i++)
		at += sprintf(at, "sched_process_exit cpu=0 buffer=1 tid=%u ns=%u exit_pid=99999\n", i, i * 10);
	record(text);
	free(text);
	for (i = 1; i <= LIVES; i++) {
		const struct lkst_marks_ended e = { (s32)i, 99999, ALICE, i * 10 - 1, true, 0 };
		const bool is_known = lkst_marks_lives_was_of(lives, &e, &from, &to);

		if (is_known ? to != i * 10 : i > LIVES - 1000)
			break;
		nr_known += is_known;
	}
	CHECK(nr_known >= 1000 && nr_known < LIVES);
	CHECK_EQ(i, LIVES + 1);
	lkst_marks_lives_free(lives);
	lives = NULL;
}

#define ROW(name) { #name, test_##name }
static const struct unit_test tests[] = {
	ROW(a_thread_that_ended_is_its_process_and_its_users),
	ROW(a_number_that_is_given_again_is_another_thread),
	ROW(who_runs_a_program_is_known_from_its_beginning),
	ROW(either_user_of_a_program_counts),
	ROW(what_was_seen_of_a_process_counts),
	ROW(old_lives_are_forgotten),
};
UNIT_MAIN(tests)
