/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * All streams in one order of time, and the gaps between their records.
 */
#include <errno.h>

#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/read/merge.h"

static struct lkst_err err;
static char dir[64];

static struct lkst_trace *open_trace(void)
{
	struct lkst_trace *t;

	if (lkst_trace_open(&err, dir, &t)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return t;
}

static struct lkst_trace *make(const char *text)
{
	make_scratch(dir);
	if (make_trace(dir, 4096, text))
		abort();
	return open_trace();
}

static struct lkst_merge *merge(struct lkst_trace *t, u64 from, u64 to)
{
	struct lkst_merge *m;

	if (lkst_merge_new(&err, t, from, to, &m))
		abort();
	return m;
}

static void end(struct lkst_trace *t)
{
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

/* What lkst_merge_each() gives out; it is called again where a call has asked it to stop. */
struct given {
	char text[4096], *end;
	unsigned int nr; /* records */
};

static void put_gap(void *ctx, const struct lkst_gap *g)
{
	struct given *to = ctx;

	if (to->end < to->text + 4000)
		to->end += sprintf(to->end, "[%llu-%llu.%u e%llu b%llu] ",
				   (unsigned long long)g->from_ns, (unsigned long long)g->to_ns,
				   g->cpu, (unsigned long long)g->events,
				   (unsigned long long)g->blocks);
}

static int put_record(void *ctx, const struct lkst_record *r)
{
	struct given *to = ctx;

	if (to->end < to->text + 4000)
		to->end += sprintf(to->end, "%llu.%u.%u ", (unsigned long long)r->ns, r->cpu,
				   r->buffer);
	return to->nr++ % 3 ? 0 : -EINTR;
}

/*
 * A pass as text: "<time>.<cpu>.<buffer> " for a record, "[<from>-<to>.<cpu> e<events> b<blocks>] "
 * for a gap, where it is met. It is the same whether records are asked for or given out.
 */
static const char *pass(struct lkst_trace *t, u64 from, u64 to)
{
	static const struct lkst_merge_calls calls = { .record = put_record, .gap = put_gap };
	static struct given asked, given;
	struct lkst_merge *m = merge(t, from, to);
	struct lkst_record r;
	struct lkst_gap g;
	int more;

	asked.end = asked.text;
	do {
		more = lkst_merge_next(m, &r);
		while (lkst_merge_gap(m, &g))
			put_gap(&asked, &g);
		if (more)
			put_record(&asked, &r);
	} while (more);
	*asked.end = 0;
	more = lkst_merge_next(m, &r);
	if (more)
		sprintf(asked.end, "more");
	lkst_merge_free(m);

	m = merge(t, from, to);
	given.end = given.text;
	while (lkst_merge_each(m, &calls, &given) == -EINTR)
		;
	*given.end = 0;
	lkst_merge_free(m);
	return strcmp(given.text, asked.text) ? "given out otherwise than asked for" : asked.text;
}

static const char streams[] = "sched_switch cpu=1 ns=10\n"
			      "sched_switch cpu=0 ns=20\n"
			      "sched_switch cpu=0 ns=30\n"
			      "!block cpu=0\n"
			      "sched_switch cpu=0 ns=40\n"
			      "sched_switch cpu=1 ns=20\n"
			      "sched_switch cpu=1 ns=35\n"
			      "task_rename cpu=0 buffer=1 ns=20 newcomm=a\n"
			      "sched_switch cpu=1 ns=50\n";

TEST(merge_orders_by_time_then_cpu_then_buffer)
{
	struct lkst_trace *t = make(streams);

	CHECK_STR(pass(t, 0, UINT64_MAX),
		  "10.1.0 20.0.0 20.0.1 20.1.0 30.0.0 35.1.0 40.0.0 50.1.0 ");
	end(t);
}

TEST(merge_gives_the_state_first)
{
	struct lkst_trace *t = make("sched_switch cpu=0 ns=10\n"
				    "state_thread ns=500 thread_tid=5\n"
				    "state_irq ns=501 irq=5 name=eth0\n");

	CHECK_STR(pass(t, 0, UINT64_MAX), "500.0.65535 501.0.65535 10.0.0 ");
	/* Whatever the range. */
	CHECK_STR(pass(t, 5, 9), "500.0.65535 501.0.65535 ");
	end(t);
}

TEST(merge_keeps_to_its_range)
{
	struct lkst_trace *t = make(streams);

	CHECK_STR(pass(t, 20, 35), "20.0.0 20.0.1 20.1.0 30.0.0 35.1.0 ");
	CHECK_STR(pass(t, 31, 34), "");
	CHECK_STR(pass(t, 36, UINT64_MAX), "40.0.0 50.1.0 ");
	CHECK_STR(pass(t, 40, 40), "40.0.0 ");
	CHECK_STR(pass(t, 0, 10), "10.1.0 ");
	CHECK_STR(pass(t, 51, UINT64_MAX), "");
	CHECK_STR(pass(t, 0, 0), "");
	CHECK_STR(pass(t, 40, 20), "");
	end(t);
}

TEST(merge_passes_do_not_disturb_each_other)
{
	struct lkst_trace *t = make(streams);
	struct lkst_merge *a = merge(t, 0, UINT64_MAX), *b = merge(t, 20, 40);
	struct lkst_record x, y;

	CHECK(lkst_merge_next(a, &x) && x.ns == 10);
	CHECK(lkst_merge_next(b, &y) && y.ns == 20 && y.cpu == 0);
	CHECK(lkst_merge_next(a, &x) && x.ns == 20 && x.bytes == y.bytes);
	lkst_merge_free(a);
	CHECK(lkst_merge_next(b, &y) && y.buffer == 1);
	lkst_merge_free(b);
	end(t);
}

TEST(merge_of_nothing_is_nothing)
{
	struct lkst_trace *t = make("");

	CHECK_STR(pass(t, 0, UINT64_MAX), "");
	end(t);
	t = make("state_thread ns=500 thread_tid=5\n");
	CHECK_STR(pass(t, 0, UINT64_MAX), "500.0.65535 ");
	end(t);
}

TEST(merge_tells_of_missing_blocks_and_discarded_records)
{
	struct lkst_trace *t = make("sched_switch cpu=0 ns=10\n"
				    "!skip cpu=0 blocks=3\n"
				    "sched_switch cpu=0 ns=20\n"
				    "sched_switch cpu=0 ns=25\n"
				    "!discard cpu=0 events=7\n"
				    "sched_switch cpu=0 ns=30\n"
				    "sched_switch cpu=1 ns=15\n"
				    "sched_switch cpu=1 ns=40\n");

	CHECK_STR(pass(t, 0, UINT64_MAX),
		  "10.0.0 [10-20.0 e0 b3] 15.1.0 20.0.0 25.0.0 [20-30.0 e7 b0] 30.0.0 40.1.0 ");
	/* Gaps outside the range are no gaps of the pass. */
	CHECK_STR(pass(t, 26, 40), "[20-30.0 e7 b0] 30.0.0 40.1.0 ");
	CHECK_STR(pass(t, 31, 40), "40.1.0 ");
	CHECK_STR(pass(t, 0, 9), "");
	end(t);
}

/* Puts zeros over the start of block @block of main.0 (-1: after its last byte). */
static struct lkst_trace *damage(struct lkst_trace *t, int block)
{
	size_t length;
	char *bytes = make_read(dir, "main.0", &length);

	lkst_trace_close(t);
	if (block >= 0) {
		memset(bytes + block * 4096, 0, 4);
		make_write(dir, "main.0", bytes, length);
	} else {
		make_write(dir, "main.0", bytes, length - 4000);
	}
	free(bytes);
	return open_trace();
}

TEST(merge_tells_of_blocks_that_cannot_be_read)
{
	static const char text[] = "sched_switch cpu=0 ns=10\n!block cpu=0\n"
				   "sched_switch cpu=0 ns=20\n!block cpu=0\n"
				   "sched_switch cpu=0 ns=30\n"
				   "sched_switch cpu=1 ns=5\n"
				   "sched_switch cpu=1 ns=40\n";
	struct lkst_trace *t = damage(make(text), 1);

	CHECK_STR(pass(t, 0, UINT64_MAX), "5.1.0 10.0.0 [10-30.0 e0 b1] 30.0.0 40.1.0 ");
	end(t);
	t = damage(make(text), 0);
	CHECK_STR(pass(t, 0, UINT64_MAX), "[5-20.0 e0 b1] 5.1.0 20.0.0 30.0.0 40.1.0 ");
	end(t);
	t = damage(make(text), 2);
	CHECK_STR(pass(t, 0, UINT64_MAX), "5.1.0 10.0.0 20.0.0 [20-40.0 e0 b1] 40.1.0 ");
	t = damage(t, 0);
	t = damage(t, 1);
	CHECK_STR(pass(t, 0, UINT64_MAX), "[5-40.0 e0 b3] 5.1.0 40.1.0 ");
	end(t);
	t = damage(make(text), -1);
	CHECK_STR(pass(t, 0, UINT64_MAX), "5.1.0 10.0.0 20.0.0 [20-40.0 e0 b1] 40.1.0 ");
	end(t);
}

TEST(merge_tells_of_records_that_cannot_be_read)
{
	struct lkst_trace *t = make("sched_switch cpu=0 ns=10\n"
				    "sched_switch cpu=0 ns=11\n"
				    "sched_switch cpu=0 ns=12\n!block cpu=0\n"
				    "sched_switch cpu=0 ns=20\n"
				    "sched_switch cpu=1 ns=15\n");
	size_t length, at = LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch);
	char *bytes = make_read(dir, "main.0", &length);

	lkst_trace_close(t);
	bytes[at] = (char)0xff;
	bytes[at + 1] = (char)0xff;
	make_write(dir, "main.0", bytes, length);
	free(bytes);
	t = open_trace();
	CHECK_STR(pass(t, 0, UINT64_MAX), "10.0.0 [10-12.0 e0 b0] 15.1.0 20.0.0 ");
	end(t);
}

TEST(merge_keeps_many_gaps_apart)
{
	struct make_trace *mt;
	struct lkst_record r;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_gap g;
	char line[64];
	int i;

	make_scratch(dir);
	mt = make_begin(dir, NULL, 4096);
	for (i = 0; i < 500; i++) {
		snprintf(line, sizeof(line), "sched_switch ns=%d\n!skip blocks=%d\n", i + 1, i + 1);
		CHECK_EQ(make_text(mt, line), 0);
	}
	make_end(mt);
	t = open_trace();
	m = merge(t, 0, UINT64_MAX);
	for (i = 0; i < 3; i++)
		CHECK(lkst_merge_next(m, &r));
	CHECK(lkst_merge_gap(m, &g) && g.blocks == 1);
	while (lkst_merge_next(m, &r))
		;
	for (i = 2; i < 500; i++) {
		CHECK(lkst_merge_gap(m, &g));
		CHECK_EQ(g.blocks, i);
		CHECK_EQ(g.from_ns, i);
		CHECK_EQ(g.to_ns, i + 1);
	}
	CHECK(!lkst_merge_gap(m, &g));
	lkst_merge_free(m);
	end(t);
}

/* A record as the model below knows it. */
struct model {
	u64 ns;
	u32 cpu, buffer, number;
};

static int by_time(const void *a, const void *b)
{
	const struct model *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* How far the model was given out. */
struct expected {
	const struct model *next;
	unsigned int seed, nr_wrong;
};

static int expect_next(void *ctx, const struct lkst_record *r)
{
	struct expected *f = ctx;

	f->nr_wrong +=
		r->ns != f->next->ns || lkst_record_int(r, &r->event->fields[0]) != f->next->number;
	f->next++;
	return rand_r(&f->seed) % 50 ? 0 : -EINTR;
}

static void expect_no_gap(void *ctx, const struct lkst_gap *g)
{
	((struct expected *)ctx)->nr_wrong++;
}

/* All of it given out, up to later and later times. */
static void check_given(struct lkst_trace *t, const struct model *model, unsigned int nr,
			unsigned int seed)
{
	static const struct lkst_merge_calls calls = { .record = expect_next,
						       .gap = expect_no_gap };
	struct expected f = { .next = model, .seed = seed };
	struct lkst_merge *m = merge(t, model->ns, UINT64_MAX);
	const u64 end_ns = model[nr - 1].ns;
	u64 until_ns = model->ns;

	while (until_ns < end_ns) {
		until_ns += rand_r(&seed) % (end_ns - model->ns) / 7 + 1;
		lkst_merge_begin(m, until_ns);
		while (lkst_merge_each(m, &calls, &f) == -EINTR)
			;
		CHECK(f.next == model + nr || f.next->ns > until_ns);
	}
	CHECK(f.next == model + nr);
	CHECK_EQ(f.nr_wrong, 0);
	lkst_merge_free(m);
}

TEST(merge_equals_a_sort)
{
	enum { NR = 20000 };
	static struct model model[NR];
	unsigned int seed = 99, round, i, first;

	for (round = 1; round <= 13; round++) {
		struct make_trace *mt;
		struct lkst_trace *t;
		struct lkst_merge *m;
		struct lkst_record r;
		u64 ns = 1000;

		make_scratch(dir);
		mt = make_begin(dir, NULL, 4096);
		for (i = 0; i < NR; i++) {
			struct lkst_rec_sched_switch rec = { .next_tid = (s32)i };

			ns += rand_r(&seed) % 3;
			model[i] =
				(struct model){ ns, rand_r(&seed) % round, rand_r(&seed) % 2, i };
			rec.head.id_time = LKST_EV_sched_switch + 1;
			make_record(make_stream(mt, lkst_stream_instance(model[i].cpu,
									 model[i].buffer, 0)),
				    ns, &rec, sizeof(rec));
		}
		make_end(mt);
		qsort(model, NR, sizeof(model[0]), by_time);
		t = open_trace();
		first = round % 2 ? 0 : NR / 3;
		while (first && model[first].ns == model[first - 1].ns)
			first--;
		m = merge(t, first ? model[first].ns : 0, UINT64_MAX);
		for (i = first; i < NR; i++) {
			CHECK(lkst_merge_next(m, &r));
			CHECK_EQ(r.ns, model[i].ns);
			CHECK_EQ(lkst_record_int(&r, &r.event->fields[0]), model[i].number);
		}
		CHECK(!lkst_merge_next(m, &r));
		lkst_merge_free(m);
		check_given(t, model + first, NR - first, round);
		end(t);
	}
}

static const struct unit_test tests[] = {
	{ "merge_orders_by_time_then_cpu_then_buffer",
	  test_merge_orders_by_time_then_cpu_then_buffer },
	{ "merge_gives_the_state_first", test_merge_gives_the_state_first },
	{ "merge_keeps_to_its_range", test_merge_keeps_to_its_range },
	{ "merge_passes_do_not_disturb_each_other", test_merge_passes_do_not_disturb_each_other },
	{ "merge_of_nothing_is_nothing", test_merge_of_nothing_is_nothing },
	{ "merge_tells_of_missing_blocks_and_discarded_records",
	  test_merge_tells_of_missing_blocks_and_discarded_records },
	{ "merge_tells_of_blocks_that_cannot_be_read",
	  test_merge_tells_of_blocks_that_cannot_be_read },
	{ "merge_tells_of_records_that_cannot_be_read",
	  test_merge_tells_of_records_that_cannot_be_read },
	{ "merge_keeps_many_gaps_apart", test_merge_keeps_many_gaps_apart },
	{ "merge_equals_a_sort", test_merge_equals_a_sort },
};
UNIT_MAIN(tests)
