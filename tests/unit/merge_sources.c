/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A merge over sources that have more blocks from time to time, as those of a running recording do.
 */
#include "trace/read/merge.h"

#include <errno.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64];
static struct lkst_trace *trace;
static int nr_sources;

/* Gives the blocks of a stream of `trace`, as far as they have come. */
struct source {
	struct lkst_merge_source base;
	unsigned int stream, next, come;
	bool is_held; /* nobody else may go on before more has come */
};

static int next(struct lkst_merge *m, struct lkst_merge_source *base, struct lkst_block *ret_block)
{
	struct source *s = (struct source *)base;

	if (s->next == s->come)
		return s->is_held ? -EAGAIN : 0;
	*ret_block = *lkst_trace_block(trace, s->stream, s->next++);
	return 1;
}

static void free_source(struct lkst_merge_source *base)
{
	nr_sources--;
	free(base);
}

static const struct lkst_merge_source_ops ops = { next, free_source };

static struct lkst_merge *make(const char *text)
{
	struct lkst_merge *m;

	make_scratch(dir);
	if (make_trace(dir, 4096, text) || lkst_trace_open(&err, dir, &trace) ||
	    lkst_merge_new_empty(&err, lkst_trace_catalog(trace), 0, UINT64_MAX, &m))
		abort();
	return m;
}

static void end(struct lkst_merge *m)
{
	lkst_merge_free(m);
	lkst_trace_close(trace);
	make_scratch_remove(dir);
}

/* A source of stream @stream of which @come blocks have come. */
static struct source *add(struct lkst_merge *m, unsigned int stream, unsigned int come)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->base.ops = &ops;
	s->base.instance = lkst_trace_stream(trace, stream)->instance;
	s->base.why_missing = "they are missing";
	s->stream = stream;
	s->come = come;
	nr_sources++;
	if (lkst_merge_add(&err, m, &s->base))
		abort();
	return s;
}

/* The records up to @until_ns: "<time>.<cpu> " of each, and "[<from>-<to>.<cpu>] " of gaps. */
static const char *take(struct lkst_merge *m, u64 until_ns)
{
	static char text[512];
	struct lkst_record r;
	struct lkst_gap g;
	char *p = text;
	int more;

	*p = 0;
	lkst_merge_begin(m, until_ns);
	do {
		more = lkst_merge_next(m, &r);
		while (lkst_merge_gap(m, &g) && p < text + 400)
			p += sprintf(p, "[%llu-%llu.%u] ", (unsigned long long)g.from_ns,
				     (unsigned long long)g.to_ns, g.cpu);
		if (more && p < text + 400)
			p += sprintf(p, "%llu.%u ", (unsigned long long)r.ns, r.cpu);
	} while (more);
	return text;
}

static const char two[] = "sched_switch cpu=0 ns=10\n"
			  "sched_switch cpu=0 ns=30\n"
			  "!block cpu=0\n"
			  "sched_switch cpu=0 ns=50\n"
			  "sched_switch cpu=1 ns=20\n"
			  "sched_switch cpu=1 ns=30\n"
			  "!block cpu=1\n"
			  "sched_switch cpu=1 ns=40\n";

TEST(merge_goes_on_when_sources_have_more)
{
	struct lkst_merge *m = make(two);
	struct source *a = add(m, 0, 1), *b = add(m, 1, 1);

	CHECK_STR(take(m, UINT64_MAX), "10.0 20.1 30.0 30.1 ");
	CHECK_STR(take(m, UINT64_MAX), "");
	b->come = 2;
	CHECK_STR(take(m, UINT64_MAX), "40.1 ");
	a->come = 2;
	CHECK_STR(take(m, UINT64_MAX), "50.0 ");
	end(m);
	CHECK_EQ(nr_sources, 0);
}

TEST(merge_stops_at_the_time_that_is_asked_for)
{
	struct lkst_merge *m = make(two);

	add(m, 0, 2);
	add(m, 1, 2);
	CHECK_STR(take(m, 9), "");
	CHECK_STR(take(m, 20), "10.0 20.1 ");
	CHECK_STR(take(m, 20), "");
	CHECK_STR(take(m, 40), "30.0 30.1 40.1 ");
	CHECK_STR(take(m, UINT64_MAX), "50.0 ");
	end(m);
}

TEST(merge_begins_again_in_the_middle_of_a_block)
{
	struct lkst_merge *m = make(two);
	struct lkst_record r;

	add(m, 0, 2);
	add(m, 1, 2);
	CHECK(lkst_merge_next(m, &r) && r.ns == 10);
	CHECK(lkst_merge_next(m, &r) && r.ns == 20);
	CHECK_STR(take(m, UINT64_MAX), "30.0 30.1 40.1 50.0 ");
	end(m);
}

TEST(merge_waits_for_a_source_that_holds_the_others)
{
	struct lkst_merge *m = make(two);
	struct source *a = add(m, 0, 2), *b = add(m, 1, 1);

	b->is_held = true;
	CHECK_STR(take(m, UINT64_MAX), "10.0 20.1 30.0 30.1 ");
	CHECK_STR(take(m, UINT64_MAX), "");
	b->come = 2;
	b->is_held = false;
	CHECK_STR(take(m, UINT64_MAX), "40.1 50.0 ");
	CHECK_EQ(a->next, 2);
	end(m);
}

TEST(merge_takes_in_new_sources)
{
	struct lkst_merge *m = make("sched_switch cpu=0 ns=10\n"
				    "sched_switch cpu=1 ns=11\n"
				    "sched_switch cpu=2 ns=12\n"
				    "sched_switch cpu=3 ns=13\n"
				    "sched_switch cpu=4 ns=14\n");
	unsigned int i;

	CHECK_STR(take(m, UINT64_MAX), "");
	add(m, 4, 1);
	CHECK_STR(take(m, 13), "");
	for (i = 0; i < 4; i++)
		add(m, i, 1);
	CHECK_EQ(lkst_merge_nr_sources(m), 5);
	CHECK_STR(take(m, UINT64_MAX), "10.0 11.1 12.2 13.3 14.4 ");
	end(m);
}

TEST(merge_reports_gaps_when_their_time_has_come)
{
	struct lkst_merge *m = make("sched_switch cpu=0 ns=10\n"
				    "!skip cpu=0 blocks=2\n"
				    "sched_switch cpu=0 ns=50\n"
				    "sched_switch cpu=1 ns=20\n");

	add(m, 0, 2);
	add(m, 1, 1);
	lkst_merge_add_hole(m, &(struct lkst_gap){ .cpu = 7, .from_ns = 45, .to_ns = 60 });
	lkst_merge_add_hole(m, &(struct lkst_gap){ .cpu = 6, .from_ns = 15, .to_ns = 16 });
	CHECK_STR(take(m, 30), "10.0 [10-50.0] [15-16.6] 20.1 ");
	CHECK_STR(take(m, UINT64_MAX), "[45-60.7] 50.0 ");
	end(m);
}

static const struct unit_test tests[] = {
	{ "merge_goes_on_when_sources_have_more", test_merge_goes_on_when_sources_have_more },
	{ "merge_stops_at_the_time_that_is_asked_for",
	  test_merge_stops_at_the_time_that_is_asked_for },
	{ "merge_begins_again_in_the_middle_of_a_block",
	  test_merge_begins_again_in_the_middle_of_a_block },
	{ "merge_waits_for_a_source_that_holds_the_others",
	  test_merge_waits_for_a_source_that_holds_the_others },
	{ "merge_takes_in_new_sources", test_merge_takes_in_new_sources },
	{ "merge_reports_gaps_when_their_time_has_come",
	  test_merge_reports_gaps_when_their_time_has_come },
};

UNIT_MAIN(tests)
