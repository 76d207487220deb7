/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state model alone: reads a trace, counts what the model reports, and does nothing else.
 *
 *	state feed TRACE	the pass without a subscriber
 *	state model TRACE	the model with one subscriber to everything that it reports
 *	state many TRACE	the model with 18 such subscribers
 */
#include <stdio.h>
#include <string.h>

#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "common.h"

enum { MANY = 18 };

struct counts {
	u64 intervals, cpus, frames, calls, lives;
	u64 ns[LKST_NR_RUNS];
};

static int count_interval(void *ctx, const struct lkst_interval *i)
{
	struct counts *c = ctx;

	c->intervals++;
	c->ns[i->run] += i->to_ns - i->from_ns;
	return 0;
}

static int count_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	((struct counts *)ctx)->cpus++;
	return 0;
}

static int count_frame(void *ctx, const struct lkst_irq_context *f)
{
	((struct counts *)ctx)->frames++;
	return 0;
}

static int count_call(void *ctx, const struct lkst_call_interval *c)
{
	((struct counts *)ctx)->calls++;
	return 0;
}

static int count_life(void *ctx, const struct lkst_thread_life *life)
{
	((struct counts *)ctx)->lives++;
	return 0;
}

static const struct lkst_model_calls calls = {
	.interval = count_interval,
	.cpu = count_cpu,
	.frame = count_frame,
	.call = count_call,
	.over = count_life,
};

static void print_counts(const struct counts *c, const struct lkst_model_doubts *d)
{
	u32 run;

	fprintf(stderr, "intervals %llu, of CPUs %llu, contexts %llu, calls %llu, ends %llu\n",
		(unsigned long long)c->intervals, (unsigned long long)c->cpus,
		(unsigned long long)c->frames, (unsigned long long)c->calls,
		(unsigned long long)c->lives);
	for (run = 0; run < LKST_NR_RUNS; run++)
		fprintf(stderr, "%-8s %12.6f s\n", lkst_run_names[run], c->ns[run] / 1e9);
	fprintf(stderr, "gaps %llu, missed %llu, no wake-up %llu, elsewhere %llu, unmatched %llu\n",
		(unsigned long long)d->gaps, (unsigned long long)d->missed,
		(unsigned long long)d->no_wake, (unsigned long long)d->elsewhere,
		(unsigned long long)d->unmatched);
}

int main(int argc, char **argv)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *s = NULL;
	static struct counts counts[MANY];
	uint64_t start = bench_now_ns();
	unsigned int i, nr;
	struct lkst_err e;

	if (argc != 3 || (strcmp(argv[1], "feed") && strcmp(argv[1], "model") &&
			  strcmp(argv[1], "many")))
		bench_die("usage: state feed|model|many TRACE");
	nr = argv[1][1] == 'a' ? MANY : argv[1][1] == 'o';
	if (lkst_trace_open(&e, argv[2], &t) || lkst_feed_new(&e, t, &f))
		bench_die("%s", e.text);
	if (nr && lkst_model_new(&e, f, &s))
		bench_die("%s", e.text);
	for (i = 0; i < nr; i++)
		if (lkst_model_subscribe(s, &calls, &counts[i]) < 0)
			bench_die("no memory");
	if (lkst_feed_run(&e, f))
		bench_die("%s", e.text);
	printf("%llu %.6f\n", (unsigned long long)lkst_feed_records(f),
	       (bench_now_ns() - start) / 1e9);
	if (nr)
		print_counts(&counts[0], lkst_model_doubts(s));
	return 0;
}
