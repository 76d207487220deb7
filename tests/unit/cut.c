/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Cutting a trace: the pieces have each record once, and the names as they were at their beginning.
 */
#include "lib/make_trace.h"
#include "trace/write/cut.h"
#include "trace/known/threads.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[128], out[128];

static const char text[] = "state_thread ns=10 thread_tid=5 comm=\"five\" start_ns=77 prio=120\n"
			   "state_thread ns=10 thread_tid=6 comm=\"six\"\n"
			   "state_irq ns=10 irq=3 name=\"disk\"\n"
			   "state_loss ns=10 loss_cpu=0 count=9\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
			   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			   "sched_switch cpu=0 tid=5 ns=1100 next_tid=6\n"
			   "sched_switch cpu=0 tid=6 ns=1300 next_tid=5\n"
			   "sched_switch cpu=1 tid=8 ns=1050 next_tid=9\n"
			   "sched_switch cpu=1 tid=9 ns=1250 next_tid=8\n"
			   "task_rename cpu=1 buffer=1 tid=5 ns=1060 target_tid=5 newcomm=cinq\n"
			   "sched_process_exit cpu=1 buffer=1 tid=6 ns=1310 comm=six\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=5 ns=1400 next_tid=7\n";

struct found {
	int events, threads, ledger, irqs, gaps;
	u64 first_ns, last_ns;
	char five[16]; /* the name of thread 5 at the beginning */
	u64 five_start_ns;
	bool has_six; /* thread 6 was there at the beginning */
};

static int look(const char *where, struct found *f)
{
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap gap;
	int code = lkst_trace_open(&err, where, &t);

	*f = (struct found){};
	if (code)
		return code;
	if (lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r)) {
		f->threads += r.event->index == LKST_EV_state_thread;
		f->ledger += r.event->index == LKST_EV_state_loss;
		f->irqs += r.event->index == LKST_EV_state_irq;
		if (r.event->index == LKST_EV_state_thread &&
		    lkst_record_int(&r, lkst_class_field(r.event, "thread_tid")) == 5)
			f->five_start_ns =
				lkst_record_int(&r, lkst_class_field(r.event, "start_ns"));
		if (r.event->group != LKST_GROUP_STATE && !f->events++) {
			const struct lkst_thread *five = lkst_threads_find(threads, 5);

			snprintf(f->five, sizeof(f->five), "%s", five ? five->comm : "");
			f->has_six = lkst_threads_find(threads, 6);
			f->first_ns = r.ns;
		}
		f->last_ns = r.ns;
		if (lkst_threads_feed(threads, &r))
			abort();
	}
	while (lkst_merge_gap(m, &gap))
		f->gaps++;
	lkst_merge_free(m);
	lkst_trace_close(t);
	lkst_threads_free(threads);
	return 0;
}

static struct lkst_trace *begin(void)
{
	struct lkst_trace *t;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	if (make_trace(path, 4096, text) || lkst_trace_open(&err, path, &t))
		abort();
	return t;
}

static void end(struct lkst_trace *t)
{
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

TEST(cut_takes_exactly_the_records_between)
{
	struct lkst_trace *t = begin();
	struct found f;

	CHECK_EQ(lkst_cut_time(&err, NULL, t, 1100, 1300, out), 0);
	CHECK_EQ(look(out, &f), 0);
	CHECK_EQ(f.events, 4);
	CHECK_EQ(f.first_ns, 1100);
	CHECK_EQ(f.last_ns, 1300);
	CHECK_EQ(f.gaps, 0);
	end(t);
}

TEST(cut_knows_who_was_there_when_it_begins)
{
	struct lkst_trace *t = begin();
	struct found f;

	CHECK_EQ(lkst_cut_time(&err, NULL, t, 1100, 1300, out), 0);
	CHECK_EQ(look(out, &f), 0);
	CHECK_STR(f.five, "cinq");
	CHECK_EQ(f.five_start_ns, 77);
	CHECK(f.has_six);
	CHECK_EQ(f.irqs, 1);
	/* The ledger belongs to no time: it goes with the end. */
	CHECK_EQ(f.ledger, 0);
	snprintf(out, sizeof(out), "%s/late", dir);
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 1400, UINT64_MAX, out), 0);
	CHECK_EQ(look(out, &f), 0);
	CHECK_EQ(f.events, 1);
	CHECK(!f.has_six);
	CHECK_EQ(f.ledger, 1);
	end(t);
}

TEST(cut_pieces_fit_together_again)
{
	static const u64 at[] = { 0, 1050, 1051, 1100, 1101, 1300, 1400, 1401 };
	const size_t nr = sizeof(at) / sizeof(at[0]);
	struct lkst_trace *t = begin();
	struct found f;
	int sum = 0;
	size_t i;

	snprintf(out, sizeof(out), "%s/pieces", dir);
	CHECK(!mkdir(out, 0777));
	for (i = 0; i < nr; i++) {
		snprintf(out, sizeof(out), "%s/pieces/%zu", dir, i);
		CHECK_EQ(lkst_cut_time(&err, NULL, t, at[i], i + 1 < nr ? at[i + 1] - 1 : UINT64_MAX,
				       out),
			 0);
		CHECK_EQ(look(out, &f), 0);
		CHECK(!f.events || f.first_ns >= at[i]);
		sum += f.events;
	}
	CHECK_EQ(sum, 9);
	snprintf(out, sizeof(out), "%s/pieces", dir);
	CHECK_EQ(look(out, &f), 0);
	CHECK_EQ(f.events, 9);
	end(t);
}

TEST(cut_by_size_keeps_every_record)
{
	struct make_trace *mt;
	struct lkst_trace *t;
	unsigned int nr, i;
	char line[128];
	struct found f;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	mt = make_begin(path, NULL, 4096);
	for (i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "sched_switch cpu=%u tid=5 ns=%u next_tid=7\n", i % 3,
			 1000 + i);
		CHECK_EQ(make_line(mt, line), 0);
	}
	CHECK_EQ(make_end(mt), 0);
	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	CHECK_EQ(lkst_cut_size(&err, NULL, t, 0, UINT64_MAX, 1 << 20, out, &nr), 0);
	CHECK(nr >= 3 && nr <= 6);
	CHECK_EQ(look(out, &f), 0);
	CHECK_EQ(f.events, 100000);
	CHECK_EQ(f.gaps, 0);
	/* Not among other traces, and not smaller than a part must be. */
	CHECK_EQ(lkst_cut_size(&err, NULL, t, 0, UINT64_MAX, 1 << 20, out, &nr), -ENOTEMPTY);
	snprintf(out, sizeof(out), "%s/small", dir);
	CHECK_EQ(lkst_cut_size(&err, NULL, t, 0, UINT64_MAX, 10000, out, &nr), -EINVAL);
	end(t);
}

/* How many stacks are there, and of the samples and stacks, how many refer to one that is not. */
static void count_stacks(const char *where, int *ret_stacks, int *ret_lost)
{
	u64 there[16], asked[16];
	int nr_there = 0, nr_asked = 0, i, k;
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;

	if (lkst_trace_open(&err, where, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) && nr_there < 16 && nr_asked < 16) {
		const bool is_stack = r.event->index == LKST_EV_stack;

		if (is_stack)
			there[nr_there++] = lkst_record_int(&r, lkst_class_field(r.event, "stack"));
		if (r.event->index == LKST_EV_sample || r.event->index == LKST_EV_off_cpu || is_stack)
			asked[nr_asked++] =
				lkst_record_int(&r, lkst_class_field(r.event, is_stack ? "caller" : "stack"));
	}
	lkst_merge_free(m);
	lkst_trace_close(t);
	*ret_stacks = nr_there;
	for (*ret_lost = i = 0; i < nr_asked; i++) {
		for (k = 0; k < nr_there && there[k] != asked[i]; k++)
			;
		*ret_lost += asked[i] && k == nr_there;
	}
}

/* A stack is written once, long before most samples of it; one of the kernel goes on in one of the program. */
TEST(cut_takes_along_the_stacks_of_samples)
{
	static const char samples[] = "stack ns=90 buffer=1 stack=1 flags=1 frames=0x1010,0x1000\n"
				      "stack ns=91 buffer=1 stack=2 caller=1 frames=0xffffffff81000210\n"
				      "stack ns=92 buffer=1 stack=3 frames=0xffffffff81000310\n"
				      "stack ns=93 buffer=1 tid=8 stack=2 caller=1 frames=0xffffffff81000210\n"
				      "sample cpu=0 tid=5 ns=1000 stack=3 period_ns=1000\n"
				      "sample cpu=0 tid=5 ns=2000 stack=2 period_ns=1000\n"
				      "stack ns=2500 buffer=1 stack=4 caller=1 frames=0xffffffff81000410\n"
				      "off_cpu cpu=0 tid=0 ns=3000 stack=4 duration_ns=2500 target_tid=5\n";
	struct lkst_trace *t;
	int stacks, lost;
	char again[160];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(again, sizeof(again), "%s/again", dir);
	CHECK(!make_trace(path, 4096, samples) && !lkst_trace_open(&err, path, &t));
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 1500, UINT64_MAX, out), 0);
	count_stacks(out, &stacks, &lost);
	/* Its own, and from before those that are referred to, once each. */
	CHECK_EQ(stacks, 3);
	CHECK_EQ(lost, 0);
	lkst_trace_close(t);
	/* A part of the part: of its stacks the one of a wait, and what that goes on in. */
	CHECK(!lkst_trace_open(&err, out, &t));
	CHECK_EQ(lkst_cut_time(&err, NULL, t, 2600, UINT64_MAX, again), 0);
	count_stacks(again, &stacks, &lost);
	CHECK_EQ(stacks, 2);
	CHECK_EQ(lost, 0);
	end(t);
}

static const struct unit_test tests[] = {
	{ "cut_takes_exactly_the_records_between", test_cut_takes_exactly_the_records_between },
	{ "cut_knows_who_was_there_when_it_begins", test_cut_knows_who_was_there_when_it_begins },
	{ "cut_pieces_fit_together_again", test_cut_pieces_fit_together_again },
	{ "cut_by_size_keeps_every_record", test_cut_by_size_keeps_every_record },
	{ "cut_takes_along_the_stacks_of_samples", test_cut_takes_along_the_stacks_of_samples },
};
UNIT_MAIN(tests)
