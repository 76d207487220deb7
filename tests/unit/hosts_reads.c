// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much the commands read of several hosts' traces to answer. The linker puts what counts before the functions that
 * search and read (Makefile).
 * tier: check
 */
#include "analyze/why/worst.h"
#include "lib/make_hosts.h"
#include "lib/run_command.h"
#include "lib/unit.h"
#include "trace/read/stream.h"

#define MS 1000000ULL

static unsigned int nr_searches, nr_blocks;

int __real_lkst_worst_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_worst_options *options,
			   struct lkst_worst *ret_worst);
int __wrap_lkst_worst_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_worst_options *options,
			   struct lkst_worst *ret_worst);

int __wrap_lkst_worst_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_worst_options *options,
			   struct lkst_worst *ret_worst)
{
	nr_searches++;
	return __real_lkst_worst_find(e, t, options, ret_worst);
}

void __real_lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block);
void __wrap_lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block);

void __wrap_lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block)
{
	nr_blocks++;
	__real_lkst_stream_block(s, i, ret_block);
}

static char dir[64], kept[sizeof(output)];

#define RUN(name, words) run_command(&lkst_cmd_##name, dir, words)

/* ---- why --worst ------------------------------------------------------------------------------ */

/* A call of 3 ms at 10 ms and, with @more, one of another length at 40 ms. */
#define CALL(from, to)                                                                             \
	"syscall_entry_pread64 ns=" from " tid=5 fd=3\n"                                           \
	"syscall_exit_pread64 ns=" to " tid=5 ret=64\n"
#define CALLS(more)                                                                                \
	"state_thread ns=0 thread_tid=5 thread_pid=5 comm=five\n"                                  \
	"sched_switch ns=9000000 tid=0 next_tid=5\n" CALL("10000000", "13000000") more             \
	"sched_switch ns=60000000 tid=5 next_tid=0 prev_state=1\n"

/* The one of db1 is the longest of all, that of web1 the longest of those in the first 20 ms. */
static void make_calls(void)
{
	setenv("TZ", "UTC", 1);
	make_scratch(dir);
	make_host(dir, "web1", 0, 1000 * MS, CALLS(CALL("15000000", "19000000")));
	make_host(dir, "db1", 0, 5000000 * MS, CALLS(CALL("40000000", "47000123")));
	make_host(dir, "db2", 0, 7000 * MS, CALLS(CALL("50000000", "52000000")));
	make_host(dir, "late", 0, 9000 * MS,
		  "sched_switch ns=100000000 tid=0 next_tid=5\n" CALL("200000000", "201000000"));
	nr_searches = 0;
}

TEST(why_searches_each_host_once)
{
	make_calls();
	CHECK_EQ(RUN(why, "web1 db1 db2 late --worst syscall"), 0);
	CHECK(!strncmp(output, "db1: 5/five, 22:13:20.040000000 to 22:13:20.047000123, ", 55));
	CHECK_EQ(nr_searches, 4);
	/* What is found is what is explained, to the nanosecond. */
	strcpy(kept, output);
	CHECK_EQ(RUN(why, "web1 db1 db2 late --host db1 --tid 5 --from 22:13:20.040 --to 22:13:20.047000123"), 0);
	CHECK_STR(output, kept);
	CHECK_EQ(nr_searches, 4);
	CHECK_EQ(RUN(why, "web1 db1 db2 --worst syscall --host db2"), 0);
	CHECK(!strncmp(output, "db2: 5/five, 22:13:20.010000000 to 22:13:20.013000000, ", 55));
	CHECK_EQ(nr_searches, 5);
	make_scratch_remove(dir);
}

TEST(why_searches_between_the_times_that_are_given)
{
	make_calls();
	CHECK_EQ(RUN(why, "web1 db1 db2 --worst syscall --to 22:13:20.020"), 0);
	CHECK(!strncmp(output, "web1: 5/five, 22:13:20.015000000 to 22:13:20.019000000, ", 56));
	CHECK_EQ(RUN(why, "web1 db1 db2 --worst syscall --from 22:13:20.048 --to 22:13:20.053"), 0);
	CHECK(!strncmp(output, "db2: 5/five, 22:13:20.050000000 to 22:13:20.052000000, ", 55));
	/* A host that has nothing of that time has no worst, and the others have. */
	CHECK_EQ(RUN(why, "late web1 db1 --worst syscall --to 22:13:20.020"), 0);
	CHECK(!strncmp(output, "web1: 5/five, 22:13:20.015000000 to 22:13:20.019000000, ", 56));
	CHECK_EQ(RUN(why, "web1 db1 --worst syscall --from 22:13:20.030 --to 22:13:20.031"), -ENOENT);
	CHECK_EQ(RUN(why, "web1 db1 late --tid 5 --host late --to 22:13:20.020"), -ENOENT);
	CHECK(strstr(message, "the trace has no records of that time"));
	make_scratch_remove(dir);
}

/* ---- print --last ----------------------------------------------------------------------------- */

enum { NR_ALL = 3 * 36 + 8 };

static const char *const three[] = { "web1", "db1", "db2" };
static const s64 skews[] = { 0, 40 * MS, -(s64)(3 * MS) };

static u32 draw(u32 below)
{
	static u32 state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

#define PACKET                                                                                     \
	"packet_%s ns=%u tid=5 source_address=0x0a0000%02x destination_address=0x0a0000%02x source_port=1 " \
	"destination_port=2 family=2 ip_protocol=6 sequence=%u acknowledgement=7 bytes=64\n"

/* A packet from the first host to each other one, and one back, which show how far their clocks are off. */
static void write_packets(FILE *to, unsigned int host)
{
	unsigned int peer, us;

	for (peer = 1; peer < 3; peer++) {
		us = 1000 * peer;
		if (!host)
			fprintf(to, PACKET PACKET, "send", 1000 * us, 10, 10 + peer, peer, "receive", 1000 * (us + 600),
				10 + peer, 10, peer + 10);
		else if (host == peer)
			fprintf(to, PACKET PACKET, "receive", 1000 * (us + 200), 10, 10 + peer, peer, "send",
				1000 * (us + 400), 10 + peer, 10, peer + 10);
	}
}

struct shape {
	unsigned int nr; /* records; beside them, the packets */
	u64 step_ns;	 /* between two, of which some come at the same time */
	unsigned int per_name; /* of them, one is in a buffer of its own, since it changes the thread's name */
	bool has_gaps;
};

static char *write_text(const struct shape *shape, unsigned int host)
{
	unsigned long long ns = 10 * MS;
	size_t length;
	char *text;
	FILE *to = open_memstream(&text, &length);
	unsigned int i, cpu;

	fprintf(to, "state_thread ns=0 thread_tid=5 thread_pid=5 comm=five\n");
	write_packets(to, host);
	for (i = 0; i < shape->nr; i++) {
		cpu = draw(2);
		ns += draw(4) ? shape->step_ns : 0;
		if (!draw(shape->per_name))
			fprintf(to, "task_rename cpu=%u buffer=1 tid=5 ns=%llu target_tid=5 newcomm=name%u\n", cpu, ns,
				i);
		else
			fprintf(to, "sched_switch cpu=%u tid=%u ns=%llu next_tid=%u prev_state=1\n", cpu,
				draw(2) * 5, ns, draw(2) * 5);
		if (shape->has_gaps && !draw(10))
			fprintf(to, "!block cpu=%u\n!skip cpu=%u blocks=3\n", cpu, cpu);
	}
	fclose(to);
	return text;
}

static void make_records(const struct shape *shape)
{
	unsigned int i;

	setenv("TZ", "UTC", 1);
	make_scratch(dir);
	for (i = 0; i < 3; i++) {
		char *text = write_text(shape, i);

		make_host(dir, three[i], skews[i], (i + 1) * 7000 * MS, text);
		free(text);
	}
}

/* What print says of all three with these options; what goes wrong is said instead. */
static const char *print(const char *options, unsigned int last)
{
	char line[512];

	snprintf(line, sizeof(line), "web1 db1 db2 %s", options);
	if (last)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " --last %u", last);
	return RUN(print, line) ? message : output;
}

static unsigned int nr_lines(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* The last @nr lines. */
static const char *tail_of(const char *text, unsigned int nr)
{
	unsigned int skip = nr_lines(text);

	for (skip = skip > nr ? skip - nr : 0; skip; skip--)
		text = strchr(text, '\n') + 1;
	return text;
}

/* Every number of records from 1 to more than there are. */
static void check_last(const char *options)
{
	unsigned int nr, all;

	snprintf(kept, sizeof(kept), "%s", print(options, 0));
	all = nr_lines(kept);
	CHECK(all > 1 && strlen(kept) < sizeof(kept) - 1);
	for (nr = 1; nr <= all + 2; nr++)
		CHECK_STR(print(options, nr), tail_of(kept, nr));
}

TEST(print_of_hosts_has_the_last_of_what_it_has_without_last)
{
	static const u64 steps[] = { 0, 1000, 300000, 40 * MS };
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		make_records(&(struct shape){ 36, steps[i], 8, i % 2 });
		check_last("--no-gaps");
		check_last("--no-gaps --event task_rename");
		check_last("--no-gaps --tid 5");
		check_last("--no-gaps --format json --event sched_switch --cpu 1");
		check_last("--no-gaps --event task_rename --event state_thread");
		make_scratch_remove(dir);
	}
	make_records(&(struct shape){ 36, 300000, 8, true });
	check_last("--no-gaps --from 22:13:20.012 --to 22:13:20.018");
	check_last("--no-gaps --pid 5 --to 22:13:20.017");
	make_scratch_remove(dir);
}

/* A line of text: when it begins and ends, its host and CPU. */
struct line {
	double from, to;
	bool is_gap, is_main; /* of records: in which buffer it is */
	char where[32];
};

static struct line line_of(const char *text)
{
	unsigned int hours, minutes;
	double seconds;
	char host[16], cpu[8];
	struct line line = {};
	const char *gap, *end = strchr(text, '\n');

	if (sscanf(text, "%u:%u:%lf %15s %7s", &hours, &minutes, &seconds, host, cpu) != 5)
		return line;
	line.from = line.to = hours * 3600 + minutes * 60 + seconds;
	snprintf(line.where, sizeof(line.where), "%s %s", host, cpu);
	gap = memmem(text, (size_t)(end - text), " gap: ", 6);
	line.is_gap = gap;
	line.is_main = !memmem(text, (size_t)(end - text), " task_rename: ", 14);
	if (gap)
		line.to += strtod(strstr(gap, " ns=") + 4, NULL) / 1e9;
	return line;
}

/*
 * Of @lines, the gaps after the first of the last @nr records, and those before it that reach beyond its time; that of
 * its stream reaches up to it.
 */
static unsigned int nr_gaps(const char *lines, unsigned int nr)
{
	const char *first = lines + strlen(lines), *at;
	unsigned int nr_found = 0;
	struct line record;

	while (nr) {
		for (first--; first > lines && first[-1] != '\n'; first--)
			;
		nr -= !line_of(first).is_gap;
		nr_found += line_of(first).is_gap;
	}
	record = line_of(first);
	for (at = lines; at < first; at = strchr(at, '\n') + 1) {
		struct line line = line_of(at);
		/* Printed with nanoseconds. */
		bool ends_then = line.to > record.from - 5e-10 && line.to < record.from + 5e-10;

		nr_found += line.is_gap && (ends_then ? record.is_main && !strcmp(line.where, record.where) :
							line.to > record.from);
	}
	return nr_found;
}

TEST(print_of_the_last_has_the_gaps_that_reach_into_their_time)
{
	unsigned int nr, all_gaps, met = 0;

	make_records(&(struct shape){ 36, 300000, 8, true });
	snprintf(kept, sizeof(kept), "%s", print("", 0));
	CHECK(strlen(kept) < sizeof(kept) - 1);
	all_gaps = nr_lines(kept) - nr_lines(print("--no-gaps", 0));
	CHECK(all_gaps > 5);
	for (nr = 1; nr < NR_ALL; nr++) {
		const char *lines = print("", nr);
		unsigned int gaps = nr_lines(lines) - nr;

		CHECK_EQ(gaps, nr_gaps(kept, nr));
		met += gaps > 0 && gaps < all_gaps;
	}
	CHECK(met > 20);
	CHECK_STR(print("", NR_ALL), kept);
	CHECK_STR(print("", NR_ALL + 1), kept);
	make_scratch_remove(dir);
}

/* Blocks that are read by print with these options. */
static unsigned int blocks_read(const char *options, unsigned int last)
{
	nr_blocks = 0;
	print(options, last);
	return nr_blocks;
}

/* Opening the hosts reads all, for packets that show how far their clocks are off. */
TEST(print_of_the_last_reads_the_end_of_each_host)
{
	unsigned int opening, all, last;

	make_records(&(struct shape){ 20000, MS, 1000, false });
	opening = blocks_read("--from 22:14:00", 0);
	CHECK_STR(output, "");
	all = blocks_read("--event task_newtask", 0) - opening;
	CHECK_STR(output, "");
	last = blocks_read("", 10) - opening;
	CHECK_EQ(nr_lines(output), 10);
	CHECK(last * 4 < all);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "why_searches_each_host_once", test_why_searches_each_host_once },
	{ "why_searches_between_the_times_that_are_given", test_why_searches_between_the_times_that_are_given },
	{ "print_of_hosts_has_the_last_of_what_it_has_without_last",
	  test_print_of_hosts_has_the_last_of_what_it_has_without_last },
	{ "print_of_the_last_has_the_gaps_that_reach_into_their_time",
	  test_print_of_the_last_has_the_gaps_that_reach_into_their_time },
	{ "print_of_the_last_reads_the_end_of_each_host", test_print_of_the_last_reads_the_end_of_each_host },
};

UNIT_MAIN(tests)
