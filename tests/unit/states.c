/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The state model: what it reports of traces made of text, event by event.
 */
#include "lib/states.h"

#include "lib/unit.h"

static char text[STATES_TEXT_MAX + 128];
static struct lkst_model_doubts doubts;

enum { NOBODY = -2 };

/* What is reported of thread @tid, or of @cpu if it is not NOBODY, contexts or calls. */
static const char *told(const char *lines, s32 tid, s32 cpu, bool wants_frames, bool wants_calls)
{
	struct states *st = calloc(1, sizeof(*st));

	if (!st)
		abort();
	st->tid = tid;
	st->cpu = cpu;
	st->wants_frames = wants_frames;
	st->wants_calls = wants_calls;
	make_scratch(st->dir);
	if (make_trace(st->dir, 4096, lines))
		abort();
	states_open(st);
	states_run(st);
	doubts = st->doubts;
	snprintf(text, sizeof(text), "%s%s", st->is_torn ? st->tear : "", st->text);
	states_close(st);
	free(st);
	return text;
}

static const char *thread(const char *lines, s32 tid)
{
	return told(lines, tid, NOBODY, false, false);
}

static const char *cpu(const char *lines, s32 nr)
{
	return told(lines, NOBODY, nr, false, false);
}

/* A list that has a thread which is yet to be created is wrong about that. */
TEST(states_take_no_thread_as_created_after_its_list)
{
	static const char lines[] = "state_clock ns=50 monotonic_ns=50 boottime_ns=50\n"
				    "state_thread ns=50 thread_tid=7 thread_pid=7 start_ns=900000000000 comm=late\n"
				    "test_text cpu=0 tid=7 ns=100 name=x\n"
				    "test_text cpu=0 tid=7 ns=200 name=x\n"
				    "sched_switch cpu=0 tid=7 ns=300 next_tid=6 prev_state=1\n";

	CHECK_STR(thread(lines, 7), "R100-300@0");
	CHECK_STR(cpu(lines, 0), "7:100-300");
}

TEST(states_follow_switches_and_wakeups)
{
	static const char lines[] = "sched_switch cpu=0 tid=5 ns=100 next_tid=7 prev_state=1\n"
				    "sched_waking cpu=0 tid=7 ns=200 target_tid=5\n"
				    "sched_wakeup cpu=0 tid=7 ns=210 target_tid=5 target_cpu=1\n"
				    "sched_switch cpu=1 tid=0 ns=300 next_tid=5 prev_state=0\n"
				    "sched_switch cpu=1 tid=5 ns=400 next_tid=0 prev_state=0\n"
				    "sched_switch cpu=0 tid=7 ns=500 next_tid=0 prev_state=2\n"
				    "sched_switch cpu=1 tid=0 ns=600 next_tid=9 prev_state=0\n";

	CHECK_STR(thread(lines, 5), "B100-200 W200-300<7 R300-400@1 W400-600-");
	CHECK_STR(thread(lines, 7), "R100-500@0 B500-600");
	CHECK_STR(cpu(lines, 0), "7:100-500 0:500-600");
	CHECK_STR(cpu(lines, 1), "0:100-300 5:300-400 0:400-600");
	CHECK_EQ(doubts.missed + doubts.no_wake + doubts.elsewhere + doubts.unmatched, 0);
}

TEST(states_before_the_first_event_follow_from_it)
{
	static const char lines[] = "test:nothing cpu=0 tid=1 ns=100\n"
				    "sched_switch cpu=0 tid=1 ns=200 next_tid=2 prev_state=1\n"
				    "sched_waking cpu=0 tid=2 ns=300 target_tid=3\n"
				    "sched_switch cpu=0 tid=2 ns=400 next_tid=0 prev_state=64\n"
				    "sched_switch cpu=1 tid=4 ns=500 next_tid=0 prev_state=4\n";

	CHECK_STR(thread(lines, 1), "R100-200@0 B200-500");
	CHECK_STR(thread(lines, 2), "W100-200 R200-400@0 B400-500");
	CHECK_STR(thread(lines, 3), "B100-300 W300-500<2");
	/* The first record of CPU 1 shows which thread ran there from the beginning on. */
	CHECK_STR(thread(lines, 4), "R100-500@1");
	CHECK_STR(cpu(lines, 1), "4:100-500");
}

TEST(states_are_unknown_before_every_ring_begins)
{
	/* CPU 1's ring had been overwritten up to 300. */
	static const char lines[] = "!skip cpu=0 blocks=9\n"
				    "!skip cpu=1 blocks=4\n"
				    "sched_switch cpu=0 tid=5 ns=100 next_tid=0 prev_state=1\n"
				    "sched_switch cpu=1 tid=0 ns=300 next_tid=7 prev_state=0\n"
				    "sched_waking cpu=1 tid=7 ns=400 target_tid=5\n"
				    "sched_waking cpu=1 tid=7 ns=450 target_tid=8\n"
				    "sched_switch cpu=1 tid=7 ns=500 next_tid=0 prev_state=1\n";

	CHECK_STR(thread(lines, 5), "U100-300 B300-400 W400-500<7");
	CHECK_STR(thread(lines, 7), "U100-300 R300-500@1");
	CHECK_STR(thread(lines, 8), "U100-300 B300-450 W450-500<7");
	CHECK_STR(cpu(lines, 0), "0:100-500");
	CHECK_STR(cpu(lines, 1), "?:100-300 7:300-500");
}

TEST(states_are_unknown_across_a_gap)
{
	static const char lines[] = "sched_switch cpu=0 tid=5 ns=100 next_tid=6 prev_state=1\n"
				    "sched_switch cpu=1 tid=0 ns=110 next_tid=7 prev_state=0\n"
				    "sched_switch cpu=1 tid=7 ns=200 next_tid=8 prev_state=0\n"
				    "!skip cpu=1 blocks=2\n"
				    "sched_switch cpu=0 tid=6 ns=300 next_tid=0 prev_state=1\n"
				    "sched_waking cpu=1 tid=9 ns=400 target_tid=5\n"
				    "sched_waking cpu=1 tid=9 ns=450 target_tid=6\n"
				    "sched_switch cpu=1 tid=9 ns=500 next_tid=7 prev_state=1\n"
				    "sched_switch cpu=0 tid=0 ns=600 next_tid=8 prev_state=0\n";

	/* The thread that runs on a CPU without a gap cannot have changed in one. */
	CHECK_STR(thread(lines, 6), "R100-300@0 U300-400 B400-450 W450-600<9");
	CHECK_STR(thread(lines, 5), "B100-200 U200-400 W400-600<9");
	CHECK_STR(thread(lines, 7), "W100-110 R110-200@1 U200-400 W400-500 R500-600@1");
	CHECK_STR(thread(lines, 8), "W100-200 U200-400 W400-600");
	CHECK_STR(thread(lines, 9), "U100-400 R400-500@1 B500-600");
	CHECK_STR(cpu(lines, 0), "6:100-300 0:300-600");
	CHECK_STR(cpu(lines, 1), "0:100-110 7:110-200 ?:200-400 9:400-500 7:500-600");
	CHECK_EQ(doubts.gaps, 1);
}

/* Maskset 0 is RNOTHING. A change from one other to another is no pause. */
TEST(states_are_unknown_while_nothing_is_recorded)
{
	static const char lines[] = "sched_switch cpu=0 tid=5 ns=100 next_tid=6 prev_state=1\n"
				    "sched_switch cpu=1 tid=0 ns=110 next_tid=7 prev_state=0\n"
				    "maskset_switch cpu=1 tid=7 ns=150 from=2 to=3\n"
				    "maskset_switch cpu=1 tid=7 ns=200 from=3 to=0\n"
				    "maskset_switch cpu=0 tid=9 ns=400 from=0 to=3\n"
				    "sched_switch cpu=1 tid=7 ns=500 next_tid=0 prev_state=1\n"
				    "sched_switch cpu=0 tid=9 ns=600 next_tid=6 prev_state=1\n"
				    "maskset_switch cpu=1 tid=0 ns=700 from=3 to=0\n"
				    "task_rename cpu=0 tid=6 ns=800 name=x\n";

	CHECK_STR(cpu(lines, 0), "6:100-200 ?:200-400 9:400-600 6:600-700 ?:700-800");
	CHECK_STR(cpu(lines, 1), "0:100-110 7:110-200 ?:200-400 7:400-500 0:500-700 ?:700-800");
	/* Nothing is missing. */
	CHECK_EQ(doubts.gaps, 0);
}

TEST(states_tell_preempted_from_blocked_from_stopped)
{
	static const char lines[] = "sched_switch cpu=0 tid=1 ns=100 next_tid=5 prev_state=0\n"
				    "sched_switch cpu=0 tid=5 ns=200 next_tid=0 prev_state=0\n"
				    "sched_switch cpu=0 tid=0 ns=300 next_tid=5 prev_state=0\n"
				    "sched_switch cpu=0 tid=5 ns=400 next_tid=0 prev_state=8\n"
				    "sched_waking cpu=0 tid=0 ns=500 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=600 next_tid=5 prev_state=0\n"
				    "syscall_entry_unknown cpu=0 tid=5 ns=610 nr=999\n"
				    "sched_switch cpu=0 tid=5 ns=700 next_tid=0 prev_state=2\n";

	CHECK_STR(thread(lines, 5),
		  "R100-200@0 W200-300- R300-400@0 S400-500 W500-600<0 R600-700@0");
	CHECK_STR(thread(lines, 1), "W100-700-");
}

TEST(states_know_what_woke_a_thread)
{
	static const char lines[] = "sched_switch cpu=0 tid=5 ns=100 next_tid=6 prev_state=1\n"
				    "irq_handler_entry cpu=0 tid=6 ns=200 irq=24\n"
				    "sched_waking cpu=0 tid=6 ns=210 target_tid=5\n"
				    "irq_handler_exit cpu=0 tid=6 ns=220 irq=24\n"
				    "sched_switch cpu=0 tid=6 ns=300 next_tid=5 prev_state=1\n"
				    "local_timer_entry cpu=0 tid=5 ns=310 vector=236\n"
				    "hrtimer_expire_entry cpu=0 tid=5 ns=320 hrtimer=4096\n"
				    "sched_waking cpu=0 tid=5 ns=330 target_tid=6\n"
				    "hrtimer_expire_exit cpu=0 tid=5 ns=340 hrtimer=4096\n"
				    "local_timer_exit cpu=0 tid=5 ns=350 vector=236\n"
				    "softirq_entry cpu=0 tid=5 ns=360 vec=4\n"
				    "sched_waking cpu=0 tid=5 ns=365 target_tid=8\n"
				    "softirq_exit cpu=0 tid=5 ns=370 vec=4\n"
				    "sched_switch cpu=0 tid=5 ns=400 next_tid=0 prev_state=1\n";

	CHECK_STR(thread(lines, 5), "B100-210 W210-300<irq24 R300-400@0");
	CHECK_STR(thread(lines, 6), "R100-300@0 B300-330 W330-400<hrtimer");
	CHECK_STR(thread(lines, 8), "B100-365 W365-400<softirq4");
	CHECK_STR(cpu(lines, 0), "6:100-300(irq 20) 5:300-400(irq 40)(softirq 10)");
	CHECK_STR(told(lines, NOBODY, NOBODY, true, false),
		  "irq24:200-220(0) hrtimer0:320-340(0) vector236:310-350(20) softirq4:360-370(0)");
}

TEST(states_wake_a_thread_that_is_about_to_sleep)
{
	/* The waker saw it before it slept: it does not sleep, though it is put on the queue only then. */
	static const char lines[] = "sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
				    "sched_waking cpu=1 tid=7 ns=200 target_tid=5\n"
				    "sched_switch cpu=0 tid=5 ns=210 next_tid=0 prev_state=1\n"
				    "sched_wakeup cpu=0 tid=0 ns=220 target_tid=5 target_cpu=0\n"
				    "sched_switch cpu=0 tid=0 ns=300 next_tid=5 prev_state=0\n"
				    "sched_waking cpu=1 tid=7 ns=310 target_tid=5\n"
				    "sched_wakeup cpu=1 tid=7 ns=320 target_tid=5 target_cpu=0\n"
				    "sched_waking cpu=0 tid=5 ns=330 target_tid=5\n"
				    "sched_switch cpu=0 tid=5 ns=400 next_tid=0 prev_state=1\n";

	CHECK_STR(thread(lines, 5), "R100-210@0 W210-300<7 R300-400@0");
}

TEST(states_follow_lives)
{
	static const char lines[] =
		"sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
		"task_newtask cpu=0 buffer=1 tid=5 ns=110 child_tid=9 child_comm=sh\n"
		"sched_process_fork cpu=0 buffer=1 tid=5 ns=120 child_tid=9 child_pid=9 "
		"parent_pid=5 child_comm=sh\n"
		"sched_wakeup_new cpu=0 tid=5 ns=130 target_tid=9 target_cpu=1\n"
		"sched_switch cpu=1 tid=0 ns=150 next_tid=9 prev_state=0\n"
		"sched_process_exit cpu=1 buffer=1 tid=9 ns=180 exit_pid=9 exit_code=256 comm=ls\n"
		"sched_switch cpu=1 tid=9 ns=200 next_tid=0 prev_state=128\n"
		"task_newtask cpu=0 buffer=1 tid=5 ns=300 child_tid=9 child_comm=second\n"
		"sched_process_free cpu=0 buffer=1 tid=5 ns=310 freed_tid=9\n"
		"sched_wakeup_new cpu=0 tid=5 ns=320 target_tid=9 target_cpu=0\n"
		"sched_switch cpu=0 tid=5 ns=400 next_tid=9 prev_state=1\n"
		"test:nothing cpu=0 tid=9 ns=500\n";

	/* The old one is forgotten when its number is in use again: that is not the new one's end. */
	CHECK_STR(thread(lines, 9), "N110-130 W130-150+<5 R150-200@1 D200-300 N300-320 W320-400+<5 "
				    "R400-500@0");
	CHECK_EQ(doubts.missed, 0);
}

static int count_over(void *ctx, const struct lkst_thread_life *life)
{
	char *p = ctx;

	sprintf(p + strlen(p), "%s%s %d.%d %x", *p ? ", " : "", life->comm, life->pid, life->tid,
		life->exit_code);
	return 0;
}

TEST(states_know_names_and_families)
{
	static const struct lkst_model_calls calls = { .over = count_over };
	static const char lines[] =
		"state_clock ns=50 monotonic_ns=50 boottime_ns=1050\n"
		"state_thread ns=50 thread_tid=2 thread_pid=2 flags=1 state=1 comm=kthreadd\n"
		"state_thread ns=50 thread_tid=5 thread_pid=4 parent_pid=1 comm=worker\n"
		"state_thread ns=50 thread_tid=4 thread_pid=4 parent_pid=1 state=1 comm=leader\n"
		"test:nothing cpu=0 tid=5 ns=100\n"
		"task_rename buffer=1 tid=5 ns=110 target_tid=5 newcomm=renamed\n"
		"task_newtask buffer=1 tid=5 ns=120 child_tid=6 clone_flags=65536 child_comm=helper\n"
		"task_newtask buffer=1 tid=5 ns=130 child_tid=7 clone_flags=17 child_comm=child\n"
		"task_newtask buffer=1 tid=2 ns=140 child_tid=8 child_comm=kworker\n"
		"sched_process_exit cpu=0 buffer=1 tid=5 ns=150 exit_pid=4 exit_code=9 comm=last\n"
		"sched_switch cpu=0 tid=5 ns=160 next_tid=0 prev_state=128\n";
	struct states st = { .tid = 2, .cpu = NOBODY };
	char over[256] = "";
	struct lkst_err e;

	make_scratch(st.dir);
	CHECK(!make_trace(st.dir, 4096, lines));
	states_open(&st);
	CHECK(!lkst_model_new(&e, st.feed, &st.state));
	CHECK(lkst_model_subscribe(st.state, &calls, over) == 1);
	states_run(&st);
	CHECK_STR(over, "last 4.5 9");
	/* The state of a thread without any event is that of the list. */
	CHECK_STR(st.text, "B100-160");
	CHECK_EQ(lkst_model_life_of(st.state, 6, 0)->pid, 4);
	CHECK_EQ(lkst_model_life_of(st.state, 6, 0)->parent_pid, 1);
	CHECK_EQ(lkst_model_life_of(st.state, 7, 0)->pid, 7);
	CHECK_EQ(lkst_model_life_of(st.state, 7, 0)->parent_pid, 4);
	CHECK_STR(lkst_model_life_of(st.state, 7, 0)->comm, "child");
	/* A life is found by each name that it had, and by no other's. */
	CHECK(lkst_model_was_called(st.state, lkst_model_life_of(st.state, 5, 0), "last"));
	CHECK(lkst_model_was_called(st.state, lkst_model_life_of(st.state, 5, 0), "ren*"));
	CHECK(!lkst_model_was_called(st.state, lkst_model_life_of(st.state, 5, 0), "helper"));
	CHECK(!lkst_model_was_called(st.state, lkst_model_life_of(st.state, 7, 0), "renamed"));
	CHECK(lkst_model_life_of(st.state, 8, 0)->is_kernel);
	CHECK(lkst_model_life_of(st.state, 7, 0)->is_born);
	CHECK_STR(lkst_model_life_of(st.state, 0, 0)->comm, "swapper/0");
	CHECK(!lkst_model_life_of(st.state, 77, 0));
	states_close(&st);
}

TEST(states_of_a_thread_that_takes_over_its_process)
{
	/* Thread 6 of process 5 calls execve: the leader ends, and 6 is 5 from then on. */
	static const char lines[] =
		"state_thread ns=50 thread_tid=5 thread_pid=5 comm=leader\n"
		"state_thread ns=50 thread_tid=6 thread_pid=5 comm=second\n"
		"sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
		"sched_switch cpu=1 tid=0 ns=110 next_tid=6 prev_state=0\n"
		"sched_switch cpu=0 tid=5 ns=200 next_tid=0 prev_state=128\n"
		"test:nothing cpu=1 tid=6 ns=250\n"
		"kfree cpu=1 tid=5 ns=300\n"
		"sched_process_exec cpu=1 buffer=1 tid=5 ns=310 old_tid=6 filename=/bin/a\n"
		"sched_process_free cpu=0 buffer=1 tid=0 ns=320 freed_tid=6\n"
		"sched_switch cpu=1 tid=5 ns=400 next_tid=0 prev_state=1\n"
		"test:nothing cpu=0 tid=0 ns=500\n";

	CHECK_STR(thread(lines, 5), "R100-200@0 D200-310 R110-400@1 B400-500");
	CHECK_EQ(doubts.missed, 0);
}

/* The rename comes before the exec, under the number that was the leader's, whose name it is not. */
TEST(states_name_who_takes_over_its_process)
{
	static const char listed[] =
		"state_thread ns=50 thread_tid=5 thread_pid=5 comm=leader\n"
		"state_thread ns=50 thread_tid=6 thread_pid=5 comm=second\n";
	static const char switches[] = "sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
				       "sched_switch cpu=1 tid=0 ns=110 next_tid=6 prev_state=0\n";
	static const char exit[] =
		"sched_process_exit cpu=0 buffer=1 tid=5 ns=190 exit_pid=5 comm=leader\n";
	static const char last[] = "sched_switch cpu=0 tid=5 ns=200 next_tid=0 prev_state=128\n";
	static const char exec[] =
		"task_rename cpu=1 buffer=1 tid=5 ns=300 target_tid=5 oldcomm=second newcomm=other\n"
		"sched_process_exec cpu=1 buffer=1 tid=5 ns=310 old_tid=6 filename=/bin/other\n";
	/* The leader may be on its CPU still; switches may not be recorded. */
	static const char late[] = "sched_switch cpu=0 tid=5 ns=320 next_tid=0 prev_state=128\n"
				   "irq_handler_entry cpu=1 tid=5 ns=350 irq=1\n";
	const char *const parts[][5] = { { listed, switches, exit, last, exec },
					 { listed, switches, exit, exec, late },
					 { listed, exit, exec, "", "" } };
	size_t i, k;
	u32 nr;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct states st = { .tid = 5, .cpu = NOBODY };
		char lines[2048] = "", names[256] = "";

		for (k = 0; k < 5; k++)
			strcat(lines, parts[i][k]);
		strcat(lines, "kfree cpu=1 tid=5 ns=400\n");
		make_scratch(st.dir);
		CHECK(!make_trace(st.dir, 4096, lines));
		states_open(&st);
		states_run(&st);
		for (nr = 0; nr < lkst_model_nr_lives(st.state); nr++) {
			const struct lkst_thread_life *life = lkst_model_life(st.state, nr);

			if (life->tid == 5 || life->tid == 6)
				sprintf(names + strlen(names), " %s", life->comm);
		}
		CHECK_STR(names, " leader other");
		states_close(&st);
	}
}

TEST(states_notice_a_reused_number)
{
	/* The fork is not in the trace. */
	static const char lines[] = "sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
				    "sched_switch cpu=0 tid=5 ns=200 next_tid=0 prev_state=128\n"
				    "sched_waking cpu=0 tid=0 ns=300 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=400 next_tid=5 prev_state=0\n"
				    "test:nothing cpu=0 tid=5 ns=500\n";

	CHECK_STR(thread(lines, 5), "R100-200@0 D200-300 W300-400<0 R400-500@0");
}

TEST(states_count_what_cannot_be)
{
	/* A switch to 7 is missing on CPU 0: it ends what was known of 5 there at its last event. */
	static const char lines[] = "sched_switch cpu=0 tid=0 ns=100 next_tid=5 prev_state=0\n"
				    "softirq_raise cpu=0 tid=5 ns=150 vec=1\n"
				    "irq_handler_entry cpu=0 tid=5 ns=160 irq=1\n"
				    "irq_handler_exit cpu=0 tid=5 ns=170 irq=1\n"
				    "sched_switch cpu=0 tid=7 ns=200 next_tid=0 prev_state=1\n"
				    "sched_switch cpu=0 tid=0 ns=300 next_tid=7 prev_state=0\n"
				    "sched_switch cpu=1 tid=0 ns=400 next_tid=7 prev_state=0\n"
				    "irq_handler_exit cpu=1 tid=7 ns=450 irq=9\n";

	CHECK_STR(thread(lines, 5), "R100-170@0 U170-450");
	CHECK_STR(thread(lines, 7), "U100-200 U200-300 U300-400 R400-450@1");
	CHECK_EQ(doubts.missed, 1);
	CHECK_EQ(doubts.no_wake, 1);
	CHECK_EQ(doubts.elsewhere, 1);
	CHECK_EQ(doubts.unmatched, 1);
}

TEST(states_in_a_window_know_what_was_before)
{
	static const char lines[] = "sched_switch cpu=0 tid=5 ns=100 next_tid=7 prev_state=1\n"
				    "sched_waking cpu=0 tid=7 ns=200 target_tid=5\n"
				    "sched_switch cpu=0 tid=7 ns=300 next_tid=5 prev_state=2\n"
				    "sched_switch cpu=0 tid=5 ns=400 next_tid=0 prev_state=1\n";
	struct states st = { .tid = 5, .cpu = 0 };

	make_scratch(st.dir);
	CHECK(!make_trace(st.dir, 4096, lines));
	states_open(&st);
	lkst_feed_limit(st.feed, 250, 350);
	states_run(&st);
	CHECK(!st.is_torn);
	CHECK_STR(st.text, "7:250-300 W250-300<7 5:300-350 R300-350@0");
	states_close(&st);
}

static const struct unit_test tests[] = {
	{ "states_take_no_thread_as_created_after_its_list",
	  test_states_take_no_thread_as_created_after_its_list },
	{ "states_follow_switches_and_wakeups", test_states_follow_switches_and_wakeups },
	{ "states_before_the_first_event_follow_from_it",
	  test_states_before_the_first_event_follow_from_it },
	{ "states_are_unknown_before_every_ring_begins",
	  test_states_are_unknown_before_every_ring_begins },
	{ "states_are_unknown_across_a_gap", test_states_are_unknown_across_a_gap },
	{ "states_are_unknown_while_nothing_is_recorded",
	  test_states_are_unknown_while_nothing_is_recorded },
	{ "states_tell_preempted_from_blocked_from_stopped",
	  test_states_tell_preempted_from_blocked_from_stopped },
	{ "states_know_what_woke_a_thread", test_states_know_what_woke_a_thread },
	{ "states_wake_a_thread_that_is_about_to_sleep",
	  test_states_wake_a_thread_that_is_about_to_sleep },
	{ "states_follow_lives", test_states_follow_lives },
	{ "states_know_names_and_families", test_states_know_names_and_families },
	{ "states_of_a_thread_that_takes_over_its_process",
	  test_states_of_a_thread_that_takes_over_its_process },
	{ "states_name_who_takes_over_its_process",
	  test_states_name_who_takes_over_its_process },
	{ "states_notice_a_reused_number", test_states_notice_a_reused_number },
	{ "states_count_what_cannot_be", test_states_count_what_cannot_be },
	{ "states_in_a_window_know_what_was_before", test_states_in_a_window_know_what_was_before },
};

UNIT_MAIN(tests)
