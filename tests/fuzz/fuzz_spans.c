/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the spans of programs: begun, ended, handed over and given requests in any order, by threads that run,
 * sleep and die. Each span that is begun is reported once or counted, no span has more time than there is, and the
 * longest is explained. The bytes are the records, and also the text of a request's number.
 *
 * prints: text json
 */
#include "analyze/why/why_span.h"

#include <errno.h>

#include "lib/account_fixture.h"
#include "lib/printed.h"
#include "source.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	TIDS = 5,
	RECORDS = 200,
	BEGIN_NS = 100000000,
	LINE = 128,
};

/* How many spans are begun, and what has been reported. */
struct counts {
	u64 begun, reported;
};

static void put_record(char *line, struct source *in, u64 ns, struct counts *counts)
{
	u32 what = next(in) % 9, cpu = next(in) % 2, tid = next(in) % TIDS, id = next(in) % 4;
	char name = (char)('a' + next(in) % 2);
	s32 other = (s32)(next(in) % (TIDS + 1)) - 1;

	counts->begun += what <= 1;
	if (what <= 1)
		snprintf(line, LINE, "span_begin cpu=%u tid=%u ns=%llu span=%u name=%c\n", cpu, tid,
			 (unsigned long long)ns, id, name);
	else if (what <= 3)
		snprintf(line, LINE, "span_end cpu=%u tid=%u ns=%llu span=%u name=%c\n", cpu, tid,
			 (unsigned long long)ns, id, name);
	else if (what == 4)
		snprintf(line, LINE, "span_handover cpu=%u tid=%u ns=%llu span=%u to_tid=%d\n", cpu,
			 tid, (unsigned long long)ns, id, other);
	else if (what == 5)
		snprintf(
			line, LINE,
			"span_request cpu=%u tid=%u ns=%llu span=%u trace_high=%u trace_low=%u parent=1\n",
			cpu, tid, (unsigned long long)ns, id, next(in), next(in));
	else if (what == 6)
		snprintf(line, LINE, "sched_process_exit cpu=%u tid=%u ns=%llu exit_pid=%u\n", cpu,
			 tid, (unsigned long long)ns, tid);
	else if (what == 7)
		snprintf(line, LINE, "sched_waking cpu=%u tid=%u ns=%llu target_tid=%d\n", cpu, tid,
			 (unsigned long long)ns, other);
	else
		snprintf(line, LINE,
			 "sched_switch cpu=%u tid=%u ns=%llu next_tid=%d prev_state=%u\n", cpu, tid,
			 (unsigned long long)ns, other, id);
}

static int on_span(void *ctx, const struct lkst_span *x)
{
	struct counts *counts = ctx;
	u32 i;

	counts->reported++;
	if (x->to_ns < x->from_ns || x->nr_parts > LKST_SPAN_PARTS ||
	    x->ending >= LKST_NR_SPAN_ENDINGS ||
	    x->running_ns + x->ready_ns + x->blocked_ns > x->to_ns - x->from_ns)
		abort();
	for (i = 1; i < x->nr_parts; i++)
		if (x->parts[i].from_ns < x->parts[i - 1].from_ns)
			abort();
	return 0;
}

static void follow(struct account_fixture *x, struct counts *counts)
{
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_spans_options o = { .threads = threads, .call = on_span, .ctx = counts };
	struct lkst_spans *spans;

	if (!threads || lkst_feed_new(&x->err, x->trace, &o.feed) ||
	    lkst_feed_threads(o.feed, threads) || lkst_model_new(&x->err, o.feed, &o.model) ||
	    lkst_spans_new(&x->err, &o, &spans) || lkst_feed_run(&x->err, o.feed))
		abort();
	if (counts->reported + lkst_spans_doubts(spans)->no_room != counts->begun)
		abort();
	lkst_spans_free(spans);
	lkst_model_free(o.model);
	lkst_feed_free(o.feed);
	lkst_threads_free(threads);
}

static void explain(struct account_fixture *x)
{
	struct lkst_why_span_options o = { .to_ns = UINT64_MAX };
	struct lkst_view_config config;
	struct lkst_account *a;
	struct lkst_excerpt *w;
	struct lkst_span span;
	u64 nr;

	if (lkst_why_span_find(&x->err, x->trace, &o, &span, &nr)) {
		printed_error(&x->err);
		return;
	}
	if (lkst_excerpt_new(&x->err, x->trace, 0, UINT64_MAX, NULL, &w) ||
	    lkst_why_span_explain(&x->err, w, &span, nr, LKST_WHY_DEPTH, &a))
		abort();
	config = (struct lkst_view_config){ .catalog = lkst_trace_catalog(x->trace),
					    .threads = w->threads,
					    .symbols = w->symbols,
					    .time = LKST_VIEW_MONO };
	printed_account(&config, a);
	printed_notes(&a->notes);
	lkst_account_free(a);
	lkst_excerpt_free(w);
}

static void parse(const u8 *data, size_t size)
{
	char *text = strndup((const char *)data, size), again[33];
	u64 high = 0, low = 0, high_again, low_again;
	struct lkst_err e = {};

	if (text && lkst_span_parse_request(&e, text, &high, &low)) {
		printed_error(&e);
	} else if (text) {
		snprintf(again, sizeof(again), "%016llx%016llx", (unsigned long long)high,
			 (unsigned long long)low);
		if ((!high && !low) ||
		    lkst_span_parse_request(&e, again, &high_again, &low_again) ||
		    high_again != high || low_again != low)
			abort();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static char text[RECORDS * LINE];
	struct source in = { .data = data, .left = size };
	struct counts counts = {};
	struct account_fixture *x;
	u64 ns = BEGIN_NS;
	size_t used = 0;
	u32 i;

	parse(data, size);
	for (i = 0; i < RECORDS; i++) {
		ns += (u64)next(&in) * 100;
		put_record(text + used, &in, ns, &counts);
		used += strlen(text + used);
	}
	x = account_new(text, NULL);
	follow(x, &counts);
	explain(x);
	account_free(x);
	return 0;
}
