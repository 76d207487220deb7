// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What all analyses have in common: restricting, listing, gaps, bounds; and system calls.
 */
#include "analyses.h"

#include "lib/unit.h"
#include "masks/mask.h"
#include "masks/shipped_masks.h"

/* ---- system calls ---------------------------------------------------------------------------- */

static const char calls_text[] =
	/* The trace begins in the middle of a call. */
	"syscall_exit_read tid=9 ns=1000 ret=1\n"
	"syscall_entry_read tid=5 ns=2000 fd=3\n"
	"syscall_entry_write tid=6 cpu=1 ns=2010 fd=1\n"
	"syscall_exit_read tid=5 ns=2040 ret=7\n"
	"syscall_entry_read tid=5 ns=2100 fd=3\n"
	"syscall_exit_write tid=6 cpu=1 ns=2130 ret=-9\n"
	"syscall_exit_read tid=5 ns=2150 ret=0\n"
	"syscall_entry_unknown tid=5 ns=2200 nr=999\n"
	"syscall_exit_unknown tid=5 ns=2210 nr=999 ret=-38\n"
	/* rt_sigreturn's exit has no number, and this one never ends. */
	"syscall_entry_openat tid=7 ns=2300\n"
	"syscall_exit_unknown tid=7 ns=2320 nr=-1\n"
	"syscall_entry_mmap tid=8 ns=2400\n";

TEST(analysis_syscall_measures_entry_to_exit)
{
	ask(calls_text, "syscall");
	CHECK_EQ(value("syscall_total", "all", "count"), 5);
	CHECK_EQ(value("syscall_total", "all", "total"), 40 + 50 + 120 + 10 + 20);
	CHECK_EQ(value("syscall_total", "all", "mean"), 48);
	CHECK_EQ(value("syscall_total", "all", "p50"), 40);
	CHECK_EQ(value("syscall_total", "all", "max"), 120);
	CHECK_EQ(value("syscall", "read", "count"), 2);
	CHECK_EQ(value("syscall", "read", "total"), 90);
	CHECK_EQ(value("syscall", "read", "p50"), 40);
	CHECK_EQ(value("syscall", "read", "p99_9"), 50);
	CHECK_EQ(value("syscall", "read", "share"), 3750);
	CHECK_EQ(value("syscall", "write", "total"), 120);
	CHECK_EQ(value("syscall", "unknown:999", "total"), 10);
	CHECK_EQ(value("syscall", "openat", "total"), 20);
	CHECK_EQ(value("syscall", "mmap", "count"), -1);
	CHECK_EQ(nr_left_out("syscall_total", "not_over"), 1);
	CHECK_EQ(value("syscall_worst", "120", "tid"), 6);
	CHECK_EQ(value("syscall_worst", "120", "cpu"), 1);
	CHECK_EQ(value("syscall_worst", "120", "time"), 2010);
	CHECK_EQ(table("syscall_histogram")->nr_rows, 4);
}

TEST(analysis_list_has_start_and_elapsed_in_columns_3_and_4)
{
	CHECK_STR(list(calls_text, "syscall"),
		  "read 5 2000 40 0|write 6 2010 120 1|read 5 2100 50 0|unknown:999 5 2200 10 0|"
		  "openat 7 2300 20 0|");
	CHECK_STR(lkst_analysis_run_list(study)->columns[2].name, "start");
	CHECK_STR(lkst_analysis_run_list(study)->columns[3].name, "elapsed");
	CHECK_EQ(nr_left_out(NULL, "not_over"), 1);
}

/* What remains of the list of @calls_text under options. */
static const char *list_which(struct lkst_tally_options which, u64 from_ns, u64 to_ns)
{
	ask_of(make_full_catalog(), calls_text, "syscall",
	       (struct lkst_analysis_options){
		       .which = which, .from_ns = from_ns, .to_ns = to_ns, .list = take_rows });
	return listed;
}

TEST(analysis_can_be_restricted)
{
	CHECK_STR(list_which((struct lkst_tally_options){ .key = "w*" }, 0, 0), "write 6 2010 120 1|");
	/* read is number 0, write 1. */
	CHECK_STR(list_which((struct lkst_tally_options){ .key = "1" }, 0, 0), "write 6 2010 120 1|");
	CHECK_STR(list_which((struct lkst_tally_options){ .key = "999" }, 0, 0),
		  "unknown:999 5 2200 10 0|");
	CHECK_STR(list_which((struct lkst_tally_options){ .key = "nothing" }, 0, 0), "");
	CHECK_STR(list_which((struct lkst_tally_options){ .has_tid = true, .tid = 6 }, 0, 0),
		  "write 6 2010 120 1|");
	CHECK_STR(list_which((struct lkst_tally_options){ .has_cpu = true, .cpu = 1 }, 0, 0),
		  "write 6 2010 120 1|");
	/* Only what lies within the window. */
	CHECK_STR(list_which((struct lkst_tally_options){ 0 }, 2005, 2150),
		  "write 6 2010 120 1|read 5 2100 50 0|");
	CHECK_STR(list_which((struct lkst_tally_options){ 0 }, 2005, 2149), "write 6 2010 120 1|");
}

TEST(analysis_takes_names_as_they_were)
{
	static const char text[] = "task_rename tid=5 ns=1 target_tid=5 newcomm=one\n"
				   "syscall_entry_read tid=5 ns=10\n"
				   "syscall_exit_read tid=5 ns=20\n"
				   "task_rename tid=5 ns=21 target_tid=5 newcomm=\"the other\"\n"
				   "syscall_entry_write tid=5 ns=30\n"
				   "syscall_exit_write tid=5 ns=44\n";

	ask_of(make_full_catalog(), text, "syscall",
	       (struct lkst_analysis_options){ .which = { .comm = "the*" } });
	CHECK_EQ(value("syscall_total", "all", "count"), 1);
	CHECK_EQ(value("syscall", "write", "count"), 1);
	CHECK_STR(lkst_table_cell(table("syscall_worst"), 0, 3)->text, "the other");
	/* The name comes from before the window. */
	ask_of(make_full_catalog(), text, "syscall",
	       (struct lkst_analysis_options){ .which = { .comm = "one" }, .from_ns = 5 });
	CHECK_EQ(value("syscall", "read", "count"), 1);
}

TEST(analysis_counts_apart_what_crosses_a_gap)
{
	static const char text[] = "syscall_entry_read tid=5 ns=1000\n"
				   "syscall_exit_read tid=5 ns=1010\n"
				   "syscall_entry_read tid=5 ns=1020\n"
				   "syscall_entry_write tid=6 cpu=1 ns=1030\n"
				   "!skip cpu=0 blocks=2\n"
				   "syscall_exit_write tid=6 cpu=1 ns=1500\n"
				   "syscall_exit_read tid=5 ns=2000\n"
				   "syscall_entry_read tid=5 ns=2010\n"
				   "syscall_exit_read tid=5 ns=2017\n";

	ask(text, "syscall");
	CHECK_EQ(value("syscall_total", "all", "count"), 2);
	CHECK_EQ(value("syscall_total", "all", "total"), 17);
	CHECK_EQ(value("syscall", "read", "count"), 2);
	CHECK_EQ(value("syscall", "read", "crossing"), 1);
	/* The thread may have come to the other CPU in between. */
	CHECK_EQ(value("syscall", "write", "count"), 0);
	CHECK_EQ(value("syscall", "write", "crossing"), 1);
	CHECK_EQ(nr_left_out("syscall_total", "gap"), 2);
	CHECK_STR(list(text, "syscall"), "read 5 1000 10 0|read 5 2010 7 0|");
	CHECK_EQ(nr_left_out(NULL, "gap"), 2);
}

TEST(analysis_knows_of_discarded_records_before_they_are_told)
{
	/* The records that the second block misses may have been lost anywhere in the first. */
	static const char text[] = "syscall_entry_read tid=5 ns=1000\n"
				   "syscall_exit_read tid=5 ns=1010\n"
				   "!discard cpu=0 events=3\n"
				   "syscall_entry_read tid=5 ns=1100\n"
				   "syscall_exit_read tid=5 ns=1107\n";

	ask(text, "syscall");
	CHECK_EQ(value("syscall_total", "all", "count"), 1);
	CHECK_EQ(value("syscall_total", "all", "total"), 7);
	CHECK_EQ(value("syscall_total", "all", "crossing"), 1);
}

TEST(analysis_forgets_a_begin_that_has_no_end)
{
	ask("syscall_entry_read tid=5 ns=1000\n"
	    "syscall_entry_read tid=5 ns=1100\n"
	    "syscall_exit_read tid=5 ns=1107\n"
	    "syscall_entry_read tid=5 ns=1200\n"
	    "syscall_exit_write tid=5 ns=1300\n"
	    "syscall_exit_read tid=5 ns=1400\n",
	    "syscall");
	CHECK_EQ(value("syscall_total", "all", "count"), 1);
	CHECK_EQ(value("syscall_total", "all", "total"), 7);
	CHECK_EQ(nr_left_out("syscall_total", "no_end"), 2);
	CHECK_EQ(nr_left_out("syscall_total", "no_begin"), 1);
}

TEST(analysis_syscallusage_counts_calls_and_errors)
{
	ask(calls_text, "syscallusage");
	CHECK_EQ(value("syscallusage_total", "all", "count"), 6);
	CHECK_EQ(value("syscallusage_total", "all", "errors"), 2);
	CHECK_EQ(value("syscallusage", "read", "count"), 2);
	CHECK_EQ(value("syscallusage", "read", "share"), 3333);
	CHECK_EQ(value("syscallusage", "read", "errors"), 0);
	CHECK_EQ(value("syscallusage", "write", "errors"), 1);
	CHECK_EQ(value("syscallusage", "write", "error_share"), 10000);
	CHECK_EQ(value("syscallusage", "mmap", "count"), 1);
	CHECK_EQ(value("syscallusage", "mmap", "error_share"), -1);
	CHECK_STR(list(calls_text, "syscallusage"),
		  "read 5 2000 1 0|write 6 2010 1 1|read 5 2100 2 0|unknown:999 5 2200 1 0|"
		  "openat 7 2300 1 0|mmap 8 2400 1 0|");
}

/* ---- all of them ----------------------------------------------------------------------------- */

TEST(analysis_says_which_events_it_misses)
{
	const struct lkst_analysis *const *a;
	struct lkst_err e;

	for (a = lkst_analyses; *a; a++) {
		struct lkst_catalog *c = lkst_catalog_new();

		/* `lkst report` has something to say of any trace. */
		if (!(*a)->heritage || (*a)->heritage[0] != 'H') {
			lkst_catalog_free(c);
			continue;
		}
		CHECK(c && !lkst_catalog_add_builtin(&e, c, 7, LKST_EV_printk_console));
		ask_of(c, "printk_console ns=1000 text=x\n", (*a)->name,
		       (struct lkst_analysis_options){ 0 });
		CHECK(has_note((*a)->name, "The trace cannot have the events that"));
		CHECK(has_note((*a)->name, (*a)->events));
	}
}

TEST(open_intervals_are_found_after_others_are_gone)
{
	enum { NR = 5000 };
	struct lkst_pending o = { .max = NR };
	struct lkst_pending_entry *entry;
	u64 i;

	for (i = 0; i < NR; i++) {
		CHECK_EQ(lkst_pending_put(&o, i * 4096, &entry), 1);
		CHECK_EQ(entry->start_ns, 0);
		entry->start_ns = i + 1;
	}
	CHECK_EQ(lkst_pending_put(&o, 1, &entry), 0);
	CHECK_EQ(o.nr_refused, 1);
	for (i = 0; i < NR; i += 2)
		lkst_pending_remove(&o, lkst_pending_find(&o, i * 4096));
	CHECK_EQ(o.hash.nr, NR / 2);
	for (i = 0; i < NR; i++) {
		entry = lkst_pending_find(&o, i * 4096);
		CHECK(i % 2 ? entry && entry->start_ns == i + 1 : !entry);
	}
	CHECK_EQ(lkst_pending_put(&o, 4096, &entry), 1);
	CHECK_EQ(entry->start_ns, 2);
	lkst_pending_fini(&o);
}

static void put_number(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	snprintf(text, LKST_KEY_TEXT, "%llu", (unsigned long long)key);
}

TEST(tally_counts_further_keys_as_others)
{
	static const struct lkst_tally_config config = {
		.name = "t", .title = "T", .type = LKST_COLUMN_BYTES, .put_key = put_number
	};
	struct lkst_tally_options options = { 0 };
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_hist all;
	struct lkst_tally t;
	u64 i;

	CHECK(threads);
	lkst_tally_init(&t, &config, &options, threads);
	for (i = 0; i < LKST_TALLY_KEYS_MAX + 100; i++)
		CHECK_EQ(lkst_tally_add(&t, i, 1, i, 1, 0), 0);
	CHECK_EQ(t.nr_keys, LKST_TALLY_KEYS_MAX);
	CHECK_STR(t.keys[LKST_TALLY_KEYS_MAX - 1].text, "others");
	CHECK_EQ(t.keys[LKST_TALLY_KEYS_MAX - 1].histogram.count, 101);
	CHECK_EQ(lkst_tally_total(&t, &all), 0);
	CHECK_EQ(all.count, LKST_TALLY_KEYS_MAX + 100);
	lkst_hist_fini(&all);
	lkst_tally_fini(&t);
	lkst_threads_free(threads);
}

TEST(tally_keeps_the_greatest_ten_in_order)
{
	static const struct lkst_tally_config config = {
		.name = "t", .title = "T", .type = LKST_COLUMN_DURATION, .put_key = put_number
	};
	struct lkst_tally_options options = { 0 };
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_tally t;
	u64 i;

	CHECK(threads);
	lkst_tally_init(&t, &config, &options, threads);
	/* 37 and 1000 have no common factor: each value below 1000 comes once. */
	for (i = 0; i < 1000; i++)
		CHECK_EQ(lkst_tally_add(&t, 1, i * 37 % 1000, i + 1, 1, 0), 0);
	for (i = 0; i < LKST_TALLY_WORST; i++) {
		CHECK_EQ(t.worst[i].value, 999 - i);
		CHECK_EQ((t.worst[i].start_ns - 1) * 37 % 1000, 999 - i);
	}
	lkst_tally_fini(&t);
	lkst_threads_free(threads);
}

/* ---- what masksets left out ------------------------------------------------------------------ */

/* A trace of @lines whose active maskset is @name, as shipped but for @more events, is asked @analysis. */
static void ask_of_maskset(const char *name, unsigned int more, const char *lines,
			   const char *analysis)
{
	const struct lkst_shipped_mask *shipped = lkst_shipped_mask_find(name);
	struct lkst_catalog *c = make_full_catalog();
	static struct lkst_mask mask;
	char text[1024];

	lkst_mask_init(&mask, name, c);
	if (shipped)
		lkst_shipped_mask_fill(shipped, c, &mask);
	snprintf(text, sizeof(text),
		 "state_maskset ns=1 maskset=2 active=%d events=9 name=RDEFAULT\n"
		 "state_maskset ns=1 maskset=3 active=%d events=%u name=%s\n%s",
		 !strcmp(name, "RDEFAULT"), strcmp(name, "RDEFAULT") != 0,
		 lkst_mask_count(mask.route, c) + more, name, lines);
	ask_of(c, text, analysis, (struct lkst_analysis_options){ 0 });
}

static const char one_call[] = "syscall_entry_brk tid=5 ns=2000\nsyscall_exit_brk tid=5 ns=2100\n";
static const char one_switch[] = "sched_switch tid=5 ns=2000 next_tid=7 prev_state=1\n"
				 "sched_switch tid=7 ns=3000 next_tid=5 prev_state=1\n";

TEST(analysis_says_which_maskset_has_what_is_missing)
{
	ask_of_maskset("standard", 0, one_call, "memalloc");
	CHECK_EQ(value("memalloc", "brk", "count"), 1);
	CHECK(has_note("memalloc_total",
		       "None of mm_page_alloc, kmalloc, kmem_cache_alloc and alloc_vmap_area is in "
		       "the trace, which was recorded with maskset standard; `lkst maskset set "
		       "memory` or `lkst start --maskset memory` records them."));
	ask_of_maskset("standard", 0, one_switch, "runqueue");
	CHECK(has_note("runqueue_total", "sched_wakeup is not in the trace, which was recorded "));
	/* The calls that it needs are not there either; each maskset has only some of all. */
	ask_of_maskset("latency", 0, one_switch, "syscall");
	CHECK(has_note("syscall_total", "syscall:* is not in the trace"));
	CHECK(has_note("syscall_total", "with maskset latency; `lkst maskset set standard`"));
	ask_of_maskset("io", 0, one_switch, "syscall");
	CHECK(!has_note("syscall_total", "in the trace"));
}

TEST(analysis_says_nothing_of_events_that_did_not_happen)
{
	ask_of_maskset("memory", 0, one_call, "memalloc");
	CHECK(!has_note("memalloc_total", "in the trace"));
	ask_of_maskset("RDEFAULT", 0, one_call, "memalloc");
	CHECK(!has_note("memalloc_total", "in the trace"));
	ask_of_maskset("RDEFAULT", 0, one_call, "biotime");
	CHECK(!has_note("biotime_total", "in the trace"));
	/* Recorded in part of the time. */
	ask_of_maskset("standard", 0,
		       "maskset_switch ns=1500 from=2 to=3\n"
		       "syscall_entry_brk tid=5 ns=2000\n",
		       "memalloc");
	CHECK(!has_note("memalloc_total", "in the trace"));
}

TEST(analysis_does_not_believe_in_an_impossible_maskset)
{
	/* The record of the switch to another maskset is not in the trace. */
	ask_of_maskset("RNOTHING", 0, one_call, "memalloc");
	CHECK(!has_note("memalloc_total", "RNOTHING"));
	ask_of_maskset("io", 0, "sched_migrate_task tid=5 ns=2000 target_tid=7 orig_cpu=0 dest_cpu=1\n", "memalloc");
	CHECK(!has_note("memalloc_total", "with maskset io"));
}

TEST(analysis_does_not_know_other_masksets)
{
	/* Another's, and one that was changed: something of what is needed is there. */
	ask_of_maskset("mine", 0, one_call, "memalloc");
	CHECK(!has_note("memalloc_total", "in the trace"));
	ask_of_maskset("standard", 1, one_call, "memalloc");
	CHECK(!has_note("memalloc_total", "in the trace"));
	/* Nothing is. */
	ask_of_maskset("mine", 0, one_switch, "nettime");
	CHECK(has_note("nettime_total", "is in the trace; `lkst maskset set net`"));
	CHECK(!has_note("nettime_total", "recorded with"));
}

TEST(report_does_not_take_what_was_not_recorded_for_none)
{
	ask_of_maskset("standard", 0, one_switch, "summary");
	CHECK_EQ(value("summary", "packets sent", "count"), -1);
	CHECK_EQ(value("summary", "packets received", "count"), -1);
	CHECK_EQ(value("summary", "disk requests", "count"), 0);
	CHECK_EQ(value("summary", "switches", "count"), 2);
	CHECK(has_note("summary", "None of net_dev_start_xmit and netif_receive_skb"));
	ask_of_maskset("RDEFAULT", 0, one_switch, "summary");
	CHECK_EQ(value("summary", "packets sent", "count"), 0);
}

static const struct unit_test tests[] = {
	{ "analysis_syscall_measures_entry_to_exit", test_analysis_syscall_measures_entry_to_exit },
	{ "analysis_list_has_start_and_elapsed_in_columns_3_and_4",
	  test_analysis_list_has_start_and_elapsed_in_columns_3_and_4 },
	{ "analysis_can_be_restricted", test_analysis_can_be_restricted },
	{ "analysis_takes_names_as_they_were", test_analysis_takes_names_as_they_were },
	{ "analysis_counts_apart_what_crosses_a_gap",
	  test_analysis_counts_apart_what_crosses_a_gap },
	{ "analysis_knows_of_discarded_records_before_they_are_told",
	  test_analysis_knows_of_discarded_records_before_they_are_told },
	{ "analysis_forgets_a_begin_that_has_no_end",
	  test_analysis_forgets_a_begin_that_has_no_end },
	{ "analysis_syscallusage_counts_calls_and_errors",
	  test_analysis_syscallusage_counts_calls_and_errors },
	{ "analysis_says_which_events_it_misses", test_analysis_says_which_events_it_misses },
	{ "open_intervals_are_found_after_others_are_gone",
	  test_open_intervals_are_found_after_others_are_gone },
	{ "tally_counts_further_keys_as_others", test_tally_counts_further_keys_as_others },
	{ "tally_keeps_the_greatest_ten_in_order", test_tally_keeps_the_greatest_ten_in_order },
	{ "analysis_says_which_maskset_has_what_is_missing",
	  test_analysis_says_which_maskset_has_what_is_missing },
	{ "analysis_says_nothing_of_events_that_did_not_happen",
	  test_analysis_says_nothing_of_events_that_did_not_happen },
	{ "analysis_does_not_believe_in_an_impossible_maskset",
	  test_analysis_does_not_believe_in_an_impossible_maskset },
	{ "analysis_does_not_know_other_masksets", test_analysis_does_not_know_other_masksets },
	{ "report_does_not_take_what_was_not_recorded_for_none",
	  test_report_does_not_take_what_was_not_recorded_for_none },
};
UNIT_MAIN(tests)
