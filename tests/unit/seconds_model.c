/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What is counted of each second, against the state model over the same traces of random machines: since when each
 * thread that gets a CPU was ready, and what CPUs did. Of a whole trace both say the same. Where kinds of events are
 * left out, what is counted is less than the model says of the whole, and nothing else.
 */
#include "analyze/seconds/seconds.h"

#include "analyze/model/model.h"
#include "base/vec.h"
#include "lib/machine.h"
#include "lib/unit.h"
#include "trace/read/merge.h"

enum { STEPS = 1200, SLICES = 16 };

static struct lkst_err err;

/* A thread got a CPU at @to_ns. */
struct delay {
	s32 tid;
	u64 from_ns, to_ns;
};

/* What is said of a trace. */
struct said {
	struct delay *delays;
	u32 nr_delays;
	u64 in_irqs_ns[SLICES]; /* by the seconds: how long CPUs were in interrupts in each part of the trace */
	struct lkst_second_times times;
	u64 nr_left_out; /* of delays */
};

static void add_delay(struct said *s, s32 tid, u64 from_ns, u64 to_ns)
{
	struct delay *d = lkst_vec_add(s->delays, s->nr_delays);

	if (!d)
		abort();
	*d = (struct delay){ tid, from_ns, to_ns };
}

/* ---- the model ------------------------------------------------------------------------------- */

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	if (i->run == LKST_RUN_READY && i->ready != LKST_READY_UNKNOWN && i->life->idle_cpu < 0)
		add_delay(ctx, i->life->tid, i->from_ns, i->to_ns);
	return 0;
}

static int on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_second_times *t = &((struct said *)ctx)->times;
	const u64 own_ns = i->to_ns - i->from_ns - i->irq_ns - i->softirq_ns;

	t->irq_ns += i->irq_ns;
	t->softirq_ns += i->softirq_ns;
	*(!i->life ? &t->unknown_ns : i->life->idle_cpu >= 0 ? &t->idle_ns : &t->threads_ns) += own_ns;
	return 0;
}

static void ask_model(const char *dir, struct said *ret_said)
{
	static const struct lkst_model_calls calls = { .interval = on_interval, .cpu = on_cpu };
	struct lkst_trace *t;
	struct lkst_feed *f;
	struct lkst_model *model;

	*ret_said = (struct said){};
	if (lkst_trace_open(&err, dir, &t) || lkst_feed_new(&err, t, &f) || lkst_model_new(&err, f, &model) ||
	    lkst_model_subscribe(model, &calls, ret_said) < 0 || lkst_feed_run(&err, f))
		abort();
	lkst_model_free(model);
	lkst_feed_free(f);
	lkst_trace_close(t);
}

/* ---- the seconds ------------------------------------------------------------------------------ */

static void take_second(struct said *s, const struct lkst_second *second, const struct lkst_record *r)
{
	const struct lkst_hist *delays = &second->durations[LKST_MEASURE_RUNQUEUE];

	if (delays->count > 1)
		abort();
	if (delays->count)
		add_delay(s, ((const struct lkst_rec_sched_switch *)r->bytes)->next_tid, r->ns - delays->max, r->ns);
	s->nr_left_out += second->left_out[LKST_MEASURE_RUNQUEUE];
	s->times.threads_ns += second->times.threads_ns;
	s->times.irq_ns += second->times.irq_ns;
	s->times.softirq_ns += second->times.softirq_ns;
	s->times.idle_ns += second->times.idle_ns;
	s->times.unknown_ns += second->times.unknown_ns;
}

/* Each second ends with a record, so that it has one delay at most. */
static void ask_for_delays(struct said *said, struct lkst_seconds *s, struct lkst_merge *merge)
{
	struct lkst_record r;
	struct lkst_gap gap;

	while (lkst_merge_next(merge, &r) > 0) {
		while (lkst_merge_gap(merge, &gap) > 0)
			lkst_seconds_gap(s, &gap);
		if (lkst_seconds_feed(s, &r))
			abort();
		/* Those of what there was before have no time of their own. */
		if (r.buffer == LKST_BUFFER_STATE)
			continue;
		take_second(said, lkst_seconds_end(s, r.ns), &r);
		lkst_seconds_next(s);
	}
}

/* Each second is a part of the trace, so that what was not over in it is found to have been. */
static void ask_for_irqs(struct said *said, struct lkst_seconds *s, struct lkst_merge *merge, u64 begin_ns, u64 end_ns)
{
	struct lkst_record r;
	u32 i;

	for (i = 0; i < SLICES; i++) {
		const u64 to_ns = begin_ns + (end_ns - begin_ns) * (i + 1) / SLICES;
		const struct lkst_second *second;

		lkst_merge_begin(merge, to_ns - 1);
		while (lkst_merge_next(merge, &r) > 0)
			if (lkst_seconds_feed(s, &r))
				abort();
		second = lkst_seconds_end(s, to_ns);
		said->in_irqs_ns[i] = second->times.irq_ns + second->times.softirq_ns;
		lkst_seconds_next(s);
	}
}

static void ask_seconds_for(struct said *said, struct lkst_trace *t, bool for_irqs)
{
	struct lkst_seconds_options options = { .nr_cpus = MACHINE_CPUS };
	struct lkst_merge *merge;
	struct lkst_seconds *s;
	u64 end_ns;

	lkst_trace_range(t, &options.from_ns, &end_ns);
	if (lkst_merge_new(&err, t, 0, UINT64_MAX, &merge) || lkst_seconds_new(&err, &options, &s))
		abort();
	if (for_irqs)
		ask_for_irqs(said, s, merge, options.from_ns, end_ns);
	else
		ask_for_delays(said, s, merge);
	lkst_seconds_free(s);
	lkst_merge_free(merge);
}

static void ask_seconds(const char *dir, struct said *ret_said)
{
	struct lkst_trace *t;

	*ret_said = (struct said){};
	if (lkst_trace_open(&err, dir, &t))
		abort();
	ask_seconds_for(ret_said, t, false);
	ask_seconds_for(ret_said, t, true);
	lkst_trace_close(t);
}

static void said_free(struct said *s)
{
	free(s->delays);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static const struct delay *find_delay(const struct said *s, const struct delay *d)
{
	u32 i;

	for (i = 0; i < s->nr_delays; i++)
		if (s->delays[i].tid == d->tid && s->delays[i].to_ns == d->to_ns)
			return &s->delays[i];
	return NULL;
}

/* How many delays of @seconds the model does not say, or not so. The first is printed. */
static u32 wrong_delays(const struct said *seconds, const struct said *model, u64 seed)
{
	u32 i, wrong = 0;

	for (i = 0; i < seconds->nr_delays; i++) {
		const struct delay *d = &seconds->delays[i], *m = find_delay(model, d);

		if (m && m->from_ns == d->from_ns)
			continue;
		if (!wrong++)
			printf("seed %llu: thread %d got a CPU at %llu, ready since %llu; the model says %llu\n",
			       (unsigned long long)seed, d->tid, (unsigned long long)d->to_ns,
			       (unsigned long long)d->from_ns, (unsigned long long)(m ? m->from_ns : 0));
	}
	return wrong;
}

/* In how many parts of the trace CPUs were longer in interrupts by @part than by @whole. */
static u32 wrong_irqs(const struct said *part, const struct said *whole, u64 seed)
{
	u32 i, wrong = 0;

	for (i = 0; i < SLICES; i++) {
		if (part->in_irqs_ns[i] <= whole->in_irqs_ns[i])
			continue;
		if (!wrong++)
			printf("seed %llu: %llu ns in interrupts in part %u, of the whole %llu\n",
			       (unsigned long long)seed, (unsigned long long)part->in_irqs_ns[i], i,
			       (unsigned long long)whole->in_irqs_ns[i]);
	}
	return wrong;
}

static u64 all_of(const struct lkst_second_times *t)
{
	return t->threads_ns + t->irq_ns + t->softirq_ns + t->idle_ns + t->unknown_ns;
}

/* Makes the trace of a random machine, whole or with kinds left out, and asks both. */
static struct made_machine *ask_both(struct source *in, u64 seed, struct said *ret_whole, struct said *ret_model)
{
	struct made_machine *m = machine_run(in, (u8)seed & MACHINE_KINDS_OF, STEPS);
	char dir[64];

	make_scratch(dir);
	machine_write(m, dir, true);
	ask_seconds(dir, ret_whole);
	ask_model(dir, ret_model);
	make_scratch_remove(dir);
	return m;
}

TEST(of_a_whole_trace_seconds_say_what_the_model_says)
{
	u64 seed, nr_delays = 0;

	for (seed = 0; seed < 32; seed += UNIT_STEP) {
		struct source in = { .rng = seed * 7919 + 1 };
		struct said seconds, model;

		machine_free(ask_both(&in, seed, &seconds, &model));
		CHECK_EQ(wrong_delays(&seconds, &model, seed), 0);
		nr_delays += seconds.nr_delays;
		/* Who ran before a CPU's first record is known when it comes, which for counting is too late. */
		CHECK_EQ(all_of(&seconds.times), all_of(&model.times));
		CHECK(seconds.times.threads_ns <= model.times.threads_ns);
		CHECK(seconds.times.idle_ns <= model.times.idle_ns);
		CHECK_EQ(seconds.times.irq_ns, model.times.irq_ns);
		CHECK_EQ(seconds.times.softirq_ns, model.times.softirq_ns);
		CHECK(seconds.times.unknown_ns < all_of(&model.times) / 20);
		said_free(&seconds);
		said_free(&model);
	}
	CHECK(nr_delays > 1000);
}

TEST(of_a_part_seconds_say_less_and_nothing_else)
{
	u64 seed, nr_delays = 0, nr_left_out = 0;

	for (seed = 100; seed < 164; seed += UNIT_STEP) {
		struct source in = { .rng = seed * 7919 + 1 };
		struct said whole, model, part;
		struct made_machine *m = ask_both(&in, seed, &whole, &model);
		char dir[64];

		machine_leave_out_some(m);
		make_scratch(dir);
		machine_write(m, dir, false);
		ask_seconds(dir, &part);
		make_scratch_remove(dir);
		machine_free(m);
		CHECK_EQ(wrong_delays(&part, &model, seed), 0);
		CHECK_EQ(wrong_irqs(&part, &whole, seed), 0);
		nr_delays += part.nr_delays;
		nr_left_out += part.nr_left_out - whole.nr_left_out;
		said_free(&whole);
		said_free(&model);
		said_free(&part);
	}
	CHECK(nr_delays > 1000);
	CHECK(nr_left_out > 0);
}

static const struct unit_test tests[] = {
	{ "of_a_whole_trace_seconds_say_what_the_model_says", test_of_a_whole_trace_seconds_say_what_the_model_says },
	{ "of_a_part_seconds_say_less_and_nothing_else", test_of_a_part_seconds_say_less_and_nothing_else },
};
UNIT_MAIN(tests)
