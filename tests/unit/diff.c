/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What changed between two traces whose difference is known, and what `lkst diff` says of it.
 */
#include <math.h>
#include <stdarg.h>

#include "abi/syscalls.h"
#include "analyze/diff/criterion.h"
#include "analyze/diff/diff.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

enum {
	CALLS = 300,
	PERIOD_NS = 5000000,
	TEXT_ROOM = 1 << 20,
};

static char dir[64], text[TEXT_ROOM];
static size_t used;
static u64 random_state, fsyncs_ns; /* of all fsyncs that were made last */
static struct lkst_err err;
static struct lkst_trace *traces[2];
static struct lkst_diff *diff;

static u64 next_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, args);
	va_end(args);
	if (used >= sizeof(text))
		abort();
}

/* A system call of the writer, of which it sleeps nine tenths for a disk. */
static void add_call(const char *name, u64 ns, u64 length_ns)
{
	add("syscall_entry_%s cpu=0 tid=10 ns=%llu\n", name, (unsigned long long)ns);
	add("sched_switch cpu=0 tid=10 ns=%llu next_tid=0 prev_state=2\n",
	    (unsigned long long)(ns + length_ns / 20));
	add("sched_waking cpu=0 tid=0 ns=%llu target_tid=10 target_cpu=0\n",
	    (unsigned long long)(ns + length_ns - length_ns / 20));
	add("sched_switch cpu=0 tid=0 ns=%llu next_tid=10\n",
	    (unsigned long long)(ns + length_ns - length_ns / 20 + 100));
	add("syscall_exit_%s cpu=0 tid=10 ns=%llu\n", name, (unsigned long long)(ns + length_ns));
}

/* Every 5 ms the writer calls write, which takes about 20 us, and fsync, which takes about @fsync_ns. */
static void add_work(u64 seed, u64 fsync_ns, unsigned int nr)
{
	unsigned int i;

	random_state = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (i = 0; i < 16; i++)
		next_number();
	used = 0;
	fsyncs_ns = 0;
	add("state_thread thread_tid=10 thread_pid=10 comm=writer\n");
	for (i = 0; i < nr; i++) {
		u64 ns = 1000000000ULL + (u64)i * PERIOD_NS;
		u64 length_ns = fsync_ns - fsync_ns / 4 + next_number() % (fsync_ns / 2);

		add_call("write", ns, 10000 + next_number() % 20000);
		add_call("fsync", ns + 100000, length_ns);
		fsyncs_ns += length_ns;
	}
}

static struct lkst_catalog *catalog(void)
{
	static const char *const calls[] = { "write", "fsync", "read" };
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 100;
	unsigned int i;

	for (i = 0; i < 3; i++, id += 2)
		if (lkst_catalog_add_syscall(
			    &err, c, id, id + 1,
			    (unsigned int)(lkst_syscall_find(false, calls[i]) - lkst_syscalls)))
			abort();
	return c;
}

/* Writes `text` as trace @name in the test's directory. */
static void make(const char *name, struct lkst_catalog *c)
{
	struct make_trace *t;
	char path[96];

	if (!dir[0])
		make_scratch(dir);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	t = make_begin(path, c, 4096);
	if (make_text(t, text)) {
		fprintf(stderr, "make: %s\n", t->err.text);
		abort();
	}
	if (make_end(t))
		abort();
}

static void make_work(const char *name, u64 seed, u64 fsync_ns)
{
	add_work(seed, fsync_ns, CALLS);
	make(name, catalog());
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Compares two traces of the test's directory. */
static int compare(const char *a, const char *b, const struct lkst_diff_options *options)
{
	struct lkst_diff_side *sides[2] = {};
	u64 from_ns[2], to_ns[2];
	char path[96];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, i ? b : a);
		if (lkst_trace_open(&err, path, &traces[i]))
			abort();
		lkst_trace_range(traces[i], &from_ns[i], &to_ns[i]);
	}
	for (i = 0; i < 2; i++) {
		struct lkst_diff_side_options side = {
			.from_ns = from_ns[i],
			.to_ns = to_ns[i],
			.step_ns = lkst_diff_step_ns(to_ns[0] - from_ns[0], to_ns[1] - from_ns[1]),
		};

		if (lkst_diff_side_new(&err, traces[i], &side, &sides[i]))
			abort();
	}
	return lkst_diff_new(&err, sides[0], sides[1], options, &diff);
}

static void finish(void)
{
	lkst_diff_free(diff);
	lkst_trace_close(traces[0]);
	lkst_trace_close(traces[1]);
	diff = NULL;
	traces[0] = traces[1] = NULL;
}

static void remove_all(void)
{
	char command[128];

	if (!dir[0])
		return;
	snprintf(command, sizeof(command), "rm -rf --one-file-system '%s'", dir);
	if (system(command))
		abort();
	dir[0] = 0;
}

static const struct lkst_diff_options usual = { .level = 0.01, .least = 0.05 };

/* Whether @text fails, or 2: it is met but not significant; 3: it cannot be judged. */
static int judge(const char *criterion)
{
	struct lkst_criterion c;
	struct lkst_verdict v;

	if (lkst_criterion_parse(&err, criterion, &c) || lkst_criterion_judge(diff, &c, 1, &v))
		abort();
	return v.why ? 3 : v.is_met && !v.is_sure ? 2 : v.is_met;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Of fsync, 1 ms becomes 2 ms, 200 times a second: 200 ms a second more, which nothing else is. */
TEST(diff_ranks_the_known_difference_first)
{
	const struct lkst_diff_row *r;
	struct lkst_diff_pair pair;
	double wanted;

	make_work("a", 1, 1000000);
	wanted = -(double)fsyncs_ns;
	make_work("b", 2, 2000000);
	wanted += (double)fsyncs_ns;
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK(diff->nr_rows > 3);
	r = &diff->rows[0];
	CHECK_STR(r->name, "syscall:fsync");
	CHECK(fabs(r->time[1] * diff->units[1] - r->time[0] * diff->units[0] - wanted) < 1);
	CHECK(fabs(r->time[1] - r->time[0] - 200e6) < 200e6 * 0.05);
	CHECK(fabs(r->count[0] - 200) < 2 && fabs(r->count[1] - 200) < 2);
	CHECK_EQ(r->of[0]->lengths.count, CALLS);
	CHECK(r->is_significant[LKST_DIFF_IN_LENGTH] && r->is_significant[LKST_DIFF_IN_TIME]);
	CHECK(r->greater > 0.99);
	/* It is in the sleep, not in the calls that did not change. */
	r = lkst_diff_find(diff, "state:writer:blocked:sync");
	CHECK(r && fabs(r->time[1] - r->time[0] - 180e6) < 180e6 * 0.05);
	CHECK(lkst_diff_is_significant(r));
	CHECK(!lkst_diff_is_significant(lkst_diff_find(diff, "syscall:write")));
	CHECK(!lkst_diff_find(diff, "syscall:read"));
	/* The examples are near the medians. */
	lkst_diff_examples(&diff->rows[0], &pair);
	CHECK_EQ(pair.slow_side, 1);
	CHECK_STR(pair.place, "p50");
	CHECK(pair.slow && pair.slow->ns > 1600000 && pair.slow->ns < 2400000);
	CHECK(pair.fast && pair.fast->ns > 800000 && pair.fast->ns < 1200000);
	CHECK_EQ(pair.slow->tid, 10);
	finish();
	remove_all();
}

TEST(diff_of_a_trace_with_itself_has_nothing)
{
	u32 i;

	make_work("a", 1, 1000000);
	CHECK_EQ(compare("a", "a", &usual), 0);
	CHECK_EQ(diff->nr_significant, 0);
	CHECK_EQ(diff->nr_missing, 0);
	CHECK(diff->nr_rows > 3 && diff->nr_tests > 3);
	for (i = 0; i < diff->nr_rows; i++)
		CHECK(diff->rows[i].p[LKST_DIFF_IN_LENGTH] >= 1 &&
		      diff->rows[i].p[LKST_DIFF_IN_TIME] >= 1 &&
		      diff->rows[i].time[0] == diff->rows[i].time[1]);
	finish();
	remove_all();
}

/* At a level of 1 %, a row in one of a hundred pairs is expected at most: of 40 pairs, three are once in 700. */
TEST(diff_seldom_finds_what_is_not_there)
{
	unsigned int i, nr = 0;

	for (i = 0; i < 40; i++) {
		make_work("a", 100 + 2 * i, 1000000);
		make_work("b", 101 + 2 * i, 1000000);
		CHECK_EQ(compare("a", "b", &(struct lkst_diff_options){ .level = 0.01 }), 0);
		nr += diff->nr_significant != 0;
		finish();
		remove_all();
	}
	CHECK(nr <= 2);
}

/*
 * The same, but the fsyncs of 40 ms, somewhat less than a stretch, depend on each other: all take up to three times as
 * long as those of others. Taken for independent, most of the pairs would differ.
 */
TEST(diff_does_not_take_bursts_for_a_change)
{
	unsigned int i, k, side, nr = 0;

	for (i = 0; i < 40; i++) {
		for (side = 0; side < 2; side++) {
			u64 burst_ns = 0;

			add_work(500 + 2 * i + side, 1000000, 1);
			for (k = 1; k < CALLS; k++) {
				if (k % 8 == 1)
					burst_ns = 500000 + next_number() % 1000000;
				add_call("fsync", 1000000000ULL + (u64)k * PERIOD_NS,
					 burst_ns + next_number() % 100000);
			}
			make(side ? "b" : "a", catalog());
		}
		CHECK_EQ(compare("a", "b", &(struct lkst_diff_options){ .level = 0.01 }), 0);
		nr += diff->nr_significant != 0;
		finish();
		remove_all();
	}
	CHECK(nr <= 4);
}

/* ---- recordings that differ as two of the same do -------------------------------------------- */

static const char *const many[] = { "readahead", "open",   "close",	 "stat",   "fstat",  "lstat", "poll",  "lseek",
				    "mmap",  "munmap", "brk",	 "pread64", "readv",  "writev", "access", "pipe",
				    "dup",   "pause",  "getpid", "sendto", "recvfrom", "bind",	"listen", "fork",
				    "uname", "fcntl",  "flock",	 "fsync",  "ftruncate", "getcwd" };
enum { NR_MANY = sizeof(many) / sizeof(many[0]), MANY_CALLS = 100, MANY_PERIOD_NS = 10000000 };

static void add_length(const char *name, u64 ns, u64 length_ns)
{
	add("syscall_entry_%s cpu=0 tid=10 ns=%llu\n", name, (unsigned long long)ns);
	add("syscall_exit_%s cpu=0 tid=10 ns=%llu\n", name, (unsigned long long)(ns + length_ns));
}

/*
 * Each of many calls takes the machine up to a quarter less or more in this recording than in others, whatever varies
 * within it; a sleep is as long as it is asked for. The first takes @first times as long.
 */
static void make_many(const char *name, u64 seed, double first, u64 sleep_ns)
{
	struct lkst_catalog *c = catalog();
	double factors[NR_MANY];
	unsigned int i, k;
	u16 id = LKST_NR_EVENTS + 300;

	for (i = 0; i < NR_MANY; i++, id += 2)
		if (strcmp(many[i], "fsync") &&
		    lkst_catalog_add_syscall(&err, c, id, id + 1,
					     (unsigned int)(lkst_syscall_find(false, many[i]) - lkst_syscalls)))
			abort();
	if (lkst_catalog_add_syscall(&err, c, id, id + 1,
				     (unsigned int)(lkst_syscall_find(false, "nanosleep") - lkst_syscalls)))
		abort();
	random_state = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (i = 0; i < 16 + NR_MANY; i++)
		factors[i % NR_MANY] = 0.75 + (double)(next_number() % 1000) / 2000;
	used = 0;
	add("state_thread thread_tid=10 thread_pid=10 comm=writer\n");
	for (k = 0; k < MANY_CALLS; k++) {
		u64 ns = 1000000000ULL + (u64)k * MANY_PERIOD_NS;

		for (i = 0; i < NR_MANY; i++, ns += 200000)
			add_length(many[i], ns,
				   (u64)((double)(10000 + next_number() % 2000) * factors[i] * (i ? 1 : first)));
		add_length("nanosleep", ns, sleep_ns + next_number() % 50000);
	}
	make(name, c);
}

/*
 * Of twenty pairs none has a row, though the lengths of each call differ by far more than what varies within; how much
 * most of them differ by is known. What differs by far more is found, and what a sleep is longer by.
 */
TEST(diff_allows_what_recordings_of_the_same_differ_by)
{
	unsigned int i, nr = 0;
	double lengths = 0;

	for (i = 0; i < 20; i++) {
		make_many("a", 900 + 2 * i, 1, 1000000);
		make_many("b", 901 + 2 * i, 1, 1000000);
		CHECK_EQ(compare("a", "b", &usual), 0);
		nr += diff->nr_significant != 0;
		lengths += diff->usual_change[LKST_DIFF_IN_LENGTH] / 20;
		CHECK(diff->usual_change[LKST_DIFF_IN_TIME] >= diff->usual_change[LKST_DIFF_IN_LENGTH]);
		CHECK(diff->usual_change[LKST_DIFF_IN_COUNT] < 0.01);
		CHECK_EQ(judge("mean of syscall:open +1%") == 1 || judge("mean of syscall:open -1%") == 1, false);
		finish();
		remove_all();
	}
	CHECK(nr <= 1);
	/* The logarithm of a factor has a standard deviation of 0.148, and the difference of two of them 0.209. */
	CHECK(lengths > 0.15 && lengths < 0.27);
	make_many("a", 1000, 1, 1000000);
	make_many("b", 1001, 10, 1100000);
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK_EQ(diff->nr_significant, 2);
	CHECK(lkst_diff_is_significant(lkst_diff_find(diff, "syscall:readahead")));
	CHECK(lkst_diff_is_significant(lkst_diff_find(diff, "syscall:nanosleep")));
	CHECK_EQ(judge("mean of syscall:readahead +100%"), 1);
	finish();
	remove_all();
}

/* What happens in one stretch of time only is one occurrence, however often it happened there. */
TEST(diff_takes_what_happens_at_once_for_one)
{
	const struct lkst_diff_row *r;
	unsigned int side, i;

	for (side = 0; side < 2; side++) {
		add_work(50 + side, 1000000, CALLS);
		/* As a program does when it starts. */
		for (i = 0; i < 200; i++)
			add_length("read", 2600000000ULL + i * 100000ULL, 10000 + side * 10000 + next_number() % 5000);
		make(side ? "b" : "a", catalog());
	}
	CHECK_EQ(compare("a", "b", &usual), 0);
	r = lkst_diff_find(diff, "syscall:read");
	CHECK(r && r->of[0]->lengths.count == 200 && !lkst_diff_is_significant(r));
	finish();
	remove_all();
}

/* Twice the work in twice the time, and each fsync as long: by second and by write, nothing has changed. */
TEST(diff_divides_by_time_or_by_operations)
{
	struct lkst_diff_options by_write = usual;
	const struct lkst_diff_row *r;

	by_write.per = "syscall:write";
	make_work("a", 1, 1000000);
	add_work(3, 1000000, CALLS / 2);
	make("b", catalog());
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK_EQ(diff->nr_significant, 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && fabs(r->count[0] - r->count[1]) < 2);
	finish();
	CHECK_EQ(compare("a", "b", &by_write), 0);
	CHECK_EQ(diff->nr_significant, 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && fabs(r->count[0] - 1) < 1e-9 && fabs(r->count[1] - 1) < 1e-9);
	CHECK(fabs(r->time[0] - 1e6) < 5e4);
	finish();
	by_write.per = "syscall:read";
	CHECK_EQ(compare("a", "b", &by_write), -ENOENT);
	CHECK(strstr(err.text, "has no syscall:read to divide by"));
	finish();
	remove_all();
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* Records of the CPU are missing in the middle of each tenth fsync: those are not measured, and the row says so. */
TEST(diff_does_not_compare_what_gaps_have_cut)
{
	const struct lkst_diff_row *r;
	double known = 0;
	unsigned int i;
	u32 k;

	make_work("a", 1, 1000000);
	used = 0;
	add("state_thread thread_tid=10 thread_pid=10 comm=writer\n");
	for (i = 0; i < CALLS; i++) {
		u64 ns = 1000000000ULL + (u64)i * PERIOD_NS;

		if (i % 10) {
			add_call("fsync", ns, 1000000);
			continue;
		}
		add("syscall_entry_fsync cpu=0 tid=10 ns=%llu\n!skip cpu=0 blocks=2\n",
		    (unsigned long long)ns);
		add("syscall_exit_fsync cpu=0 tid=10 ns=%llu\n",
		    (unsigned long long)(ns + 1000000));
	}
	make("b", catalog());
	CHECK_EQ(compare("a", "b", &usual), 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && r->missing && strstr(r->missing, "Gaps have cut"));
	CHECK_EQ(r->of[1]->nr_lost, CALLS / 10);
	CHECK(!lkst_diff_is_significant(r) && r->p[LKST_DIFF_IN_LENGTH] > 1);
	CHECK(diff->nr_missing > 0);
	/* No state has the time that is in gaps: 30 times 1 ms at least. */
	CHECK(diff->sides[0]->covered_ns == diff->sides[0]->to_ns - diff->sides[0]->from_ns);
	CHECK(diff->sides[1]->covered_ns <=
	      diff->sides[1]->to_ns - diff->sides[1]->from_ns - 30000000);
	for (k = 0; k < diff->sides[1]->nr_keys; k++)
		if (diff->sides[1]->keys[k].kind == LKST_DIFF_state)
			known += lkst_diff_time(&diff->sides[1]->keys[k]);
	CHECK(known > 0 && known <= (double)diff->sides[1]->covered_ns);
	finish();
	remove_all();
}

/* Trace A cannot have system calls: that B has some is no difference. */
TEST(diff_does_not_compare_what_was_not_recorded)
{
	struct lkst_catalog *c = lkst_catalog_new();
	const struct lkst_diff_row *r;
	unsigned int i;

	if (!c || lkst_catalog_add_builtin(&err, c, 1, LKST_EV_sched_switch))
		abort();
	used = 0;
	for (i = 0; i < CALLS; i++)
		add("sched_switch cpu=0 tid=%u ns=%llu next_tid=%u\n", i % 2 ? 10 : 0,
		    1000000000ULL + (u64)i * PERIOD_NS, i % 2 ? 0 : 10);
	make("a", c);
	make_work("b", 2, 1000000);
	CHECK_EQ(compare("a", "b", &usual), 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && r->missing && strstr(r->missing, "cannot have the events that syscall needs"));
	CHECK(!lkst_diff_is_significant(r));
	finish();
	remove_all();
}

/*
 * Of the second half of B no fsync is recorded, to keep to the cost limit: there are fewer by count, which is no
 * difference. What was recorded all the time is compared.
 */
TEST(diff_does_not_compare_what_the_cost_limit_left_out)
{
	struct lkst_diff_options per = usual;
	const struct lkst_diff_row *r;
	unsigned int i;

	make_work("a", 1, 1000000);
	used = 0;
	add("state_thread thread_tid=10 thread_pid=10 comm=writer\n");
	for (i = 0; i < CALLS; i++) {
		u64 ns = 1000000000ULL + (u64)i * PERIOD_NS;

		if (i == CALLS / 2)
			add("shed_begin buffer=1 ns=%llu cost=1 kind=syscall:fsync\n", (unsigned long long)ns - 1);
		add_call("write", ns, 10000 + i % 5 * 1000);
		if (i < CALLS / 2)
			add_call("fsync", ns + 100000, 1000000);
	}
	make("b", catalog());
	CHECK_EQ(compare("a", "b", &usual), 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && r->missing);
	CHECK_STR(r->missing, "In the second, syscall:fsync not recorded since +0.750 s (the cost limit).");
	CHECK(!lkst_diff_is_significant(r) && r->p[LKST_DIFF_IN_TIME] > 1);
	r = lkst_diff_find(diff, "syscall:write");
	CHECK(r && !r->missing && r->p[LKST_DIFF_IN_TIME] <= 1);
	finish();
	/* Nor is anything divided by what is known in part. */
	per.per = "syscall:fsync";
	CHECK_EQ(compare("a", "b", &per), -ENOENT);
	CHECK(strstr(err.text, "the second has not all of syscall:fsync"));
	finish();
	/* The other way round, too. */
	CHECK_EQ(compare("b", "a", &usual), 0);
	r = lkst_diff_find(diff, "syscall:fsync");
	CHECK(r && r->missing && strstr(r->missing, "In the first, syscall:fsync not recorded"));
	finish();
	remove_all();
}

/* A lock without a name is another one in each trace; one of the same address is compared as that. */
TEST(diff_puts_locks_of_one_trace_together)
{
	unsigned int i, k;

	for (k = 0; k < 2; k++) {
		used = 0;
		for (i = 0; i < 20; i++) {
			u64 ns = 1000000000ULL + (u64)i * PERIOD_NS;
			u64 lock = i % 2 ? 0xffff888100000000ULL
					 : 0xffff888200000000ULL + k * 4096 + i * 64;

			add("contention_begin cpu=0 tid=10 ns=%llu lock=0x%llx flags=16\n",
			    (unsigned long long)ns, (unsigned long long)lock);
			add("contention_end cpu=0 tid=10 ns=%llu lock=0x%llx\n",
			    (unsigned long long)(ns + 50000), (unsigned long long)lock);
		}
		make(k ? "b" : "a", catalog());
	}
	CHECK_EQ(compare("a", "b", &usual), 0);
	for (i = k = 0; i < diff->nr_rows; i++)
		if (diff->rows[i].kind == LKST_DIFF_lockwait) {
			k++;
			CHECK_EQ(diff->rows[i].of[0]->lengths.count, 10);
			CHECK_EQ(diff->rows[i].of[1]->lengths.count, 10);
		}
	CHECK_EQ(k, 2);
	finish();
	remove_all();
}

/* ---- criteria -------------------------------------------------------------------------------- */

TEST(criteria_are_parsed)
{
	struct lkst_criterion c;

	CHECK_EQ(lkst_criterion_parse(&err, "p99 of syscall:fsync +20%", &c), 0);
	CHECK(c.of == LKST_CRITERION_QUANTILE && fabs(c.q - 0.99) < 1e-12);
	CHECK_STR(c.key, "syscall:fsync");
	CHECK(c.is_percent && !c.is_less && fabs(c.share - 0.2) < 1e-12);
	CHECK_EQ(lkst_criterion_parse(&err, "  mean\tof state:a:ready:woken   -1.5ms ", &c), 0);
	CHECK(c.of == LKST_CRITERION_MEAN && c.is_less && !c.is_percent);
	CHECK_EQ(c.ns, 1500000);
	CHECK_EQ(lkst_criterion_parse(&err, "count of biotime:vda:write -0.5%", &c), 0);
	CHECK(c.of == LKST_CRITERION_COUNT && fabs(c.share - 0.005) < 1e-12);
	CHECK_EQ(lkst_criterion_parse(&err, "max of irq:softirq:RCU +0%", &c), 0);
	CHECK_EQ(lkst_criterion_parse(&err, "p99.9 of lockwait:mutex:0x* +1s", &c), 0);
	CHECK(fabs(c.q - 0.999) < 1e-12);
	CHECK_EQ(lkst_criterion_parse(&err, "total of nettime:lo:tx +300%", &c), 0);
}

TEST(criteria_that_are_wrong_are_shown_where)
{
	static const struct {
		const char *text;
		size_t mark;
		const char *message;
	} wrong[] = {
		{ "", 0, "a criterion begins with" },
		{ "p98 of syscall:fsync +20%", 0, "a criterion begins with" },
		{ "p99", 3, "\"of\" follows" },
		{ "p99 in syscall:fsync +20%", 4, "\"of\" follows" },
		{ "p99 of", 6, "a row is called KIND:KEY" },
		{ "p99 of fsync +20%", 7, "a row is called KIND:KEY" },
		{ "p99 of syscall: +20%", 7, "a row is called KIND:KEY" },
		{ "p99 of calls:fsync +20%", 7, "a row is called KIND:KEY" },
		{ "p99 of syscall:fsync", 20, "follows, as +20%" },
		{ "p99 of syscall:fsync 20%", 21, "follows, as +20%" },
		{ "p99 of syscall:fsync +%", 22, "a number stands before %" },
		{ "p99 of syscall:fsync +2x%", 22, "a number stands before %" },
		{ "p99 of syscall:fsync -101%", 22, "less by more than 100 %" },
		{ "p99 of syscall:fsync +20", 22, "a share or a duration" },
		{ "p99 of syscall:fsync +", 22, "a share or a duration" },
		{ "count of syscall:fsync +20ms", 23, "a count changes by a share" },
		{ "p99 of syscall:fsync +20% of", 26, "ends with the change" },
	};
	struct lkst_criterion c;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err = (struct lkst_err){};
		CHECK_EQ(lkst_criterion_parse(&err, wrong[i].text, &c), -EINVAL);
		if (!strstr(err.text, wrong[i].message) || err.mark != wrong[i].mark)
			printf("\"%s\": %s, at %zu\n", wrong[i].text, err.text, err.mark);
		CHECK(strstr(err.text, wrong[i].message));
		CHECK_EQ(err.mark, wrong[i].mark);
	}
}

TEST(criteria_are_judged)
{
	make_work("a", 1, 1000000);
	make_work("b", 2, 1300000);
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK_EQ(judge("mean of syscall:fsync +20%"), 1);
	CHECK_EQ(judge("p50 of syscall:fsync +20%"), 1);
	CHECK_EQ(judge("p99 of syscall:fsync +20%"), 1);
	CHECK_EQ(judge("max of syscall:fsync +20%"), 1);
	CHECK_EQ(judge("total of syscall:fsync +20%"), 1);
	CHECK_EQ(judge("total of syscall:fsync +50ms"), 1);
	CHECK_EQ(judge("p50 of syscall:fsync +250us"), 1);
	CHECK_EQ(judge("p50 of syscall:fsync +350us"), 0);
	CHECK_EQ(judge("p99 of syscall:fsync +40%"), 0);
	CHECK_EQ(judge("p99 of syscall:fsync -1%"), 0);
	CHECK_EQ(judge("count of syscall:fsync +1%"), 0);
	CHECK_EQ(judge("mean of state:writer:blocked:sync +20%"), 1);
	/* What changed by accident may meet a criterion that asks for next to nothing, but does not fail. */
	CHECK(judge("mean of syscall:write +0.0001%") != 1 &&
	      judge("mean of syscall:write -0.0001%") != 1);
	CHECK_EQ(judge("p99 of syscall:read +20%"), 3);
	finish();
	CHECK_EQ(compare("b", "a", &usual), 0);
	CHECK_EQ(judge("mean of syscall:fsync -20%"), 1);
	CHECK_EQ(judge("max of syscall:fsync -10%"), 1);
	CHECK_EQ(judge("total of syscall:fsync -20%"), 1);
	finish();
	remove_all();
}

/* A row beyond those whose occurrences are known by their time is not taken for one that never happened. */
TEST(criteria_need_to_know_when_it_happened)
{
	struct lkst_diff_key *k;

	make_work("a", 1, 1000000);
	make_work("b", 2, 2000000);
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK_EQ(judge("total of syscall:fsync +20%"), 1);
	k = (struct lkst_diff_key *)lkst_diff_find(diff, "syscall:fsync")->of[0];
	free(k->stretches);
	k->stretches = NULL;
	CHECK_EQ(judge("total of syscall:fsync +20%"), 3);
	CHECK_EQ(judge("mean of syscall:fsync +20%"), 1);
	finish();
	remove_all();
}

TEST(criteria_need_enough_to_judge_by)
{
	add_work(1, 1000000, 12);
	make("a", catalog());
	add_work(2, 9000000, 12);
	make("b", catalog());
	CHECK_EQ(compare("a", "b", &usual), 0);
	CHECK_EQ(judge("p99 of syscall:fsync +20%"), 3);
	finish();
	remove_all();
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Blanks divide the words of a test's command line, so criteria have tabs. */
TEST(diff_command_has_four_statuses)
{
	make_work("a", 1, 1000000);
	make_work("b", 2, 2000000);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a b"), 0);
	CHECK(strstr(output, "A: a, B: b; times and counts per second"));
	CHECK(strstr(output, "\nsyscall:fsync "));
	CHECK(strstr(output, "\nsyscall:fsync, a typical slow one: at p50 of B\n10/writer"));
	CHECK(strstr(output, "\nsyscall:fsync, a typical fast one: at p50 of A\n10/writer"));
	CHECK(strstr(output, "blocked in fsync()"));
	CHECK(!strstr(output, "\nsyscall:write "));
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a b --all --why 0"), 0);
	CHECK(strstr(output, "\nsyscall:write "));
	CHECK(!strstr(output, "typical"));
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a b --fail-if p99\tof\tsyscall:fsync\t+20%"), 1);
	CHECK(strstr(output, "failed"));
	CHECK_EQ(
		run_command(
			&lkst_cmd_diff, dir,
			"a b --fail-if p99\tof\tsyscall:fsync\t+200% --fail-if count\tof\tsyscall:fsync\t-20%"),
		0);
	CHECK(strstr(output, "not met"));
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a b --fail-if p99\tof\tfsync\t+20%"), 2);
	/* A name that no row has must not pass for a change that did not happen; a failure is more than that. */
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a b --fail-if p99\tof\tsyscall:fsnyc\t+20%"), 3);
	CHECK(strstr(output, "not judged: neither has such a row; did you mean syscall:fsync"));
	CHECK_EQ(run_command(&lkst_cmd_diff, dir,
			     "a b --fail-if p99\tof\tirq:9 --fail-if p99\tof\tsyscall:fsync\t+20%"),
		 2);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir,
			     "a b --fail-if p99\tof\tirq:9\t+20% "
			     "--fail-if p99\tof\tsyscall:fsync\t+20%"),
		 1);
	CHECK(strstr(output, "not judged: neither has such a row; --all shows what there is"));
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a nowhere"), 2);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a"), 2);
	remove_all();
}

/* The second half of the trace is slower than the first. */
TEST(diff_command_compares_windows)
{
	unsigned int i;

	add_work(1, 1000000, CALLS);
	for (i = 0; i < CALLS; i++)
		add_call("fsync", 1000000000ULL + (u64)(CALLS + i) * PERIOD_NS,
			 2000000 + next_number() % 100000);
	make("a", catalog());
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a --window +1.5s.. --against ..+1.5s -f csv"),
		 0);
	CHECK(!strncmp(output, "key,change_ns,", 14));
	CHECK(strstr(output, "\nsyscall:fsync,"));
	CHECK_EQ(
		run_command(
			&lkst_cmd_diff, dir,
			"a --window +1.5s.. --against ..+1.5s --fail-if p50\tof\tsyscall:fsync\t+90%"),
		1);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a --window +1s --against ..+1s"), 2);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a --window +2s..+1s --against ..+1s"), 2);
	CHECK_EQ(run_command(&lkst_cmd_diff, dir, "a --window +nine..+1s --against ..+1s"), 2);
	remove_all();
}

static const struct unit_test tests[] = {
	{ "diff_ranks_the_known_difference_first", test_diff_ranks_the_known_difference_first },
	{ "diff_of_a_trace_with_itself_has_nothing", test_diff_of_a_trace_with_itself_has_nothing },
	{ "diff_seldom_finds_what_is_not_there", test_diff_seldom_finds_what_is_not_there },
	{ "diff_does_not_take_bursts_for_a_change", test_diff_does_not_take_bursts_for_a_change },
	{ "diff_allows_what_recordings_of_the_same_differ_by",
	  test_diff_allows_what_recordings_of_the_same_differ_by },
	{ "diff_takes_what_happens_at_once_for_one", test_diff_takes_what_happens_at_once_for_one },
	{ "diff_divides_by_time_or_by_operations", test_diff_divides_by_time_or_by_operations },
	{ "diff_does_not_compare_what_gaps_have_cut",
	  test_diff_does_not_compare_what_gaps_have_cut },
	{ "diff_does_not_compare_what_was_not_recorded",
	  test_diff_does_not_compare_what_was_not_recorded },
	{ "diff_does_not_compare_what_the_cost_limit_left_out",
	  test_diff_does_not_compare_what_the_cost_limit_left_out },
	{ "diff_puts_locks_of_one_trace_together", test_diff_puts_locks_of_one_trace_together },
	{ "criteria_are_parsed", test_criteria_are_parsed },
	{ "criteria_that_are_wrong_are_shown_where", test_criteria_that_are_wrong_are_shown_where },
	{ "criteria_are_judged", test_criteria_are_judged },
	{ "criteria_need_to_know_when_it_happened", test_criteria_need_to_know_when_it_happened },
	{ "criteria_need_enough_to_judge_by", test_criteria_need_enough_to_judge_by },
	{ "diff_command_has_four_statuses", test_diff_command_has_four_statuses },
	{ "diff_command_compares_windows", test_diff_command_compares_windows },
};
UNIT_MAIN(tests)
