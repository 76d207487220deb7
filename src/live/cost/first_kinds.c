/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording with a cost limit begins with. */
#include "live/cost/first_kinds.h"

#include <stddef.h>

enum {
	PPM = 1000000,
	TOO_CHEAP = 64, /* a kind that costs less than this part of the limit stays, as while recording goes on */
};

/* What a CPU's runs say. */
struct cpu {
	const bool *is_wanted;
	const struct lkst_idle *runs;
	u64 ns;
	u32 limit_ppm;
};

/* What recording @k would take of the time, ns; runs for what is not wanted cost what they cost. */
static u64 first_kinds_cost_of(const struct cpu *c, const struct lkst_kind *k)
{
	u64 sum = 0;
	unsigned int half;

	for (half = 0; half < 2; half++) {
		u16 id = k->id[half] & LKST_ID_MAX;

		if (id)
			sum += c->runs->runs[id] * (c->is_wanted[id] ? k->unit_ns : k->idle_ns);
	}
	return sum;
}

static bool first_kinds_is_wanted(const struct cpu *c, const struct lkst_kind *k)
{
	return (k->id[0] && c->is_wanted[k->id[0] & LKST_ID_MAX]) ||
	       (k->id[1] && c->is_wanted[k->id[1] & LKST_ID_MAX]);
}

/* The share of a CPU's time that @ns more of work take of it: what makes the records gets less of it then. */
static u32 share_of(const struct cpu *c, u64 ns)
{
	return (u32)((double)ns * PPM / ((double)c->ns + (double)ns));
}

/* Of the least valuable kinds that cost enough the most expensive. NULL: there is none. */
static struct lkst_kind *find_most_expensive(const struct cpu *c, struct lkst_kind *kinds, u32 nr)
{
	struct lkst_kind *best = NULL;
	u64 best_ns = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct lkst_kind *k = &kinds[i];
		u64 ns = first_kinds_cost_of(c, k);

		if (k->value == LKST_KIND_PRECIOUS || k->begins_out || !first_kinds_is_wanted(c, k) ||
		    share_of(c, ns) < c->limit_ppm / TOO_CHEAP)
			continue;
		if (best && (k->value > best->value || (k->value == best->value && ns <= best_ns)))
			continue;
		best = k;
		best_ns = ns;
	}
	return best;
}

/* What is not left out yet, ns. */
static u64 first_kinds_rest_of(const struct cpu *c, const struct lkst_kind *kinds, u32 nr)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (!kinds[i].begins_out)
			sum += first_kinds_cost_of(c, &kinds[i]);
	return sum;
}

void lkst_first_kinds_choose(struct lkst_kind *kinds, u32 nr_kinds, const bool *wanted,
			     const struct lkst_idle *runs, u32 nr_cpus, u64 ns, u32 limit_ppm)
{
	u32 i;

	for (i = 0; i < nr_cpus && ns; i++) {
		const struct cpu c = { wanted, &runs[i], ns, limit_ppm };
		u64 rest = first_kinds_rest_of(&c, kinds, nr_kinds);
		struct lkst_kind *k;

		if (share_of(&c, rest) <= limit_ppm)
			continue;
		while (share_of(&c, rest) > limit_ppm - limit_ppm / 5 &&
		       (k = find_most_expensive(&c, kinds, nr_kinds))) {
			k->begins_out = true;
			k->ppm = share_of(&c, first_kinds_cost_of(&c, k));
			rest -= first_kinds_cost_of(&c, k);
		}
	}
}
