/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The analyses of `lkst report`, on traces made of text.
 */
#include <fcntl.h>
#include <unistd.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/timeline.h"
#include "base/out.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "print/table_text.h"

static char text[64 * 1024];

/* The tables of @analysis as CSV. */
static const char *csv(const struct lkst_analysis *analysis, const char *lines)
{
	static struct lkst_out out;
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	const struct lkst_tables *set;
	struct lkst_table_printer p;
	struct lkst_analysis_run *s = NULL;
	struct lkst_trace *t = NULL;
	struct lkst_err e = {};
	char dir[64], path[128];
	unsigned int i;
	ssize_t got;
	int fd;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, lines) || lkst_trace_open(&e, path, &t) ||
	    lkst_analysis_run_new(&e, t, &options, &analysis, 1, &s) ||
	    lkst_analysis_run_pass(&e, s)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	snprintf(path, sizeof(path), "%s/csv", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	lkst_out_init(&out, fd);
	lkst_table_printer_init(&p, &out, LKST_TABLE_CSV, 0);
	set = lkst_analysis_run_tables(s, 0);
	for (i = 0; i < set->nr; i++)
		lkst_table_print(&p, set->items[i]);
	lkst_table_printer_end(&p);
	lkst_out_flush(&out);
	got = pread(fd, text, sizeof(text) - 1, 0);
	text[got > 0 ? got : 0] = 0;
	close(fd);
	lkst_analysis_run_free(s);
	lkst_trace_close(t);
	make_scratch_remove(dir);
	return text;
}

/* Whether @line is one of the lines of the last CSV. */
static bool has_line(const char *line)
{
	size_t length = strlen(line);
	const char *p = text;

	for (; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
		if (!strncmp(p, line, length) && strchr("\r\n", p[length]))
			return true;
	printf("no line \"%s\" in:\n%s", line, text);
	return false;
}

static const char lines[] = "state_thread ns=50 thread_tid=5 thread_pid=5 state=1 comm=writer\n"
			    "state_thread ns=50 thread_tid=7 thread_pid=7 state=1 comm=reader\n"
			    "state_irq ns=50 irq=24 name=\"disk 0\"\n"
			    "sched_switch cpu=0 tid=0 ns=1000 next_tid=5 prev_state=0\n"
			    "page_fault_user cpu=0 tid=5 ns=1100 address=4096\n"
			    "page_fault_exit cpu=0 tid=5 ns=1150 result=1028\n"
			    "page_fault_exit cpu=0 tid=5 ns=1200 result=0\n"
			    "page_fault_kernel cpu=0 tid=5 ns=1300 address=8192\n"
			    "page_fault_exit cpu=0 tid=5 ns=1350 result=0\n"
			    "sched_waking cpu=0 tid=5 ns=1400 target_tid=7\n"
			    "irq_handler_entry cpu=0 tid=5 ns=1500 irq=24\n"
			    "softirq_entry cpu=0 tid=5 ns=1510 vec=4\n"
			    "softirq_exit cpu=0 tid=5 ns=1530 vec=4\n"
			    "irq_handler_exit cpu=0 tid=5 ns=1600 irq=24\n"
			    "sched_switch cpu=0 tid=5 ns=2000 next_tid=7 prev_state=0\n"
			    "sched_switch cpu=0 tid=7 ns=2500 next_tid=5 prev_state=1\n"
			    "local_timer_entry cpu=0 tid=5 ns=2600 vector=236\n"
			    "sched_waking cpu=0 tid=5 ns=2650 target_tid=7\n"
			    "local_timer_exit cpu=0 tid=5 ns=2700 vector=236\n"
			    "sched_switch cpu=0 tid=5 ns=3000 next_tid=7 prev_state=1\n"
			    "sched_switch cpu=1 tid=0 ns=3500 next_tid=5 prev_state=0\n"
			    "sched_switch cpu=0 tid=7 ns=4000 next_tid=0 prev_state=1\n"
			    "test:nothing cpu=0 tid=0 ns=5000\n";

TEST(report_adds_up_the_time_of_cpus)
{
	csv(&lkst_analysis_cpu, lines);
	/* Busy 3000 of 4000 ns; in interrupts, 80 and 100 ns; in softirqs, 20. */
	CHECK(strstr(text, "\n0,75,2800,180,20,1000,0,5,██"));
	CHECK(strstr(text, "\n1,37.5,1500,0,0,2500,0,1,  "));
}

TEST(report_adds_up_the_time_of_threads)
{
	csv(&lkst_analysis_thread, lines);
	CHECK(has_line("5,writer,5,3000,75,500,0,0,1,1,0,500,,,,"));
	CHECK(has_line("7,reader,7,1500,37.5,950,1550,3,0,0,0,0,,,,"));
	CHECK(has_line("7,reader,600,1400,1000,4000,unknown"));
}

TEST(report_tells_interrupts_apart)
{
	csv(&lkst_analysis_irq, lines);
	/* The softirq within it is not the interrupt's own time. */
	CHECK(strstr(text, "\nirq:24:disk_0,1,"));
	CHECK(strstr(text, ",80,80,"));
	CHECK(strstr(text, "\nlocal_timer,1,"));
	CHECK(strstr(text, "\nsoftirq:BLOCK,1,"));
}

TEST(report_knows_who_wakes_whom)
{
	csv(&lkst_analysis_wakeups, lines);
	CHECK(strstr(text, "\nwriter->reader,1,"));
	CHECK(strstr(text, "\n<vector>->reader,1,"));
}

TEST(report_counts_faults)
{
	csv(&lkst_analysis_fault, lines);
	/* A fault that is tried again is one, and major if one of the tries was. */
	CHECK(has_line("5,writer,1,1,1,150,100,1100,0"));
}

TEST(report_draws_threads)
{
	struct lkst_timeline_scale scale = lkst_timeline_scale(1000, 1399);
	struct lkst_timeline line = { { 0 } };
	char chart[LKST_TIMELINE_TEXT];

	CHECK_EQ(scale.slice_ns, 10);
	lkst_timeline_add(&line, &scale, 900, 1015);
	lkst_timeline_add(&line, &scale, 1389, 1391);
	lkst_timeline_add(&line, &scale, 5000, 6000);
	lkst_timeline_put(&line, scale.slice_ns, chart);
	CHECK_EQ(line.ns[0], 10);
	CHECK_EQ(line.ns[1], 5);
	CHECK_EQ(line.ns[38], 1);
	CHECK_EQ(line.ns[39], 1);
	CHECK_STR(chart, "█▄                                    ▁▁");
}

TEST(report_says_what_stands_out)
{
	static const char busy[] =
		"state_thread ns=50 thread_tid=5 thread_pid=5 state=1 comm=slow\n"
		"state_disk ns=50 dev=8388608 name=sda\n"
		"sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=2\n"
		"block_rq_complete cpu=0 tid=7 ns=50001000 rq=9 dev=8388608 sector=64 bytes=4096\n"
		"sched_waking cpu=0 tid=7 ns=50001000 target_tid=5\n"
		"sched_switch cpu=0 tid=7 ns=70001000 next_tid=5 prev_state=0\n"
		"!skip cpu=0 blocks=1\n"
		"test:nothing cpu=0 tid=5 ns=80001000\n";

	csv(&lkst_analysis_summary, busy);
	CHECK(has_line("waited for a CPU,20000000,50001000,5,slow,\"of CPU 0, after /7 woke it\""));
	CHECK(has_line("waited for a disk,50000000,1000,5,slow,\"disk sda, sector 64\""));
	CHECK(strstr(text, "\ndisk requests,1,"));
	CHECK(strstr(text, "\nswitches,2,"));
}

static const struct unit_test tests[] = {
	{ "report_adds_up_the_time_of_cpus", test_report_adds_up_the_time_of_cpus },
	{ "report_adds_up_the_time_of_threads", test_report_adds_up_the_time_of_threads },
	{ "report_tells_interrupts_apart", test_report_tells_interrupts_apart },
	{ "report_knows_who_wakes_whom", test_report_knows_who_wakes_whom },
	{ "report_counts_faults", test_report_counts_faults },
	{ "report_draws_threads", test_report_draws_threads },
	{ "report_says_what_stands_out", test_report_says_what_stands_out },
};

UNIT_MAIN(tests)
