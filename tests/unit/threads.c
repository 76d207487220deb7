/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The table of threads, fed by traces made of text.
 */
#include "lib/fed_threads.h"
#include "lib/make_trace.h"
#include "trace/known/threads.h"
#include "lib/unit.h"

TEST(threads_know_the_idle_thread)
{
	struct lkst_threads *t = lkst_threads_new();

	CHECK_STR(lkst_threads_find(t, 0)->comm, "swapper");
	CHECK(lkst_threads_find(t, 0)->is_kernel);
	CHECK(!lkst_threads_find(t, 1));
	CHECK(!lkst_threads_find(t, -1));
	lkst_threads_free(t);
	lkst_threads_free(NULL);
}

TEST(threads_are_taken_from_the_state)
{
	struct lkst_threads *t =
		fed_threads("state_thread ns=9 thread_tid=8 thread_pid=7 parent_pid=1 prio=100 "
			    "flags=1 task=0xffff888000001000 comm=kworker/0:1\n");
	const struct lkst_thread *thread = lkst_threads_find(t, 8);

	CHECK(thread);
	CHECK_EQ(thread->tid, 8);
	CHECK_EQ(thread->pid, 7);
	CHECK_EQ(thread->parent_pid, 1);
	CHECK_EQ(thread->prio, 100);
	CHECK(thread->is_kernel);
	CHECK(thread->task == 0xffff888000001000);
	CHECK_STR(thread->comm, "kworker/0:1");
	lkst_threads_free(t);
}

TEST(threads_begin_with_a_fork)
{
	struct lkst_threads *t =
		fed_threads("state_thread ns=9 thread_tid=2 flags=1 comm=kthreadd\n"
			    "state_thread ns=9 thread_tid=7 prio=120 comm=previous\n"
			    "task_newtask buffer=1 tid=5 ns=1 child_tid=7 child_task=4096 "
			    "child_comm=bash\n"
			    "sched_process_fork buffer=1 tid=5 ns=2 child_tid=7 child_pid=7 "
			    "parent_pid=5 child_task=4096 child_comm=bash\n"
			    "sched_process_fork buffer=1 tid=2 ns=3 child_tid=9 child_pid=9 "
			    "parent_pid=2 child_comm=kthreadd\n");
	const struct lkst_thread *thread = lkst_threads_find(t, 7);

	CHECK_STR(thread->comm, "bash");
	CHECK_EQ(thread->pid, 7);
	CHECK_EQ(thread->parent_pid, 5);
	CHECK_EQ(thread->task, 4096);
	CHECK_EQ(thread->prio, 0);
	CHECK(!thread->is_kernel);
	CHECK(lkst_threads_find(t, 9)->is_kernel);
	lkst_threads_free(t);
}

/* "first second" and so on: what thread @tid was called at @ns, or "?". */
static const char *name_at(const struct lkst_threads *t, s32 tid, u64 ns)
{
	static char comm[17];

	memset(comm, 0, sizeof(comm));
	return lkst_threads_name_at(t, tid, ns, comm) ? comm : "?";
}

TEST(threads_know_what_they_were_called_then)
{
	struct lkst_threads *t = fed_threads(
		"state_thread ns=9 thread_tid=5 thread_pid=5 comm=first\n"
		"state_thread ns=9 thread_tid=6 thread_pid=6 comm=same\n"
		"task_rename buffer=1 tid=5 ns=100 target_tid=5 newcomm=second\n"
		"task_rename buffer=1 tid=5 ns=200 target_tid=5 newcomm=\n"
		"sched_process_exit buffer=1 tid=5 ns=300 exit_pid=5 comm=\n"
		"task_newtask buffer=1 tid=6 ns=400 child_tid=5 child_comm=other\n"
		"sched_process_fork buffer=1 tid=6 ns=401 child_tid=5 child_pid=5 parent_pid=6 child_comm=other\n"
		"task_rename buffer=1 tid=7 ns=500 target_tid=7 newcomm=late\n");

	CHECK_STR(name_at(t, 5, 0), "first");
	CHECK_STR(name_at(t, 5, 99), "first");
	CHECK_STR(name_at(t, 5, 100), "second");
	CHECK_STR(name_at(t, 5, 200), "");
	CHECK_STR(name_at(t, 5, 399), "");
	CHECK_STR(name_at(t, 5, 400), "other");
	CHECK_STR(name_at(t, 5, UINT64_MAX), "other");
	CHECK_STR(name_at(t, 6, 1000), "same");
	CHECK_STR(name_at(t, 7, 499), "?");
	CHECK_STR(name_at(t, 7, 500), "late");
	CHECK_STR(name_at(t, 8, 500), "?");
	lkst_threads_free(t);
}

TEST(threads_keep_up_with_names_and_programs)
{
	struct lkst_threads *t = fed_threads(
		"state_thread ns=9 thread_tid=5 thread_pid=4 task=4096 comm=other\n"
		"state_thread ns=9 thread_tid=4 thread_pid=4 task=8192 flags=1 "
		"comm=leader\n"
		"task_rename buffer=1 tid=3 ns=1 target_tid=6 newcomm=renamed\n"
		"sched_process_exec buffer=1 tid=4 ns=2 old_tid=5 filename=/bin/a\n"
		"sched_process_exit buffer=1 tid=8 ns=3 exit_pid=8 comm=ended task=12288\n"
		"state_thread ns=9 thread_tid=9 thread_pid=9 task=4096 comm=nine\n"
		"sched_process_exec buffer=1 tid=9 ns=4 old_tid=77 filename=/bin/b\n");

	CHECK_STR(lkst_threads_find(t, 6)->comm, "renamed");
	CHECK_EQ(lkst_threads_find(t, 4)->task, 4096);
	CHECK_EQ(lkst_threads_find(t, 4)->pid, 4);
	CHECK(!lkst_threads_find(t, 4)->is_kernel);
	CHECK_STR(lkst_threads_find(t, 8)->comm, "ended");
	CHECK_EQ(lkst_threads_find(t, 8)->task, 12288);
	/* A thread that nothing is known of took the number over: the task_struct is not the one before. */
	CHECK_EQ(lkst_threads_find(t, 9)->task, 0);
	CHECK_EQ(lkst_threads_find(t, 8)->pid, 8);
	lkst_threads_free(t);
}

TEST(threads_keep_up_with_priorities)
{
	struct lkst_threads *t =
		fed_threads("sched_switch tid=5 ns=1 next_tid=7 prev_prio=110 next_prio=99\n"
			    "sched_waking tid=7 ns=2 target_tid=8 target_prio=130\n"
			    "sched_wakeup tid=7 ns=3 target_tid=9 target_prio=1\n"
			    "sched_switch tid=7 ns=4 next_tid=0 prev_prio=98 next_prio=120\n");

	CHECK_EQ(lkst_threads_find(t, 5)->prio, 110);
	CHECK_EQ(lkst_threads_find(t, 7)->prio, 98);
	CHECK_EQ(lkst_threads_find(t, 8)->prio, 130);
	CHECK_EQ(lkst_threads_find(t, 9)->prio, 1);
	CHECK_STR(lkst_threads_find(t, 0)->comm, "swapper");
	lkst_threads_free(t);
}

TEST(threads_ignore_numbers_that_cannot_be)
{
	struct lkst_threads *t = fed_threads("task_rename ns=1 target_tid=-5 newcomm=a\n"
					     "task_rename ns=2 target_tid=4194305 newcomm=a\n"
					     "task_rename ns=3 target_tid=0 newcomm=a\n"
					     "task_rename ns=4 target_tid=4194304 newcomm=last\n");

	CHECK(!lkst_threads_find(t, -5));
	CHECK(!lkst_threads_find(t, 4194305));
	CHECK_STR(lkst_threads_find(t, 0)->comm, "swapper");
	CHECK_STR(lkst_threads_find(t, 4194304)->comm, "last");
	lkst_threads_free(t);
}

TEST(threads_do_not_trust_the_layout_of_a_file)
{
	struct lkst_field_class fields[2] = {
		{ .name = "target_tid", .type = LKST_CLASS_STRING, .base = 10 },
		{ .name = "newcomm", .type = LKST_CLASS_UINT, .size = 8, .base = 10 },
	};
	struct lkst_event_class class = { .id = 5, .name = "task_rename", .fields = fields };
	struct lkst_threads *t = lkst_threads_new();
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_record r = { .bytes = (const u8 *)"0123456789ab1\0\0\0abcdefgh", .size = 24 };
	struct lkst_err e;

	class.nr_fields = 2;
	CHECK_EQ(lkst_catalog_add(&e, c, &class), 0);
	r.event = c->classes[5];
	r.tid = 3;
	CHECK_EQ(lkst_threads_feed(t, &r), 0);
	CHECK(!lkst_threads_find(t, 1));
	lkst_threads_free(t);

	/* The field with the thread is missing. */
	class.id = 6;
	snprintf(class.name, sizeof(class.name), "sched_waking");
	snprintf(fields[0].name, sizeof(fields[0].name), "other");
	CHECK_EQ(lkst_catalog_add(&e, c, &class), 0);
	t = lkst_threads_new();
	r.event = c->classes[6];
	CHECK_EQ(lkst_threads_feed(t, &r), 0);
	CHECK(!lkst_threads_find(t, 3));
	lkst_threads_free(t);
	lkst_catalog_free(c);
}

TEST(threads_stay_where_they_are_when_many_come)
{
	struct lkst_threads *t = lkst_threads_new();
	struct lkst_catalog *c = make_catalog();
	struct lkst_rec_task_rename rename = { .newcomm = "many" };
	struct lkst_record r = {
		.event = lkst_catalog_find(c, "task_rename"),
		.bytes = (const u8 *)&rename,
		.size = sizeof(rename),
	};
	const struct lkst_thread *idle = lkst_threads_find(t, 0), *first = NULL;
	s32 tid;

	for (tid = 1; tid <= 100000; tid++) {
		rename.target_tid = tid;
		CHECK_EQ(lkst_threads_feed(t, &r), 0);
		if (tid == 1)
			first = lkst_threads_find(t, 1);
	}
	CHECK(lkst_threads_find(t, 0) == idle);
	CHECK(lkst_threads_find(t, 1) == first);
	for (tid = 1; tid <= 100000; tid++)
		CHECK_EQ(lkst_threads_find(t, tid)->tid, tid);
	CHECK(!lkst_threads_find(t, 100001));
	lkst_threads_free(t);
	lkst_catalog_free(c);
}

static const struct unit_test tests[] = {
	{ "threads_know_the_idle_thread", test_threads_know_the_idle_thread },
	{ "threads_are_taken_from_the_state", test_threads_are_taken_from_the_state },
	{ "threads_begin_with_a_fork", test_threads_begin_with_a_fork },
	{ "threads_know_what_they_were_called_then", test_threads_know_what_they_were_called_then },
	{ "threads_keep_up_with_names_and_programs", test_threads_keep_up_with_names_and_programs },
	{ "threads_keep_up_with_priorities", test_threads_keep_up_with_priorities },
	{ "threads_ignore_numbers_that_cannot_be", test_threads_ignore_numbers_that_cannot_be },
	{ "threads_do_not_trust_the_layout_of_a_file",
	  test_threads_do_not_trust_the_layout_of_a_file },
	{ "threads_stay_where_they_are_when_many_come",
	  test_threads_stay_where_they_are_when_many_come },
};
UNIT_MAIN(tests)
