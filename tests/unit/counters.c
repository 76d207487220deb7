/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The records of a trace, compared with the kernel's own counters.
 */
#include "analyze/counters/compare_counters.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128];
/* Of the trace that was compared last: its first row, and since when it was compared. */
static struct lkst_counters_row first_row;
static u64 range_from_ns;

/* The sum of @kind in the trace of @text; false: nothing can be compared. */
static bool compare(const char *text, enum lkst_counter kind, struct lkst_counters_row *ret_row)
{
	struct lkst_counters_check *c;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_record r;
	bool has;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, text) || lkst_trace_open(&err, path, &t) ||
	    lkst_counters_check_new(&err, t, &c) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) > 0)
		lkst_counters_check_feed(c, &r);
	has = !lkst_counters_check_why_not(c) && lkst_counters_check_sum(c, kind, ret_row);
	if (lkst_counters_check_nr(c))
		first_row = lkst_counters_check_row(c, 0);
	lkst_counters_check_range(c, &range_from_ns, &(u64){ 0 });
	lkst_merge_free(m);
	lkst_counters_check_free(c);
	lkst_trace_close(t);
	make_scratch_remove(dir);
	return has;
}

#define FORKS(from, to, number, is)                                                                \
	"state_counter ns=1 kind=1 counter_cpu=-1 from=" #from " to=" #to " value=" #number         \
	" is_recorded=" #is " name=processes\n"
#define SWITCHES(from, number)                                                                      \
	"state_counter ns=1 kind=0 counter_cpu=-1 from=" #from " to=" #from " value=" #number        \
	" is_recorded=1 name=ctxt\n"
#define TWENTY                                                                                     \
	"task_newtask cpu=0 ns=200\ntask_newtask cpu=0 ns=201\ntask_newtask cpu=0 ns=202\n"        \
	"task_newtask cpu=0 ns=203\ntask_newtask cpu=0 ns=204\ntask_newtask cpu=0 ns=205\n"        \
	"task_newtask cpu=0 ns=206\ntask_newtask cpu=0 ns=207\ntask_newtask cpu=0 ns=208\n"        \
	"task_newtask cpu=0 ns=209\n"                                                              \
	"task_newtask cpu=0 ns=300\ntask_newtask cpu=0 ns=301\ntask_newtask cpu=0 ns=302\n"        \
	"task_newtask cpu=0 ns=303\ntask_newtask cpu=0 ns=304\ntask_newtask cpu=0 ns=305\n"        \
	"task_newtask cpu=0 ns=306\ntask_newtask cpu=0 ns=307\ntask_newtask cpu=0 ns=308\n"        \
	"task_newtask cpu=0 ns=309\n"

TEST(counters_agree_with_all_records)
{
	struct lkst_counters_row row;

	CHECK(compare(FORKS(100, 110, 5000, 1) FORKS(400, 410, 5020, 1) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK_EQ(row.kernel, 20);
	CHECK_EQ(row.least, 20);
	CHECK_EQ(row.most, 20);
}

/* A part has what its last reading counted, or is not compared with that: the next part may have the rest. */
TEST(counters_of_a_part_that_was_full_are_not_compared)
{
	static const char begin[] = FORKS(100, 110, 5000, 1) FORKS(350, 360, 5020, 1) FORKS(400, 410, 5050, 1) TWENTY;
	static const struct {
		const char *end;
		u64 kernel; /* 0: nothing is compared */
		enum lkst_counters_verdict verdict;
	} ends[] = {
		{ "!claim cpu=0 covered=410\n!end ns=420 how=4\n", 50, LKST_COUNTERS_MISSING },
		{ "!claim cpu=0 covered=405\n!end ns=420 how=4\n", 20, LKST_COUNTERS_COMPLETE },
		{ "!claim cpu=0 covered=355\n!end ns=420 how=4\n", 0, 0 },
		/* After the last part nothing comes. */
		{ "!claim cpu=0 covered=405\n!end ns=420\n", 50, LKST_COUNTERS_MISSING },
	};
	struct lkst_counters_row row;
	char text[4096];
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", begin, ends[i].end);
		CHECK_EQ(compare(text, LKST_COUNTER_FORKS, &row), ends[i].kernel != 0);
		if (!ends[i].kernel)
			continue;
		CHECK_EQ(row.kernel, ends[i].kernel);
		CHECK_EQ(row.verdict, ends[i].verdict);
	}
}

TEST(counters_have_what_came_after_the_end)
{
	static const char text[] = FORKS(100, 110, 5000, 1) TWENTY
		"state_counter ns=1 kind=1 counter_cpu=-1 from=400 to=410 value=5035 is_recorded=1 "
		"after_least=14 after_most=15 name=processes\n";
	struct lkst_counters_row row;

	CHECK(compare(text, LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK_EQ(row.least, 34);
	CHECK_EQ(row.most, 35);
}

TEST(counters_tell_how_many_records_are_missing)
{
	struct lkst_counters_row row;

	CHECK(compare(FORKS(100, 110, 5000, 1) FORKS(400, 410, 5035, 1) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
	CHECK_EQ(row.missing, 15);
}

TEST(counters_allow_what_happened_while_they_were_read)
{
	struct lkst_counters_row row;

	/* Ten records are of the time in which the second reading was made: 10 or 20 are right, and what is between. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(299, 310, 10, 1) TWENTY, LKST_COUNTER_FORKS,
		      &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK_EQ(row.least, 10);
	CHECK_EQ(row.most, 20);
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(299, 310, 20, 1) TWENTY, LKST_COUNTER_FORKS,
		      &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(299, 310, 26, 1) TWENTY, LKST_COUNTER_FORKS,
		      &row));
	CHECK_EQ(row.missing, 6);
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(299, 310, 5, 1) TWENTY, LKST_COUNTER_FORKS,
		      &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MORE);
}

TEST(counters_of_what_was_not_recorded_prove_nothing)
{
	struct lkst_counters_row row;

	CHECK(compare(FORKS(100, 110, 0, 0) FORKS(400, 410, 90, 0) TWENTY, LKST_COUNTER_FORKS,
		      &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_UNRECORDED);
	/* Of several readings those count that were made while it was. */
	CHECK(compare(FORKS(10, 11, 0, 0) FORKS(100, 110, 70, 1) FORKS(400, 410, 90, 1)
			      FORKS(500, 510, 200, 0) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK_EQ(row.kernel, 20);
}

TEST(counters_that_are_older_than_the_records_are_not_compared)
{
	struct lkst_counters_row row;

	CHECK(!compare(FORKS(100, 110, 0, 1) FORKS(400, 410, 90, 1)
			       "state_overwritten ns=1 loss_cpu=0 buffer=0 blocks=9 from=0 to=200\n"
			       "!skip cpu=0 blocks=9\n" TWENTY,
		       LKST_COUNTER_FORKS, &row));
	CHECK(!compare(FORKS(100, 110, 0, 1) TWENTY, LKST_COUNTER_FORKS, &row));
	CHECK(!compare(TWENTY, LKST_COUNTER_FORKS, &row));
}

TEST(counters_say_between_which_readings_records_are_missing)
{
	struct lkst_counters_row row;

	/* Ten and ten: of those between the second and the third reading 25 are missing. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 10, 1) FORKS(290, 295, 35, 1)
			      FORKS(400, 410, 45, 1) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
	CHECK_EQ(row.missing, 25);
	row = first_row;
	CHECK_EQ(row.missing_from_ns, 250);
	CHECK_EQ(row.missing_to_ns, 295);
}

TEST(counters_of_what_was_left_out_for_a_while_are_never_complete)
{
	struct lkst_counters_row row;

	/* It was not recorded at the second reading: what is missing is reported, and where that was. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 10, 0) FORKS(290, 295, 35, 1)
			      FORKS(400, 410, 45, 1) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
	CHECK_EQ(row.missing, 25);
	CHECK_EQ(first_row.missing_from_ns, 250);
	/* Nothing happened meanwhile: that is not known to be complete either. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 10, 0) FORKS(290, 295, 10, 1)
			      FORKS(400, 410, 20, 1) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_UNRECORDED);
	/* Nor what was recorded at one reading only. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(400, 410, 20, 0) TWENTY, LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_UNRECORDED);
	CHECK_EQ(row.kernel, 20);
}

/* What the cost limit left out between the readings is no loss; what is of another kind, or before, is one. */
TEST(counters_of_what_the_limit_left_out_are_not_missing)
{
#define SOFTIRQS(from, number)                                                                                         \
	"state_counter ns=1 kind=2 counter_cpu=-1 number=3 from=" #from " to=" #from " value=" #number                 \
	" is_recorded=1 name=NET_RX\n"
#define LEFT_OUT(kind, from)                                                                                           \
	"shed_begin cpu=0 tid=0 buffer=1 ns=" #from " cost=1 kind=" #kind "\n"                                         \
	"shed_end cpu=0 tid=0 buffer=1 ns=350 left_out=50 kind=" #kind "\n"
	struct lkst_counters_row row;

	CHECK(compare(SOFTIRQS(100, 0) SOFTIRQS(400, 90) TWENTY, LKST_COUNTER_SOFTIRQ, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
	CHECK(compare(SOFTIRQS(100, 0) SOFTIRQS(400, 90) LEFT_OUT(softirq, 300) TWENTY, LKST_COUNTER_SOFTIRQ, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_UNRECORDED);
	CHECK(compare(SOFTIRQS(100, 0) SOFTIRQS(400, 90) LEFT_OUT(reschedule, 300) TWENTY, LKST_COUNTER_SOFTIRQ, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
}

TEST(counters_of_what_was_left_out_at_an_end_are_not_complete)
{
	struct lkst_counters_row row;

	/* Switches were recorded all the time, and so that is what is compared. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 10, 1) FORKS(400, 410, 20, 0)
			      SWITCHES(100, 0) SWITCHES(250, 0) SWITCHES(400, 0) TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_UNRECORDED);
}

TEST(counters_before_which_records_were_overwritten_are_left_out)
{
	struct lkst_counters_row row;

	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 90, 1) FORKS(400, 410, 100, 1)
			      "state_overwritten ns=1 loss_cpu=0 buffer=0 blocks=9 from=0 to=220\n"
			      "!skip cpu=0 blocks=9\n" TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_COMPLETE);
	CHECK_EQ(row.kernel, 10);
	/* Those of the buffer for names matter to threads created, and to nothing else. */
	CHECK(compare(FORKS(100, 110, 0, 1) FORKS(250, 255, 90, 1) FORKS(400, 410, 100, 1)
			      SWITCHES(100, 0) SWITCHES(250, 0) SWITCHES(400, 0)
			      "state_overwritten ns=1 loss_cpu=0 buffer=1 blocks=9 from=0 to=220\n" TWENTY,
		      LKST_COUNTER_FORKS, &row));
	CHECK_EQ(row.kernel, 10);
	CHECK_EQ(range_from_ns, 100);
}

TEST(counters_are_compared_by_cpu_and_number)
{
	static const char text[] =
		"state_counter ns=1 kind=2 counter_cpu=0 number=3 from=10 to=20 value=7 is_recorded=1 name=NET_RX\n"
		"state_counter ns=1 kind=2 counter_cpu=1 number=3 from=10 to=20 value=5 is_recorded=1 name=NET_RX\n"
		"state_counter ns=1 kind=2 counter_cpu=0 number=3 from=90 to=95 value=8 is_recorded=1 name=NET_RX\n"
		"state_counter ns=1 kind=2 counter_cpu=1 number=3 from=90 to=95 value=15 is_recorded=1 name=NET_RX\n"
		"softirq_entry cpu=0 ns=50 vec=3\nsoftirq_entry cpu=1 ns=51 vec=3\n"
		"softirq_entry cpu=1 ns=52 vec=1\n";
	struct lkst_counters_row row;

	CHECK(compare(text, LKST_COUNTER_SOFTIRQ, &row));
	CHECK_EQ(row.verdict, LKST_COUNTERS_MISSING);
	CHECK_EQ(row.kernel, 11);
	CHECK_EQ(row.most, 2);
	CHECK_EQ(row.missing, 9);
}

static const struct unit_test tests[] = {
	{ "counters_of_what_the_limit_left_out_are_not_missing",
	  test_counters_of_what_the_limit_left_out_are_not_missing },
	{ "counters_of_a_part_that_was_full_are_not_compared",
	  test_counters_of_a_part_that_was_full_are_not_compared },
	{ "counters_have_what_came_after_the_end", test_counters_have_what_came_after_the_end },
	{ "counters_say_between_which_readings_records_are_missing",
	  test_counters_say_between_which_readings_records_are_missing },
	{ "counters_of_what_was_left_out_for_a_while_are_never_complete",
	  test_counters_of_what_was_left_out_for_a_while_are_never_complete },
	{ "counters_of_what_was_left_out_at_an_end_are_not_complete",
	  test_counters_of_what_was_left_out_at_an_end_are_not_complete },
	{ "counters_before_which_records_were_overwritten_are_left_out",
	  test_counters_before_which_records_were_overwritten_are_left_out },
	{ "counters_agree_with_all_records", test_counters_agree_with_all_records },
	{ "counters_tell_how_many_records_are_missing",
	  test_counters_tell_how_many_records_are_missing },
	{ "counters_allow_what_happened_while_they_were_read",
	  test_counters_allow_what_happened_while_they_were_read },
	{ "counters_of_what_was_not_recorded_prove_nothing",
	  test_counters_of_what_was_not_recorded_prove_nothing },
	{ "counters_that_are_older_than_the_records_are_not_compared",
	  test_counters_that_are_older_than_the_records_are_not_compared },
	{ "counters_are_compared_by_cpu_and_number", test_counters_are_compared_by_cpu_and_number },
};
UNIT_MAIN(tests)
