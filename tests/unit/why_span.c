/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Explanations of spans that programs mark, out of traces written as text.
 */
#include "analyze/why/why_span.h"

#include <errno.h>

#include "lib/account_fixture.h"
#include "lib/unit.h"

/* What is said of the longest span of @o in @trace, without the events; the error's text if it fails. */
static const char *explain_span(const char *trace, struct lkst_why_span_options o)
{
	static char text[1 << 16];
	struct account_fixture *x = account_new(trace, NULL);
	struct lkst_excerpt *w = NULL;
	struct lkst_account *a = NULL;
	struct lkst_span span;
	u64 nr;
	int err;

	o.to_ns = o.to_ns ?: UINT64_MAX;
	err = lkst_why_span_find(&x->err, x->trace, &o, &span, &nr);
	if (!err)
		err = lkst_excerpt_new(&x->err, x->trace, span.from_ns - LKST_WHY_LEAD_NS,
				       span.to_ns + LKST_WHY_TAIL_NS, NULL, &w);
	if (!err)
		err = lkst_why_span_explain(&x->err, w, &span, nr, LKST_WHY_DEPTH, &a);
	snprintf(text, sizeof(text), "%s",
		 err ? x->err.text : account_print(x, a, w->threads, w->symbols, false, false));
	lkst_account_free(a);
	lkst_excerpt_free(w);
	account_free(x);
	return text;
}

TEST(why_span_tells_what_its_thread_did)
{
	CHECK_STR(explain_span(
			  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			  "span_begin cpu=0 tid=10 ns=1000000000 span=7 name=commit\n"
			  "syscall_entry_read cpu=0 tid=10 ns=1001000000 fd=3\n"
			  "syscall_exit_read cpu=0 tid=10 ns=1001300000\n"
			  "syscall_entry_getpid cpu=0 tid=10 ns=1001500000\n"
			  "syscall_exit_getpid cpu=0 tid=10 ns=1001600000\n"
			  "syscall_entry_read cpu=0 tid=10 ns=1002000000 fd=3\n"
			  "sched_switch cpu=0 tid=10 ns=1002100000 next_tid=0 prev_state=1\n"
			  "sched_waking cpu=1 tid=20 ns=1006000000 target_tid=10 target_cpu=0\n"
			  "sched_switch cpu=0 tid=0 ns=1006500000 next_tid=10\n"
			  "syscall_exit_read cpu=0 tid=10 ns=1007000000\n"
			  "span_end cpu=0 tid=10 ns=1010000000 span=7 name=commit\n" ACCOUNT_LATER,
			  (struct lkst_why_span_options){ .name = "com*" }),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: span \"commit\" 7, ran 5.60 ms, "
		  "ready 500 us, blocked 3.90 ms\n"
		  "+0 ns     2.10 ms   ran on CPU 0\n"
		  "+2.10 ms  3.90 ms   blocked in read(), until 20/holder woke it\n"
		  "+2.10 ms  3.90 ms     20/holder: ran on CPU 1\n"
		  "+6.00 ms  500 us    ready, but CPU 0 was idle 500 us (100 %)\n"
		  "+6.50 ms  3.50 ms   ran on CPU 0\n"
		  "+2.00 ms  5.00 ms   2 of read(), in all 5.30 ms; this is the longest\n"
		  "+1.50 ms  100 us    1 of getpid(), in all 100 us\n");
}

#define GIVEN                                                                                      \
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"                                      \
	"sched_switch cpu=1 tid=0 ns=999500000 next_tid=20\n"                                      \
	"span_begin cpu=0 tid=10 ns=1000000000 span=7 name=job\n"                                  \
	"span_handover cpu=0 tid=10 ns=1002000000 span=7 to_tid=0\n"

TEST(why_span_tells_who_handed_it_over_and_who_took_it)
{
	CHECK_STR(
		explain_span(GIVEN
			     "span_begin cpu=1 tid=20 ns=1005000000 span=7 name=take\n"
			     "span_end cpu=1 tid=20 ns=1010000000 span=7 name=job\n" ACCOUNT_LATER,
			     (struct lkst_why_span_options){ .name = "job" }),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: span \"job\" 7, ended by 20/holder, 1 handover\n"
		"+0 ns     2.00 ms   ran 2.00 ms\n"
		"+0 ns     2.00 ms     ran on CPU 0\n"
		"+2.00 ms  3.00 ms   handed over by 10/victim, not yet taken; 20/holder took it\n"
		"+5.00 ms  5.00 ms   20/holder: ran 5.00 ms\n"
		"+5.00 ms  5.00 ms     ran on CPU 1\n");
}

TEST(why_span_tells_that_nobody_took_it)
{
	CHECK_STR(
		explain_span(GIVEN ACCOUNT_LATER,
			     (struct lkst_why_span_options){ .has_id = true, .id = 7 }),
		"10/victim, 1.000000000 to 1.020000000, 20.0 ms: span \"job\" 7, not over when the "
		"trace ended, 1 handover\n"
		"+0 ns     2.00 ms   ran 2.00 ms\n"
		"+0 ns     2.00 ms     ran on CPU 0\n"
		"+2.00 ms  18.0 ms   handed over by 10/victim, not yet taken\n");
}

TEST(why_span_says_where_it_follows_no_further)
{
	const char *text =
		explain_span("span_begin cpu=0 tid=10 ns=1000000000 span=7 name=job\n"
			     "span_handover cpu=0 tid=10 ns=1001000000 span=7 to_tid=20\n"
			     "span_handover cpu=0 tid=20 ns=1002000000 span=7 to_tid=10\n"
			     "span_handover cpu=0 tid=10 ns=1003000000 span=7 to_tid=20\n"
			     "span_handover cpu=0 tid=20 ns=1004000000 span=7 to_tid=10\n"
			     "span_handover cpu=0 tid=10 ns=1005000000 span=7 to_tid=20\n"
			     "span_handover cpu=0 tid=20 ns=1006000000 span=7 to_tid=10\n"
			     "span_handover cpu=0 tid=10 ns=1007000000 span=7 to_tid=0\n"
			     "span_end cpu=0 tid=20 ns=1009000000 span=7 name=job\n" ACCOUNT_LATER,
			     (struct lkst_why_span_options){ .name = "job" });

	CHECK(strstr(text,
		     "\n+7.00 ms  2.00 ms   had by more threads, one after the other, than are "
		     "followed\n"));
	CHECK(!strstr(text, "not yet taken"));
}

TEST(why_span_explains_the_worst_that_is_whole)
{
	static const char trace[] =
		"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
		"span_begin cpu=0 tid=10 ns=1000000000 span=1 name=a\n"
		"span_begin cpu=0 tid=10 ns=1001000000 span=2 name=a\n"
		"span_end cpu=0 tid=10 ns=1002000000 span=2 name=a\n"
		"span_begin cpu=0 tid=10 ns=1003000000 span=3 name=a\n"
		"span_request cpu=0 tid=10 ns=1003000000 span=3 trace_high=0 trace_low=0x77 parent=1\n"
		"span_end cpu=0 tid=10 ns=1006000000 span=3 name=a\n" ACCOUNT_LATER;

	CHECK(strstr(
		explain_span(trace, (struct lkst_why_span_options){ .name = "a" }),
		"span \"a\" 3, of request 00000000000000000000000000000077, the longest of 3, "));
	CHECK(strstr(explain_span(trace, (struct lkst_why_span_options){ .has_id = true, .id = 2 }),
		     "span \"a\" 2, ran 1.00 ms"));
	/* It goes on, but there is no other. */
	CHECK(strstr(explain_span(trace, (struct lkst_why_span_options){ .has_id = true, .id = 1 }),
		     "span \"a\" 1, not over when the trace ended, "));
	CHECK(strstr(explain_span(trace, (struct lkst_why_span_options){ .has_request = true,
									 .trace_low = 0x77 }),
		     "span \"a\" 3, "));
	CHECK(strstr(explain_span(trace, (struct lkst_why_span_options){ .name = "b" }),
		     "the trace has no such span"));
	CHECK(strstr(explain_span(trace, (struct lkst_why_span_options){ .tid = 11 }),
		     "the trace has no such span"));
}

TEST(why_span_says_that_its_thread_died)
{
	CHECK(strstr(
		explain_span(
			"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"span_begin cpu=0 tid=10 ns=1000000000 span=0 name=a\n"
			"sched_process_exit cpu=0 tid=10 ns=1004000000 exit_pid=10\n"
			"sched_switch cpu=0 tid=10 ns=1004100000 next_tid=0 prev_state=128\n" ACCOUNT_LATER,
			(struct lkst_why_span_options){ .name = "a" }),
		", 4.00 ms: span \"a\" 0, left by a thread that ended, ran 4.00 ms"));
}

static const struct unit_test tests[] = {
	{ "why_span_tells_what_its_thread_did", test_why_span_tells_what_its_thread_did },
	{ "why_span_tells_who_handed_it_over_and_who_took_it",
	  test_why_span_tells_who_handed_it_over_and_who_took_it },
	{ "why_span_tells_that_nobody_took_it", test_why_span_tells_that_nobody_took_it },
	{ "why_span_says_where_it_follows_no_further",
	  test_why_span_says_where_it_follows_no_further },
	{ "why_span_explains_the_worst_that_is_whole",
	  test_why_span_explains_the_worst_that_is_whole },
	{ "why_span_says_that_its_thread_died", test_why_span_says_that_its_thread_died },
};
UNIT_MAIN(tests)
