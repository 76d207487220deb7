/* SPDX-License-Identifier: GPL-2.0-only */
/* Where threads ran, by the ticks of their CPUs: in their programs or in which system call, and in which function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/tick_names.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "trace/format/catalog.h"

enum { PLACES_MAX = 1 << 18 };

/* Where a thread of a name was. Without holes: a key is made of it. */
struct ticks_which {
	char comm[16];
	u32 function;
	s16 call;
	u8 where, may_be_over;
};

struct ticks_place {
	u64 key;
	struct ticks_which is;
	u64 nr;
};

/* A thread's ticks. */
struct counts {
	u64 nr, nr_program, nr_calls, nr_softirq;
};

struct ticks {
	struct lkst_analysis_state work;
	struct lkst_tick_names *names;
	struct lkst_hash places; /* struct place */
	struct counts *threads;	 /* by life */
	u32 nr_threads;
	u64 nr, nr_beyond; /* all; of them those whose place has no room */
};

/* ---- the pass -------------------------------------------------------------------------------- */

/* The place of that kind, made if there is none. NULL: there is no room, or *@err no memory. */
static struct ticks_place *ticks_place_of(struct ticks *t, const struct ticks_which *which, int *err)
{
	u64 key = lkst_xxh64(which, sizeof(*which)) & (INT64_MAX >> 1);
	struct ticks_place *place;

	for (; (place = lkst_hash_find(&t->places, key, sizeof(*place))); key++)
		if (!memcmp(&place->is, which, sizeof(*which)))
			return place;
	if (t->places.nr >= PLACES_MAX)
		return NULL;
	*err = lkst_hash_reserve(&t->places, sizeof(*place));
	if (*err)
		return NULL;
	place = lkst_hash_add(&t->places, key, sizeof(*place));
	place->is = *which;
	return place;
}

static int count_place(struct ticks *t, const struct lkst_record *r, const struct lkst_rec_tick *record,
		       const struct lkst_thread_life *life)
{
	const struct lkst_tick_doing doing = lkst_tick_doing_of(record->where, record->flags, record->call);
	const s64 function = lkst_tick_names_function(t->names, r, record, life->pid ?: life->tid);
	struct ticks_which which = { .call = doing.call, .where = doing.where, .may_be_over = doing.may_be_over };
	struct ticks_place *place;
	int err = 0;

	if (function < 0)
		return (int)function;
	which.function = (u32)function;
	memcpy(which.comm, life->comm, strnlen(life->comm, sizeof(which.comm)));
	place = ticks_place_of(t, &which, &err);
	if (place)
		place->nr++;
	else if (!err)
		t->nr_beyond++;
	return err;
}

static int ticks_on_tick(void *ctx, const struct lkst_record *r, const void *record)
{
	struct ticks *t = ctx;
	const struct lkst_rec_tick *tick = record;
	const struct lkst_tally_options *which = &t->work.options->which;
	const struct lkst_thread_life *life = lkst_model_life_of(t->work.state, r->tid, r->cpu);
	struct counts *counts;

	if (!life) {
		t->work.left_out.nr[LKST_LEFT_OUT_NO_THREAD]++;
		return 0;
	}
	if ((which->has_cpu && which->cpu != r->cpu) || !lkst_analysis_chooses(&t->work, life))
		return 0;
	counts = lkst_vec_reach(t->threads, t->nr_threads, life->nr);
	if (!counts)
		return -ENOMEM;
	t->nr++;
	counts->nr++;
	counts->nr_program += tick->where == LKST_WHERE_USER;
	counts->nr_calls += tick->where == LKST_WHERE_CALL;
	counts->nr_softirq += tick->where == LKST_WHERE_SOFTIRQ;
	return count_place(t, r, tick, life);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static double ticks_share(u64 part, u64 all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static const struct lkst_column place_columns[] = {
	{ "share", "share", LKST_COLUMN_PERCENT, "of all ticks" },
	{ "samples", "ticks", LKST_COLUMN_COUNT, "how many" },
	{ "comm", "thread", LKST_COLUMN_TEXT, "the name of the threads that ran" },
	{ "doing", "in", LKST_COLUMN_TEXT,
	  "what they did: their program, a system call, or else" },
	{ "function", "function", LKST_COLUMN_TEXT,
	  "the function that was interrupted, if its name is known" },
	{ "where", "of", LKST_COLUMN_TEXT,
	  "whose code it is: kernel, or the file of a program or library; neither is known of a program that had "
	  "ended when the trace was written, or ran shortly" },
};

static void put_function(const struct ticks *t, struct lkst_table *table, u32 function)
{
	const struct lkst_frame_name *name =
		function == LKST_TICK_NO_FUNCTION ? NULL : lkst_tick_names_at(t->names, function);

	if (name && lkst_tick_is_named(name))
		lkst_table_str(table, name->text);
	else
		lkst_table_none(table);
	if (name)
		lkst_table_str(table, name->where);
	else
		lkst_table_none(table);
}

static int put_places(const struct ticks *t, struct lkst_tables *set)
{
	struct lkst_table *table = lkst_tables_add(set, "ticks", "Where threads ran", place_columns,
						   sizeof(place_columns) / sizeof(place_columns[0]));
	const bool is_arm64 = lkst_catalog_is_arm64(lkst_trace_catalog(lkst_feed_trace(t->work.feed)));
	const struct ticks_place *place;
	char text[LKST_TICK_TEXT];
	u32 i = 0;

	if (!table)
		return -ENOMEM;
	while ((place = lkst_hash_next(&t->places, &i, sizeof(*place)))) {
		const struct ticks_which *is = &place->is;

		lkst_tick_put(&(struct lkst_tick_doing){ is->where, is->may_be_over, is->call }, is_arm64, text);
		lkst_table_row(table);
		lkst_table_double(table, ticks_share(place->nr, t->nr));
		lkst_table_u64(table, place->nr);
		lkst_table_text(table, is->comm, strnlen(is->comm, sizeof(is->comm)));
		lkst_table_str(table, text);
		put_function(t, table, is->function);
	}
	if (t->nr_beyond)
		lkst_notes_add(&table->notes, "%llu ticks are not shown: there are too many different ones.",
			       (unsigned long long)t->nr_beyond);
	/* Equal ones in an order that does not change from run to run. */
	lkst_table_sort(table, 4, false);
	lkst_table_sort(table, 3, false);
	lkst_table_sort(table, 2, false);
	lkst_table_sort(table, 1, true);
	return table->error;
}

static const struct lkst_column thread_columns[] = {
	{ "comm", "thread", LKST_COLUMN_TEXT, "the thread's name" },
	{ "tid", "tid", LKST_COLUMN_TID, "its number" },
	{ "pid", "pid", LKST_COLUMN_PID, "its process" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of all ticks" },
	{ "samples", "ticks", LKST_COLUMN_COUNT, "how many" },
	{ "program", "program", LKST_COLUMN_PERCENT, "of these in its program" },
	{ "calls", "calls", LKST_COLUMN_PERCENT, "in system calls" },
	{ "softirqs", "softirqs", LKST_COLUMN_PERCENT, "in softirqs, which need not be its doing" },
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that its cgroup's path shows" },
	{ "cgroup", "cgroup", LKST_COLUMN_TEXT, "the cgroup that it was in" },
};

static int ticks_put_threads(const struct ticks *t, struct lkst_tables *set)
{
	struct lkst_table *table = lkst_tables_add(set, "ticks_threads", "Their threads", thread_columns,
						   sizeof(thread_columns) / sizeof(thread_columns[0]));
	u32 nr;

	if (!table)
		return -ENOMEM;
	for (nr = 0; nr < t->nr_threads; nr++) {
		const struct lkst_thread_life *life = lkst_model_life(t->work.state, nr);
		const struct counts *counts = &t->threads[nr];

		if (!counts->nr)
			continue;
		lkst_table_row(table);
		lkst_table_text(table, life->comm, strnlen(life->comm, sizeof(life->comm)));
		lkst_table_s64(table, life->tid);
		if (life->pid)
			lkst_table_s64(table, life->pid);
		else
			lkst_table_none(table);
		lkst_table_double(table, ticks_share(counts->nr, t->nr));
		lkst_table_u64(table, counts->nr);
		lkst_table_double(table, ticks_share(counts->nr_program, counts->nr));
		lkst_table_double(table, ticks_share(counts->nr_calls, counts->nr));
		lkst_table_double(table, ticks_share(counts->nr_softirq, counts->nr));
		lkst_analysis_put_cgroup(&t->work, table, lkst_model_cgroup(t->work.state, life));
	}
	lkst_table_sort(table, 1, false);
	lkst_table_sort(table, 4, true);
	return table->error;
}

static int ticks_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct ticks *t = (const struct ticks *)w;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list; `lkst print --event tick` does.");
		return 0;
	}
	return put_places(t, set) ?: ticks_put_threads(t, set);
}

static int ticks_begin(struct lkst_analysis_state *w)
{
	struct ticks *t = (struct ticks *)w;
	struct lkst_err e;
	int err = 0;
	bool has = lkst_analysis_want(w, LKST_EV_tick, ticks_on_tick, &err);

	if (err < 0 || !has)
		return err;
	err = lkst_tick_names_new(&e, w->feed, w->symbols, w->options->namer, &t->names);
	return err ?: 1;
}

static void ticks_fini(struct lkst_analysis_state *w)
{
	struct ticks *t = (struct ticks *)w;

	lkst_tick_names_free(t->names);
	lkst_hash_fini(&t->places);
	free(t->threads);
}

const struct lkst_analysis lkst_analysis_ticks = {
	.name = "ticks",
	.title = "Where threads ran",
	.help = "where threads ran, by the ticks of their CPUs: program, system call, function",
	.measures = "what each tick of a CPU that is not idle has interrupted: by the name of the thread, what it "
		    "did, and the function; shares are of all ticks, and few ticks prove little",
	.events = "tick sched_*",
	.needs_state = true,
	.has_shares = true,
	.ignores = LKST_IGNORES_KEY,
	.size = sizeof(struct ticks),
	.begin = ticks_begin,
	.end = ticks_end,
	.fini = ticks_fini,
};
