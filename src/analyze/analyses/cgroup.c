/* SPDX-License-Identifier: GPL-2.0-only */
/* What the threads of each cgroup do with their time, so of each container and service. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "base/map.h"
#include "base/vec.h"

enum { CGROUPS_MAX = 1 << 16 }; /* that are distinguished; all others are one */

/* The time of the threads while they were in a cgroup. */
struct cgroup_times {
	u64 id; /* 0: it is not known which; OTHERS: those that are too many */
	u64 running_ns, ready_ns, blocked_ns;
	u64 nr_waits, nr_threads;
};

#define OTHERS LKST_HASH_NONE /* no cgroup has this number */

struct cgroup {
	struct lkst_analysis_state work;
	struct cgroup_times *times;
	u32 nr_times;
	struct lkst_map places; /* by id */
	u32 others;		/* the place of OTHERS, plus 1; 0: there is none */
	u32 *last;		/* by life: the place in which it was counted last, plus 1 */
	u32 nr_last;
};

static struct cgroup_times *cgroup_add(struct cgroup *c, u64 id)
{
	struct cgroup_times *t = lkst_vec_add(c->times, c->nr_times);

	if (t)
		*t = (struct cgroup_times){ .id = id };
	return t;
}

static struct cgroup_times *add_others(struct cgroup *c)
{
	if (c->others)
		return &c->times[c->others - 1];
	c->others = c->nr_times + 1;
	return cgroup_add(c, OTHERS);
}

/* NULL: there is no memory. */
static struct cgroup_times *cgroup_find(struct cgroup *c, u64 id)
{
	const u64 *place = lkst_map_find(&c->places, id);
	int err;

	if (place)
		return &c->times[*place];
	err = lkst_map_set(&c->places, id, c->nr_times);
	if (err)
		return err == -ENOSPC ? add_others(c) : NULL;
	return cgroup_add(c, id);
}

static int cgroup_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct cgroup *c = ctx;
	const u64 ns = i->to_ns - i->from_ns;
	struct cgroup_times *t;
	u32 *last, place;
	u64 id;

	if (i->life->idle_cpu >= 0 || i->run == LKST_RUN_UNKNOWN || i->run == LKST_RUN_DEAD ||
	    !lkst_analysis_chooses(&c->work, i->life))
		return 0;
	id = lkst_model_cgroup(c->work.state, i->life);
	t = cgroup_find(c, id == LKST_HASH_NONE ? 0 : id);
	last = t ? lkst_vec_reach(c->last, c->nr_last, i->life->nr) : NULL;
	if (!last)
		return -ENOMEM;
	place = (u32)(t - c->times) + 1;
	t->nr_threads += *last != place;
	*last = place;
	if (i->run == LKST_RUN_RUNNING)
		t->running_ns += ns;
	else if (i->run == LKST_RUN_READY)
		t->ready_ns += ns;
	else if (i->run == LKST_RUN_BLOCKED)
		t->blocked_ns += ns;
	t->nr_waits += i->run == LKST_RUN_BLOCKED;
	return 0;
}

static const struct lkst_column columns[] = {
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that the path shows" },
	{ "cgroup", "cgroup", LKST_COLUMN_TEXT, "the cgroup; none: it is not known" },
	{ "threads", "threads", LKST_COLUMN_COUNT,
	  "threads that were in it; one that comes back counts again" },
	{ "running", "running", LKST_COLUMN_DURATION, "on a CPU, all of them" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of the running time of all cgroups" },
	{ "ready", "ready", LKST_COLUMN_DURATION, "waiting for a CPU" },
	{ "blocked", "blocked", LKST_COLUMN_DURATION, "waiting for something else" },
	{ "waits", "waits", LKST_COLUMN_COUNT, "how often one waited for something" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int cgroup_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct cgroup *c = (const struct cgroup *)w;
	struct lkst_table *table;
	u64 all_ns = 0;
	u32 i;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "cgroup", "Cgroups", columns, NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < c->nr_times; i++)
		all_ns += c->times[i].running_ns;
	for (i = 0; i < c->nr_times; i++) {
		const struct cgroup_times *t = &c->times[i];

		lkst_table_row(table);
		if (t->id == OTHERS) {
			lkst_table_none(table);
			lkst_table_str(table, "others");
		} else {
			lkst_analysis_put_cgroup(w, table, t->id);
		}
		lkst_table_u64(table, t->nr_threads);
		lkst_table_u64(table, t->running_ns);
		if (all_ns)
			lkst_table_double(table, 100.0 * (double)t->running_ns / (double)all_ns);
		else
			lkst_table_none(table);
		lkst_table_u64(table, t->ready_ns);
		lkst_table_u64(table, t->blocked_ns);
		lkst_table_u64(table, t->nr_waits);
	}
	if (!lkst_cgroups_nr(lkst_model_cgroups(w->state)))
		lkst_notes_add(&table->notes,
			       "The trace does not say which cgroups threads were in: it is of an "
			       "earlier version, or of a machine without cgroups.");
	if (c->others)
		lkst_notes_add(
			&table->notes,
			"Threads were in more than %d cgroups. The first %d are distinguished, and "
			"the rest is counted together as \"others\".",
			CGROUPS_MAX, CGROUPS_MAX);
	lkst_table_sort(table, (unsigned int)lkst_table_column(table, "running"), true);
	return table->error;
}

static const struct lkst_model_calls calls = { .interval = cgroup_on_interval };

static int cgroup_begin(struct lkst_analysis_state *w)
{
	int err;

	((struct cgroup *)w)->places.max = CGROUPS_MAX;
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch);
}

static void cgroup_fini(struct lkst_analysis_state *w)
{
	struct cgroup *c = (struct cgroup *)w;

	free(c->times);
	free(c->last);
	lkst_map_fini(&c->places);
}

const struct lkst_analysis lkst_analysis_cgroup = {
	.name = "cgroup",
	.title = "Cgroups",
	.help = "how long the threads of each cgroup, container or service run and wait",
	.measures =
		"the state model's intervals (doc/states.md), by the cgroup that the thread was in at their end",
	.events =
		"sched_* cgroup_* and for what they wait on, syscall_* page_fault_* contention_* block_rq_*",
	.needs_state = true,
	.rests_on_model = true,
	.exact = "share",
	.ignores = LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct cgroup),
	.begin = cgroup_begin,
	.end = cgroup_end,
	.fini = cgroup_fini,
};
