/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cost limit left out of a second, as a row of figures. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/agent/ship.h"
#include "live/cost/cost_limit.h"

/* How much of the time from @from_ns to @to_ns kind @k was left out; @to_ns is about now. */
static u64 left_out_ns(const struct lkst_kind *k, u64 from_ns, u64 to_ns)
{
	const u64 all_ns = lkst_kind_shed_ns(k, to_ns);
	u64 ns = 0;

	/* `since_ns` is when it was left out, or, if it is not, when that ended. */
	if (k->is_shed)
		ns = to_ns - (k->since_ns > from_ns && k->since_ns < to_ns ? k->since_ns : from_ns);
	else if (k->since_ns > from_ns && k->since_ns < to_ns)
		ns = k->since_ns - from_ns;
	return ns < all_ns ? ns : all_ns;
}

static int ship_limited_by_value(const void *a, const void *b)
{
	const struct lkst_fleet_part *x = a, *y = b;

	return (x->value < y->value) - (x->value > y->value);
}

int lkst_ship_limited(const struct lkst_budget_view *v, u64 from_ns, u64 to_ns, struct lkst_fleet_figures *ret_figures)
{
	_cleanup_free_ struct lkst_fleet_part *all = calloc(v->page.nr_kinds + 1, sizeof(*all));
	struct lkst_fleet_figures f = { .measure = "limited" };
	u32 i, nr = 0;

	if (!all)
		return -ENOMEM;
	for (i = 0; v->kinds && i < v->page.nr_kinds; i++) {
		const u64 ns = left_out_ns(&v->kinds[i], from_ns, to_ns);

		if (ns)
			all[nr++] = (struct lkst_fleet_part){ v->kinds[i].name, ns };
	}
	if (nr)
		qsort(all, nr, sizeof(*all), ship_limited_by_value);
	f.n = nr;
	for (i = 0; i < nr; i++) {
		f.total += all[i].value;
		lkst_fleet_figures_add(&f, all[i].name, all[i].value);
	}
	f.worst = nr ? all[0].value : 0;
	*ret_figures = f;
	return 0;
}
