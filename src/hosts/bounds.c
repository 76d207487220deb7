/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Difference constraints. Let x be what is to be added to each host's clock. A statement is x[j] - x[i] <= w[i][j]; the
 * true time is one more node, to which clocks that are right to some error are tied. The shortest path from i to j is
 * the sharpest such bound that follows, and a circle of negative length is a contradiction (Cormen et al.,
 * Introduction to Algorithms, section 24.4). The middles of the intervals that remain satisfy all statements at once.
 */
#include "hosts/bounds.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = LKST_HOSTS_MAX + 1 };

/* No bound; and what longer distances are cut to, so that sums of them do not overflow: 73 years. */
#define NONE INT64_MAX
#define FAR (1LL << 61)

struct lkst_clock_bounds {
	unsigned int nr; /* of hosts; node nr is the true time */
	s64 clocks[NODES_MAX][NODES_MAX];
	s64 messages[NODES_MAX][NODES_MAX];
};

static s64 limited(s64 ns)
{
	return ns > FAR ? FAR : ns < -FAR ? -FAR : ns;
}

static s64 bounds_sum(s64 a, s64 b)
{
	return a == NONE || b == NONE ? NONE : limited(a + b);
}

static void tighten(s64 *w, s64 ns)
{
	if (*w == NONE || ns < *w)
		*w = limited(ns);
}

/* @a - @b, cut: both may be any number. */
static s64 difference(u64 a, u64 b)
{
	const u64 ns = a > b ? a - b : b - a;
	const s64 cut = ns > (u64)FAR ? FAR : (s64)ns;

	return a > b ? cut : -cut;
}

static void bounds_clear(s64 w[NODES_MAX][NODES_MAX])
{
	unsigned int i, j;

	for (i = 0; i < NODES_MAX; i++)
		for (j = 0; j < NODES_MAX; j++)
			w[i][j] = i == j ? 0 : NONE;
}

struct lkst_clock_bounds *lkst_clock_bounds_new(unsigned int nr_hosts)
{
	struct lkst_clock_bounds *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	b->nr = nr_hosts;
	bounds_clear(b->clocks);
	bounds_clear(b->messages);
	return b;
}

void lkst_clock_bounds_free(struct lkst_clock_bounds *b)
{
	free(b);
}

void lkst_clock_bounds_clock(struct lkst_clock_bounds *b, unsigned int host, u64 error_ns)
{
	const s64 ns = difference(error_ns, 0);

	tighten(&b->clocks[b->nr][host], ns);
	tighten(&b->clocks[host][b->nr], ns);
}

void lkst_clock_bounds_same(struct lkst_clock_bounds *b, unsigned int host, unsigned int other)
{
	tighten(&b->messages[host][other], 0);
	tighten(&b->messages[other][host], 0);
}

void lkst_clock_bounds_message(struct lkst_clock_bounds *b, unsigned int from, unsigned int to,
			       u64 sent_ns, u64 received_ns)
{
	/* sent + x[from] <= received + x[to] */
	tighten(&b->messages[to][from], difference(received_ns, sent_ns));
}

/* ---- solving --------------------------------------------------------------------------------- */

struct bounds_paths {
	unsigned int nr;
	s64 to[NODES_MAX][NODES_MAX];
};

/* Shortest paths between all nodes (Floyd and Warshall). False: there is a contradiction. */
static bool find_paths(struct bounds_paths *p)
{
	unsigned int i, j, k;

	for (k = 0; k < p->nr; k++)
		for (i = 0; i < p->nr; i++)
			for (j = 0; j < p->nr; j++) {
				const s64 ns = bounds_sum(p->to[i][k], p->to[k][j]);

				if (ns < p->to[i][j])
					p->to[i][j] = ns;
			}
	for (i = 0; i < p->nr; i++)
		if (p->to[i][i] < 0)
			return false;
	return true;
}

/* The paths by the statements, where messages may have been received up to @slack_ns before they were sent. */
static bool bounds_try(const struct lkst_clock_bounds *b, bool has_clocks, s64 slack_ns,
		       struct bounds_paths *ret_paths)
{
	unsigned int i, j;

	ret_paths->nr = b->nr + 1;
	for (i = 0; i < ret_paths->nr; i++)
		for (j = 0; j < ret_paths->nr; j++) {
			s64 *to = &ret_paths->to[i][j];

			*to = i == j ? 0 : bounds_sum(b->messages[i][j], slack_ns);
			if (has_clocks && b->clocks[i][j] < *to)
				*to = b->clocks[i][j];
		}
	return find_paths(ret_paths);
}

/* The least slack with which messages do not contradict each other. */
static s64 find_slack(const struct lkst_clock_bounds *b, struct bounds_paths *paths)
{
	s64 below = 0, enough = FAR;

	while (enough - below > 1) {
		const s64 middle = below + (enough - below) / 2;

		if (bounds_try(b, false, middle, paths))
			enough = middle;
		else
			below = middle;
	}
	bounds_try(b, false, enough, paths);
	return enough;
}

/* Half of it, rounded down, so that what fits together still does. */
static s64 bounds_half(s64 ns)
{
	return ns >= 0 ? ns / 2 : -((1 - ns) / 2);
}

/* Whether what remains for host @i, against host 0's clock, ends at both sides. */
static bool is_bounded(const struct bounds_paths *p, unsigned int i)
{
	return p->to[0][i] != NONE && p->to[i][0] != NONE;
}

static s64 middle(const struct bounds_paths *p, unsigned int i)
{
	return bounds_half(p->to[0][i] - p->to[i][0]);
}

/* What is nearest to 0 of what remains: without a statement a clock is taken to be right. */
static s64 nearest(const struct bounds_paths *p, unsigned int i)
{
	if (p->to[0][i] < 0)
		return p->to[0][i];
	return p->to[i][0] < 0 ? -p->to[i][0] : 0;
}

static void bounds_place(struct bounds_paths *p, unsigned int i, s64 shift_ns)
{
	p->to[0][i] = shift_ns;
	p->to[i][0] = -shift_ns;
}

/*
 * Places all hosts, so that one shift remains for each. Hosts that bound each other at both sides are a group. The
 * first of a group is moved as little as what is placed already allows; that is host 0 at first, which stays. The
 * others of the group are put into the middles of what then remains.
 */
static void bounds_place_all(struct bounds_paths *p, unsigned int nr_hosts)
{
	const struct bounds_paths said = *p;
	bool is_placed[NODES_MAX] = {};
	unsigned int i, k;

	for (i = 0; i < nr_hosts; i++) {
		if (is_placed[i])
			continue;
		bounds_place(p, i, nearest(p, i));
		find_paths(p);
		for (k = i; k < nr_hosts; k++)
			if (said.to[i][k] != NONE && said.to[k][i] != NONE) {
				bounds_place(p, k, middle(p, k));
				is_placed[k] = true;
			}
		find_paths(p);
	}
}

void lkst_clock_bounds_solve(const struct lkst_clock_bounds *b, struct lkst_clock_bound *ret_bounds,
			     struct lkst_clock_bounds_fit *ret_fit)
{
	struct bounds_paths paths;
	unsigned int i;

	*ret_fit = (struct lkst_clock_bounds_fit){};
	if (!bounds_try(b, true, 0, &paths)) {
		ret_fit->clocks_are_wrong = true;
		if (!bounds_try(b, false, 0, &paths)) {
			ret_fit->conflict_ns = (u64)find_slack(b, &paths);
			/* The clocks may fit messages that are off by as much. */
			ret_fit->clocks_are_wrong =
				!bounds_try(b, true, (s64)ret_fit->conflict_ns, &paths);
			if (ret_fit->clocks_are_wrong)
				bounds_try(b, false, (s64)ret_fit->conflict_ns, &paths);
		}
	}
	for (i = 0; i < b->nr; i++) {
		ret_bounds[i] = (struct lkst_clock_bound){ .is_bounded = is_bounded(&paths, i) };
		if (ret_bounds[i].is_bounded)
			ret_bounds[i].error_ns =
				(u64)(paths.to[0][i] + paths.to[i][0] + 1) / 2;
	}
	bounds_place_all(&paths, b->nr);
	for (i = 0; i < b->nr; i++)
		ret_bounds[i].shift_ns = middle(&paths, i);
}
