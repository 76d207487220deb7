// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Analyses along the time (F01 to F04, H25 of doc/heritage.md): the shares of a process's states are those that the
 * rules of the slides give from the printed CSV alone; values are those of --list; the picture has the table's
 * figures.
 */
#include <math.h>

#include "cmd/frame/cmd.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum { TIDS = 4, EVENTS = 60, STRETCHES = 40, TARGET = 2 };
#define STEP_NS 50000ULL
#define BEGIN_NS 1000000ULL

static char dir[64];

/* Threads 1 to TIDS take turns on a CPU at random, sleep and are woken. It lasts STRETCHES * STEP_NS. */
static void make_random(char *text, size_t size, unsigned int seed)
{
	u64 ns = BEGIN_NS, last = BEGIN_NS + STRETCHES * STEP_NS;
	bool sleeps[TIDS + 1] = {};
	size_t used;
	int on = 1, i;

	srand(seed);
	used = (size_t)snprintf(text, size, "state_cpu ns=900 cpu_nr=0\n");
	for (i = 0; i < EVENTS; i++) {
		int other = 1 + rand() % TIDS, state = rand() % 3 ? 1 : 0;

		if (other == on)
			other = 1 + other % TIDS;
		ns = i == EVENTS - 1 ? last
		     : i	     ? ns + 1 + (u64)rand() % (STRETCHES * STEP_NS / EVENTS)
				     : ns;
		if (sleeps[other]) {
			used += (size_t)snprintf(
				text + used, size - used,
				"sched_waking cpu=0 tid=%d ns=%llu target_tid=%d\n", on,
				(unsigned long long)ns, other);
			sleeps[other] = false;
			continue;
		}
		used += (size_t)snprintf(
			text + used, size - used,
			"sched_switch cpu=0 tid=%d ns=%llu next_tid=%d prev_state=%d\n", on,
			(unsigned long long)ns, other, state);
		sleeps[on] = state;
		on = other;
	}
}

/* ---- the slides' rules, from the CSV alone ------------------------------------------------------ */

enum state { NONE, RUNNING, READY, BLOCK, NR_STATES };

static void add(double shares[STRETCHES][NR_STATES], enum state state, u64 from, u64 to)
{
	u64 i;

	for (i = 0; i < STRETCHES; i++) {
		u64 begin_ns = BEGIN_NS + i * STEP_NS, end_ns = begin_ns + STEP_NS;
		u64 first = from > begin_ns ? from : begin_ns, last = to < end_ns ? to : end_ns;

		if (last > first)
			shares[i][state] += (double)(last - first) / STEP_NS;
	}
}

/* Column @i of a line of CSV, 0 the first; what is in quotes has no comma. */
static const char *column(const char *line, int i)
{
	for (; i; i--)
		line = strchr(line, ',') + 1;
	return line;
}

/* F03: a) the target of a switch runs; b), c) the one before is blocked or ready; d) one that is woken is ready. */
static void apply_rules(char *csv, unsigned int tid, double shares[STRETCHES][NR_STATES])
{
	enum state state = NONE;
	u64 since = 0;
	char *line, *end;

	for (line = csv; *line; line = end + 1) {
		u64 ns = strtoull(column(line, 3), NULL, 10) * 1000000000 +
			 strtoull(column(line, 4), NULL, 10);
		enum state to = state;

		end = strchr(line, '\n');
		if (!strncmp(line, "\"context_switch\"", 16)) {
			if (strtoul(column(line, 15), NULL, 16) == tid)
				to = RUNNING;
			else if (strtoul(column(line, 2), NULL, 10) == tid)
				to = strtoul(column(line, 12), NULL, 16) ? BLOCK : READY;
		} else if (!strncmp(line, "\"wakeup\"", 8) &&
			   strtoul(column(line, 9), NULL, 16) == tid) {
			to = READY;
		}
		if (to == state)
			continue;
		add(shares, state, since, ns);
		state = to;
		since = ns;
	}
	add(shares, state, since, BEGIN_NS + STRETCHES * STEP_NS);
}

/* What the table has, whose line begins at @line: percent of three states. */
static void read_row(const char *line, double row[NR_STATES])
{
	row[RUNNING] = strtod(column(line, 1), NULL) / 100;
	row[READY] = strtod(column(line, 3), NULL) / 100;
	row[BLOCK] = (strtod(column(line, 4), NULL) + strtod(column(line, 5), NULL) +
		      strtod(column(line, 6), NULL)) /
		     100;
}

/* Adds up the bars of @colour in the picture. */
static void read_bars(const char *svg, const char *colour, double bars[STRETCHES])
{
	char begins[64];
	const char *at;

	snprintf(begins, sizeof(begins), "<path fill=\"%s\" d=\"", colour);
	for (at = strstr(svg, begins); at; at = strstr(at, begins)) {
		at += strlen(begins);
		while (*at == 'M') {
			unsigned int x, y, up, width, down, i;
			int length = 0;

			CHECK_EQ(sscanf(at, "M%u %uv-%uh%uv%uz%n", &x, &y, &up, &width, &down,
					&length),
				 5);
			CHECK(length && up == down && x + width <= STRETCHES);
			for (i = x; length && i < x + width && i < STRETCHES; i++)
				bars[i] += up / 1000.0;
			at += length ? length : 1;
		}
	}
}

TEST(chart_follows_the_rules_of_the_slides)
{
	static const char *const colours[NR_STATES] = { "", "#009e73", "#e69f00", "#bcd4ea" };
	static char text[32768];
	unsigned int seed;

	for (seed = 1; seed <= 20; seed++) {
		double want[STRETCHES][NR_STATES] = {}, row[NR_STATES], bars[STRETCHES];
		const char *line;
		int i, k;

		make_random(text, sizeof(text), seed);
		make_trace_again(dir, text);
		CHECK_EQ(run_command(&lkst_cmd_print, dir,
				     "--format csv --time mono --event sched_* TRACE"),
			 0);
		apply_rules(output, TARGET, want);
		CHECK_EQ(run_command(&lkst_cmd_analyze, dir,
				     "chart --tid 2 --interval 50us --format csv TRACE"),
			 0);
		line = strchr(output, '\n') + 1;
		for (i = 0; i < STRETCHES && *line; i++, line = strchr(line, '\n') + 1) {
			CHECK_EQ(strtoull(line, NULL, 10), BEGIN_NS + (u64)i * STEP_NS);
			read_row(line, row);
			/* Before the thread's first event the rules say nothing. */
			for (k = RUNNING; k < NR_STATES && want[i][NONE] == 0; k++)
				CHECK(fabs(row[k] - want[i][k]) < 0.0001);
		}
		CHECK_EQ(i, STRETCHES);
		CHECK_EQ(run_command(&lkst_cmd_analyze, dir,
				     "chart --tid 2 --interval 50us --format svg TRACE"),
			 0);
		for (k = RUNNING; k < NR_STATES; k++) {
			memset(bars, 0, sizeof(bars));
			read_bars(output, colours[k], bars);
			for (i = 0; i < STRETCHES; i++)
				CHECK(want[i][NONE] > 0 || fabs(bars[i] - want[i][k]) < 0.002);
		}
	}
}

/* ---- values ------------------------------------------------------------------------------------- */

static const char lengths[] =
	"state_cpu ns=900 cpu_nr=0\n"
	"sched_wakeup cpu=0 tid=5 ns=1000 target_tid=6 target_cpu=0 nr_running=2\n"
	"sched_wakeup cpu=0 tid=5 ns=1400 target_tid=7 target_cpu=0 nr_running=6\n"
	"block_rq_issue cpu=0 tid=5 ns=1500 rq=1 bytes=512\n"
	"sched_wakeup cpu=0 tid=5 ns=2000 target_tid=6 target_cpu=0 nr_running=1\n"
	"block_rq_complete cpu=0 tid=5 ns=2600 rq=1 bytes=512\n"
	"sched_wakeup cpu=0 tid=5 ns=4000 target_tid=6 target_cpu=0 nr_running=9\n";

TEST(two_analyses_have_one_axis)
{
	make_trace_again(dir, lengths);
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir,
			     "runqueue,biotime --interval 1us --format csv TRACE"),
		 0);
	/* A request is where it began; the last record's time ends the last stretch. */
	CHECK_STR(output,
		  "from_ns,runqueue_count,runqueue_mean,runqueue_max,biotime_count,biotime_mean_ns,"
		  "biotime_max_ns\r\n"
		  "1000,2,4,6,1,1100,1100\r\n"
		  "2000,1,1,1,0,,\r\n"
		  "3000,0,,,0,,\r\n");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "runqueue,biotime --format svg TRACE"), 0);
	CHECK(strstr(output, "Run queue length at wake-ups (runqueue)"));
	CHECK(strstr(output, "Block I/O time (biotime)"));
	CHECK(strstr(output, "<desc id=\"about\">Along the time from "));
	CHECK(strstr(output, "</svg>\n"));
}

TEST(names_in_a_picture_are_text)
{
	make_trace_again(dir, "task_rename tid=5 ns=1000 target_tid=5 newcomm=\"</svg>&\\\"\x1b\"\n"
	      "sched_switch cpu=0 tid=5 ns=2000 next_tid=6\n"
	      "sched_switch cpu=0 tid=6 ns=3000 next_tid=5\n");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "chart --tid 5 --format svg TRACE"), 0);
	CHECK(strstr(output, "&lt;/svg&gt;&amp;"));
	CHECK(!strchr(output, '\x1b'));
	/* The only end is the last line. */
	CHECK_STR(strstr(output, "</svg>"), "</svg>\n");
}

/* A limit that nothing is limited by is said, and one that is asked for is not asked for again. */
TEST(what_does_not_limit_is_said)
{
	make_trace_again(dir, "sched_switch cpu=0 tid=5 ns=1000 next_tid=6\n"
			      "sched_switch cpu=0 tid=6 ns=2000 next_tid=5\n"
			      "sched_switch cpu=0 tid=5 ns=3000 next_tid=6\n");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "chart --cgroup /a --interval 1us TRACE"), 0);
	CHECK(strstr(output, "--cgroup does not limit the states along the time."));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "chart --cgroup /a TRACE"), 0);
	CHECK(!strstr(output, "Threads are drawn that are asked for"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "cpu --cgroup /a TRACE"), 0);
	CHECK(strstr(output, "--cgroup does not limit cpu: this is of all."));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "cgroup --cpu 1 TRACE"), 0);
	CHECK(strstr(output, "--cpu does not limit cgroup: this is of all."));
}

/* However many panels there are, all are named for those who cannot see them. */
TEST(a_picture_is_described_whole)
{
	char *end;

	make_trace_again(dir, lengths);
	CHECK_EQ(run_command(
			 &lkst_cmd_analyze, dir,
			 "runqueue,waitdelay,syscall,biotime,nettime,lockwait --format svg TRACE"),
		 0);
	end = strstr(output, "</desc>");
	CHECK(end && end - output > 200);
	if (end)
		*end = '\0';
	CHECK(strstr(output, "(runqueue);"));
	CHECK(strstr(output, "(lockwait)"));
}

TEST(what_cannot_be_drawn_is_refused)
{
	make_trace_again(dir, lengths);
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "runqueue --interval 1ns --format svg TRACE"),
		 -EINVAL);
	CHECK(strstr(message, "3000 stretches of time, and 2000 is the most"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "all --interval 1us TRACE"), -EINVAL);
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "runqueue --list --interval 1us TRACE"),
		 -EINVAL);
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "runqueue --from @5 --interval 1us TRACE"),
		 -EINVAL);
	/* One that has no values says so. */
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "summary,runqueue --interval 1us TRACE"), 0);
	CHECK(strstr(output, "summary has no values along the time."));
}

/* In a stretch in which softirqs were left out there were so many at least, and none is not known. */
TEST(counts_along_the_time_are_least_ones_where_some_were_left_out)
{
	make_trace_again(dir, "sched_switch cpu=0 tid=0 ns=10000000 next_tid=5\n"
			      "softirq_raise cpu=0 tid=5 ns=11000000 vec=3\n"
			      "softirq_entry cpu=0 tid=5 ns=12000000 vec=3\n"
			      "softirq_raise cpu=0 tid=5 ns=21000000 vec=3\n"
			      "softirq_entry cpu=0 tid=5 ns=22000000 vec=3\n"
			      "shed_begin cpu=0 tid=0 buffer=1 ns=25000000 cost=1 kind=softirq\n"
			      "shed_end cpu=0 tid=0 buffer=1 ns=40000000 left_out=15000000 kind=softirq\n"
			      "sched_switch cpu=0 tid=5 ns=50000000 next_tid=0 prev_state=1\n");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "softirq --interval 10ms --format csv TRACE"), 0);
	/* The four stretches: one that is whole, one in part, one of which nothing is known, and one with none. */
	CHECK(strstr(output, "\r\n10000000,1,1000000,1000000\r\n20000000,1,1000000,1000000\r\n30000000,,,\r\n"
			     "40000000,0,,\r\n"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "softirq --interval 10ms TRACE"), 0);
	CHECK(strstr(output, "  at least 1  "));
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(chart_follows_the_rules_of_the_slides), ROW(two_analyses_have_one_axis),
	ROW(names_in_a_picture_are_text),	    ROW(a_picture_is_described_whole),
	ROW(what_does_not_limit_is_said),	    ROW(counts_along_the_time_are_least_ones_where_some_were_left_out),
	ROW(what_cannot_be_drawn_is_refused),
};
UNIT_MAIN(tests)
