/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * How far clocks are apart, by statements that are made of a known truth: the answer must include it, and with it no
 * message may be received before it was sent.
 */
#include "hosts/bounds.h"
#include "lib/unit.h"

enum {
	ROUNDS = 400,
	MESSAGES = 200,
	HOSTS_MAX = 7,
};

#define DAY 1700000000000000000LL

static u64 seed;

/* xorshift64: the same on every machine. */
static u64 random_below(u64 limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

struct message {
	unsigned int from, to;
	u64 sent_ns, received_ns; /* by the clocks of the two */
};

/* Hosts whose clocks are wrong by `ahead_ns`, and what they sent each other. */
struct world {
	unsigned int nr_hosts, nr_messages;
	s64 ahead_ns[HOSTS_MAX];
	struct message messages[MESSAGES];
	struct lkst_clock_bounds *bounds;
	struct lkst_clock_bound answer[HOSTS_MAX];
	struct lkst_clock_bounds_fit fit;
};

static void send(struct world *w, unsigned int from, unsigned int to)
{
	const u64 sent_ns = (u64)DAY + random_below(1000000000), delay_ns = random_below(500000);
	struct message *m = &w->messages[w->nr_messages++];

	*m = (struct message){ from, to, sent_ns + (u64)w->ahead_ns[from],
			       sent_ns + delay_ns + (u64)w->ahead_ns[to] };
	lkst_clock_bounds_message(w->bounds, from, to, m->sent_ns, m->received_ns);
}

static void make_world(struct world *w, unsigned int nr_hosts, u64 ahead_max_ns)
{
	unsigned int i;

	*w = (struct world){ .nr_hosts = nr_hosts, .bounds = lkst_clock_bounds_new(nr_hosts) };
	if (!w->bounds)
		abort();
	for (i = 0; i < nr_hosts; i++)
		w->ahead_ns[i] = (s64)random_below(2 * ahead_max_ns) - (s64)ahead_max_ns;
}

static void solve(struct world *w)
{
	lkst_clock_bounds_solve(w->bounds, w->answer, &w->fit);
	lkst_clock_bounds_free(w->bounds);
}

static u64 distance(s64 a, s64 b)
{
	return a > b ? (u64)(a - b) : (u64)(b - a);
}

/* Messages that are received before they were sent, with the shifts of the answer. */
static unsigned int backwards(const struct world *w)
{
	unsigned int i, nr = 0;

	for (i = 0; i < w->nr_messages; i++) {
		const struct message *m = &w->messages[i];

		nr += (s64)(m->received_ns + (u64)w->answer[m->to].shift_ns -
			    (m->sent_ns + (u64)w->answer[m->from].shift_ns)) < 0;
	}
	return nr;
}

/* Bounded hosts whose true shift is not within what the answer says of it. */
static unsigned int outside(const struct world *w)
{
	unsigned int i, nr = 0;

	for (i = 0; i < w->nr_hosts; i++)
		nr += w->answer[i].is_bounded &&
		      distance(w->answer[i].shift_ns, w->ahead_ns[0] - w->ahead_ns[i]) >
			      w->answer[i].error_ns;
	return nr;
}

TEST(bounds_include_the_truth_and_order_all_messages)
{
	unsigned int round, i, nr_bounded = 0;
	struct world w;

	seed = 1;
	for (round = 0; round < ROUNDS; round++) {
		make_world(&w, 2 + (unsigned int)random_below(HOSTS_MAX - 1),
			   1 + random_below(10000000000));
		for (i = 0; i < MESSAGES; i++) {
			unsigned int from = (unsigned int)random_below(w.nr_hosts),
				     to = (unsigned int)random_below(w.nr_hosts);

			/* In some rounds only some pairs, so that bounds go over several hosts, or there are none. */
			if (from != to &&
			    (!(round % 3) || from + 1 == to || (to + 1 == from && round % 2)))
				send(&w, from, to);
		}
		solve(&w);
		CHECK_EQ(backwards(&w), 0);
		CHECK_EQ(outside(&w), 0);
		CHECK_EQ(w.fit.conflict_ns, 0);
		CHECK_EQ(w.fit.clocks_are_wrong, 0);
		CHECK_EQ(w.answer[0].shift_ns, 0);
		for (i = 1; i < w.nr_hosts; i++)
			nr_bounded += w.answer[i].is_bounded;
	}
	/* That the test has seen some. */
	CHECK(nr_bounded > ROUNDS / 2);
}

TEST(bounds_are_those_of_the_clocks_where_nothing_is_sent)
{
	struct world w;

	make_world(&w, 3, 1000000);
	lkst_clock_bounds_clock(w.bounds, 0, 200000);
	lkst_clock_bounds_clock(w.bounds, 1, 300000);
	solve(&w);
	CHECK_EQ(w.answer[1].shift_ns, 0);
	CHECK(w.answer[1].is_bounded);
	CHECK_EQ(w.answer[1].error_ns, 500000);
	CHECK(!w.answer[2].is_bounded);
	CHECK_EQ(w.answer[2].shift_ns, 0);
}

TEST(bounds_of_clocks_and_messages_are_used_together)
{
	struct world w;

	seed = 7;
	make_world(&w, 2, 1);
	w.ahead_ns[1] = 400000;
	lkst_clock_bounds_clock(w.bounds, 0, 10000);
	lkst_clock_bounds_clock(w.bounds, 1, 490000);
	/* One way only: sent at 0 and received at 100 us, which host 1 takes for 500 us. */
	lkst_clock_bounds_message(w.bounds, 1, 0, DAY + 400000, DAY + 100000);
	solve(&w);
	CHECK(w.answer[1].is_bounded);
	/* From -500 us, of the clocks, to -300 us, of the message. */
	CHECK_EQ(w.answer[1].shift_ns, -400000);
	CHECK_EQ(w.answer[1].error_ns, 100000);
}

TEST(bounds_move_a_clock_no_more_than_needed_where_messages_go_one_way)
{
	struct world w;

	make_world(&w, 2, 1);
	lkst_clock_bounds_message(w.bounds, 0, 1, DAY + 5000000, DAY + 2000000);
	solve(&w);
	CHECK(!w.answer[1].is_bounded);
	CHECK_EQ(w.answer[1].shift_ns, 3000000);

	make_world(&w, 2, 1);
	lkst_clock_bounds_message(w.bounds, 0, 1, DAY + 1000000, DAY + 2000000);
	solve(&w);
	CHECK_EQ(w.answer[1].shift_ns, 0);
}

TEST(bounds_of_one_host_do_not_move_another)
{
	struct world w;

	/* Host 1 is ahead by 40 ms, as messages both ways show; host 2 only sent what host 3 received. */
	make_world(&w, 4, 1);
	lkst_clock_bounds_message(w.bounds, 0, 1, DAY, DAY + 40100000);
	lkst_clock_bounds_message(w.bounds, 1, 0, DAY + 41000000, DAY + 1100000);
	lkst_clock_bounds_message(w.bounds, 2, 0, DAY, DAY + 50000);
	lkst_clock_bounds_message(w.bounds, 2, 3, DAY, DAY + 70000);
	solve(&w);
	CHECK_EQ(w.answer[1].shift_ns, -40000000);
	CHECK_EQ(w.answer[1].error_ns, 100000);
	CHECK(!w.answer[2].is_bounded && !w.answer[3].is_bounded);
	CHECK_EQ(w.answer[2].shift_ns, 0);
	CHECK_EQ(w.answer[3].shift_ns, 0);

	/* Nor does the one that must move by more than another, and hosts that know of each other stay together. */
	make_world(&w, 4, 1);
	lkst_clock_bounds_message(w.bounds, 0, 1, DAY + 5000000, DAY + 2000000);
	lkst_clock_bounds_message(w.bounds, 0, 2, DAY + 100000, DAY);
	lkst_clock_bounds_message(w.bounds, 2, 3, DAY, DAY + 7100000);
	lkst_clock_bounds_message(w.bounds, 3, 2, DAY + 8000000, DAY + 1100000);
	solve(&w);
	CHECK_EQ(w.answer[1].shift_ns, 3000000);
	CHECK_EQ(w.answer[2].shift_ns, 100000);
	CHECK_EQ(w.answer[3].shift_ns, 100000 - 7000000);
}

TEST(bounds_notice_clocks_that_claim_too_much)
{
	struct world w;

	seed = 3;
	make_world(&w, 2, 1);
	w.ahead_ns[0] = 0;
	w.ahead_ns[1] = 50000000;
	lkst_clock_bounds_clock(w.bounds, 0, 1000);
	lkst_clock_bounds_clock(w.bounds, 1, 1000);
	send(&w, 0, 1);
	send(&w, 1, 0);
	solve(&w);
	CHECK(w.fit.clocks_are_wrong);
	CHECK_EQ(w.fit.conflict_ns, 0);
	CHECK_EQ(backwards(&w), 0);
	CHECK_EQ(outside(&w), 0);
}

TEST(bounds_notice_messages_that_contradict_each_other)
{
	struct world w;

	make_world(&w, 2, 1);
	/* Received 3 ms before they were sent, both: no shift makes both right, and each is off by as much. */
	lkst_clock_bounds_message(w.bounds, 0, 1, DAY + 3000000, DAY);
	lkst_clock_bounds_message(w.bounds, 1, 0, DAY + 3000000, DAY);
	solve(&w);
	CHECK_EQ(w.fit.conflict_ns, 3000000);
	CHECK_EQ(w.answer[1].shift_ns, 0);
}

TEST(bounds_survive_times_that_make_no_sense)
{
	struct world w;

	make_world(&w, 3, 1);
	lkst_clock_bounds_message(w.bounds, 0, 1, 0, UINT64_MAX);
	lkst_clock_bounds_message(w.bounds, 1, 0, 0, UINT64_MAX);
	lkst_clock_bounds_message(w.bounds, 1, 2, UINT64_MAX, 0);
	lkst_clock_bounds_message(w.bounds, 2, 1, UINT64_MAX, 0);
	lkst_clock_bounds_clock(w.bounds, 2, UINT64_MAX);
	solve(&w);
	CHECK(w.fit.conflict_ns > 0);
}

static const struct unit_test tests[] = {
	{ "bounds_include_the_truth_and_order_all_messages",
	  test_bounds_include_the_truth_and_order_all_messages },
	{ "bounds_are_those_of_the_clocks_where_nothing_is_sent",
	  test_bounds_are_those_of_the_clocks_where_nothing_is_sent },
	{ "bounds_of_clocks_and_messages_are_used_together",
	  test_bounds_of_clocks_and_messages_are_used_together },
	{ "bounds_move_a_clock_no_more_than_needed_where_messages_go_one_way",
	  test_bounds_move_a_clock_no_more_than_needed_where_messages_go_one_way },
	{ "bounds_of_one_host_do_not_move_another", test_bounds_of_one_host_do_not_move_another },
	{ "bounds_notice_clocks_that_claim_too_much",
	  test_bounds_notice_clocks_that_claim_too_much },
	{ "bounds_notice_messages_that_contradict_each_other",
	  test_bounds_notice_messages_that_contradict_each_other },
	{ "bounds_survive_times_that_make_no_sense", test_bounds_survive_times_that_make_no_sense },
};

UNIT_MAIN(tests)
