/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects what an analysis measures, and makes tables of it. */
#include "analyze/engine/tally.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

enum {
	NAME_MAX_LENGTH = 96,
};

#define OTHERS LKST_HASH_NONE /* the key of what was too many */

void lkst_tally_init(struct lkst_tally *t, const struct lkst_tally_config *config,
		     const struct lkst_tally_options *options, const struct lkst_threads *threads)
{
	*t = (struct lkst_tally){ .config = *config, .options = options, .threads = threads };
	t->has_filter = lkst_tally_chooses_threads(options) || options->has_cpu;
}

void lkst_tally_fini(struct lkst_tally *t)
{
	u32 i;

	for (i = 0; i < t->nr_keys; i++)
		lkst_hist_fini(&t->keys[i].histogram);
	lkst_hist_fini(&t->own_total);
	free(t->keys);
	lkst_hash_fini(&t->places);
	*t = (struct lkst_tally){ 0 };
}

/* ---- keys ------------------------------------------------------------------------------------ */

void lkst_put_key(char text[LKST_KEY_TEXT], const char *key, size_t length)
{
	size_t i;

	for (i = 0; i < length && i < LKST_KEY_TEXT - 1 && key[i]; i++)
		text[i] = isgraph((unsigned char)key[i]) ? key[i] : '_';
	if (!i)
		text[i++] = '?';
	text[i] = 0;
}

/* Where a key is in `keys`. */
struct tally_place {
	u64 key;
	u32 index;
};

static bool tally_is_wanted(const struct lkst_tally *t, u64 key, const char *text)
{
	const struct lkst_tally_config *c = &t->config;
	char *end;
	s64 number;

	if (!t->options->key || !fnmatch(t->options->key, text, 0))
		return true;
	if (!c->key_number)
		return false;
	number = strtoll(t->options->key, &end, 10);
	return end > t->options->key && !*end && number >= 0 &&
	       c->key_number(c->ctx, key) == number;
}

static s64 tally_add_key(struct lkst_tally *t, u64 key)
{
	struct lkst_tally_key *k;
	struct tally_place *place;

	if (lkst_hash_reserve(&t->places, sizeof(*place)))
		return -ENOMEM;
	k = lkst_vec_add(t->keys, t->nr_keys);
	if (!k)
		return -ENOMEM;
	k->key = key;
	t->last = t->nr_keys - 1;
	if (key == OTHERS) {
		snprintf(k->text, sizeof(k->text), "others");
		t->others = t->nr_keys;
	} else {
		t->config.put_key(t->config.ctx, key, k->text);
		place = lkst_hash_add(&t->places, key, sizeof(*place));
		place->index = t->last;
	}
	k->is_wanted = tally_is_wanted(t, key, k->text);
	return t->last;
}

s64 lkst_tally_find_key(struct lkst_tally *t, u64 key)
{
	struct tally_place *place;

	if (key == OTHERS && t->others)
		return t->last = t->others - 1;
	place = lkst_hash_find(&t->places, key, sizeof(*place));
	if (place)
		return t->last = place->index;
	if (t->nr_keys >= LKST_TALLY_KEYS_MAX - 1 && key != OTHERS)
		return lkst_tally_find_key(t, OTHERS);
	return tally_add_key(t, key);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* False: it is not known, and @comm is empty. */
static bool comm_of(const struct lkst_tally *t, s32 tid, char comm[16])
{
	const struct lkst_thread *thread = lkst_threads_find(t->threads, tid);

	memset(comm, 0, 16);
	if (thread)
		memcpy(comm, thread->comm, 16);
	return thread && thread->has_comm;
}

bool lkst_tally_passes(const struct lkst_tally *t, s32 tid, u32 cpu)
{
	const struct lkst_tally_options *w = t->options;
	char comm[17] = "";

	if ((w->has_tid && w->tid != tid) || (w->has_cpu && w->cpu != cpu))
		return false;
	if (w->has_pid && lkst_threads_pid_of(t->threads, tid) != w->pid)
		return false;
	if (w->cgroup && !lkst_cgroups_match(lkst_threads_cgroups(t->threads),
					     lkst_threads_cgroup_of(t->threads, tid), w->cgroup))
		return false;
	if (!w->comm)
		return true;
	return comm_of(t, tid, comm) && !fnmatch(w->comm, comm, 0);
}

static void keep_worst(struct lkst_tally *t, const struct lkst_tally_value *v)
{
	u32 i = t->nr_worst < LKST_TALLY_WORST ? t->nr_worst++ : LKST_TALLY_WORST - 1;

	/* Among equal values the first stays in front. */
	for (; i && t->worst[i - 1].value < v->value; i--)
		t->worst[i] = t->worst[i - 1];
	t->worst[i] = *v;
	if (t->nr_worst == LKST_TALLY_WORST)
		t->worst_floor = t->worst[LKST_TALLY_WORST - 1].value;
}

static int list_value(struct lkst_tally *t, const struct lkst_tally_value *v)
{
	struct lkst_table *list = t->list;

	lkst_table_row(list);
	lkst_table_str(list, t->keys[v->key].text);
	lkst_table_s64(list, v->tid);
	lkst_table_u64(list, v->start_ns);
	lkst_table_u64(list, v->value);
	lkst_table_s64(list, v->cpu);
	lkst_table_text(list, v->comm, strnlen(v->comm, sizeof(v->comm)));
	return list->error;
}

static void along_add(struct lkst_along *a, u64 start_ns, u64 value)
{
	u64 i = start_ns >= a->begin_ns ? (start_ns - a->begin_ns) / a->step_ns : a->nr;
	struct lkst_along_stretch *s;

	if (i >= a->nr)
		return;
	s = &a->stretches[i];
	s->nr++;
	s->sum += (double)value;
	s->max = value > s->max ? value : s->max;
}

int lkst_tally_add_slow(struct lkst_tally *t, u32 key, u64 value, u64 weight, u64 start_ns, s32 tid,
			u32 cpu)
{
	struct lkst_tally_value v = {
		.start_ns = start_ns, .value = value, .tid = tid, .cpu = cpu, .key = key
	};
	bool is_worst = t->nr_worst < LKST_TALLY_WORST || value > t->worst_floor;
	int err;

	if (t->has_filter && !lkst_tally_passes(t, tid, cpu))
		return 0;
	if (t->along)
		along_add(t->along, start_ns, value);
	err = lkst_hist_add(&t->keys[key].histogram, value, weight);
	if (!err && t->each)
		err = t->each(t->each_arg, t, key, value, start_ns, tid);
	if (err || (!is_worst && !t->list))
		return err;
	comm_of(t, tid, v.comm);
	if (is_worst)
		keep_worst(t, &v);
	return t->list ? list_value(t, &v) : 0;
}

int lkst_tally_list(struct lkst_tally *t, u32 key, u64 value, u64 start_ns, s32 tid, u32 cpu)
{
	struct lkst_tally_value v = {
		.start_ns = start_ns, .value = value, .tid = tid, .cpu = cpu, .key = key
	};

	comm_of(t, tid, v.comm);
	return list_value(t, &v);
}

int lkst_tally_leave_out(struct lkst_tally *t, enum lkst_left_out why, u64 key, s32 tid, u32 cpu)
{
	s64 i = lkst_tally_key(t, key);

	if (i < 0)
		return (int)i;
	if (!t->keys[i].is_wanted || (t->has_filter && !lkst_tally_passes(t, tid, cpu)))
		return 0;
	t->keys[i].nr_crossing += why == LKST_LEFT_OUT_GAP;
	t->left_out.nr[why]++;
	return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The columns of the totals and of the table by key, for values of each type. */
#define COLUMNS(type)                                                                              \
	{                                                                                          \
		{ "key", "key", LKST_COLUMN_TEXT, "what the values belong to" },                   \
			{ "count", "count", LKST_COLUMN_COUNT, "how many values" },                \
			{ "share", "share", LKST_COLUMN_PERCENT, "of the total of all keys" },     \
			{ "total", "total", LKST_COLUMN_##type, "sum of the values" },             \
			{ "mean", "mean", LKST_COLUMN_##type, "mean value" },                      \
			{ "p50", "p50", LKST_COLUMN_##type,                                        \
			  "half of the values are at or below" },                                  \
			{ "p95", "p95", LKST_COLUMN_##type,                                        \
			  "95 % of the values are at or below" },                                  \
			{ "p99", "p99", LKST_COLUMN_##type,                                        \
			  "99 % of the values are at or below" },                                  \
			{ "p99_9", "p99.9", LKST_COLUMN_##type,                                    \
			  "99.9 % of the values are at or below" },                                \
			{ "max", "max", LKST_COLUMN_##type, "greatest value" },                    \
			{ "crossing", "in gaps", LKST_COLUMN_COUNT,                                \
			  "intervals that cross a gap: not counted" },                             \
	}
enum { NR_COLUMNS = 11 };

/* For numbers whose sum says nothing; the second form is weighted by time. */
#define LEVEL_COLUMNS(weight, title)                                                               \
	{                                                                                          \
		{ "key", "key", LKST_COLUMN_TEXT, "what the values belong to" },                   \
			{ title, title, LKST_COLUMN_##weight,                                      \
			  "how many values, or for how long" },                                    \
			{ "share", "share", LKST_COLUMN_PERCENT, "of all keys" },                  \
			{ "mean", "mean", LKST_COLUMN_RATIO, "mean value" },                       \
			{ "p50", "p50", LKST_COLUMN_COUNT, "half of the values are at or below" }, \
			{ "p95", "p95", LKST_COLUMN_COUNT, "95 % of the values are at or below" }, \
			{ "p99", "p99", LKST_COLUMN_COUNT, "99 % of the values are at or below" }, \
			{ "p99_9", "p99.9", LKST_COLUMN_COUNT,                                     \
			  "99.9 % of the values are at or below" },                                \
			{ "max", "max", LKST_COLUMN_COUNT, "greatest value" },                     \
	}
enum { NR_LEVEL_COLUMNS = 9 };

static const struct lkst_column duration_columns[] = COLUMNS(DURATION);
static const struct lkst_column size_columns[] = COLUMNS(BYTES);
static const struct lkst_column level_columns[] = LEVEL_COLUMNS(COUNT, "count");
static const struct lkst_column weighted_columns[] = LEVEL_COLUMNS(DURATION, "time");
_Static_assert(sizeof(size_columns) / sizeof(size_columns[0]) == NR_COLUMNS, "");
_Static_assert(sizeof(level_columns) / sizeof(level_columns[0]) == NR_LEVEL_COLUMNS, "");

#define WORST_COLUMNS(type)                                                                        \
	{                                                                                          \
		{ "value", "value", LKST_COLUMN_##type, "the value" },                             \
			{ "time", "when", LKST_COLUMN_TIME, "when it began" },                     \
			{ "tid", "thread", LKST_COLUMN_TID, "the thread" },                        \
			{ "comm", "name", LKST_COLUMN_TEXT, "its name then" },                     \
			{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU where it began" },               \
			{ "key", "key", LKST_COLUMN_TEXT, "what the value belongs to" },           \
	}
enum { NR_WORST_COLUMNS = 6 };
static const struct lkst_column worst_durations[] = WORST_COLUMNS(DURATION);
static const struct lkst_column worst_sizes[] = WORST_COLUMNS(BYTES);
static const struct lkst_column worst_levels[] = WORST_COLUMNS(COUNT);

/* gnuplot's "using 3:4" is time and value, as it was for lkstla. */
#define LIST_COLUMNS(name, type, help)                                                             \
	{                                                                                          \
		{ "key", "key", LKST_COLUMN_TEXT, "what the value belongs to" },                   \
			{ "tid", "tid", LKST_COLUMN_TID, "the thread" },                           \
			{ "start", "start", LKST_COLUMN_CLOCK, "when it began" },                  \
			{ name, name, LKST_COLUMN_##type, help },                                  \
			{ "cpu", "cpu", LKST_COLUMN_CPU, "the CPU where it began" },               \
			{ "comm", "comm", LKST_COLUMN_TEXT, "the thread's name then" },            \
	}
enum { NR_LIST_COLUMNS = 6 };
static const struct lkst_column list_durations[] =
	LIST_COLUMNS("elapsed", SECONDS, "how long it took, in seconds");
static const struct lkst_column list_values[] = LIST_COLUMNS("value", COUNT, "how much");

void lkst_tally_init_list(const struct lkst_tally *t, struct lkst_table *table)
{
	lkst_table_init(table, t->config.name, t->config.title,
			t->config.type == LKST_COLUMN_DURATION ? list_durations : list_values,
			NR_LIST_COLUMNS);
}

/* Adds <name><suffix>, titled "<title>: <what>". */
static struct lkst_table *tally_add_table(const struct lkst_tally *t, struct lkst_tables *set,
					  const char *suffix, const char *what,
					  const struct lkst_column *columns, unsigned int nr_columns)
{
	char name[NAME_MAX_LENGTH], title[NAME_MAX_LENGTH];

	snprintf(name, sizeof(name), "%s%s", t->config.name, suffix);
	snprintf(title, sizeof(title), "%s: %s", t->config.title, what);
	return lkst_tables_add(set, name, title, columns, nr_columns);
}

static bool is_level(const struct lkst_tally *t)
{
	return t->config.type == LKST_COLUMN_COUNT;
}

static struct lkst_table *add_statistics(const struct lkst_tally *t, struct lkst_tables *set,
					 const char *suffix, const char *what)
{
	if (is_level(t))
		return tally_add_table(t, set, suffix, what,
				       t->config.is_weighted ? weighted_columns : level_columns,
				       NR_LEVEL_COLUMNS);
	return tally_add_table(t, set, suffix, what,
			       t->config.type == LKST_COLUMN_DURATION ? duration_columns : size_columns,
			       NR_COLUMNS);
}

static void tally_put_row(const struct lkst_tally *t, struct lkst_table *table, const char *key,
			  const struct lkst_hist *h, const struct lkst_hist *all, u64 nr_crossing)
{
	bool is_by_sum = !is_level(t) || t->config.has_own_total;
	double part = is_by_sum ? (double)h->sum : (double)h->count;
	double whole = is_by_sum ? (double)all->sum : (double)all->count;

	lkst_table_row(table);
	lkst_table_str(table, key);
	lkst_table_u64(table, h->count);
	if (whole > 0)
		lkst_table_double(table, 100 * part / whole);
	else
		lkst_table_none(table);
	if (is_level(t)) {
		lkst_table_double(table, lkst_hist_mean(h));
	} else {
		lkst_table_u64(table, lkst_hist_sum(h));
		lkst_table_u64(table, lkst_hist_rounded_mean(h));
	}
	lkst_table_u64(table, lkst_hist_quantile(h, 0.5));
	lkst_table_u64(table, lkst_hist_quantile(h, 0.95));
	lkst_table_u64(table, lkst_hist_quantile(h, 0.99));
	lkst_table_u64(table, lkst_hist_quantile(h, 0.999));
	lkst_table_u64(table, h->max);
	if (!is_level(t))
		lkst_table_u64(table, nr_crossing);
}

int lkst_tally_total(const struct lkst_tally *t, struct lkst_hist *ret_total)
{
	*ret_total = (struct lkst_hist){ 0 };
	struct lkst_hist total = { 0 };
	u32 i;

	if (t->config.has_own_total)
		return lkst_hist_merge(ret_total, &t->own_total);
	for (i = 0; i < t->nr_keys; i++) {
		if (lkst_hist_merge(&total, &t->keys[i].histogram)) {
			lkst_hist_fini(&total);
			return -ENOMEM;
		}
	}
	*ret_total = total;
	return 0;
}

void lkst_left_out_put(const struct lkst_left_out_counts *c, struct lkst_table *t)
{
	static const struct {
		const char *name, *text;
	} reasons[] = {
#define R(reason, name, text) { name, text },
		LKST_LEFT_OUT_REASONS(R)
#undef R
	};
	unsigned int i;

	for (i = 0; i < LKST_NR_LEFT_OUT; i++)
		lkst_table_leave_out(t, reasons[i].name, reasons[i].text, c->nr[i]);
}

static int total_table(const struct lkst_tally *t, struct lkst_tables *set,
		       const struct lkst_hist *all)
{
	struct lkst_table *table = add_statistics(t, set, "_total", "all");
	u64 nr_crossing = t->left_out.nr[LKST_LEFT_OUT_GAP];

	if (!table)
		return -ENOMEM;
	if (all->count || nr_crossing)
		tally_put_row(t, table, t->config.all ? t->config.all : "all", all, all, nr_crossing);
	lkst_left_out_put(&t->left_out, table);
	return table->error;
}

static int key_table(const struct lkst_tally *t, struct lkst_tables *set,
		     const struct lkst_hist *all)
{
	struct lkst_table *table = add_statistics(t, set, "", "by key");
	u32 i;

	if (!table)
		return -ENOMEM;
	for (i = 0; i < t->nr_keys; i++) {
		const struct lkst_tally_key *k = &t->keys[i];

		if (k->histogram.count || k->nr_crossing)
			tally_put_row(t, table, k->text, &k->histogram, all, k->nr_crossing);
	}
	/* By the sum, or where that says nothing by key. */
	if (is_level(t))
		lkst_table_sort(table, 0, false);
	else
		lkst_table_sort(table, (unsigned int)lkst_table_column(table, "total"), true);
	return table->error;
}

static int worst_table(const struct lkst_tally *t, struct lkst_tables *set)
{
	const struct lkst_column *columns = t->config.type == LKST_COLUMN_DURATION ? worst_durations
					    : t->config.type == LKST_COLUMN_BYTES  ? worst_sizes
										   : worst_levels;
	struct lkst_table *table =
		tally_add_table(t, set, "_worst", "the greatest", columns, NR_WORST_COLUMNS);
	u32 i;

	if (!table)
		return -ENOMEM;
	for (i = 0; i < t->nr_worst; i++) {
		const struct lkst_tally_value *v = &t->worst[i];

		lkst_table_row(table);
		lkst_table_u64(table, v->value);
		lkst_table_u64(table, v->start_ns);
		lkst_table_s64(table, v->tid);
		lkst_table_text(table, v->comm, strnlen(v->comm, sizeof(v->comm)));
		lkst_table_s64(table, v->cpu);
		lkst_table_str(table, t->keys[v->key].text);
	}
	return table->error;
}

static int histogram_table(const struct lkst_tally *t, struct lkst_tables *set,
			   const struct lkst_hist *all)
{
	char name[NAME_MAX_LENGTH], title[NAME_MAX_LENGTH];

	snprintf(name, sizeof(name), "%s_histogram", t->config.name);
	snprintf(title, sizeof(title), "%s: how often", t->config.title);
	return lkst_hist_table(all, set, name, title, t->config.type);
}

int lkst_tally_tables(struct lkst_tally *t, struct lkst_tables *set)
{
	struct lkst_hist all;
	u32 i;
	int err;

	if (t->config.is_silent)
		return 0;
	for (i = 0; t->config.is_late && i < t->nr_keys; i++)
		if (t->keys[i].key != OTHERS)
			t->config.put_key(t->config.ctx, t->keys[i].key, t->keys[i].text);
	err = lkst_tally_total(t, &all);
	if (err)
		return err;
	err = total_table(t, set, &all);
	if (!err && all.count)
		err = histogram_table(t, set, &all);
	if (!err && (all.count || t->left_out.nr[LKST_LEFT_OUT_GAP]))
		err = key_table(t, set, &all);
	if (!err && t->nr_worst)
		err = worst_table(t, set);
	lkst_hist_fini(&all);
	return err;
}
