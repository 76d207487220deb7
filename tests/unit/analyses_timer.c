// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The analysis of timers and interrupts on traces whose answer is known by construction.
 */
#include "analyses.h"

#include "lib/unit.h"

TEST(analysis_timer_measures_lateness)
{
	ask("state_clock monotonic_ns=1000 boottime_ns=501000 realtime_ns=1700000000000001000\n"
	    "hrtimer_start ns=1100 tid=9 hrtimer=0xa1 function=0xff10 clock=1 softexpires=2000 expires=2000\n"
	    "hrtimer_expire_entry ns=2030 hrtimer=0xa1 function=0xff10\n"
	    "hrtimer_expire_exit ns=2037 hrtimer=0xa1\n"
	    /* Set again: the last time counts. */
	    "hrtimer_start ns=2040 hrtimer=0xa1 function=0xff10 clock=1 softexpires=2100 expires=2100\n"
	    "hrtimer_start ns=2050 hrtimer=0xa1 function=0xff10 clock=1 softexpires=2300 expires=2300\n"
	    "hrtimer_expire_entry ns=2350 hrtimer=0xa1 function=0xff10\n"
	    "hrtimer_expire_exit ns=2351 hrtimer=0xa1\n"
	    /* Set too late: it is late from then. */
	    "hrtimer_start ns=2360 hrtimer=0xa1 function=0xff10 clock=1 softexpires=10 expires=10\n"
	    "hrtimer_expire_entry ns=2369 hrtimer=0xa1 function=0xff10\n"
	    "hrtimer_expire_exit ns=2370 hrtimer=0xa1\n"
	    /* A time of day: 2600 of CLOCK_MONOTONIC. */
	    "hrtimer_start ns=2500 hrtimer=0xa2 function=0xff20 clock=0 "
	    "softexpires=1700000000000002600 expires=1700000000000002600\n"
	    "hrtimer_expire_entry ns=2611 hrtimer=0xa2 function=0xff20\n"
	    "hrtimer_expire_exit ns=2612 hrtimer=0xa2\n"
	    /* CLOCK_BOOTTIME: 2700. */
	    "hrtimer_start ns=2630 hrtimer=0xa3 function=0xff30 clock=7 softexpires=502700 "
	    "expires=502700\n"
	    "hrtimer_expire_entry ns=2705 hrtimer=0xa3 function=0xff30\n"
	    "hrtimer_expire_exit ns=2706 hrtimer=0xa3\n"
	    /* Taken back, and then run for another reason. */
	    "hrtimer_start ns=2710 hrtimer=0xa3 function=0xff30 clock=7 softexpires=502720 "
	    "expires=502720\n"
	    "hrtimer_cancel ns=2715 hrtimer=0xa3\n"
	    "hrtimer_expire_entry ns=2800 hrtimer=0xa3 function=0xff30\n"
	    "hrtimer_expire_exit ns=2801 hrtimer=0xa3\n"
	    /* CLOCK_TAI. */
	    "hrtimer_start ns=2810 hrtimer=0xa4 function=0xff30 clock=11 softexpires=9 expires=9\n"
	    "hrtimer_start ns=2820 hrtimer=0xa5 function=0xff30 clock=1 softexpires=3000 expires=3000\n"
	    /* Set up again, as nobody does with one that is set: how it ended was not seen. */
	    "hrtimer_start ns=2830 hrtimer=0xa6 function=0xff30 clock=1 softexpires=2831 expires=2831\n"
	    "hrtimer_init ns=2840 hrtimer=0xa6 clock=1 mode=0\n",
	    "timer");
	CHECK_EQ(value("timer", "0xff10", "count"), 3);
	CHECK_EQ(value("timer", "0xff10", "total"), 30 + 50 + 9);
	CHECK_EQ(value("timer", "0xff20", "total"), 11);
	CHECK_EQ(value("timer", "0xff30", "count"), 1);
	CHECK_EQ(value("timer", "0xff30", "total"), 5);
	CHECK_EQ(value("timer_execution", "0xff10", "total"), 7 + 1 + 1);
	/* The thread is the one that has set the timer. */
	CHECK_EQ(value("timer_worst", "30", "tid"), 9);
	CHECK_EQ(nr_left_out("timer_total", "no_begin"), 1);
	CHECK_EQ(nr_left_out("timer_total", "clock"), 1);
	CHECK_EQ(nr_left_out("timer_total", "no_end"), 1);
	CHECK_EQ(nr_left_out("timer_total", "not_over"), 1);
}

TEST(analysis_timer_divides_lateness_at_the_end_of_the_slack)
{
	ask("hrtimer_start ns=1000 hrtimer=0xa1 function=0xff10 clock=1 softexpires=2000 expires=2050\n"
	    "hrtimer_expire_entry ns=2030 hrtimer=0xa1 function=0xff10\n"
	    "hrtimer_expire_exit ns=2031 hrtimer=0xa1\n"
	    "hrtimer_start ns=2100 hrtimer=0xa1 function=0xff10 clock=1 softexpires=3000 expires=3050\n"
	    "hrtimer_expire_entry ns=3057 hrtimer=0xa1 function=0xff10\n"
	    "hrtimer_expire_exit ns=3058 hrtimer=0xa1\n"
	    /* Another, without slack, where the first one was. */
	    "hrtimer_start ns=3100 hrtimer=0xa1 function=0xff20 clock=1 softexpires=4000 expires=4000\n"
	    "hrtimer_expire_entry ns=4003 hrtimer=0xa1 function=0xff20\n"
	    "hrtimer_expire_exit ns=4004 hrtimer=0xa1\n",
	    "timer");
	CHECK_EQ(value("timer", "0xff10", "total"), 30 + 57);
	CHECK_EQ(value("timer", "0xff10", "p50"), 30);
	CHECK_EQ(value("timer_beyond", "0xff10", "total"), 7);
	CHECK_EQ(value("timer_beyond", "0xff10", "count"), 2);
	CHECK_EQ(value("timer_slack", "0xff10", "count"), 2);
	CHECK_EQ(value("timer_slack", "0xff10", "allowed"), 50);
	CHECK_EQ(value("timer_slack", "0xff10", "nr_within"), 1);
	CHECK_EQ(value("timer_slack", "0xff10", "within"), 30 + 50);
	CHECK_EQ(value("timer_slack", "0xff10", "beyond"), 7);
	CHECK_EQ(value("timer_slack", "0xff20", "allowed"), 0);
	CHECK_EQ(value("timer_slack", "0xff20", "beyond"), 3);
	CHECK(!has_note("timer_total", "latest time"));
}

/* Before it had the soft expiry and the clock. */
static struct lkst_catalog *old_timer_catalog(void)
{
	struct lkst_catalog *c = make_full_catalog();
	struct lkst_event_class *class =
		(struct lkst_event_class *)lkst_catalog_find(c, "hrtimer_start");

	class->nr_fields -= 2;
	class->is_native = false;
	class->size -= sizeof(s64) + sizeof(s32);
	return c;
}

TEST(analysis_timer_reads_traces_without_the_slack)
{
	ask_of(old_timer_catalog(),
	       "state_clock monotonic_ns=1000 boottime_ns=501000 realtime_ns=1700000000000001000\n"
	       /* Relative, of the time of day: the kernel has it use CLOCK_MONOTONIC. */
	       "hrtimer_init ns=1050 hrtimer=0xa1 clock=0 mode=1\n"
	       "hrtimer_start ns=1100 hrtimer=0xa1 function=0xff10 expires=2000 mode=1\n"
	       "hrtimer_expire_entry ns=2030 hrtimer=0xa1 function=0xff10\n"
	       "hrtimer_expire_exit ns=2031 hrtimer=0xa1\n"
	       /* Absolute. */
	       "hrtimer_init ns=2050 hrtimer=0xa1 clock=0 mode=0\n"
	       "hrtimer_start ns=2060 hrtimer=0xa1 function=0xff10 expires=1700000000000003000\n"
	       "hrtimer_expire_entry ns=3007 hrtimer=0xa1 function=0xff10\n"
	       "hrtimer_expire_exit ns=3008 hrtimer=0xa1\n"
	       /* Within its slack: it is late, nobody knows how much. */
	       "hrtimer_start ns=3100 hrtimer=0xa2 function=0xff10 expires=4000\n"
	       "hrtimer_expire_entry ns=3990 hrtimer=0xa2 function=0xff10\n"
	       "hrtimer_expire_exit ns=3991 hrtimer=0xa2\n",
	       "timer", (struct lkst_analysis_options){ 0 });
	CHECK_EQ(value("timer", "0xff10", "count"), 2);
	CHECK_EQ(value("timer", "0xff10", "total"), 30 + 7);
	CHECK_EQ(nr_left_out("timer_total", "slack"), 1);
	CHECK(has_note("timer_total", "latest time"));
	CHECK(!table("timer_slack"));
}

TEST(analysis_timer_measures_interrupts_and_ticks)
{
	ask("irq_handler_entry cpu=0 ns=1000 irq=7\n"
	    "softirq_entry cpu=1 ns=1005 vec=1\n"
	    "timer_expire_entry cpu=1 ns=1006 timer=0xb1 function=0xff40 late=3\n"
	    "irq_handler_exit cpu=0 ns=1020 irq=7\n"
	    "timer_expire_exit cpu=1 ns=1016 timer=0xb1\n"
	    "softirq_exit cpu=1 ns=1025 vec=1\n"
	    "local_timer_entry cpu=0 ns=1100 vector=236\n"
	    "local_timer_exit cpu=0 ns=1130 vector=236\n",
	    "timer");
	CHECK_EQ(value("timer_execution", "irq:7", "total"), 20);
	/* Less the timer that it ran. */
	CHECK_EQ(value("timer_execution", "softirq:TIMER", "total"), 20 - 10);
	CHECK_EQ(value("timer_execution", "0xff40", "total"), 10);
	CHECK_EQ(value("timer_execution", "local_timer", "total"), 30);
	CHECK_EQ(value("timer_execution_total", "all", "total"), 20 + 20 + 30);
	CHECK_EQ(value("timer_ticks", "0xff40", "max"), 3);
}

static const struct unit_test tests[] = {
	{ "analysis_timer_measures_lateness", test_analysis_timer_measures_lateness },
	{ "analysis_timer_divides_lateness_at_the_end_of_the_slack",
	  test_analysis_timer_divides_lateness_at_the_end_of_the_slack },
	{ "analysis_timer_reads_traces_without_the_slack",
	  test_analysis_timer_reads_traces_without_the_slack },
	{ "analysis_timer_measures_interrupts_and_ticks",
	  test_analysis_timer_measures_interrupts_and_ticks },
};
UNIT_MAIN(tests)
