/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What a ring of several had overwritten is a gap where the CPU wrote to it, and nowhere else: in a trace,
 * in parts and pieces of it, and in the pass of the analyses.
 */
#include "analyze/engine/feed.h"
#include "lib/make_trace.h"
#include "lib/shown.h"
#include "lib/unit.h"
#include "trace/write/cut.h"

static struct lkst_err err;
static char dir[64], path[128], out[128];

/* Makes and opens the trace of @lines. */
static struct lkst_trace *make(const char *lines)
{
	struct lkst_trace *t;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	if (make_trace(path, 4096, lines) || lkst_trace_open(&err, path, &t))
		abort();
	return t;
}

static void end(struct lkst_trace *t)
{
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

/* A pass as text: "<cpu>.<buffer>:<time> " for a record, "[<cpu>.<buffer>:<from>-<to> <blocks>] " for a gap. */
static const char *pass(struct lkst_trace *t, u64 from_ns, u64 to_ns)
{
	struct lkst_merge *m;
	struct lkst_record r;
	struct lkst_gap g;
	int more;

	shown[0] = 0;
	if (lkst_merge_new(&err, t, from_ns, to_ns, &m))
		abort();
	do {
		more = lkst_merge_next(m, &r);
		while (lkst_merge_gap(m, &g))
			put("[%u.%u:%llu-%llu %llu] ", g.cpu, g.buffer,
			    (unsigned long long)g.from_ns, (unsigned long long)g.to_ns,
			    (unsigned long long)g.blocks);
		if (more && r.buffer != LKST_BUFFER_STATE)
			put("%u.%u:%llu ", r.cpu, r.buffer, (unsigned long long)r.ns);
	} while (more);
	lkst_merge_free(m);
	return shown;
}

static const char *all(struct lkst_trace *t)
{
	return pass(t, 0, UINT64_MAX);
}

/* CPU 0 switches to buffer 2, which goes round, and back; CPU 1 has one buffer, which has gone round. */
static const char jumped[] =
	"state_overwritten ns=1 loss_cpu=0 buffer=2 blocks=3 from=25 to=65\n"
	"state_overwritten ns=1 loss_cpu=1 buffer=0 blocks=9 from=0 to=40\n"
	"sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=20\nsched_switch cpu=0 ns=80\n"
	"!skip cpu=0 buffer=2 blocks=3\n"
	"sched_switch cpu=0 buffer=2 ns=65\nsched_switch cpu=0 buffer=2 ns=70\n"
	"!skip cpu=1 blocks=9\n"
	"sched_switch cpu=1 ns=40\nsched_switch cpu=1 ns=68\n";

TEST(holes_are_gaps_where_the_cpu_wrote_to_the_buffer)
{
	struct lkst_trace *t = make(jumped);

	CHECK_STR(all(t), "0.0:10 0.0:20 [0.2:25-65 3] 1.0:40 0.2:65 1.0:68 0.2:70 0.0:80 ");
	end(t);
}

TEST(holes_keep_to_the_range_of_a_pass)
{
	struct lkst_trace *t = make(jumped);

	CHECK_STR(pass(t, 66, 100), "1.0:68 0.2:70 0.0:80 ");
	CHECK_STR(pass(t, 0, 20), "0.0:10 0.0:20 ");
	CHECK_STR(pass(t, 30, 41), "[0.2:25-65 3] 1.0:40 ");
	CHECK_STR(pass(t, 30, 35), "[0.2:25-65 3] ");
	end(t);
}

TEST(holes_are_none_where_history_begins_later)
{
	struct lkst_trace *t;

	/* Names, and what has interrupted a writer long ago, are still there; that is no history. */
	t = make("state_overwritten ns=1 loss_cpu=0 buffer=0 blocks=9 from=0 to=40\n"
		 "task_rename cpu=0 buffer=1 ns=5 newcomm=a\n"
		 "sched_switch cpu=0 level=1 ns=10\n"
		 "!skip cpu=0 blocks=9\nsched_switch cpu=0 ns=40\n");
	CHECK_STR(all(t), "0.1:5 0.0:10 0.0:40 ");
	end(t);
	/* Two that are linked: what is left of the one goes right before what is left of the other. */
	t = make("state_overwritten ns=1 loss_cpu=0 buffer=2 blocks=4 from=0 to=20\n"
		 "state_overwritten ns=1 loss_cpu=0 buffer=3 blocks=2 from=20 to=30\n"
		 "!skip cpu=0 buffer=3 blocks=2\nsched_switch cpu=0 buffer=3 ns=30\n"
		 "sched_switch cpu=0 buffer=3 ns=40\n"
		 "!skip cpu=0 buffer=2 blocks=4\nsched_switch cpu=0 buffer=2 ns=50\n");
	CHECK_STR(all(t), "0.3:30 0.3:40 0.2:50 ");
	end(t);
	/* Cleared, not overwritten: the ledger has no line. */
	t = make("sched_switch cpu=0 ns=10\n!skip cpu=0 buffer=2 blocks=4\n"
		 "sched_switch cpu=0 buffer=2 ns=50\n");
	CHECK_STR(all(t), "0.0:10 0.2:50 ");
	end(t);
	/* The numbers of blocks tell where. */
	t = make("state_overwritten ns=1 loss_cpu=0 buffer=0 blocks=2\nsched_switch cpu=0 ns=10\n"
		 "!skip cpu=0 blocks=2\nsched_switch cpu=0 ns=50\n");
	CHECK_STR(all(t), "0.0:10 [0.0:10-50 2] 0.0:50 ");
	end(t);
}

TEST(holes_of_the_first_buffer_are_gaps_too)
{
	/* It was overwritten after the CPU had come back from buffer 2. */
	struct lkst_trace *t = make("state_overwritten ns=1 loss_cpu=0 blocks=4 from=0 to=15\n"
				    "state_overwritten ns=1 loss_cpu=0 blocks=5 from=45 to=60\n"
				    "!skip cpu=0 blocks=9\nsched_switch cpu=0 ns=60\n"
				    "sched_switch cpu=0 buffer=2 ns=20\n"
				    "sched_switch cpu=0 buffer=2 ns=40\n");

	CHECK_STR(all(t), "0.2:20 0.2:40 [0.0:45-60 5] 0.0:60 ");
	end(t);
}

TEST(holes_of_an_interrupting_level_are_gaps)
{
	struct lkst_trace *t;

	t = make("state_overwritten ns=1 loss_cpu=0 level=1 blocks=4 from=0 to=50\n"
		 "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=60\n"
		 "!skip cpu=0 level=1 blocks=4\nsched_switch cpu=0 level=1 ns=50\n");
	/* Some of the four blocks may be older than all that is left. */
	CHECK_STR(all(t), "0.0:10 [0.0:10-50 0] 0.0:50 0.0:60 ");
	end(t);
	t = make("state_overwritten ns=1 loss_cpu=0 level=1 blocks=4 from=0 to=50\n"
		 "sched_switch cpu=0 ns=55\nsched_switch cpu=0 ns=60\n"
		 "!skip cpu=0 level=1 blocks=4\nsched_switch cpu=0 level=1 ns=50\n");
	CHECK_STR(all(t), "0.0:50 0.0:55 0.0:60 ");
	end(t);
}

TEST(holes_of_buffers_with_nothing_left_are_gaps)
{
	struct lkst_trace *t = make("state_overwritten ns=1 loss_cpu=0 buffer=2 blocks=4 from=25 to=65\n"
				    "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=80\n");

	CHECK_STR(all(t), "0.0:10 [0.2:25-65 4] 0.0:80 ");
	end(t);
	/* Nor can one reach beyond what is left, or the end; nonsense is none. */
	t = make("state_overwritten ns=1 loss_cpu=0 buffer=2 blocks=4 from=25 to=65\n"
		 "state_overwritten ns=1 loss_cpu=0 buffer=3 blocks=4 from=70 to=900\n"
		 "state_overwritten ns=1 loss_cpu=0 buffer=3 blocks=4 from=60 to=30\n"
		 "state_overwritten ns=1 loss_cpu=-1 buffer=4 blocks=4 from=20 to=30\n"
		 "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=80\n"
		 "!skip cpu=0 buffer=2 blocks=4\nsched_switch cpu=0 buffer=2 ns=61\n");
	CHECK_STR(all(t), "0.0:10 [0.2:25-61 4] 0.2:61 [0.3:70-80 4] 0.0:80 ");
	end(t);
}

TEST(holes_that_several_snapshots_tell_of_are_one)
{
	struct lkst_trace *t;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/1", dir);
	CHECK_EQ(make_trace(path, 4096, jumped), 0);
	snprintf(path, sizeof(path), "%s/2", dir);
	CHECK_EQ(make_trace(path, 4096,
			    "state_overwritten ns=101 loss_cpu=0 buffer=2 blocks=4 from=25 to=70\n"
			    "sched_switch cpu=0 ns=10\nsched_switch cpu=0 ns=20\n"
			    "sched_switch cpu=0 ns=80\nsched_switch cpu=0 ns=110\n"),
		 0);
	CHECK_EQ(lkst_trace_open(&err, dir, &t), 0);
	CHECK_STR(all(t), "0.0:10 0.0:20 [0.2:25-65 4] 1.0:40 0.2:65 1.0:68 0.2:70 0.0:80 0.0:110 ");
	end(t);
}

/* What a piece of the trace shows. */
static const char *cut(struct lkst_trace *t, u64 from_ns, u64 to_ns)
{
	struct lkst_trace *piece;
	char command[160];

	if (lkst_cut_time(&err, NULL, t, from_ns, to_ns, out) || lkst_trace_open(&err, out, &piece))
		abort();
	all(piece);
	lkst_trace_close(piece);
	snprintf(command, sizeof(command), "rm -rf %s", out);
	if (system(command))
		abort();
	return shown;
}

TEST(holes_stay_in_pieces)
{
	struct lkst_trace *t = make(jumped);

	CHECK_STR(cut(t, 15, 70), "0.0:20 [0.2:25-65 3] 1.0:40 0.2:65 1.0:68 0.2:70 ");
	CHECK_STR(cut(t, 15, UINT64_MAX), "0.0:20 [0.2:25-65 3] 1.0:40 0.2:65 1.0:68 0.2:70 0.0:80 ");
	CHECK_STR(cut(t, 15, 50), "0.0:20 [0.2:25-40 3] 1.0:40 ");
	CHECK_STR(cut(t, 10, 24), "0.0:10 0.0:20 ");
	CHECK_STR(cut(t, 66, 100), "1.0:68 0.2:70 0.0:80 ");
	/* CPU 0 begins after it. */
	CHECK_STR(cut(t, 30, 70), "1.0:40 0.2:65 1.0:68 0.2:70 ");
	end(t);
}

static int on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	return put("%u.%u:%llu ", r->cpu, r->buffer, (unsigned long long)r->ns);
}

static int on_gap(void *ctx, const struct lkst_gap *g)
{
	return put("[%u.%u:%llu-%llu] ", g->cpu, g->buffer, (unsigned long long)g->from_ns,
		   (unsigned long long)g->to_ns);
}

TEST(holes_are_told_in_their_time_by_the_feed)
{
	struct lkst_trace *t = make(jumped);
	struct lkst_feed *f;

	shown[0] = 0;
	CHECK_EQ(lkst_feed_new(&err, t, &f), 0);
	CHECK_EQ(lkst_feed_event(f, LKST_EV_sched_switch, on_switch, NULL), 1);
	CHECK_EQ(lkst_feed_gaps(f, on_gap, NULL), 1);
	CHECK_EQ(lkst_feed_run(&err, f), 0);
	/* That CPU 1's history begins later comes first. */
	CHECK_STR(shown, "[1.0:10-40] 0.0:10 0.0:20 [0.2:25-65] 1.0:40 0.2:65 1.0:68 0.2:70 0.0:80 ");
	lkst_feed_free(f);
	end(t);
}

static const struct unit_test tests[] = {
	{ "holes_are_gaps_where_the_cpu_wrote_to_the_buffer",
	  test_holes_are_gaps_where_the_cpu_wrote_to_the_buffer },
	{ "holes_keep_to_the_range_of_a_pass", test_holes_keep_to_the_range_of_a_pass },
	{ "holes_are_none_where_history_begins_later",
	  test_holes_are_none_where_history_begins_later },
	{ "holes_of_the_first_buffer_are_gaps_too", test_holes_of_the_first_buffer_are_gaps_too },
	{ "holes_of_an_interrupting_level_are_gaps", test_holes_of_an_interrupting_level_are_gaps },
	{ "holes_of_buffers_with_nothing_left_are_gaps",
	  test_holes_of_buffers_with_nothing_left_are_gaps },
	{ "holes_that_several_snapshots_tell_of_are_one",
	  test_holes_that_several_snapshots_tell_of_are_one },
	{ "holes_stay_in_pieces", test_holes_stay_in_pieces },
	{ "holes_are_told_in_their_time_by_the_feed",
	  test_holes_are_told_in_their_time_by_the_feed },
};
UNIT_MAIN(tests)
