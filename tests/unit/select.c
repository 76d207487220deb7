// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * print/select: which records are printed.
 */
#include "print/select.h"

#include "lib/unit.h"
#include "lib/view_fixture.h"
#include "trace/format/event_types.h"

static struct lkst_err e;

/* Whether the options choose the record of @line; -1: they are refused. */
static int takes(const struct lkst_select_options *options, const char *line)
{
	struct lkst_record r = fixture_record(f, line);
	struct lkst_select *s;
	int matches;

	if (lkst_select_new(&e, f->catalog, f->threads, options, &s))
		return -1;
	matches = lkst_select_matches(s, &r);
	lkst_select_free(s);
	return matches;
}

static int glob_takes(const char *glob, const char *line)
{
	char *globs[] = { (char *)glob };
	const struct lkst_select_options options = { .events = globs, .nr_events = 1 };

	return takes(&options, line);
}

TEST(select_takes_all_but_the_state_by_default)
{
	const struct lkst_select_options options = { 0 };

	CHECK_EQ(takes(&options, "sched_switch next_tid=1"), 1);
	CHECK_EQ(takes(&options, "test:nothing"), 1);
	CHECK_EQ(takes(&options, "state_thread thread_tid=5"), 0);
}

TEST(select_matches_globs)
{
	CHECK_EQ(glob_takes("sched_switch", "sched_switch"), 1);
	CHECK_EQ(glob_takes("sched_switch", "sched_waking"), 0);
	CHECK_EQ(glob_takes("sched_*", "sched_waking"), 1);
	CHECK_EQ(glob_takes("sched:*", "sched_waking"), 1);
	CHECK_EQ(glob_takes("sched:*", "softirq_entry"), 0);
	CHECK_EQ(glob_takes("PROCESS_WAKEUP", "sched_wakeup_new"), 1);
	CHECK_EQ(glob_takes("PROCESS_WAKEUP", "sched_switch"), 0);
	CHECK_EQ(glob_takes("syscall:openat", "syscall_entry_openat"), 1);
	CHECK_EQ(glob_takes("openat", "syscall_exit_openat"), 1);
	CHECK_EQ(glob_takes("syscall_exit_*", "syscall_exit_openat"), 1);
	CHECK_EQ(glob_takes("syscall_exit_*", "syscall_entry_openat"), 0);
	CHECK_EQ(glob_takes("syscall:*", "syscall_entry_unknown"), 1);
	CHECK_EQ(glob_takes("state:*", "state_thread thread_tid=5"), 1);
	CHECK_EQ(glob_takes("test:*", "test:nothing"), 1);
	CHECK_EQ(glob_takes("handler:*", "test.stack"), 1);
	CHECK_EQ(glob_takes("test.*", "test.stack"), 1);
	CHECK_EQ(glob_takes("handler:*", "test:nothing"), 0);
}

TEST(select_joins_globs)
{
	char *globs[] = { "softirq_*", "irq_*" };
	const struct lkst_select_options options = { .events = globs, .nr_events = 2 };

	CHECK_EQ(takes(&options, "softirq_entry vec=1"), 1);
	CHECK_EQ(takes(&options, "irq_handler_exit irq=1"), 1);
	CHECK_EQ(takes(&options, "sched_switch"), 0);
}

TEST(select_refuses_globs_that_name_nothing)
{
	CHECK_EQ(glob_takes("sched_swich", "sched_switch"), -1);
	CHECK_STR(e.text, "the trace has no event that \"sched_swich\" names; did you mean sched_switch?");
	CHECK_EQ(glob_takes("xyzzy", "sched_switch"), -1);
	CHECK_STR(e.text, "the trace has no event that \"xyzzy\" names");
}

/* The kernel's names of what LKST records under its own, in the trace and in the catalogue of all. */
TEST(select_knows_the_names_of_the_kernel)
{
	char text[LKST_SUGGEST_TEXT];

	CHECK_EQ(glob_takes("syscalls:sys_enter_openat", "sched_switch"), -1);
	CHECK(strstr(e.text, "did you mean syscall_entry_openat"));
	CHECK_STR(lkst_event_near(f->catalog, "sys_exit_openat", text), "; did you mean syscall_exit_openat?");
	CHECK_STR(lkst_event_near(f->catalog, "test:nothin", text), "; did you mean test:nothing?");
	CHECK(strstr(lkst_event_near(NULL, "sys_exit_getppid", text), "did you mean syscall_exit_getppid"));
	CHECK(strstr(lkst_event_near(NULL, "sched:sched_swich", text), "did you mean sched_switch"));
	CHECK_STR(lkst_event_near(NULL, "", text), "");
	CHECK_STR(lkst_event_near(NULL, ":::", text), "");
	CHECK_STR(lkst_event_near(NULL, "0123456789012345678901234567890123456789012345678901234567890123456789"
					"0123456789012345678901234567890123456789", text), "");
}

TEST(select_matches_threads)
{
	struct lkst_select_options options = { .has_tid = true, .tid = 567 };

	CHECK_EQ(takes(&options, "softirq_entry tid=567"), 1);
	CHECK_EQ(takes(&options, "softirq_entry tid=568"), 0);
	options = (struct lkst_select_options){ .comm = "cc*" };
	CHECK_EQ(takes(&options, "softirq_entry tid=567"), 1);
	CHECK_EQ(takes(&options, "softirq_entry tid=1234"), 0);
	CHECK_EQ(takes(&options, "softirq_entry tid=4242"), 0);
	options.comm = "swapper";
	CHECK_EQ(takes(&options, "softirq_entry tid=0"), 1);
	options = (struct lkst_select_options){ .has_tid = true, .tid = 0 };
	CHECK_EQ(takes(&options, "softirq_entry tid=0"), 1);
	CHECK_EQ(takes(&options, "softirq_entry tid=567"), 0);
}

/* The switch to a thread, its wake-up, its birth and end, and a signal to it are recorded in others. */
TEST(select_matches_what_others_do_with_a_thread)
{
	static const char *const about[] = {
		"sched_switch tid=3 next_tid=567",
		"sched_waking tid=3 target_tid=567",
		"sched_wakeup tid=0 target_tid=567",
		"sched_wakeup_new tid=3 target_tid=567",
		"sched_migrate_task tid=3 target_tid=567",
		"sched_process_fork tid=3 child_tid=567",
		"sched_process_free tid=3 freed_tid=567",
		"signal_generate tid=3 target_tid=567",
		"test.stack tid=3 by=567",
	};
	static const char *const others[] = {
		/* Numbers that are no thread's. */
		"sched_switch tid=3 next_tid=8 prev_prio=567",
		"softirq_entry tid=3 vec=567",
		"sched_process_wait tid=3 wait_pid=567",
	};
	const struct lkst_select_options by_tid = { .has_tid = true, .tid = 567 },
					 by_comm = { .comm = "cc1" };
	struct lkst_select_options by_pid = { .has_pid = true, .pid = 500 };
	size_t i;

	fixture_feed(f, "state_thread thread_tid=567 thread_pid=500 comm=cc1");
	for (i = 0; i < sizeof(about) / sizeof(about[0]); i++) {
		CHECK_EQ(takes(&by_tid, about[i]), 1);
		CHECK_EQ(takes(&by_comm, about[i]), 1);
		CHECK_EQ(takes(&by_pid, about[i]), 1);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CHECK_EQ(takes(&by_tid, others[i]), 0);
		CHECK_EQ(takes(&by_comm, others[i]), 0);
		CHECK_EQ(takes(&by_pid, others[i]), 0);
	}
	CHECK_EQ(takes(&by_pid, "softirq_entry tid=567"), 1);
	by_pid.pid = 567;
	CHECK_EQ(takes(&by_pid, "softirq_entry tid=567"), 0);
	/* A thread that nothing is known of is taken for the first of its process. */
	by_pid.pid = 4242;
	CHECK_EQ(takes(&by_pid, "softirq_entry tid=4242"), 1);
	/* One thread must have all that is asked for. */
	by_pid = (struct lkst_select_options){ .has_tid = true, .tid = 1234, .comm = "cc1" };
	CHECK_EQ(takes(&by_pid, "sched_waking tid=1234 target_tid=567"), 0);
	fixture_thread(f, 567, "cc1", 0x10da42400);
}

TEST(select_matches_cpus_and_times)
{
	struct lkst_select_options options = { .has_cpu = true, .cpu = 0 };

	CHECK_EQ(takes(&options, "softirq_entry cpu=0"), 1);
	CHECK_EQ(takes(&options, "softirq_entry cpu=1"), 0);
	options = (struct lkst_select_options){ .from_ns = 100, .has_to = true, .to_ns = 200 };
	CHECK_EQ(takes(&options, "softirq_entry ns=99"), 0);
	CHECK_EQ(takes(&options, "softirq_entry ns=100"), 1);
	CHECK_EQ(takes(&options, "softirq_entry ns=200"), 1);
	CHECK_EQ(takes(&options, "softirq_entry ns=201"), 0);
	options.from_ns = options.to_ns = 0;
	CHECK_EQ(takes(&options, "softirq_entry ns=1"), 0);
}

/* The state belongs to no moment, CPU or thread. */
TEST(select_chooses_the_state_by_event_alone)
{
	char *globs[] = { "state_*" };
	const struct lkst_select_options options = { .events = globs,
						     .nr_events = 1,
						     .has_tid = true,
						     .tid = 5,
						     .has_cpu = true,
						     .cpu = 3,
						     .from_ns = 100 };

	CHECK_EQ(takes(&options, "state_thread thread_tid=6 ns=1"), 1);
}

static const struct unit_test tests[] = {
	{ "select_takes_all_but_the_state_by_default",
	  test_select_takes_all_but_the_state_by_default },
	{ "select_matches_globs", test_select_matches_globs },
	{ "select_joins_globs", test_select_joins_globs },
	{ "select_refuses_globs_that_name_nothing", test_select_refuses_globs_that_name_nothing },
	{ "select_knows_the_names_of_the_kernel", test_select_knows_the_names_of_the_kernel },
	{ "select_matches_threads", test_select_matches_threads },
	{ "select_matches_what_others_do_with_a_thread",
	  test_select_matches_what_others_do_with_a_thread },
	{ "select_matches_cpus_and_times", test_select_matches_cpus_and_times },
	{ "select_chooses_the_state_by_event_alone", test_select_chooses_the_state_by_event_alone },
};

UNIT_MAIN(tests)
