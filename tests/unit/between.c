// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The time between two events that the user names: which they are, and what is measured.
 */
#include "analyze/analyses/between.h"

#include <errno.h>

#include "analyses.h"
#include "lib/unit.h"
#include "masks/event_pair.h"

/* Opens a trace of @lines to find the events in, and asks it. */
static void measure(const char *lines, const char *text)
{
	static struct lkst_between between;
	static struct lkst_catalog *c;
	struct lkst_err e = {};

	finish();
	lkst_catalog_free(c);
	c = make_full_catalog();
	CHECK_EQ(lkst_between_find(&e, c, text, &between), 0);
	ask_of(make_full_catalog(), lines, "between",
	       (struct lkst_analysis_options){ .between = &between });
}

static bool refuses(const char *text, int code, const char *why)
{
	struct lkst_catalog *c = make_full_catalog();
	struct lkst_between between;
	struct lkst_err e = {};
	bool is = lkst_between_find(&e, c, text, &between) == code && strstr(e.text, why);

	if (!is)
		fprintf(stderr, "\"%s\": %s\n", text, e.text);
	lkst_catalog_free(c);
	return is;
}

TEST(between_measures_by_thread)
{
	measure("syscall_exit_read tid=5 ns=900\n"
		"syscall_entry_read tid=5 ns=1000\n"
		"syscall_entry_read tid=6 ns=1010\n"
		"syscall_exit_read tid=6 ns=1050\n"
		"syscall_exit_read tid=5 ns=1200\n"
		"syscall_entry_read tid=7 ns=1300\n"
		"syscall_entry_read tid=7 ns=1310\n",
		"syscall_entry_read .. syscall_exit_read");
	CHECK_EQ(value("between_total", "all", "count"), 2);
	CHECK_EQ(value("between_total", "all", "total"), 200 + 40);
	CHECK_EQ(value("between_total", "all", "max"), 200);
	/* What ends without a begin, what begins again, and what is not over. */
	CHECK_EQ(nr_left_out("between_total", "no_begin"), 1);
	CHECK_EQ(nr_left_out("between_total", "no_end"), 1);
	CHECK_EQ(nr_left_out("between_total", "not_over"), 1);
}

/* Begun by one thread and ended by another: by the field, which has another place in either record. */
TEST(between_measures_by_field)
{
	measure("state_thread tid=5 ns=1 name=writer\n"
		"mm_page_alloc tid=5 ns=1000 pfn=77 order=2\n"
		"mm_page_alloc tid=5 ns=1010 pfn=78 order=0\n"
		"mm_page_free tid=9 ns=1500 pfn=78 order=0\n"
		"mm_page_free tid=9 ns=1700 pfn=77 order=2\n"
		"mm_page_free tid=9 ns=1800 pfn=79 order=0\n",
		"mm_page_alloc .. mm_page_free key=pfn");
	CHECK_EQ(value("between_total", "all", "count"), 2);
	CHECK_EQ(value("between_total", "all", "total"), 490 + 700);
	CHECK_EQ(nr_left_out("between_total", "no_begin"), 1);
}

/* From one event to the next of the same kind. */
TEST(between_measures_from_one_to_the_next)
{
	measure("softirq_raise tid=3 ns=1000 vec=3\n"
		"softirq_raise tid=3 ns=1100 vec=3\n"
		"softirq_raise tid=3 ns=1400 vec=3\n",
		"softirq_raise .. softirq_raise");
	CHECK_EQ(value("between_total", "all", "count"), 2);
	CHECK_EQ(value("between_total", "all", "total"), 400);
}

TEST(between_minds_gaps)
{
	measure("softirq_raise cpu=0 tid=3 ns=1000 vec=3\n"
		"sched_switch cpu=1 tid=0 ns=1010 next_tid=4\n"
		"!skip cpu=1 blocks=1\n"
		"sched_switch cpu=1 tid=4 ns=1050 next_tid=0\n"
		"softirq_entry cpu=0 tid=3 ns=1100 vec=3\n",
		"softirq_raise .. softirq_entry");
	CHECK_EQ(value("between_total", "all", "count"), 0);
}

TEST(between_refuses_what_is_no_pair)
{
	CHECK(refuses("softirq_raise", -EINVAL, "must be followed by \".. EVENT\""));
	CHECK(refuses("softirq_raise ..", -EINVAL, "an event is missing"));
	CHECK(refuses("softirq_raise .. softirq_entry > 5ms", -EINVAL, "may follow two events"));
	CHECK(refuses("softirq_raise .. softirq_enter", -ENOENT, "did you mean softirq_entry"));
	CHECK(refuses("softirq_raise .. softirq_entry key", -EINVAL, "=FIELD"));
	CHECK(refuses("softirq_raise .. softirq_entry key=vex", -ENOENT, "did you mean vec"));
	CHECK(refuses("sched_process_exec .. sched_process_exec key=filename", -EINVAL,
		      "is not a number"));
	CHECK(refuses("", -EINVAL, "missing"));
}

static const struct unit_test tests[] = {
	{ "between_measures_by_thread", test_between_measures_by_thread },
	{ "between_measures_by_field", test_between_measures_by_field },
	{ "between_measures_from_one_to_the_next", test_between_measures_from_one_to_the_next },
	{ "between_minds_gaps", test_between_minds_gaps },
	{ "between_refuses_what_is_no_pair", test_between_refuses_what_is_no_pair },
};
UNIT_MAIN(tests)
