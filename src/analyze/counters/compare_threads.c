/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches of threads, compared with what the kernel has counted of each. */
#include "analyze/counters/compare_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/read/ends.h"
#include "trace/read/state_walk.h"

enum {
	THREADS_MAX = 1 << 20,
	/* At each reading the thread may be between what is counted and what is recorded. */
	BETWEEN = 1,
	WHY_ROOM = 96,
};

struct value {
	u64 value, from_ns, to_ns;
};

/* Two readings of a thread; when finished, all of its pairs in one. */
struct compare_threads_thread {
	struct lkst_thread_row row;
	struct value first, last;
	u32 nr;	       /* pairs */
	bool is_other; /* its number was given to another thread meanwhile */
};

struct lkst_threads_check {
	struct compare_threads_thread *list; /* by number and time; when finished by what is missing */
	u32 nr;
	struct compare_threads_thread
		was; /* the reading before, if it has no partner yet, and the stream of state that it is in */
	u64 instance;
	u64 left_out;
	u64 goes_on_ns; /* after it records are in the next part */
	char why_not[WHY_ROOM];
	const struct lkst_field_class *child; /* of task_newtask */
};

static u64 compare_threads_field(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static int compare_threads_add(struct lkst_threads_check *c, const struct compare_threads_thread *thread)
{
	struct compare_threads_thread *added = c->nr < THREADS_MAX ? lkst_vec_add(c->list, c->nr) : NULL;

	if (!added)
		return -ENOMEM;
	*added = *thread;
	return 0;
}

/* A line of number 0: how many threads were not read, or why none can be compared. */
static void compare_threads_take_note(struct lkst_threads_check *c, u64 nr, const u8 *text, u32 length)
{
	if (nr > c->left_out)
		c->left_out = nr;
	if (!nr && text && !c->why_not[0])
		memcpy(c->why_not, text, length < WHY_ROOM ? length : WHY_ROOM - 1);
}

/* Keeps a pair, if all records of its time are in the trace. */
static int compare_threads_keep(struct lkst_threads_check *c, const struct compare_threads_thread *t)
{
	const char *why = lkst_trace_goes_on_text();

	if (t->last.value < t->first.value)
		return 0;
	if (t->last.to_ns <= c->goes_on_ns)
		return compare_threads_add(c, t);
	compare_threads_take_note(c, 0, (const u8 *)why, (u32)strlen(why) + 1);
	return 0;
}

/* Takes a reading of a thread. The two of a pair are next to each other. */
static int take_reading(struct lkst_threads_check *c, const struct lkst_record *r)
{
	const struct lkst_field_class *name = lkst_class_field(r->event, "name");
	struct compare_threads_thread t = { .row.tid = (s32)compare_threads_field(r, "number"),
					    .first = { compare_threads_field(r, "value"),
						       compare_threads_field(r, "from"),
						       compare_threads_field(r, "to") },
					    .nr = 1 };
	struct compare_threads_thread *was = &c->was;
	const u8 *text;
	u32 length = 0;

	if (compare_threads_field(r, "kind") != LKST_COUNTER_THREAD || t.first.from_ns > t.first.to_ns)
		return 0;
	text = name ? lkst_record_field(r, (u16)(name - r->event->fields), &length) : NULL;
	if (!t.row.tid) {
		compare_threads_take_note(c, t.first.value, text, length);
		return 0;
	}
	if (text)
		memcpy(t.row.comm, text,
		       length < sizeof(t.row.comm) ? length : sizeof(t.row.comm) - 1);
	if (was->row.tid != t.row.tid || t.first.from_ns <= was->first.from_ns) {
		*was = t;
		return 0;
	}
	t.last = t.first;
	t.first = was->first;
	/* Records after the trace's end but before the last reading count like its own. */
	t.row.least = compare_threads_field(r, "after_least");
	t.row.most = compare_threads_field(r, "after_most");
	was->row.tid = 0;
	return compare_threads_keep(c, &t);
}

static int compare_threads_take(struct lkst_err *e, void *ctx, const struct lkst_block *block,
				const struct lkst_record *r)
{
	struct lkst_threads_check *c = ctx;

	/* Both readings of a pair are in one stream. */
	if (block->instance != c->instance)
		c->was.row.tid = 0;
	c->instance = block->instance;
	return r->event->index == LKST_EV_state_counter ? take_reading(c, r) : 0;
}

static int compare_threads_by_tid(const void *a, const void *b)
{
	const struct compare_threads_thread *x = a, *y = b;

	return (x->row.tid > y->row.tid) - (x->row.tid < y->row.tid);
}

static int compare_threads_by_time(const void *a, const void *b)
{
	const struct compare_threads_thread *x = a, *y = b;
	int order = compare_threads_by_tid(a, b);

	return order ? order
		     : (x->first.from_ns > y->first.from_ns) - (x->first.from_ns < y->first.from_ns);
}

/* Sorts the pairs. If pairs overlap, as those of snapshots may, the later ones are left out. */
static void compare_threads_sort(struct lkst_threads_check *c)
{
	u32 i, nr = 0;

	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), compare_threads_by_time);
	for (i = 0; i < c->nr; i++)
		if (!nr || compare_threads_by_tid(&c->list[nr - 1], &c->list[i]) ||
		    c->list[nr - 1].last.to_ns < c->list[i].first.from_ns)
			c->list[nr++] = c->list[i];
	c->nr = nr;
}

int lkst_threads_check_new(struct lkst_err *e, struct lkst_trace *t,
			   struct lkst_threads_check **ret_check)
{
	_cleanup_(lkst_threads_check_freep) struct lkst_threads_check *c = calloc(1, sizeof(*c));
	const struct lkst_event_class *newtask =
		lkst_catalog_find(lkst_trace_catalog(t), "task_newtask");
	int err = -ENOMEM;

	if (c) {
		c->goes_on_ns = lkst_trace_goes_on_ns(t);
		err = lkst_state_walk(NULL, t, compare_threads_take, c, NULL);
	}
	if (err)
		return lkst_err_sys(e, err, "comparing threads with what the kernel has counted");
	compare_threads_sort(c);
	c->child = newtask ? lkst_class_field(newtask, "child_tid") : NULL;
	*ret_check = lkst_take(c);
	return 0;
}

void lkst_threads_check_free(struct lkst_threads_check *c)
{
	if (c)
		free(c->list);
	free(c);
}

/* The pair of thread @tid in whose time @ns is; NULL: there is none. */
static struct compare_threads_thread *compare_threads_find(const struct lkst_threads_check *c, s32 tid, u64 ns)
{
	const struct compare_threads_thread *list = c->list;
	size_t nr_before = lkst_lower_bound(i, c->nr,
					    list[i].row.tid < tid ||
						    (list[i].row.tid == tid && list[i].first.from_ns <= ns));
	struct compare_threads_thread *t = nr_before ? &c->list[nr_before - 1] : NULL;

	return t && t->row.tid == tid && ns <= t->last.to_ns ? t : NULL;
}

void lkst_threads_check_feed(struct lkst_threads_check *c, const struct lkst_record *r)
{
	struct compare_threads_thread *t = NULL;

	if (r->event->index == LKST_EV_sched_switch) {
		t = compare_threads_find(c, r->tid, r->ns);
		if (t) {
			t->row.least += r->ns >= t->first.to_ns && r->ns <= t->last.from_ns;
			t->row.most++;
		}
	} else if (c->child && r->event->index == LKST_EV_task_newtask) {
		t = compare_threads_find(c, (s32)lkst_record_int(r, c->child), r->ns);
		if (t)
			t->is_other = true;
	}
}

static int by_missing(const void *a, const void *b)
{
	const struct compare_threads_thread *x = a, *y = b;

	if (x->row.missing != y->row.missing)
		return x->row.missing > y->row.missing ? -1 : 1;
	return compare_threads_by_tid(a, b);
}

/* Makes one of all pairs of a thread. */
static void compare_threads_unite(struct lkst_threads_check *c)
{
	u32 i, nr = 0;

	for (i = 0; i < c->nr; i++) {
		struct compare_threads_thread *t = &c->list[i], *was = nr ? &c->list[nr - 1] : NULL;

		if (t->is_other)
			continue;
		t->row.kernel = t->last.value - t->first.value;
		if (!was || was->row.tid != t->row.tid) {
			c->list[nr++] = *t;
			continue;
		}
		was->row.kernel += t->row.kernel;
		was->row.least += t->row.least;
		was->row.most += t->row.most;
		was->nr++;
	}
	c->nr = nr;
}

void lkst_threads_check_finish(struct lkst_threads_check *c)
{
	u32 i;

	compare_threads_unite(c);
	for (i = 0; i < c->nr; i++) {
		struct compare_threads_thread *t = &c->list[i];

		if (t->row.kernel > t->row.most + (u64)BETWEEN * t->nr)
			t->row.missing = t->row.kernel - t->row.most;
	}
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_missing);
}

unsigned int lkst_threads_check_nr(const struct lkst_threads_check *c)
{
	return c->nr;
}

const struct lkst_thread_row *lkst_threads_check_row(const struct lkst_threads_check *c,
						     unsigned int i)
{
	return &c->list[i].row;
}

u64 lkst_threads_check_left_out(const struct lkst_threads_check *c)
{
	return c->left_out;
}

const char *lkst_threads_check_why_not(const struct lkst_threads_check *c)
{
	if (c->why_not[0])
		return c->why_not;
	return c->nr ? NULL : "the trace has no readings of them";
}
