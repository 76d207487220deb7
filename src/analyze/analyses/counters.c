/* SPDX-License-Identifier: GPL-2.0-only */
/* What was counted in the stretches in which threads ran: cycles, instructions, cache misses, page faults. */
#include <errno.h>

#include "abi/perf_counter.h"
#include "analyze/analyses/analysis.h"

enum {
	THREADS_MAX = 65536, /* further ones are counted under one row */
};

#define KEY_OTHERS (1ULL << 33) /* no thread's: lkst_analysis_thread_key() */

/* Of a thread. */
struct counted_thread {
	u64 key;
	s32 tid;
	u32 kinds; /* bit n: counter n was counted */
	u64 nr;
	u64 sums[LKST_NR_PERF_COUNTERS];
};

struct counters {
	struct lkst_analysis_state work;
	struct lkst_hash threads; /* struct counted_thread */
	u32 kinds;		  /* of all */
};

static struct counted_thread *counters_reach(struct counters *c, const struct lkst_record *r)
{
	u64 key = lkst_analysis_thread_key(r);
	struct counted_thread *t = lkst_hash_find(&c->threads, key, sizeof(*t));

	if (!t && c->threads.nr >= THREADS_MAX) {
		key = KEY_OTHERS;
		t = lkst_hash_find(&c->threads, key, sizeof(*t));
	}
	if (t)
		return t;
	if (lkst_hash_reserve(&c->threads, sizeof(*t)))
		return NULL;
	t = lkst_hash_add(&c->threads, key, sizeof(*t));
	t->tid = key == KEY_OTHERS ? -1 : r->tid;
	return t;
}

static bool counters_is_asked_for(const struct lkst_analysis_state *w, const struct lkst_record *r)
{
	const struct lkst_tally_options *which = &w->options->which;

	return (!which->has_tid || which->tid == r->tid) &&
	       (!which->has_pid || lkst_threads_pid_of(w->threads, r->tid) == which->pid) &&
	       (!which->has_cpu || which->cpu == r->cpu);
}

static int on_counters(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_perf_counters *x = record;
	const u8 kinds[] = { x->kind1, x->kind2, x->kind3, x->kind4 };
	const u64 values[] = { x->value1, x->value2, x->value3, x->value4 };
	struct counters *c = ctx;
	struct counted_thread *t;
	unsigned int i;

	if (!counters_is_asked_for(&c->work, r))
		return 0;
	t = counters_reach(c, r);
	if (!t)
		return -ENOMEM;
	t->nr++;
	for (i = 0; i < LKST_PERF_AT_ONCE; i++) {
		if (!kinds[i] || kinds[i] >= LKST_NR_PERF_COUNTERS)
			continue;
		t->sums[kinds[i]] += values[i];
		t->kinds |= 1U << kinds[i];
	}
	c->kinds |= t->kinds;
	return 0;
}

static const struct lkst_column columns[] = {
	{ "tid", "thread", LKST_COLUMN_TID,
	  "the thread; of idle threads, all in one row each CPU" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "count", "stretches", LKST_COLUMN_COUNT,
	  "stretches in which it ran, of which something was counted" },
#define P(number, id, name, type, config)                                                          \
	{ #id, name, LKST_COLUMN_COUNT, "counted in these, if it was counted" },
	LKST_PERF_COUNTERS(P)
#undef P
		{ "per_cycle", "per cycle", LKST_COLUMN_RATIO,
		  "instructions for each cycle, if both were counted" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void counters_put_thread(const struct counters *c, struct lkst_table *table,
				const struct counted_thread *t)
{
	const struct lkst_thread *thread =
		t->tid > 0 ? lkst_threads_find(c->work.threads, t->tid) : NULL;
	const u64 cycles = t->sums[LKST_PERF_cycles];
	unsigned int i;

	lkst_table_row(table);
	if (t->tid >= 0)
		lkst_table_s64(table, t->tid);
	else
		lkst_table_none(table);
	if (thread)
		lkst_table_text(table, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
	else
		lkst_table_str(table, t->tid < 0 ? "others" : t->tid ? "?" : "idle");
	lkst_table_u64(table, t->nr);
	for (i = 1; i < LKST_NR_PERF_COUNTERS; i++) {
		if (t->kinds & 1U << i)
			lkst_table_u64(table, t->sums[i]);
		else
			lkst_table_none(table);
	}
	if (cycles && t->kinds & 1U << LKST_PERF_instructions)
		lkst_table_double(table, (double)t->sums[LKST_PERF_instructions] / (double)cycles);
	else
		lkst_table_none(table);
}

static int counters_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct counters *c = (const struct counters *)w;
	const struct counted_thread *t;
	struct lkst_table *table;
	unsigned int first;
	u32 i = 0;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "counters", "Counted while threads ran", columns, NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	while ((t = lkst_hash_next(&c->threads, &i, sizeof(*t))))
		counters_put_thread(c, table, t);
	/* By the first that was counted; threads in order where that is the same. */
	lkst_table_sort(table, 0, false);
	for (first = 1; first < LKST_NR_PERF_COUNTERS && !(c->kinds & 1U << first); first++)
		;
	if (first < LKST_NR_PERF_COUNTERS)
		lkst_table_sort(table, 2 + first, true);
	return table->error;
}

static int counters_begin(struct lkst_analysis_state *w)
{
	int err = 0;
	bool has = lkst_analysis_want(w, LKST_EV_perf_counters, on_counters, &err);

	return err < 0 ? err : has;
}

static void counters_fini(struct lkst_analysis_state *w)
{
	lkst_hash_fini(&((struct counters *)w)->threads);
}

const struct lkst_analysis lkst_analysis_counters = {
	.name = "counters",
	.title = "Counters",
	.help = "what was counted while each thread ran, with --counters of lkst record and start",
	.measures = "what each record perf_counters says, summed by thread",
	.events = "perf_counters",
	.ignores = LKST_IGNORES_COMM | LKST_IGNORES_KEY,
	.size = sizeof(struct counters),
	.begin = counters_begin,
	.end = counters_end,
	.fini = counters_fini,
};
