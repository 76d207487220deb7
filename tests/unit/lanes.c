/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The shares of stretches of time are those of the slices in them, at every scale; lanes are what the state model
 * says.
 */
#include "analyze/lanes/lanes.h"

#include "analyze/lanes/shares.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;

enum { COLUMNS = 100 };

/* Slices at random, some of them with nothing between. */
static struct lkst_slices random_slices(unsigned int nr, unsigned int seed)
{
	struct lkst_slices s = {};
	u64 at = 1000000;

	srand(seed);
	while (s.nr < nr) {
		struct lkst_slice slice = { .from_ns = at, .life = s.nr, .cpu = -1 };

		/* Some are a thousand times as long as others. */
		slice.to_ns = at + 1 + (u64)rand() % (rand() % 50 ? 100 : 100000);
		slice.state = (u8)(rand() % LKST_NR_LANE_STATES);
		if (lkst_slices_add(&s, slice))
			abort();
		at = slice.to_ns + (rand() % 4 ? 0 : (u64)rand() % 100);
	}
	if (lkst_slices_index(&s))
		abort();
	return s;
}

/* Nanoseconds of each state between two times, slice by slice. */
static void count(const struct lkst_slices *s, double from, double to,
		  double ns[LKST_NR_LANE_STATES])
{
	u32 i;

	memset(ns, 0, LKST_NR_LANE_STATES * sizeof(*ns));
	for (i = 0; i < s->nr; i++) {
		double begin = (double)s->list[i].from_ns, end = (double)s->list[i].to_ns;

		begin = begin > from ? begin : from;
		end = end < to ? end : to;
		if (end > begin)
			ns[s->list[i].state] += end - begin;
	}
}

/*
 * @parts: of a column's time may be counted for the next one, which the finest stretches do not tell apart.
 */
static void expect_shares(const struct lkst_slices *s, u64 from, u64 to, double parts)
{
	double step = (double)(to - from) / COLUMNS, sums[LKST_NR_LANE_STATES] = {},
	       all[LKST_NR_LANE_STATES];
	struct lkst_shares shares[COLUMNS];
	unsigned int i, k;

	lkst_slices_shares(s, from, to, COLUMNS, shares);
	for (i = 0; i < COLUMNS; i++) {
		double want[LKST_NR_LANE_STATES];

		count(s, (double)from + i * step, (double)from + (i + 1) * step, want);
		for (k = 0; k < LKST_NR_LANE_STATES; k++) {
			double difference = shares[i].of[k] / 65535.0 - want[k] / step;

			sums[k] += shares[i].of[k] / 65535.0 * step;
			CHECK(difference < parts + 0.001 && difference > -parts - 0.001);
		}
	}
	/* What one column has too much another has too little. */
	count(s, (double)from, (double)to, all);
	for (k = 0; k < LKST_NR_LANE_STATES; k++)
		CHECK(sums[k] - all[k] < (parts / COLUMNS + 0.001) * (double)(to - from) &&
		      all[k] - sums[k] < (parts / COLUMNS + 0.001) * (double)(to - from));
}

TEST(shares_are_those_of_the_slices)
{
	struct lkst_slices s = random_slices(50000, 1);
	u64 begin = s.list[0].from_ns, length = s.list[s.nr - 1].to_ns - begin;
	unsigned int i;

	expect_shares(&s, begin, begin + length, 0.5);
	expect_shares(&s, 0, begin + 2 * length, 0.5);
	/* Near enough, the slices themselves are counted. */
	for (i = 0; i < 50; i++) {
		u64 from = begin + length / 50 * i;

		expect_shares(&s, from, from + length / 2000, 0);
		expect_shares(&s, from, from + 100, 0);
	}
	lkst_slices_fini(&s);
}

TEST(slices_are_found_by_time)
{
	struct lkst_slices s = random_slices(1000, 2);
	u32 i;

	CHECK_EQ(lkst_slices_at(&s, 0), 0);
	CHECK_EQ(lkst_slices_at(&s, s.list[999].to_ns), 1000);
	for (i = 0; i < s.nr; i++) {
		CHECK_EQ(lkst_slices_at(&s, s.list[i].from_ns), i);
		CHECK_EQ(lkst_slices_at(&s, s.list[i].to_ns - 1), i);
	}
	lkst_slices_fini(&s);
}

TEST(no_slices_have_no_shares)
{
	struct lkst_slices s = {};
	struct lkst_shares shares[2];

	CHECK_EQ(lkst_slices_index(&s), 0);
	lkst_slices_shares(&s, 5, 7, 2, shares);
	CHECK_EQ(shares[1].of[LKST_LANE_IDLE], 0);
}

static const char text[] = "state_cpu ns=900 cpu_nr=0\n"
			   "sched_switch cpu=0 tid=0 ns=1000 prev_tid=0 next_tid=7 prev_state=0\n"
			   "sched_switch cpu=0 tid=7 ns=3000 prev_tid=7 next_tid=0 prev_state=1\n"
			   "irq_handler_entry cpu=0 tid=0 ns=3500 irq=5\n"
			   "irq_handler_exit cpu=0 tid=0 ns=3700 irq=5\n"
			   "sched_switch cpu=0 tid=0 ns=4000 prev_tid=0 next_tid=7 prev_state=0\n"
			   "sched_switch cpu=0 tid=7 ns=5000 prev_tid=7 next_tid=0 prev_state=0\n";

static const struct lkst_lane *lane_of(const struct lkst_lanes *lanes, u8 kind)
{
	u32 i;

	for (i = 0; i < lanes->nr; i++)
		if (lanes->list[i].kind == kind)
			return &lanes->list[i];
	return NULL;
}

static char dir[64];
static struct lkst_trace *trace;

/* The lanes of the trace that @lines make. */
static struct lkst_lanes *lanes_of(const char *lines)
{
	struct lkst_lanes *lanes = NULL;
	char path[80];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, lines) || lkst_trace_open(&err, path, &trace) ||
	    lkst_lanes_new(&err, trace, &lanes))
		abort();
	return lanes;
}

static void release(struct lkst_lanes *lanes)
{
	lkst_lanes_free(lanes);
	lkst_trace_close(trace);
	make_scratch_remove(dir);
}

TEST(lanes_are_the_intervals_of_the_model)
{
	struct lkst_lanes *lanes = lanes_of(text);
	const struct lkst_lane *cpu, *thread;
	struct lkst_shares shares[2];

	cpu = lane_of(lanes, LKST_LANE_OF_CPU);
	thread = lane_of(lanes, LKST_LANE_OF_THREAD);
	CHECK(cpu && thread);
	CHECK_EQ(lanes->threads[thread->number].tid, 7);
	CHECK_EQ(lanes->threads[thread->number].running_ns, 3000);
	/* From 3000 to 4000 the CPU is idle, but for the interrupt. */
	CHECK_EQ(lkst_lane_shares(cpu, 2000, 4000, 2, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_RUNNING], 65535);
	CHECK(shares[1].of[LKST_LANE_IRQ] > 13000 && shares[1].of[LKST_LANE_IRQ] < 13200);
	CHECK(shares[1].of[LKST_LANE_IDLE] > 52300 && shares[1].of[LKST_LANE_IDLE] < 52500);
	CHECK_EQ(lkst_lane_shares(thread, 3000, 5000, 2, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_RUNNING], 0);
	CHECK_EQ(shares[1].of[LKST_LANE_RUNNING], 65535);
	release(lanes);
}

/*
 * Thread 7 is in a call from 2000 to 6000, with a fault in it. Thread 8 wakes it at 4000, and an interrupt at 8000.
 */
static const char calls[] = "state_irq ns=900 irq=5 name=\"disk\"\n"
			    "sched_switch cpu=0 tid=0 ns=1000 prev_tid=0 next_tid=7 prev_state=0\n"
			    "syscall_entry_unknown cpu=0 tid=7 ns=2000 nr=5000\n"
			    "page_fault_kernel cpu=0 tid=7 ns=2100 address=4096\n"
			    "page_fault_exit cpu=0 tid=7 ns=2200\n"
			    "sched_switch cpu=0 tid=7 ns=3000 prev_tid=7 next_tid=8 prev_state=1\n"
			    "sched_waking cpu=0 tid=8 ns=4000 target_tid=7\n"
			    "sched_switch cpu=0 tid=8 ns=5000 prev_tid=8 next_tid=7 prev_state=1\n"
			    "syscall_exit_unknown cpu=0 tid=7 ns=6000 nr=5000 ret=0\n"
			    "sched_switch cpu=0 tid=7 ns=7000 prev_tid=7 next_tid=0 prev_state=1\n"
			    "irq_handler_entry cpu=0 tid=0 ns=7900 irq=5\n"
			    "sched_waking cpu=0 tid=0 ns=8000 target_tid=7\n"
			    "irq_handler_exit cpu=0 tid=0 ns=8100 irq=5\n"
			    "sched_switch cpu=0 tid=0 ns=9000 prev_tid=0 next_tid=7 prev_state=0\n";

static const struct lkst_lane *lane_of_thread(const struct lkst_lanes *lanes, s32 tid)
{
	u32 i;

	for (i = 0; i < lanes->nr; i++)
		if (lanes->list[i].kind == LKST_LANE_OF_THREAD &&
		    lanes->threads[lanes->list[i].number].tid == tid)
			return &lanes->list[i];
	abort();
}

TEST(lanes_have_calls_interrupts_and_wakers)
{
	struct lkst_lanes *lanes = lanes_of(calls);
	const struct lkst_lane *thread = lane_of_thread(lanes, 7),
			       *cpu = lane_of(lanes, LKST_LANE_OF_CPU);

	CHECK_EQ(thread->calls.nr, 1);
	CHECK_EQ(thread->calls.list[0].from_ns, 2000);
	CHECK_EQ(thread->calls.list[0].to_ns, 6000);
	CHECK_STR(lanes->names.list[thread->calls.list[0].life].text, "system call 5000");
	CHECK_EQ(thread->faults.nr, 1);
	CHECK_EQ(thread->faults.list[0].from_ns, 2100);
	CHECK_EQ(thread->faults.list[0].to_ns, 2200);
	CHECK_EQ(cpu->irqs.nr, 1);
	CHECK_STR(lanes->names.list[cpu->irqs.list[0].life].text, "irq:5:disk");
	CHECK_EQ(thread->nr_wakings, 2);
	CHECK_EQ(thread->wakings[0].ns, 4000);
	CHECK_EQ(lanes->threads[thread->wakings[0].life].tid, 8);
	CHECK_EQ(thread->wakings[0].name, UINT32_MAX);
	CHECK_EQ(thread->wakings[1].ns, 8000);
	CHECK_EQ(thread->wakings[1].life, LKST_LIFE_NONE);
	CHECK_STR(lanes->names.list[thread->wakings[1].name].text, "irq:5:disk");
	CHECK_EQ(lkst_lane_waking_at(thread, 4001), 1);
	release(lanes);
}

/* Thread 7 sleeps. Another CPU has this one put it on the queue, and why is missing: the interrupt is not its waker. */
static const char hidden[] = "sched_waking cpu=0 tid=8 ns=500 target_tid=9\n"
			     "sched_switch cpu=0 tid=7 ns=1000 prev_tid=7 next_tid=0 prev_state=1\n"
			     "call_function_single_entry cpu=0 tid=0 ns=1900 vector=251\n"
			     "sched_wakeup cpu=0 tid=0 ns=2000 target_tid=7 target_cpu=0\n"
			     "call_function_single_exit cpu=0 tid=0 ns=2100 vector=251\n"
			     "sched_switch cpu=0 tid=0 ns=3000 prev_tid=0 next_tid=7 prev_state=0\n";

TEST(lanes_have_no_waker_that_nobody_knows)
{
	struct lkst_lanes *lanes = lanes_of(hidden);

	CHECK_EQ(lane_of_thread(lanes, 7)->nr_wakings, 0);
	release(lanes);
}

/* Two interrupts fill a stretch, of which each has half; and a name whose number would be that of no name. */
static const char halves[] =
	"sched_switch cpu=0 tid=0 ns=1000 prev_tid=0 next_tid=7 prev_state=0\n"
	"timer_expire_entry cpu=0 tid=7 ns=2000 timer=1 function=0xfaffffffffffffff\n"
	"timer_expire_exit cpu=0 tid=7 ns=3000 timer=1\n"
	"sched_switch cpu=0 tid=7 ns=3000 prev_tid=7 next_tid=0 prev_state=1\n"
	"irq_handler_entry cpu=0 tid=0 ns=3000 irq=5\n"
	"irq_handler_exit cpu=0 tid=0 ns=4000 irq=5\n"
	"sched_switch cpu=0 tid=0 ns=5000 prev_tid=0 next_tid=7 prev_state=0\n";

TEST(interrupts_may_be_all_that_there_is)
{
	struct lkst_lanes *lanes = lanes_of(halves);
	const struct lkst_lane *cpu = lane_of(lanes, LKST_LANE_OF_CPU);
	struct lkst_shares shares;

	CHECK_EQ(cpu->irqs.nr, 2);
	CHECK_EQ(lanes->names.nr, 2);
	CHECK_EQ(cpu->irqs.list[0].life, 0);
	CHECK_EQ(cpu->irqs.list[1].life, 1);
	CHECK_EQ(lkst_lane_shares(cpu, 2000, 4000, 1, &shares), 0);
	CHECK_EQ(shares.of[LKST_LANE_IRQ], 65535);
	release(lanes);
}

/* Idle, then two blocks that are missing, then idle again: what was in between is not known, and not idle. */
static const char gap[] = "sched_switch cpu=0 tid=7 ns=1000 prev_tid=7 next_tid=0 prev_state=1\n"
			  "!block cpu=0\n!skip cpu=0 blocks=2\n"
			  "sched_switch cpu=0 tid=8 ns=5000 prev_tid=8 next_tid=0 prev_state=1\n"
			  "irq_handler_entry cpu=0 tid=0 ns=6000 irq=5\n"
			  "sched_switch cpu=1 tid=9 ns=500 prev_tid=9 next_tid=0 prev_state=1\n";

TEST(gaps_are_unknown_and_not_idle)
{
	struct lkst_lanes *lanes = lanes_of(gap);
	struct lkst_shares shares[11];
	const struct lkst_gap *first;
	unsigned int i;

	CHECK_EQ(lanes->gaps.nr, 1);
	first = lkst_gaps_at(&lanes->gaps, 0);
	CHECK_EQ(first->cpu, 0);
	CHECK_EQ(first->blocks, 2);
	CHECK_EQ(first->from_ns, 1000);
	CHECK_EQ(lkst_lane_shares(&lanes->list[0], 500, 6000, 11, shares), 0);
	for (i = 0; i < 11; i++) {
		CHECK_EQ(shares[i].of[LKST_LANE_IDLE], i == 9 || i == 10 ? 65535 : 0);
		CHECK_EQ(shares[i].of[LKST_LANE_UNKNOWN], i > 0 && i < 9 ? 65535 : 0);
	}
	/* All of the time, of every CPU. */
	for (i = 0; i < 2; i++) {
		const struct lkst_slices *s = &lanes->list[i].slices;

		CHECK_EQ(lanes->list[i].number, i);
		CHECK_EQ(s->list[0].from_ns, 500);
		CHECK_EQ(s->list[s->nr - 1].to_ns, 6000);
	}
	release(lanes);
}

static const char marks[] =
	"maskset_switch cpu=0 tid=1 ns=1000 from=0 to=2\n"
	"trigger_fired cpu=0 tid=1 ns=1500 trigger=1 name=\"slow\"\n"
	"incident cpu=0 tid=1 ns=1600 number=1\nshed_begin cpu=0 tid=1 ns=1700 kind=\"kmalloc\"\n"
	"shed_end cpu=0 tid=1 ns=1800 kind=\"kmalloc\"\nsched_switch cpu=0 tid=1 ns=1900 next_tid=0\n"
	"!end ns=1950 how=4\n";

TEST(marks_are_in_order)
{
	static const u16 events[] = { LKST_EV_maskset_switch, LKST_EV_trigger_fired,
				      LKST_EV_incident,	      LKST_EV_shed_begin,
				      LKST_EV_shed_end,	      LKST_EV_state_end };
	struct lkst_lanes *lanes = lanes_of(marks);
	u32 i;

	CHECK_EQ(lanes->marks.nr, 6);
	for (i = 0; i < 6; i++) {
		CHECK_EQ(lanes->marks.list[i].event, events[i]);
		CHECK(!i || lanes->marks.list[i].ns > lanes->marks.list[i - 1].ns);
		CHECK_EQ(lanes->marks.list[i].text != NULL, i == 5);
	}
	CHECK_EQ(lanes->marks.list[5].ns, lanes->end_ns);
	release(lanes);
}

/*
 * Thread 10 has two spans, one in the other. It hands the outer one over, which thread 20 takes later, and begins a
 * third one, which does not end.
 */
static const char spans[] = "state_thread thread_tid=10 thread_pid=10 comm=one\n"
			    "state_thread thread_tid=20 thread_pid=20 comm=other\n"
			    "sched_switch cpu=0 ns=500 next_tid=10\n"
			    "span_begin cpu=0 tid=10 ns=1000 span=7 name=outer\n"
			    "span_begin cpu=0 tid=10 ns=1200 span=0 name=inner\n"
			    "span_handover cpu=0 tid=10 ns=1300 span=7 to_tid=0\n"
			    "span_begin cpu=0 tid=10 ns=1300 span=9 name=next\n"
			    "span_end cpu=0 tid=10 ns=1400 span=0 name=inner\n"
			    "span_handover cpu=1 tid=20 ns=1500 span=7 to_tid=20\n"
			    "span_end cpu=1 tid=20 ns=1700 span=7 name=outer\n"
			    "sched_switch cpu=0 tid=10 ns=2000 prev_state=1 next_tid=0\n";

/* "TID LEVEL NAME FROM-TO", of all slices. */
static const char *spans_text(const struct lkst_lane_spans *s)
{
	static char text_of[512];
	size_t used = 0;
	u32 i, k;

	for (i = 0; i < s->nr_lanes; i++)
		for (k = 0; k < s->lanes[i].slices.nr; k++) {
			const struct lkst_slice *slice = &s->lanes[i].slices.list[k];

			used += (size_t)snprintf(text_of + used, sizeof(text_of) - used,
						 "%d %u %s %llu-%llu\n", s->lanes[i].tid,
						 s->lanes[i].level, s->list[slice->life].name,
						 (unsigned long long)slice->from_ns,
						 (unsigned long long)slice->to_ns);
		}
	return text_of;
}

TEST(spans_are_on_the_lanes_of_who_had_them)
{
	struct lkst_lanes *lanes = lanes_of(spans);
	const struct lkst_lane_span *outer = NULL;
	u32 i;

	CHECK_STR(spans_text(&lanes->spans), "10 0 outer 1000-1300\n"
					     "10 0 next 1300-2000\n"
					     "10 1 inner 1200-1400\n"
					     "20 0 outer 1500-1700\n");
	CHECK_EQ(lanes->spans.nr, 3);
	for (i = 0; i < lanes->spans.nr; i++)
		if (!strcmp(lanes->spans.list[i].name, "outer"))
			outer = &lanes->spans.list[i];
	CHECK(outer);
	CHECK_EQ(outer->from_ns, 1000);
	CHECK_EQ(outer->to_ns, 1700);
	CHECK_EQ(outer->id, 7);
	CHECK_EQ(outer->ending, LKST_SPAN_ENDED);
	CHECK_EQ(lanes->spans.nr_left_out, 0);
	release(lanes);
}

/* One in the other, deeper than there are lanes. */
TEST(spans_that_lie_too_deep_are_counted)
{
	enum { DEEP = LKST_LANE_SPAN_LEVELS + 3 };
	static char lines[DEEP * 128];
	struct lkst_lanes *lanes;
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < 2 * DEEP; i++)
		used += (size_t)snprintf(lines + used, sizeof(lines) - used,
					 "span_%s cpu=0 tid=10 ns=%u span=%u name=x\n",
					 i < DEEP ? "begin" : "end", 1000 + 10 * i,
					 i < DEEP ? i + 1 : 2 * DEEP - i);
	lanes = lanes_of(lines);
	CHECK_EQ(lanes->spans.nr_lanes, LKST_LANE_SPAN_LEVELS);
	CHECK_EQ(lanes->spans.nr_left_out, 3);
	CHECK_EQ(lanes->spans.lanes[0].slices.list[0].from_ns, 1000);
	CHECK_EQ(lanes->spans.lanes[0].slices.list[0].to_ns, 1000 + 10 * (2 * DEEP - 1));
	release(lanes);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
/* While requests were not recorded, how many a disk has is not known, nor after that until it is counted again. */
TEST(counts_are_not_known_where_they_were_left_out)
{
	static const char all[] = "block_rq_issue cpu=0 tid=5 ns=1000 rq=64 dev=8 bytes=4096\n"
				  "block_rq_complete cpu=0 tid=5 ns=3000 rq=64 dev=8 bytes=4096\n"
				  "sched_switch cpu=0 tid=5 ns=9000 next_tid=0\n";
	static const char part[] = "block_rq_issue cpu=0 tid=5 ns=1000 rq=64 dev=8 bytes=4096\n"
				   "shed_begin cpu=0 tid=0 buffer=1 ns=2000 cost=1 kind=block_rq_complete\n"
				   "sched_switch cpu=0 tid=5 ns=9000 next_tid=0\n";
	struct lkst_curve_column columns[8];
	struct lkst_lanes *lanes = lanes_of(all);

	CHECK_EQ(lanes->counts.list[0].kind, LKST_COUNT_DISK);
	CHECK_EQ(lkst_count_columns(&lanes->counts, 0, 1000, 9000, 8, columns), 0);
	CHECK(columns[0].known > 0.99 && columns[0].max == 1);
	CHECK(columns[7].known > 0.99 && columns[7].max == 0);
	CHECK_STR(lanes->limited, "");
	release(lanes);
	lanes = lanes_of(part);
	CHECK_EQ(lkst_count_columns(&lanes->counts, 0, 1000, 9000, 8, columns), 0);
	CHECK(columns[0].known > 0.99 && columns[0].max == 1);
	CHECK(columns[1].known < 0.01 && columns[7].known < 0.01);
	CHECK_STR(lanes->limited, "block_rq_complete not recorded since +0.000 s");
	release(lanes);
}

static const struct unit_test tests[] = {
	{ "counts_are_not_known_where_they_were_left_out", test_counts_are_not_known_where_they_were_left_out },
	ROW(shares_are_those_of_the_slices),
	ROW(slices_are_found_by_time),
	ROW(no_slices_have_no_shares),
	ROW(lanes_are_the_intervals_of_the_model),
	ROW(interrupts_may_be_all_that_there_is),
	ROW(gaps_are_unknown_and_not_idle),
	ROW(lanes_have_calls_interrupts_and_wakers),
	ROW(lanes_have_no_waker_that_nobody_knows),
	ROW(marks_are_in_order),
	ROW(spans_are_on_the_lanes_of_who_had_them),
	ROW(spans_that_lie_too_deep_are_counted),
};
UNIT_MAIN(tests)
