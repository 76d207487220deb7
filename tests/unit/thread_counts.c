/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Switches of threads, compared with what the kernel has counted of each.
 */
#include "analyze/counters/compare_threads.h"

#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128];
/* Of the trace that was compared last: why not, "" if all of it was. */
static char why_not[96];

#define COUNT(tid, from, value)                                                                    \
	"state_counter ns=1 kind=16 counter_cpu=-1 number=" #tid " from=" #from " to=" #from        \
	" value=" #value " is_recorded=1 name=t" #tid "\n"
#define PAIR(tid, first, last) COUNT(tid, 100, first) COUNT(tid, 300, last)
#define SWITCH(tid, at) "sched_switch cpu=0 tid=" #tid " ns=" #at " next_tid=0\n"

/* Row @i of what the trace of @text says; how many there are in *@ret_nr. */
static struct lkst_thread_row compare(const char *text, unsigned int i, unsigned int *ret_nr,
				      u64 *ret_left_out)
{
	struct lkst_thread_row row = {};
	struct lkst_threads_check *c;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_record r;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, text) || lkst_trace_open(&err, path, &t) ||
	    lkst_threads_check_new(&err, t, &c) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) > 0)
		lkst_threads_check_feed(c, &r);
	lkst_threads_check_finish(c);
	*ret_nr = lkst_threads_check_nr(c);
	snprintf(why_not, sizeof(why_not), "%s", lkst_threads_check_why_not(c) ?: "");
	*ret_left_out = lkst_threads_check_left_out(c);
	if (i < *ret_nr)
		row = *lkst_threads_check_row(c, i);
	lkst_merge_free(m);
	lkst_threads_check_free(c);
	lkst_trace_close(t);
	make_scratch_remove(dir);
	return row;
}

TEST(threads_whose_records_never_appear_come_first)
{
	static const char text[] = PAIR(5, 7, 9) PAIR(6, 0, 30) PAIR(7, 0, 6) SWITCH(5, 200)
		SWITCH(7, 210) SWITCH(5, 220) SWITCH(7, 230);
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	row = compare(text, 0, &nr, &left_out);
	CHECK_EQ(nr, 3);
	CHECK_EQ(left_out, 0);
	CHECK_EQ(row.tid, 6);
	CHECK_STR(row.comm, "t6");
	CHECK_EQ(row.kernel, 30);
	CHECK_EQ(row.most, 0);
	CHECK_EQ(row.missing, 30);
	row = compare(text, 1, &nr, &left_out);
	CHECK_EQ(row.tid, 7);
	CHECK_EQ(row.missing, 4);
	row = compare(text, 2, &nr, &left_out);
	CHECK_EQ(row.tid, 5);
	CHECK_EQ(row.kernel, 2);
	CHECK_EQ(row.least, 2);
	CHECK_EQ(row.missing, 0);
}

TEST(threads_may_be_between_count_and_record)
{
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	row = compare(COUNT(5, 100, 0) SWITCH(5, 200) COUNT(5, 300, 2), 0, &nr, &left_out);
	CHECK_EQ(row.kernel, 2);
	CHECK_EQ(row.missing, 0);
}

TEST(threads_whose_number_was_given_out_anew_are_not_compared)
{
	unsigned int nr;
	u64 left_out;

	compare(COUNT(5, 100, 0) "task_newtask cpu=0 ns=150 child_tid=5\n" COUNT(5, 300, 90), 0, &nr,
		&left_out);
	CHECK_EQ(nr, 0);
	/* Nor what was read once. */
	compare(COUNT(5, 100, 3) SWITCH(5, 200), 0, &nr, &left_out);
	CHECK_EQ(nr, 0);
}

TEST(threads_that_were_not_read_are_told_of)
{
	unsigned int nr;
	u64 left_out;

	compare(COUNT(0, 0, 17) SWITCH(5, 200), 0, &nr, &left_out);
	CHECK_EQ(nr, 0);
	CHECK_EQ(left_out, 17);
}

TEST(threads_of_several_parts_are_compared_in_each)
{
	/* The second part has lost two of five; between the parts there were nine. */
	static const char text[] = PAIR(5, 7, 9) COUNT(5, 600, 18) COUNT(5, 800, 23) PAIR(6, 0, 1)
		SWITCH(5, 200) SWITCH(5, 220) SWITCH(6, 230) SWITCH(5, 400) SWITCH(5, 410)
			SWITCH(5, 650) SWITCH(5, 660) SWITCH(5, 670);
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	row = compare(text, 0, &nr, &left_out);
	CHECK_EQ(nr, 2);
	CHECK_EQ(row.tid, 5);
	CHECK_EQ(row.kernel, 7);
	CHECK_EQ(row.most, 5);
	/* At each of the four readings it may be between the two. */
	CHECK_EQ(row.missing, 0);
	row = compare(PAIR(5, 7, 9) COUNT(5, 600, 18) COUNT(5, 800, 25) SWITCH(5, 200) SWITCH(5, 220)
			      SWITCH(5, 400) SWITCH(5, 650),
		      0, &nr, &left_out);
	CHECK_EQ(row.kernel, 9);
	CHECK_EQ(row.missing, 6);
}

TEST(threads_of_a_part_that_was_full_are_not_compared)
{
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	row = compare(PAIR(5, 0, 9) SWITCH(5, 200) "!claim cpu=0 covered=300\n!end ns=310 how=4\n", 0, &nr,
		      &left_out);
	CHECK_EQ(row.missing, 8);
	CHECK_STR(why_not, "");
	compare(PAIR(5, 0, 9) SWITCH(5, 200) "!claim cpu=0 covered=299\n!end ns=310 how=4\n", 0, &nr, &left_out);
	CHECK_EQ(nr, 0);
	CHECK_STR(why_not, "the next part has some of the records made before their last reading");
}

TEST(threads_readings_without_their_other_half_do_not_count)
{
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	/* As when a block of the state is damaged. */
	row = compare(COUNT(5, 300, 90) PAIR(6, 0, 2) COUNT(7, 100, 1) PAIR(8, 1, 3) SWITCH(6, 200)
			      SWITCH(6, 210) SWITCH(8, 220) SWITCH(8, 230) SWITCH(5, 290),
		      0, &nr, &left_out);
	CHECK_EQ(nr, 2);
	CHECK_EQ(row.tid, 6);
	CHECK_EQ(row.kernel, 2);
	CHECK_EQ(row.missing, 0);
}

TEST(threads_have_what_came_after_the_end)
{
	static const char text[] = COUNT(5, 100, 0) "state_counter ns=1 kind=16 counter_cpu=-1 number=5 "
						    "from=300 to=300 value=9 is_recorded=1 "
						    "after_least=5 after_most=6 name=t5\n" SWITCH(5, 200);
	struct lkst_thread_row row;
	unsigned int nr;
	u64 left_out;

	row = compare(text, 0, &nr, &left_out);
	CHECK_EQ(row.kernel, 9);
	CHECK_EQ(row.least, 6);
	CHECK_EQ(row.most, 7);
	CHECK_EQ(row.missing, 2);
}

TEST(threads_say_why_they_are_not_compared)
{
	unsigned int nr;
	u64 left_out;

	compare("state_counter ns=1 kind=16 counter_cpu=-1 number=0 from=0 to=0 value=0 is_recorded=1 "
		"name=because\n",
		0, &nr, &left_out);
	CHECK_EQ(nr, 0);
	CHECK_EQ(left_out, 0);
	CHECK_STR(why_not, "because");
	compare(SWITCH(5, 200), 0, &nr, &left_out);
	CHECK_STR(why_not, "the trace has no readings of them");
	compare(PAIR(6, 0, 2), 0, &nr, &left_out);
	CHECK_STR(why_not, "");
}

static const struct unit_test tests[] = {
	{ "threads_of_several_parts_are_compared_in_each",
	  test_threads_of_several_parts_are_compared_in_each },
	{ "threads_of_a_part_that_was_full_are_not_compared",
	  test_threads_of_a_part_that_was_full_are_not_compared },
	{ "threads_readings_without_their_other_half_do_not_count",
	  test_threads_readings_without_their_other_half_do_not_count },
	{ "threads_have_what_came_after_the_end", test_threads_have_what_came_after_the_end },
	{ "threads_say_why_they_are_not_compared", test_threads_say_why_they_are_not_compared },
	{ "threads_whose_records_never_appear_come_first",
	  test_threads_whose_records_never_appear_come_first },
	{ "threads_may_be_between_count_and_record", test_threads_may_be_between_count_and_record },
	{ "threads_whose_number_was_given_out_anew_are_not_compared",
	  test_threads_whose_number_was_given_out_anew_are_not_compared },
	{ "threads_that_were_not_read_are_told_of", test_threads_that_were_not_read_are_told_of },
};
UNIT_MAIN(tests)
