/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Spans of programs on traces whose answer is known by construction, and on hostile ones.
 */
#include "analyze/model/spans.h"

#include <stdarg.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static char seen[8192]; /* a line for each span, in the order in which they were over */
static struct lkst_model *model;
static char beginner[16]; /* who began the last one of them */
static struct lkst_spans_doubts doubts;
static u64 nr_seen;

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
	size_t used = strlen(seen);
	va_list args;

	va_start(args, format);
	vsnprintf(seen + used, sizeof(seen) - used, format, args);
	va_end(args);
}

static int on_span(void *ctx, const struct lkst_span *x)
{
	const struct lkst_thread_life *life =
		x->begin_life == LKST_LIFE_NONE ? NULL : lkst_model_life(model, x->begin_life);
	u32 i;

	(void)ctx;
	nr_seen++;
	snprintf(beginner, sizeof(beginner), "%s", life && life->tid == x->begin_tid ? life->comm : "");
	put("%s %llu %llu-%llu %d>%d %s", x->name, (unsigned long long)x->id,
	    (unsigned long long)x->from_ns, (unsigned long long)x->to_ns, x->begin_tid, x->end_tid,
	    lkst_span_ending_names[x->ending]);
	for (i = 1; i < x->nr_parts; i++)
		put(" %d@%llu", x->parts[i].tid, (unsigned long long)x->parts[i].from_ns);
	put(" %llu/%llu/%llu", (unsigned long long)x->running_ns, (unsigned long long)x->ready_ns,
	    (unsigned long long)x->blocked_ns);
	if (x->trace_low)
		put(" trace %llx%016llx", (unsigned long long)x->trace_high,
		    (unsigned long long)x->trace_low);
	if (x->outer)
		put(" in %llu", (unsigned long long)x->outer);
	put("\n");
	return 0;
}

static void follow(const char *text)
{
	struct lkst_feed *feed = NULL;
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_spans *spans = NULL;
	struct lkst_trace *trace = NULL;
	struct make_trace *m;
	struct lkst_err e = {};
	char dir[64];

	seen[0] = 0;
	nr_seen = 0;
	make_scratch(dir);
	m = make_begin(dir, make_catalog(), 4096);
	CHECK_EQ(make_text(m, text), 0);
	CHECK_EQ(make_end(m), 0);
	CHECK_EQ(lkst_trace_open(&e, dir, &trace), 0);
	CHECK_EQ(lkst_feed_new(&e, trace, &feed), 0);
	CHECK_EQ(lkst_feed_threads(feed, threads), 0);
	CHECK_EQ(lkst_model_new(&e, feed, &model), 0);
	{
		const struct lkst_spans_options options = { feed, model, threads, on_span, NULL };

		CHECK_EQ(lkst_spans_new(&e, &options, &spans), 0);
	}
	CHECK_EQ(lkst_feed_run(&e, feed), 0);
	doubts = *lkst_spans_doubts(spans);
	lkst_spans_free(spans);
	lkst_model_free(model);
	lkst_feed_free(feed);
	lkst_threads_free(threads);
	lkst_trace_close(trace);
	make_scratch_remove(dir);
}

#define PROCESSES                                                                                  \
	"state_thread thread_tid=10 thread_pid=10 comm=one\n"                                      \
	"state_thread thread_tid=11 thread_pid=10 comm=two\n"                                      \
	"state_thread thread_tid=20 thread_pid=20 comm=other\n"

TEST(spans_know_what_their_thread_did)
{
	follow(PROCESSES "sched_switch cpu=0 ns=1000 next_tid=10\n"
			 "span_begin cpu=0 tid=10 ns=1100 span=0 name=outer\n"
			 "span_begin cpu=0 tid=10 ns=1200 span=7 name=\"two words\"\n"
			 "sched_switch cpu=0 tid=10 ns=1500 prev_state=1 next_tid=0\n"
			 "sched_waking cpu=0 tid=0 ns=2500 target_tid=10\n"
			 "sched_switch cpu=0 tid=0 ns=2600 next_tid=10\n"
			 "span_end cpu=0 tid=10 ns=3000 span=7 name=\"two words\"\n"
			 "span_end cpu=0 tid=10 ns=3300 span=0 name=outer\n");
	CHECK_STR(seen, "two words 7 1200-3000 10>10 ended 700/100/1000 in 1\n"
			"outer 0 1100-3300 10>10 ended 1100/100/1000\n");
}

TEST(spans_of_one_name_end_the_last_begun_first)
{
	follow(PROCESSES "span_begin cpu=0 tid=10 ns=1000 span=0 name=a\n"
			 "span_begin cpu=0 tid=10 ns=1100 span=0 name=a\n"
			 "span_begin cpu=1 tid=11 ns=1150 span=0 name=a\n"
			 "span_begin cpu=1 tid=20 ns=1160 span=5 name=b\n"
			 "span_begin cpu=1 tid=11 ns=1170 span=5 name=b\n"
			 "span_end cpu=0 tid=10 ns=1200 span=0 name=a\n"
			 "span_end cpu=0 tid=10 ns=1300 span=0 name=a\n"
			 "span_end cpu=0 tid=10 ns=1400 span=0 name=a\n"
			 "span_end cpu=0 tid=10 ns=1450 span=5 name=b\n"
			 "span_end cpu=1 tid=11 ns=1500 span=0 name=a\n");
	CHECK_EQ(doubts.no_begin, 1);
	CHECK(strstr(seen, "a 0 1100-1200 10>10 ended"));
	CHECK(strstr(seen, "a 0 1000-1300 10>10 ended"));
	CHECK(strstr(seen, "b 5 1170-1450 11>10 ended"));
	CHECK(strstr(seen, "a 0 1150-1500 11>11 ended"));
	CHECK(strstr(seen, "b 5 1160-1500 20>0 open"));
}

TEST(spans_are_handed_over_with_their_request)
{
	follow(PROCESSES
	       "sched_switch cpu=0 ns=500 next_tid=10\n"
	       "sched_switch cpu=1 ns=600 next_tid=20\n"
	       "span_begin cpu=0 tid=10 ns=1000 span=7 name=request\n"
	       "span_request cpu=0 tid=10 ns=1010 span=7 trace_high=0x4bf9 trace_low=0xe4736 parent=0xf067\n"
	       "span_handover cpu=0 tid=10 ns=1100 span=7 to_tid=0\n"
	       "span_begin cpu=1 tid=20 ns=1300 span=7 name=serve\n"
	       "span_end cpu=1 tid=20 ns=1400 span=7 name=serve\n"
	       "span_handover cpu=1 tid=20 ns=1500 span=7 to_tid=10\n"
	       "span_end cpu=0 tid=10 ns=1700 span=7 name=request\n");
	/* 100 by the first, 200 by nobody, 200 by the second, 200 by the first again. */
	CHECK_STR(seen, "serve 7 1300-1400 20>20 ended 100/0/0 trace 4bf900000000000e4736 in 1\n"
			"request 7 1000-1700 10>10 ended 0@1100 20@1300 10@1500 500/0/0 trace "
			"4bf900000000000e4736\n");
}

TEST(spans_take_a_request_that_was_said_before)
{
	follow(PROCESSES
	       "span_request cpu=0 tid=10 ns=990 span=7 trace_high=0 trace_low=0x77 parent=1\n"
	       "span_begin cpu=1 tid=11 ns=1000 span=7 name=a\n"
	       "span_end cpu=1 tid=11 ns=1100 span=7 name=a\n"
	       "span_begin cpu=1 tid=11 ns=1200 span=7 name=a\n"
	       "span_end cpu=1 tid=11 ns=1300 span=7 name=a\n");
	CHECK(strstr(seen, "a 7 1000-1100 11>11 ended 0/0/0 trace 00000000000000077\n"));
	CHECK(strstr(seen, "a 7 1200-1300 11>11 ended 0/0/0\n"));
}

TEST(spans_that_are_not_ended_say_so)
{
	follow(PROCESSES "span_begin cpu=0 tid=10 ns=1000 span=0 name=mine\n"
			 "span_begin cpu=0 tid=10 ns=1010 span=9 name=ours\n"
			 "span_begin cpu=0 tid=10 ns=1020 span=8 name=left\n"
			 "span_begin cpu=1 tid=20 ns=1030 span=1 name=missed\n"
			 "sched_process_exit cpu=0 tid=10 ns=1500 exit_pid=10\n"
			 "span_end cpu=1 tid=11 ns=1600 span=9 name=ours\n"
			 "span_begin cpu=1 tid=11 ns=1700 span=2 name=goes\n"
			 "state_marks ns=1800 program_pid=20 overwritten=1\n"
			 "mark cpu=1 tid=11 ns=2000 id=1 name=x\n");
	CHECK(strstr(seen, "mine 0 1000-1500 10>0 dead"));
	CHECK(strstr(seen, "ours 9 1010-1600 10>11 ended"));
	CHECK(strstr(seen, "left 8 1020-1500 10>0 dead"));
	CHECK(strstr(seen, "missed 1 1030-2000 20>0 lost"));
	CHECK(strstr(seen, "goes 2 1700-2000 11>0 open"));
}

/* Also where it is over long before they are, and its number another thread's. */
TEST(spans_keep_who_began_them)
{
	follow(PROCESSES "span_begin cpu=0 tid=20 ns=1000 span=9 name=long\n"
			 "sched_process_exit cpu=0 tid=20 ns=1500 exit_pid=20 comm=other\n"
			 "sched_process_free cpu=1 tid=11 ns=1600 freed_tid=20\n"
			 "task_newtask cpu=1 tid=11 ns=1700 child_tid=20 child_comm=later\n"
			 "mark cpu=1 tid=20 ns=2000 id=1 name=x\n");
	CHECK_STR(seen, "long 9 1000-1500 20>0 dead 0/0/0\n");
	CHECK_STR(beginner, "other");
}

/* Far more than what is followed, all under one number, and handed over to nobody and to threads that are not there. */
TEST(spans_without_bounds_are_counted)
{
	enum { NR = 5000, LINE = 96 };
	char *text = malloc((size_t)NR * 2 * LINE + 4096);
	size_t used = 0;
	int i;

	CHECK(text);
	for (i = 0; i < NR; i++)
		used += (size_t)sprintf(text + used,
					"span_begin cpu=0 tid=10 ns=%d span=3 name=n%d\n", 1000 + i,
					i);
	used += (size_t)sprintf(text + used,
				"span_handover cpu=0 tid=10 ns=7000 span=3 to_tid=-5\n"
				"span_handover cpu=0 tid=10 ns=7001 span=3 to_tid=2147483647\n"
				"span_handover cpu=0 tid=10 ns=7002 span=0 to_tid=5\n"
				"span_handover cpu=0 tid=10 ns=7003 span=99 to_tid=5\n");
	for (i = 0; i < 3000; i++)
		used += (size_t)sprintf(text + used,
					"span_begin cpu=0 tid=%d ns=%d span=%d name=o\n"
					"sched_process_exit cpu=0 tid=%d ns=%d\n",
					100 + i, 8000 + i, i + 4, 100 + i, 8000 + i);
	follow(text);
	free(text);
	CHECK_EQ(doubts.no_room, NR - LKST_SPANS_SAME_MAX);
	CHECK_EQ(doubts.no_handover, 1);
	CHECK_EQ(doubts.no_number, 1);
	CHECK_EQ(nr_seen, LKST_SPANS_SAME_MAX + 3000);
}

TEST(spans_read_numbers_of_requests)
{
	struct lkst_err e = {};
	u64 high, low;

	/* The example of the standard. */
	CHECK_EQ(lkst_span_parse_request(&e,
					 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
					 &high, &low),
		 0);
	CHECK_EQ(high, 0x4bf92f3577b34da6);
	CHECK_EQ(low, 0xa3ce929d0e0e4736);
	CHECK_EQ(lkst_span_parse_request(&e, "4BF92F3577B34DA6A3CE929D0E0E4736", &high, &low), 0);
	CHECK_EQ(low, 0xa3ce929d0e0e4736);
	CHECK_EQ(lkst_span_parse_request(&e, "", &high, &low), -EINVAL);
	CHECK_EQ(lkst_span_parse_request(&e, "00-4bf9", &high, &low), -EINVAL);
	CHECK_EQ(lkst_span_parse_request(&e, "4bf92f3577b34da6a3ce929d0e0e473g", &high, &low),
		 -EINVAL);
	CHECK_EQ(lkst_span_parse_request(&e, "00000000000000000000000000000000", &high, &low),
		 -EINVAL);
}

static const struct unit_test tests[] = {
	{ "spans_know_what_their_thread_did", test_spans_know_what_their_thread_did },
	{ "spans_of_one_name_end_the_last_begun_first",
	  test_spans_of_one_name_end_the_last_begun_first },
	{ "spans_are_handed_over_with_their_request",
	  test_spans_are_handed_over_with_their_request },
	{ "spans_take_a_request_that_was_said_before",
	  test_spans_take_a_request_that_was_said_before },
	{ "spans_that_are_not_ended_say_so", test_spans_that_are_not_ended_say_so },
	{ "spans_keep_who_began_them", test_spans_keep_who_began_them },
	{ "spans_without_bounds_are_counted", test_spans_without_bounds_are_counted },
	{ "spans_read_numbers_of_requests", test_spans_read_numbers_of_requests },
};
UNIT_MAIN(tests)
