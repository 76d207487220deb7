/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects what an analysis measures: values (durations, sizes, lengths) by key, each with a moment
 * and a thread. Gives totals, quantiles and the greatest values as tables; or lists every value as it
 * comes. Memory is bounded by the number of keys.
 */
#ifndef LKST_ANALYZE_ENGINE_TALLY_H
#define LKST_ANALYZE_ENGINE_TALLY_H

#include "abi/types.h"
#include "analyze/engine/left_out.h"
#include "base/hash.h"
#include "result/hist.h"
#include "result/table.h"
#include "trace/known/threads.h"

enum {
	LKST_KEY_TEXT = 96,	     /* of a key, with its NUL */
	LKST_TALLY_WORST = 10,	     /* greatest values that are kept */
	LKST_TALLY_KEYS_MAX = 65536, /* further keys are counted under one, "others" */
};

/* What an analysis measures, along the time: of each of equal stretches how many values, their sum and the greatest. */
struct lkst_along_stretch {
	u64 nr;
	double sum;
	u64 max;
};

/*
 * The caller sets the first three, and the memory of the stretches, all zero. A value is of the stretch in which it
 * began, if that is one of them.
 */
struct lkst_along {
	u64 begin_ns,
		step_ns; /* stretch i: from begin_ns + i * step_ns until the next one begins */
	u32 nr;
	struct lkst_along_stretch *stretches;
	enum lkst_column_type type; /* of the values, which the analysis sets */
	char title[64];		    /* the same; empty: it has no values */
};

/* Which values count. All is borrowed; all zero: every one. */
struct lkst_tally_options {
	const char *key;  /* a shell pattern for the key's text, or its number; NULL: any */
	const char *comm; /* a shell pattern for the thread's name; NULL: any */
	const char *cgroup; /* for its cgroup's path, or its container; NULL: any */
	const char
		*span; /* for the name of a span that the thread has then, of analyses that heed it; NULL: any time */
	/* Of the waiting only what is in that time; the rest of the trace is read for what it was due to. 0: all. */
	u64 within_from_ns, within_to_ns;
	bool has_tid, has_pid, has_cpu;
	s32 tid, pid;
	u32 cpu;
};

/* Whether it is not about all threads. */
static inline bool lkst_tally_chooses_threads(const struct lkst_tally_options *which)
{
	return which->has_tid || which->has_pid || which->comm || which->cgroup;
}

struct lkst_tally_config {
	const char *name;	    /* of its tables, which are <name>, <name>_total and so on */
	const char *title;	    /* for people: "System call time" */
	const char *unit;	    /* what is counted: "calls" */
	enum lkst_column_type type; /* of the values: DURATION, BYTES or COUNT */
	bool is_weighted;	    /* values are weighted by how long they lasted: lkst_tally_add_for() */
	bool is_late;	/* texts of keys are asked for again at the end: names of threads change */
	bool is_silent; /* no tables: the analysis has its own */
	/* Values of all keys together are not values of one key: lkst_tally_add_total() adds them. */
	bool has_own_total;
	const char *all; /* the key of the row for all keys, NULL: "all" */
	/* The text of @key; keys with the same text are one. In @text, without blanks. */
	void (*put_key)(void *ctx, u64 key, char text[LKST_KEY_TEXT]);
	/* The number by which a user may ask for @key; NULL: it has none. */
	s64 (*key_number)(void *ctx, u64 key);
	void *ctx;
};

/* Puts @key, of at most @length bytes, into @text: blanks and control characters become '_'. Empty: "?". */
void lkst_put_key(char text[LKST_KEY_TEXT], const char *key, size_t length);

struct lkst_tally_key {
	u64 key;
	bool is_wanted;
	u64 nr_crossing;
	struct lkst_hist histogram;
	char text[LKST_KEY_TEXT];
};

/* A value, when and where. */
struct lkst_tally_value {
	u64 start_ns, value;
	s32 tid;
	u32 cpu, key; /* index */
	char comm[16];
};

/* Gets a value as it is counted, with the index of its key. 0 or a negative errno, which ends the pass. */
struct lkst_tally;
typedef int lkst_tally_each(void *arg, const struct lkst_tally *t, u32 key, u64 value, u64 start_ns,
			    s32 tid);

struct lkst_tally {
	struct lkst_tally_config config;
	const struct lkst_tally_options *options;
	const struct lkst_threads *threads;
	struct lkst_table *list; /* where every value goes, NULL: nowhere */
	struct lkst_along *along; /* the same, along the time */
	lkst_tally_each *each;	  /* the same, one by one; NULL: nobody wants them */
	void *each_arg;
	bool has_filter;	 /* by thread, name, cgroup or CPU */

	struct lkst_tally_key *keys;
	u32 nr_keys;
	struct lkst_hash places; /* of keys in `keys` */
	u32 others;		 /* the place of the key for those that are too many, plus 1; 0: there is none */
	u32 last; /* the key that was used last: often the next */

	struct lkst_tally_value worst[LKST_TALLY_WORST]; /* the greatest first */
	u32 nr_worst;
	u64 worst_floor; /* values must be above it once `worst` is full */
	struct lkst_left_out_counts left_out;
	struct lkst_hist own_total;
};

/* @config is copied, @options and @threads are borrowed. */
void lkst_tally_init(struct lkst_tally *t, const struct lkst_tally_config *config,
		     const struct lkst_tally_options *options, const struct lkst_threads *threads);
void lkst_tally_fini(struct lkst_tally *t);

/* Makes @table one for lkst_tally's list: key, thread, start, value and so on. */
void lkst_tally_init_list(const struct lkst_tally *t, struct lkst_table *table);

/* The index of @key, made if it was not there; negative: -ENOMEM. Slow: see lkst_tally_key(). */
s64 lkst_tally_find_key(struct lkst_tally *t, u64 key);

static inline s64 lkst_tally_key(struct lkst_tally *t, u64 key)
{
	if (t->last < t->nr_keys && t->keys[t->last].key == key)
		return t->last;
	return lkst_tally_find_key(t, key);
}

/* The rare part of counting a value: see lkst_tally_add(). */
int lkst_tally_add_slow(struct lkst_tally *t, u32 key, u64 value, u64 weight, u64 start_ns, s32 tid,
			u32 cpu);

/* Counts @value for @weight (ns that it lasted) at once. 0 or a negative errno. */
static inline int lkst_tally_add_for(struct lkst_tally *t, u64 key, u64 value, u64 weight,
				     u64 start_ns, s32 tid, u32 cpu)
{
	s64 i = lkst_tally_key(t, key);

	if (__builtin_expect(i < 0, 0))
		return (int)i;
	if (!t->keys[i].is_wanted)
		return 0;
	if (__builtin_expect(t->has_filter || t->list || t->along || t->each ||
				     value > t->worst_floor || t->nr_worst < LKST_TALLY_WORST,
			     0))
		return lkst_tally_add_slow(t, (u32)i, value, weight, start_ns, tid, cpu);
	return lkst_hist_add(&t->keys[i].histogram, value, weight);
}

static inline int lkst_tally_add(struct lkst_tally *t, u64 key, u64 value, u64 start_ns, s32 tid,
				 u32 cpu)
{
	return lkst_tally_add_for(t, key, value, 1, start_ns, tid, cpu);
}

/* Counts @value of all keys together for @weight; for a tally that has a total of its own. */
static inline int lkst_tally_add_total(struct lkst_tally *t, u64 value, u64 weight)
{
	return lkst_hist_add(&t->own_total, value, weight);
}

/* Whether the options choose this thread, name and CPU; the key is not looked at. */
bool lkst_tally_passes(const struct lkst_tally *t, s32 tid, u32 cpu);

/* A row of the list, of something that is not counted here. 0 or a negative errno. */
int lkst_tally_list(struct lkst_tally *t, u32 key, u64 value, u64 start_ns, s32 tid, u32 cpu);

/*
 * Counts an occurrence of @key that could not be measured, if it is among those that are asked for. 0 or
 * a negative errno.
 */
int lkst_tally_leave_out(struct lkst_tally *t, enum lkst_left_out why, u64 key, s32 tid, u32 cpu);

/* The same where nothing shows the key: it may be one that is asked for. */
static inline void lkst_tally_leave_out_any(struct lkst_tally *t, enum lkst_left_out why, s32 tid,
					    u32 cpu)
{
	if (!t->has_filter || lkst_tally_passes(t, tid, cpu))
		t->left_out.nr[why]++;
}

/* All values of all keys. Free it with lkst_hist_fini(). 0 or -ENOMEM. */
int lkst_tally_total(const struct lkst_tally *t, struct lkst_hist *ret_total);

/*
 * Adds the tables to @set: totals, histogram, by key, the greatest values; each has notes where there
 * is something to note. 0 or -ENOMEM.
 */
int lkst_tally_tables(struct lkst_tally *t, struct lkst_tables *set);

#endif
