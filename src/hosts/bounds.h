/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the clocks of several hosts are apart, from statements of two kinds: a clock is right to so much, and a
 * message was not received before it was sent. Each bounds the difference of two unknown numbers; what they bound
 * together is a problem of shortest paths.
 */
#ifndef LKST_HOSTS_BOUNDS_H
#define LKST_HOSTS_BOUNDS_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/cleanup.h"

enum { LKST_HOSTS_MAX = 64 };

/* What is known of one host's clock, against that of host 0. */
struct lkst_clock_bound {
	s64 shift_ns;	 /* what is to be added to its time of day */
	u64 error_ns;	 /* that is right to so much, if is_bounded */
	bool is_bounded; /* false: nothing says how far it may be off */
};

/* How the statements fit together. */
struct lkst_clock_bounds_fit {
	bool clocks_are_wrong; /* messages say that a clock is off by more than it may be: only messages count */
	u64 conflict_ns; /* messages contradict each other, by so much at least; 0: they do not */
};

struct lkst_clock_bounds;

/* Of @nr_hosts, at most LKST_HOSTS_MAX. NULL: no memory. */
struct lkst_clock_bounds *lkst_clock_bounds_new(unsigned int nr_hosts);
void lkst_clock_bounds_free(struct lkst_clock_bounds *b);
LKST_GUARD(lkst_clock_bounds_free, struct lkst_clock_bounds)

/* The time of day of @host is off by at most @error_ns. */
void lkst_clock_bounds_clock(struct lkst_clock_bounds *b, unsigned int host, u64 error_ns);

/* The clock of @a is that of @b: the same machine has recorded both. */
void lkst_clock_bounds_same(struct lkst_clock_bounds *b, unsigned int host, unsigned int other);

/* A message that host @from sent at @sent_ns by its time of day was received by @to at @received_ns of its own. */
void lkst_clock_bounds_message(struct lkst_clock_bounds *b, unsigned int from, unsigned int to,
			       u64 sent_ns, u64 received_ns);

/*
 * Fills @ret_bounds, one for each host. Where both sides are bounded the shift is in the middle, which errs least at
 * worst; where one is, the clock is moved as little as the messages ask for.
 */
void lkst_clock_bounds_solve(const struct lkst_clock_bounds *b, struct lkst_clock_bound *ret_bounds,
			     struct lkst_clock_bounds_fit *ret_fit);

#endif
