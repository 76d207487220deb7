/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What life records say of threads that the kernel's list does not show.
 */
#include "live/state/life.h"

#include "lib/make_trace.h"
#include "lib/unit.h"

/* What the records of @text say. */
static struct lkst_life_log *fed(struct make_trace *t, const char *text)
{
	struct lkst_life_log *l = lkst_life_new(t->catalog);
	unsigned int i;

	if (!l || make_text(t, text))
		abort();
	for (i = 0; i < t->nr_streams; i++) {
		make_close(&t->streams[i]);
		if (lkst_life_feed(l, t->streams[i].bytes, t->streams[i].used))
			abort();
	}
	return l;
}

static void add(struct lkst_thread_list *list, s32 tid, const char *comm)
{
	struct lkst_rec_state_thread r = { .thread_tid = tid, .thread_cpu = 1 };

	memcpy(r.comm, comm, strlen(comm));
	if (lkst_thread_list_add(list, &r))
		abort();
}

static const char *name_of(const struct lkst_thread_list *list, s32 tid)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->list[i].thread_tid == tid)
			return (const char *)list->list[i].comm;
	return "none";
}

static const char text[] =
	/* Renamed twice; its records are on two CPUs. */
	"task_rename cpu=1 buffer=1 tid=5 ns=2000 target_tid=5 oldcomm=second newcomm=third\n"
	"task_rename cpu=0 buffer=1 tid=5 ns=1000 target_tid=5 oldcomm=first newcomm=second\n"
	/* Was there, and ended. */
	"sched_process_exit cpu=0 buffer=1 tid=6 ns=1100 exit_pid=60 comm=ended task=0x6000\n"
	/* Was there, got another name, and ended. */
	"task_rename cpu=0 buffer=1 tid=7 ns=1200 target_tid=7 oldcomm=old newcomm=new\n"
	"sched_process_exit cpu=0 buffer=1 tid=7 ns=1300 exit_pid=70 comm=new task=0x7000\n"
	/* Came and went. */
	"sched_process_fork cpu=0 buffer=1 tid=1 ns=1400 child_tid=8 child_pid=8 child_comm=a\n"
	"task_rename cpu=0 buffer=1 tid=8 ns=1500 target_tid=8 oldcomm=a newcomm=b\n"
	"sched_process_exit cpu=0 buffer=1 tid=8 ns=1600 exit_pid=8 comm=b\n";

TEST(life_takes_names_and_ends_back)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_life_log *l = fed(t, text);
	struct lkst_thread_list list = {};

	add(&list, 4, "same");
	add(&list, 5, "third");
	CHECK_EQ(lkst_life_undo(l, &list), 0);
	CHECK_STR(name_of(&list, 4), "same");
	CHECK_STR(name_of(&list, 5), "first");
	CHECK_STR(name_of(&list, 6), "ended");
	CHECK_STR(name_of(&list, 7), "old");
	CHECK_STR(name_of(&list, 8), "none");
	CHECK_EQ(list.nr, 4);
	CHECK_EQ(list.list[2].thread_pid, 60);
	CHECK_EQ(list.list[2].task, 0x6000);
	CHECK_EQ(list.list[3].task, 0x7000);
	CHECK_EQ(list.list[2].thread_cpu, -1);
	lkst_thread_list_fini(&list);
	lkst_life_free(l);
	CHECK_EQ(make_end(t), 0);
}

/* Where a thread was before its process was moved is not recorded, of those that have ended neither. */
TEST(life_knows_no_cgroup_of_what_was_moved_and_ended)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_life_log *l =
		fed(t, "cgroup_attach_task buffer=1 ns=1150 target_tid=70 is_process=1 cgroup=22 path=/x\n"
		       "sched_process_exit buffer=1 tid=6 ns=1200 exit_pid=60 comm=ended cgroup=11\n"
		       "sched_process_exit buffer=1 tid=7 ns=1300 exit_pid=70 comm=new cgroup=22\n");
	struct lkst_thread_list list = {}, lately = {};

	CHECK_EQ(lkst_life_undo(l, &list), 0);
	CHECK_EQ(list.nr, 2);
	CHECK_EQ(list.list[0].cgroup, 11);
	CHECK_EQ(list.list[1].cgroup, 0);
	CHECK_EQ(lkst_life_add_ended(l, &lately), 0);
	CHECK_EQ(lately.nr, 2);
	CHECK_EQ(lately.list[1].cgroup, 22);
	lkst_thread_list_fini(&list);
	lkst_thread_list_fini(&lately);
	lkst_life_free(l);
	CHECK_EQ(make_end(t), 0);
}

/* What /proc says of these now is not what they ran when the records begin. */
TEST(life_knows_which_processes_have_begun_something_else)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_life_log *l = fed(
		t, "sched_process_exec buffer=1 tid=9 ns=1100 old_tid=9 filename=/bin/true\n"
		   "sched_process_fork buffer=1 tid=9 ns=1200 child_tid=5 child_pid=5 parent_pid=9 child_comm=a\n"
		   "sched_process_exec buffer=1 tid=5 ns=1300 old_tid=5 filename=/bin/true\n");
	struct lkst_thread_list list = {};

	CHECK_EQ(lkst_life_undo(l, &list), 0);
	CHECK_EQ(list.nr_renewed, 2);
	CHECK_EQ(list.renewed[0], 5);
	CHECK_EQ(list.renewed[1], 9);
	lkst_thread_list_fini(&list);
	lkst_life_free(l);
	CHECK_EQ(make_end(t), 0);
}

TEST(life_lists_who_has_ended_lately)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_life_log *l = fed(t, text);
	struct lkst_thread_list list = {};

	lkst_life_forget(l, 1200);
	CHECK_EQ(lkst_life_add_ended(l, &list), 0);
	CHECK_EQ(list.nr, 2);
	CHECK_STR(name_of(&list, 7), "new");
	CHECK_EQ(list.list[0].task, 0x7000);
	CHECK_STR(name_of(&list, 8), "b");
	lkst_thread_list_fini(&list);
	lkst_life_free(l);
	CHECK_EQ(make_end(t), 0);
}

TEST(life_remembers_a_bounded_number)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	struct lkst_life_log *l = fed(t, "sched_process_exit buffer=1 tid=6 ns=1100 comm=ended\n");
	struct lkst_thread_list list = {};
	int i;

	for (i = 0; i < 300000; i++)
		CHECK_EQ(lkst_life_feed(l, t->streams[0].bytes, t->streams[0].used), 0);
	CHECK_EQ(lkst_life_add_ended(l, &list), 0);
	CHECK(list.nr >= 100000 && list.nr <= 1 << 18);
	lkst_thread_list_fini(&list);
	lkst_life_free(l);
	CHECK_EQ(make_end(t), 0);
}

static const struct unit_test tests[] = {
	{ "life_takes_names_and_ends_back", test_life_takes_names_and_ends_back },
	{ "life_knows_no_cgroup_of_what_was_moved_and_ended",
	  test_life_knows_no_cgroup_of_what_was_moved_and_ended },
	{ "life_knows_which_processes_have_begun_something_else",
	  test_life_knows_which_processes_have_begun_something_else },
	{ "life_lists_who_has_ended_lately", test_life_lists_who_has_ended_lately },
	{ "life_remembers_a_bounded_number", test_life_remembers_a_bounded_number },
};
UNIT_MAIN(tests)
