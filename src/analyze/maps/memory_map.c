/* SPDX-License-Identifier: GPL-2.0-only */
/* Physical memory along the time of a trace: changes in order of time, and moments from which they are applied. */
#include "analyze/maps/memory_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"

enum {
	CHANGES_MAX = 1 << 22, /* 16 bytes each; more are joined, at the price of their times */
	KEPT_MAX = 32,
	KEPT_DISTANCE = 16384, /* changes between moments that are kept, at least */
};

/* More or fewer pages of an owner in a block, and, when all are there, in a cell. */
struct lkst_memory_change {
	u32 step; /* of time, since the trace's beginning */
	u32 place;
	s32 delta;
	u32 owner;
};

struct memory_map_filling {
	struct lkst_memory_map *map;
	struct lkst_page_owners *owners;
	struct lkst_threads *threads;
	struct lkst_memory_change *since_begin; /* what was so when the trace began, by block */
	u32 nr_since_begin;
	u64 nr_dropped; /* changes that there was no room for */
};

static int memory_map_compare_changes(const void *a, const void *b)
{
	const struct lkst_memory_change *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

/* ---- what there is to keep ---------------------------------------------------------------------- */

/* Joins changes of one step, place and owner; what cancels out is gone. Returns how many are left. */
static u32 memory_map_join(struct lkst_memory_change *list, u32 nr)
{
	u32 i, left = 0;

	qsort(list, nr, sizeof(*list), memory_map_compare_changes);
	for (i = 0; i < nr; i++) {
		struct lkst_memory_change *last = left ? &list[left - 1] : NULL;

		if (last && !memory_map_compare_changes(last, &list[i]))
			last->delta += list[i].delta;
		else
			list[left++] = list[i];
		if (!list[left - 1].delta)
			left--;
	}
	return left;
}

/* Joins what is in one step, and makes steps longer until half of the room is free, or all of the trace is one step. */
static void coarsen(struct lkst_memory_map *m)
{
	u32 i;

	m->nr_changes = memory_map_join(m->changes, m->nr_changes);
	while (m->nr_changes > CHANGES_MAX / 2 && m->changes[m->nr_changes - 1].step &&
	       m->step_ns < 1ULL << 59) {
		for (i = 0; i < m->nr_changes; i++)
			m->changes[i].step >>= 4;
		m->step_ns <<= 4;
		m->nr_changes = memory_map_join(m->changes, m->nr_changes);
	}
}

static int memory_map_add(struct memory_map_filling *f, u64 ns, struct lkst_memory_change change)
{
	struct lkst_memory_map *m = f->map;
	struct lkst_memory_change *added;

	if (m->nr_changes == CHANGES_MAX)
		coarsen(m);
	if (m->nr_changes == CHANGES_MAX) {
		f->nr_dropped++;
		return 0;
	}
	added = lkst_vec_add(m->changes, m->nr_changes);
	if (!added)
		return -ENOMEM;
	/* Steps may just have become longer. */
	change.step = ns > m->begin_ns ? (u32)((ns - m->begin_ns) / m->step_ns) : 0;
	*added = change;
	return 0;
}

static int memory_map_on_change(void *ctx, u64 ns, u64 block, u32 owner, s32 delta, bool since_begin)
{
	struct memory_map_filling *f = ctx;
	struct lkst_memory_change change = { .place = (u32)block, .delta = delta, .owner = owner };
	struct lkst_memory_change *added;

	if (since_begin) {
		added = lkst_vec_add(f->since_begin, f->nr_since_begin);
		if (!added)
			return -ENOMEM;
		*added = change;
		/* Most are single pages of few blocks. */
		if (f->nr_since_begin == CHANGES_MAX)
			f->nr_since_begin = memory_map_join(f->since_begin, f->nr_since_begin);
		return 0;
	}
	return memory_map_add(f, ns, change);
}

/* ---- after the pass ----------------------------------------------------------------------------- */

/* The processes with the most pages get the ranks from 1 on; @ranks by their numbers. */
static void memory_map_rank(struct memory_map_filling *f, u32 *ranks)
{
	struct lkst_memory_map *m = f->map;
	u32 nr, i, r, best;
	const struct lkst_page_owner *owners = lkst_page_owners_list(f->owners, &nr);

	for (i = 0; i < nr; i++)
		ranks[i] = i == LKST_PAGE_OWNER_BEFORE ? (u32)LKST_MEMORY_BEFORE
						       : (u32)LKST_MEMORY_OTHERS;
	m->nr_processes = nr - 1;
	for (r = 0; r < LKST_MEMORY_OWNERS; r++)
		m->owners[r].pid = -1;
	m->owners[LKST_MEMORY_BEFORE].pages = owners[LKST_PAGE_OWNER_BEFORE];
	for (r = 1; r < LKST_MEMORY_OTHERS; r++) {
		const struct lkst_thread *thread;

		for (i = 1, best = 0; i < nr; i++)
			if (ranks[i] == LKST_MEMORY_OTHERS &&
			    (!best || owners[i].nr_allocated + owners[i].nr_before >
					      owners[best].nr_allocated + owners[best].nr_before))
				best = i;
		if (!best)
			return;
		ranks[best] = r;
		m->owners[r].pid = owners[best].pid;
		m->owners[r].pages = owners[best];
		thread = lkst_threads_find(f->threads, owners[best].pid);
		if (thread)
			memcpy(m->owners[r].comm, thread->comm, sizeof(thread->comm));
	}
	for (i = 1; i < nr; i++)
		if (ranks[i] == LKST_MEMORY_OTHERS) {
			struct lkst_page_owner *others = &m->owners[LKST_MEMORY_OTHERS].pages;

			others->nr_allocated += owners[i].nr_allocated;
			others->nr_freed += owners[i].nr_freed;
			others->nr_before += owners[i].nr_before;
			others->nr_now += owners[i].nr_now;
		}
}

static void memory_map_widen(const struct lkst_memory_change *list, u32 nr, u32 *first, u32 *last)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		*first = list[i].place < *first ? list[i].place : *first;
		*last = list[i].place > *last ? list[i].place : *last;
	}
}

static void place_changes(struct lkst_memory_change *list, u32 nr, u32 first, u32 shift,
			  const u32 *ranks)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		list[i].place = (list[i].place - first) >> shift;
		list[i].owner = ranks[list[i].owner];
	}
}

/* Blocks become cells, as few as there is room for, and processes ranks. */
static int memory_map_lay_out(struct memory_map_filling *f)
{
	struct lkst_memory_map *m = f->map;
	u32 nr, first = UINT32_MAX, last = 0, shift = 0;
	_cleanup_free_ u32 *ranks = NULL;

	lkst_page_owners_list(f->owners, &nr);
	ranks = calloc(nr, sizeof(*ranks));
	if (!ranks)
		return -ENOMEM;
	memory_map_widen(m->changes, m->nr_changes, &first, &last);
	memory_map_widen(f->since_begin, f->nr_since_begin, &first, &last);
	if (first > last)
		return 0;
	while ((last >> shift) - (first >> shift) >= LKST_MEMORY_CELLS_MAX)
		shift++;
	first = first >> shift << shift;
	memory_map_rank(f, ranks);
	place_changes(m->changes, m->nr_changes, first, shift, ranks);
	place_changes(f->since_begin, f->nr_since_begin, first, shift, ranks);
	m->nr_cells = ((last - first) >> shift) + 1;
	m->cell_pages = (u32)LKST_PAGE_BLOCK << shift;
	m->first_pfn = (u64)first * LKST_PAGE_BLOCK;
	return 0;
}

static void memory_map_apply(struct lkst_memory_map *m, u32 until)
{
	for (; m->at < until; m->at++) {
		const struct lkst_memory_change *change = &m->changes[m->at];
		struct lkst_memory_cell *cell = &m->now[change->place];

		cell->nr[change->owner] += (u32)change->delta;
		cell->changed_ns = m->begin_ns + change->step * m->step_ns;
	}
}

/* Keeps the moment after each so many changes, the first of which is how the trace began. */
static int keep_moments(struct memory_map_filling *f)
{
	struct lkst_memory_map *m = f->map;
	u32 i;

	m->changes_per_kept = m->nr_changes / KEPT_MAX + 1;
	if (m->changes_per_kept < KEPT_DISTANCE)
		m->changes_per_kept = KEPT_DISTANCE;
	m->nr_kept = m->nr_changes / m->changes_per_kept + 1;
	m->now = calloc(m->nr_cells, sizeof(*m->now));
	m->kept = calloc((size_t)m->nr_kept * m->nr_cells, sizeof(*m->kept));
	if (!m->now || !m->kept)
		return -ENOMEM;
	for (i = 0; i < f->nr_since_begin; i++)
		m->now[f->since_begin[i].place].nr[f->since_begin[i].owner] +=
			(u32)f->since_begin[i].delta;
	for (i = 0; i < m->nr_kept; i++) {
		memory_map_apply(m, i * m->changes_per_kept);
		memcpy(&m->kept[(size_t)i * m->nr_cells], m->now, m->nr_cells * sizeof(*m->now));
	}
	return 0;
}

static void memory_map_filling_fini(struct memory_map_filling *f)
{
	lkst_page_owners_free(f->owners);
	lkst_threads_free(f->threads);
	free(f->since_begin);
}

int lkst_memory_map_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_memory_map **ret_map)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	_cleanup_(lkst_memory_map_freep) struct lkst_memory_map *m = calloc(1, sizeof(*m));
	_cleanup_(memory_map_filling_fini) struct memory_map_filling f = { .map = m, .threads = lkst_threads_new() };
	int err;

	if (!m || !f.threads)
		return lkst_err_sys(e, -ENOMEM, "drawing memory");
	lkst_trace_range(t, &m->begin_ns, &m->end_ns);
	m->step_ns = ((m->end_ns - m->begin_ns) >> 32) + 1;
	err = lkst_feed_new(e, t, &feed);
	if (err)
		return err;
	err = lkst_feed_threads(feed, f.threads);
	if (err >= 0)
		err = lkst_page_owners_new(feed, f.threads, memory_map_on_change, &f, &f.owners);
	if (err < 0)
		return lkst_err_sys(e, err, "drawing memory");
	err = lkst_feed_run(e, feed);
	if (err)
		return err;
	err = memory_map_lay_out(&f);
	if (!err && m->nr_cells)
		err = keep_moments(&f);
	if (err)
		return lkst_err_sys(e, err, "drawing memory");
	m->nr_further = lkst_page_owners_nr_further(f.owners) + f.nr_dropped;
	m->precision_ns = m->step_ns;
	*ret_map = lkst_take(m);
	return 0;
}

void lkst_memory_map_free(struct lkst_memory_map *m)
{
	if (!m)
		return;
	free(m->changes);
	free(m->kept);
	free(m->now);
	free(m);
}

/* ---- asking ------------------------------------------------------------------------------------- */

/* The number of changes up to and including @ns. */
static u32 changes_until(const struct lkst_memory_map *m, u64 ns)
{
	u64 step = ns > m->begin_ns ? (ns - m->begin_ns) / m->step_ns : 0;

	if (ns < m->begin_ns)
		return 0;
	return (u32)lkst_lower_bound(i, m->nr_changes, m->changes[i].step <= step);
}

const struct lkst_memory_cell *lkst_memory_map_at(struct lkst_memory_map *m, u64 ns)
{
	u32 until, kept;

	if (!m->nr_cells)
		return NULL;
	until = changes_until(m, ns);
	kept = until / m->changes_per_kept;
	if (until < m->at || kept * m->changes_per_kept > m->at) {
		memcpy(m->now, &m->kept[(size_t)kept * m->nr_cells], m->nr_cells * sizeof(*m->now));
		m->at = kept * m->changes_per_kept;
	}
	memory_map_apply(m, until);
	return m->now;
}

u32 lkst_memory_cell_owner(const struct lkst_memory_cell *cell, u32 *ret_nr)
{
	u32 i, most = LKST_MEMORY_OWNERS;

	*ret_nr = 0;
	for (i = 0; i < LKST_MEMORY_OWNERS; i++) {
		*ret_nr += cell->nr[i];
		if (cell->nr[i] && (most == LKST_MEMORY_OWNERS || cell->nr[i] > cell->nr[most]))
			most = i;
	}
	return most;
}
