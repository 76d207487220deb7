/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what is counted of each second: any events with any values in any order, and gaps. However the time
 * is cut into seconds, all records are counted once, the CPUs have no more time than there is, and what durations there
 * are is the same: they count where they end.
 *
 * The input is a trace (lib/any_trace.h).
 *
 * prints: nothing: numbers are for a server, and what it answers is printed by fuzz_fleet
 */
#include "lib/any_trace.h"

#include "analyze/seconds/seconds.h"
#include "trace/read/merge.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

struct sums {
	u64 records, events, calls;
	u64 durations[LKST_NR_MEASURES], total[LKST_NR_MEASURES], left_out[LKST_NR_MEASURES];
	u64 cpu_ns, span_ns;
};

static int feed(void *ctx, const struct lkst_record *r)
{
	return lkst_seconds_feed(ctx, r);
}

static void feed_gap(void *ctx, const struct lkst_gap *gap)
{
	lkst_seconds_gap(ctx, gap);
}

static void add(struct sums *sums, const struct lkst_second *s)
{
	const struct lkst_second_times *t = &s->times;
	u32 i;

	sums->records += s->records;
	for (i = 0; i < LKST_EVENT_SPACE; i++) {
		sums->events += s->events[i];
		sums->calls += s->calls[i];
	}
	for (i = 0; i < LKST_NR_MEASURES; i++) {
		sums->durations[i] += s->durations[i].count;
		sums->total[i] += lkst_hist_sum(&s->durations[i]);
		sums->left_out[i] += s->left_out[i];
	}
	sums->cpu_ns += t->threads_ns + t->irq_ns + t->softirq_ns + t->idle_ns + t->unknown_ns;
	sums->span_ns += (s->to_ns - s->from_ns) * s->nr_cpus;
}

/* Counts the whole trace in @nr pieces. */
static void count(const char *dir, u32 nr, struct sums *sums)
{
	static const struct lkst_merge_calls calls = { .record = feed, .gap = feed_gap };
	struct lkst_seconds_options options = { .nr_cpus = 1 };
	struct lkst_merge *m;
	struct lkst_trace *t;
	struct lkst_seconds *s;
	struct lkst_err e;
	u64 begin_ns, end_ns, to_ns;
	u32 i;

	memset(sums, 0, sizeof(*sums));
	if (lkst_trace_open(&e, dir, &t))
		abort();
	lkst_trace_range(t, &begin_ns, &end_ns);
	options.from_ns = begin_ns;
	if (lkst_merge_new(&e, t, 0, UINT64_MAX, &m) || lkst_seconds_new(&e, &options, &s))
		abort();
	for (i = 1; i <= nr; i++) {
		to_ns = i < nr ? begin_ns + (end_ns - begin_ns) / nr * i : end_ns + 1;
		lkst_merge_begin(m, i < nr ? to_ns - (to_ns > 0) : UINT64_MAX);
		if (lkst_merge_each(m, &calls, s))
			abort();
		add(sums, lkst_seconds_end(s, to_ns));
		lkst_seconds_next(s);
	}
	lkst_seconds_free(s);
	lkst_merge_free(m);
	lkst_trace_close(t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	struct sums whole, pieces;
	char dir[64];
	u32 i;

	make_scratch(dir);
	any_trace_make(dir, &in);
	count(dir, 1, &whole);
	count(dir, 5, &pieces);
	make_scratch_remove(dir);
	if (whole.records != pieces.records || whole.events != whole.records ||
	    whole.calls != pieces.calls || whole.calls != whole.durations[LKST_MEASURE_SYSCALL])
		abort();
	for (i = 0; i < LKST_NR_MEASURES; i++)
		if (whole.durations[i] != pieces.durations[i] ||
		    whole.total[i] != pieces.total[i] || whole.left_out[i] != pieces.left_out[i])
			abort();
	if (whole.cpu_ns > whole.span_ns || pieces.cpu_ns > pieces.span_ns)
		abort();
	return 0;
}
