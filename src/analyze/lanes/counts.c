/* SPDX-License-Identifier: GPL-2.0-only */
/* What is counted along the time. */
#include "analyze/lanes/counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/vec.h"

enum {
	KIND_SHIFT = 56, /* in the key of a place */
	MINOR_BITS = 20, /* of the kernel's device numbers */
	RECEIVE = 1,	 /* the lowest bit of netsize's keys */
	WHOLE = 65535,	 /* of a share */
	ORDER_MAX = 40,	 /* of an allocation that makes sense: a kernel's is 10 or so */
};

const char *const lkst_count_units[LKST_NR_COUNTS] = {
	[LKST_COUNT_READY] = "threads",	  [LKST_COUNT_ON_DISK] = "threads",
	[LKST_COUNT_ON_LOCK] = "threads", [LKST_COUNT_PAGES] = "pages",
	[LKST_COUNT_DISK] = "requests",	  [LKST_COUNT_RECEIVE] = "bytes/s",
	[LKST_COUNT_SEND] = "bytes/s",	  [LKST_COUNT_QUEUE] = "threads",
};

const char *const lkst_count_groups[LKST_NR_COUNTS] = {
	[LKST_COUNT_DISK] = "disks",
	[LKST_COUNT_RECEIVE] = "interfaces",
	[LKST_COUNT_SEND] = "interfaces",
	[LKST_COUNT_QUEUE] = "run queues",
};

void lkst_counts_fini(struct lkst_counts *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		lkst_curve_fini(&c->list[i].curve);
	for (i = 0; i <= LKST_COUNT_PAGES; i++)
		free(c->steps[i]);
	free(c->list);
	for (i = 0; i < LKST_NR_COUNTS; i++)
		lkst_slices_fini(&c->gaps[i]);
	lkst_map_fini(&c->places);
	*c = (struct lkst_counts){};
}

/* ---- during the pass ---------------------------------------------------------------------------- */

/* Adds to the curve of @kind and @number, which is made if it is not there. */
static int counts_put(struct lkst_counts *c, enum lkst_count_kind kind, u32 number, u64 ns, u64 value)
{
	u64 key = (u64)kind << KIND_SHIFT | number;
	const u64 *place = lkst_map_find(&c->places, key);
	struct lkst_count *count = place ? &c->list[*place] : NULL;
	int err;

	if (!count) {
		err = lkst_map_set(&c->places, key, c->nr);
		if (err)
			return err == -ENOSPC ? 0 : err;
		count = lkst_vec_add(c->list, c->nr);
		if (!count)
			return -ENOMEM;
		count->kind = (u8)kind;
		count->number = number;
		count->curve.is_rate = kind == LKST_COUNT_RECEIVE || kind == LKST_COUNT_SEND;
	}
	return lkst_curve_add(&count->curve, ns, value);
}

int lkst_counts_change(void *arg, const struct lkst_analysis *analysis, u64 key, u64 ns, u64 value)
{
	if (analysis == &lkst_analysis_bioqueue)
		return counts_put(arg, LKST_COUNT_DISK, (u32)key, ns, value);
	if (analysis == &lkst_analysis_netsize)
		return counts_put(arg, key & RECEIVE ? LKST_COUNT_RECEIVE : LKST_COUNT_SEND,
				  (u32)(key >> 1), ns, value);
	if (analysis == &lkst_analysis_runqueue)
		return counts_put(arg, LKST_COUNT_QUEUE, (u32)key, ns, value);
	return 0;
}

static int counts_add_step(struct lkst_counts *c, enum lkst_count_kind kind, u64 ns, s64 by)
{
	struct lkst_count_step *step = lkst_vec_add(c->steps[kind], c->nr_steps[kind]);

	if (!step)
		return -ENOMEM;
	*step = (struct lkst_count_step){ ns, by };
	return 0;
}

int lkst_counts_state(struct lkst_counts *c, u8 state, u64 from_ns, u64 to_ns)
{
	enum lkst_count_kind kind = state == LKST_LANE_READY  ? LKST_COUNT_READY
				    : state == LKST_LANE_DISK ? LKST_COUNT_ON_DISK
							      : LKST_COUNT_ON_LOCK;

	if (state != LKST_LANE_READY && state != LKST_LANE_DISK && state != LKST_LANE_LOCK)
		return 0;
	return counts_add_step(c, kind, from_ns, 1) ?: counts_add_step(c, kind, to_ns, -1);
}

static s64 pages(u32 order)
{
	return order <= ORDER_MAX ? 1LL << order : 0;
}

static int counts_on_page_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	return counts_add_step(ctx, LKST_COUNT_PAGES, r->ns, pages(x->order));
}

static int counts_on_page_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_free *x = record;

	return counts_add_step(ctx, LKST_COUNT_PAGES, r->ns, -pages(x->order));
}

int lkst_counts_subscribe(struct lkst_counts *c, struct lkst_feed *f)
{
	int err = lkst_feed_event(f, LKST_EV_mm_page_alloc, counts_on_page_alloc, c);

	if (err >= 0)
		err = lkst_feed_event(f, LKST_EV_mm_page_free, counts_on_page_free, c);
	return err < 0 ? err : 0;
}

/* ---- after the pass ----------------------------------------------------------------------------- */

static int compare_steps(const void *a, const void *b)
{
	const struct lkst_count_step *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* How much below zero the sum of the steps gets. */
static s64 counts_least(const struct lkst_count_step *steps, u32 nr)
{
	s64 sum = 0, min = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		sum += steps[i].by;
		min = sum < min ? sum : min;
	}
	return min;
}

/* Adds up the steps of a kind, in order of time. */
static int counts_add_up(struct lkst_counts *c, enum lkst_count_kind kind, u64 begin_ns)
{
	struct lkst_count_step *steps = c->steps[kind];
	u32 nr = c->nr_steps[kind], i;
	s64 sum;
	int err;

	if (!nr)
		return 0;
	qsort(steps, nr, sizeof(*steps), compare_steps);
	sum = kind == LKST_COUNT_PAGES ? -counts_least(steps, nr) : 0;
	err = counts_put(c, kind, 0, begin_ns, (u64)sum);
	for (i = 0; i < nr && !err; i++) {
		sum += steps[i].by;
		/* Those at the same time are one step. */
		if (i + 1 == nr || steps[i + 1].ns != steps[i].ns)
			err = counts_put(c, kind, 0, steps[i].ns, (u64)sum);
	}
	free(steps);
	c->steps[kind] = NULL;
	c->nr_steps[kind] = 0;
	return err;
}

static int counts_compare_gaps(const void *a, const void *b)
{
	const struct lkst_slice *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* What the numbers of a kind rest on that the cost limit may leave out; NULL: nothing. */
static const char *const events[LKST_NR_COUNTS] = {
	[LKST_COUNT_ON_DISK] = "block_rq_complete",
	[LKST_COUNT_ON_LOCK] = "contention_*",
	[LKST_COUNT_PAGES] = "mm_page_alloc mm_page_free",
	[LKST_COUNT_DISK] = "block_rq_*",
	[LKST_COUNT_RECEIVE] = "netif_receive_skb",
	[LKST_COUNT_SEND] = "net_dev_queue",
	[LKST_COUNT_QUEUE] = "sched_wakeup sched_wakeup_new",
};

/* Times of which nothing is known, in any order. */
struct unknown {
	struct lkst_slice *list;
	u32 nr;
	const struct lkst_limited *limited;
	bool wants[LKST_EVENT_SPACE];
};

static int add_unknown(struct unknown *u, u64 from_ns, u64 to_ns)
{
	struct lkst_slice *slice = lkst_vec_add(u->list, u->nr);

	if (!slice)
		return -ENOMEM;
	*slice = (struct lkst_slice){ .from_ns = from_ns,
				      .to_ns = to_ns,
				      .life = LKST_LIFE_NONE,
				      .state = LKST_LANE_UNKNOWN };
	return 0;
}

static int counts_add_limited(void *ctx, const struct lkst_limited_time *time)
{
	struct unknown *u = ctx;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (u->wants[id] && lkst_limited_has(u->limited, time->nr, id))
			return add_unknown(u, time->from_ns, time->to_ns);
	return 0;
}

/* Makes one list of all that is not known of the numbers of @kind. */
static int unite_gaps(struct lkst_counts *c, enum lkst_count_kind kind, const struct lkst_gaps *gaps,
		      const struct lkst_limited *limited, u64 end_ns)
{
	struct unknown u = { .limited = limited };
	u32 i;
	int err = 0;

	for (i = 0; i < gaps->nr && !err; i++) {
		const struct lkst_gap *gap = lkst_gaps_at(gaps, i);

		if (gap->buffer != LKST_BUFFER_LIFE)
			err = add_unknown(&u, gap->from_ns, gap->to_ns);
	}
	if (!err && events[kind]) {
		lkst_limited_match(limited, events[kind], u.wants);
		err = lkst_limited_each(limited, 0, end_ns, counts_add_limited, &u);
	}
	if (u.nr)
		qsort(u.list, u.nr, sizeof(*u.list), counts_compare_gaps);
	for (i = 0; i < u.nr && !err; i++)
		err = lkst_slices_add(&c->gaps[kind], u.list[i]);
	free(u.list);
	return err ?: lkst_slices_index(&c->gaps[kind]);
}

static void counts_name(struct lkst_count *count, const struct lkst_labels *labels)
{
	enum lkst_label_kind kind =
		count->kind == LKST_COUNT_DISK ? LKST_LABEL_DISK : LKST_LABEL_NETDEV;
	const char *label = lkst_labels_find(labels, kind, count->number);
	static const char *const names[] = {
		[LKST_COUNT_READY] = "ready threads",
		[LKST_COUNT_ON_DISK] = "threads waiting for disks",
		[LKST_COUNT_ON_LOCK] = "threads waiting for locks",
		[LKST_COUNT_PAGES] = "allocated pages",
	};
	char text[LKST_LABEL_TEXT];

	if (label)
		snprintf(text, sizeof(text), "%s", label);
	else if (kind == LKST_LABEL_DISK)
		snprintf(text, sizeof(text), "%u,%u", count->number >> MINOR_BITS,
			 count->number & ((1 << MINOR_BITS) - 1));
	else
		snprintf(text, sizeof(text), "interface%u", count->number);
	if (count->kind <= LKST_COUNT_PAGES)
		snprintf(count->name, sizeof(count->name), "%s", names[count->kind]);
	else if (count->kind == LKST_COUNT_QUEUE)
		snprintf(count->name, sizeof(count->name), "run queue %u", count->number);
	else
		snprintf(count->name, sizeof(count->name), "%s%s", text,
			 count->kind == LKST_COUNT_DISK	     ? " requests"
			 : count->kind == LKST_COUNT_RECEIVE ? " receive"
							     : " send");
}

/* A disk's level before its first record is none that the trace knows of. */
static int begin_with(struct lkst_curve *curve, u64 begin_ns, u64 value)
{
	struct lkst_curve result = {};
	u32 i;
	int err = lkst_curve_add(&result, begin_ns, value);

	for (i = 0; i < curve->nr && !err; i++)
		err = lkst_curve_add(&result, curve->list[i].ns, curve->list[i].value);
	free(curve->list);
	curve->list = result.list;
	curve->nr = result.nr;
	return err;
}

static int compare_counts(const void *a, const void *b)
{
	const struct lkst_count *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int lkst_counts_end(struct lkst_counts *c, const struct lkst_labels *labels,
		    const struct lkst_gaps *gaps, const struct lkst_limited *limited, u64 begin_ns, u64 end_ns)
{
	u32 i;
	int err = 0;

	for (i = 0; i < LKST_NR_COUNTS && !err; i++)
		err = unite_gaps(c, (enum lkst_count_kind)i, gaps, limited, end_ns);
	for (i = 0; i <= LKST_COUNT_PAGES && !err; i++)
		err = counts_add_up(c, (enum lkst_count_kind)i, begin_ns);
	for (i = 0; i < c->nr && !err; i++) {
		struct lkst_count *count = &c->list[i];

		counts_name(count, labels);
		if (count->kind == LKST_COUNT_DISK)
			err = begin_with(&count->curve, begin_ns, 0);
		err = err ?: lkst_curve_forget(&count->curve, &c->gaps[count->kind]);
		err = err ?: lkst_curve_index(&count->curve, end_ns);
	}
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), compare_counts);
	return err;
}

int lkst_count_columns(const struct lkst_counts *c, u32 i, s64 from_ns, s64 to_ns, u32 nr,
		       struct lkst_curve_column *ret_columns)
{
	const struct lkst_curve *curve = &c->list[i].curve;
	const struct lkst_slices *gaps = &c->gaps[c->list[i].kind];
	struct lkst_shares *missing;
	u32 k;

	lkst_curve_columns(curve, from_ns, to_ns, nr, ret_columns);
	if (!curve->is_rate || !gaps->nr)
		return 0;
	missing = calloc(nr, sizeof(*missing));
	if (!missing)
		return -ENOMEM;
	lkst_slices_shares(gaps, from_ns, to_ns, nr, missing);
	for (k = 0; k < nr; k++) {
		struct lkst_curve_column *column = &ret_columns[k];

		column->known = 1 - (double)missing[k].of[LKST_LANE_UNKNOWN] / WHOLE;
		if (column->known > 0)
			column->min = column->max = column->mean /= column->known;
		else
			*column = (struct lkst_curve_column){};
	}
	free(missing);
	return 0;
}
