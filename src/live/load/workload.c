/* SPDX-License-Identifier: GPL-2.0-only */
/* What events cost in the load that runs now. */
#include "live/load/workload.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "live/load/hook_groups.h"

enum {
	RUNS_MIN = 200, /* of a group, for a mean of its own */
};

/* ---- groups ----------------------------------------------------------------------------------- */

/*
 * Hooks of one program, as those of all tracepoints that were chosen by name, are of one group, for the account is the
 * program's. It is read by the first of them.
 */
static void join_programs(const struct lkst_hooks *hooks, struct lkst_workload *l)
{
	_cleanup_free_ u32 *id = calloc(hooks->nr + 1, sizeof(*id));
	_cleanup_free_ u32 *first = calloc(hooks->nr + 1, sizeof(*first));
	u32 nr = 0, i, j;

	for (i = 0; id && first && i < hooks->nr; i++) {
		u32 program = hooks->items[i].is_attached
				      ? lkst_run_time_program(hooks->items[i].program_fd)
				      : 0;

		if (!program)
			continue;
		for (j = 0; j < nr && id[j] != program; j++)
			;
		if (j == nr) {
			id[nr] = program;
			first[nr++] = i;
			l->is_read[i] = true;
		}
		l->leader[lkst_hook_leader(l->leader, i)] = lkst_hook_leader(l->leader, first[j]);
	}
}

static void join(const struct lkst_hooks *hooks, const struct lkst_kind_desc *kinds,
		 unsigned int nr_kinds, struct lkst_workload *l)
{
	u32 i;

	for (i = 0; i < hooks->nr; i++)
		l->leader[i] = i < hooks->nr_default ? i : hooks->items[i].base;
	for (i = 0; i < nr_kinds; i++)
		lkst_hook_join(hooks, kinds[i].id, l->leader);
	join_programs(hooks, l);
}

/* That of kind @k; NULL: no hook serves it. */
static struct lkst_workload_group *group_of(const struct lkst_workload *l, const struct lkst_hooks *hooks,
					const struct lkst_kind_desc *k)
{
	u32 first = lkst_hook_first(hooks, k->id);

	return first ? &l->group[lkst_hook_leader(l->leader, first - 1)] : NULL;
}

/* ---- the account ------------------------------------------------------------------------------ */

static void read_programs(const struct lkst_hooks *hooks, struct lkst_workload *l, bool is_end)
{
	u32 i;

	for (i = 0; i < l->nr_hooks; i++) {
		struct lkst_workload_group *g = &l->group[lkst_hook_leader(l->leader, i)];

		if (l->is_read[i])
			lkst_run_time_add(hooks->items[i].program_fd,
					  is_end ? &g->took : &g->before);
	}
}

int lkst_workload_begin(struct lkst_err *e, const struct lkst_hooks *hooks,
		    const struct lkst_kind_desc *kinds, unsigned int nr_kinds,
		    struct lkst_workload *ret)
{
	struct lkst_workload l = {
		.fd = -1,
		.leader = calloc(hooks->nr + 1, sizeof(*l.leader)),
		.is_read = calloc(hooks->nr + 1, sizeof(*l.is_read)),
		.group = calloc(hooks->nr + 1, sizeof(*l.group)),
		.nr_hooks = hooks->nr,
		.factor = 1,
	};

	if (!l.leader || !l.is_read || !l.group) {
		lkst_workload_fini(&l);
		return lkst_err_sys(e, -ENOMEM, "looking at what events cost");
	}
	join(hooks, kinds, nr_kinds, &l);
	l.fd = lkst_run_time_open();
	if (l.fd >= 0)
		read_programs(hooks, &l, false);
	*ret = l;
	return 0;
}

void lkst_workload_end(const struct lkst_hooks *hooks, struct lkst_workload *l)
{
	u32 i;

	if (l->fd < 0)
		return;
	read_programs(hooks, l, true);
	lkst_closep(&l->fd);
	l->fd = -1;
	for (i = 0; i < l->nr_hooks; i++) {
		struct lkst_workload_group *g = &l->group[i];

		g->took.runs -= g->before.runs;
		g->took.ns -= g->before.ns;
		l->runs += g->took.runs;
		l->ns += g->took.ns;
	}
}

/* ---- units ------------------------------------------------------------------------------------ */

void lkst_workload_add(struct lkst_workload *l, const struct lkst_hooks *hooks,
		   const struct lkst_kind_desc *k, const struct lkst_costs *costs, double records,
		   double idle_runs)
{
	struct lkst_workload_group *g = group_of(l, hooks, k);

	if (!g || !(g->took.runs > 0))
		return;
	/* What recording adds is inside of programs as well. */
	g->then_ns += (records + idle_runs) * (costs->account_ns - costs->clock_ns) +
		      records * k->unit.handler_ns;
}

/* What a group's programs took. */
static double took_ns(const struct lkst_workload_group *g, const struct lkst_costs *costs,
		      double own_share)
{
	return g->took.ns * own_share - g->took.runs * costs->clock_ns;
}

void lkst_workload_compare(struct lkst_workload *l, const struct lkst_costs *costs, double own_share)
{
	double took = 0, then = 0;
	u32 i;

	for (i = 0; i < l->nr_hooks; i++)
		if (l->group[i].then_ns > 0) {
			took += took_ns(&l->group[i], costs, own_share);
			then += l->group[i].then_ns;
		}
	l->is_known = then > 0 && took > 0;
	if (!l->is_known)
		return;
	l->factor = took / then;
	for (i = 0; i < l->nr_hooks; i++) {
		struct lkst_workload_group *g = &l->group[i];
		double ns = took_ns(g, costs, own_share);

		g->factor = g->then_ns > 0 && g->took.runs >= RUNS_MIN && ns > 0 ? ns / g->then_ns
										 : l->factor;
	}
}

void lkst_workload_scale(const struct lkst_workload *l, const struct lkst_hooks *hooks,
		     struct lkst_kind_desc *k)
{
	const struct lkst_workload_group *g = group_of(l, hooks, k);
	double factor = g ? g->factor : l->factor;

	if (!l->is_known)
		return;
	k->unit.hook_ns = k->unit.hook_ns * factor + 0.5;
	k->unit.handler_ns = k->unit.handler_ns * factor + 0.5;
}

void lkst_workload_fini(struct lkst_workload *l)
{
	lkst_closep(&l->fd);
	l->fd = -1;
	free(lkst_take(l->leader));
	free(lkst_take(l->is_read));
	free(lkst_take(l->group));
}
