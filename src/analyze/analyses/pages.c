/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose the pages of physical memory are: what each process allocated and still has, along the time. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/timeline.h"
#include "analyze/maps/page_owners.h"
#include "base/vec.h"

enum { DRAWN_MAX = 4096 }; /* processes, by their numbers, whose pages are drawn along the time */

/* How many pages a process has, since when, and what that makes in each slice: pages times ns. */
struct drawn {
	double sums[LKST_TIMELINE_SLICES];
	u64 since_ns;
	s64 nr;
};

struct analyses_pages {
	struct lkst_analysis_state work;
	struct lkst_page_owners *owners;
	struct lkst_timeline_scale scale;
	struct drawn *drawn;
	u32 nr_drawn;
	u64 end_ns;
};

/* There were @nr pages from @from_ns to @to_ns. */
static void pages_add_time(const struct analyses_pages *p, struct drawn *d, s64 nr, u64 from_ns, u64 to_ns)
{
	u64 begin_ns = p->scale.begin_ns, i;

	if (from_ns < begin_ns)
		from_ns = begin_ns;
	for (i = (from_ns - begin_ns) / p->scale.slice_ns;
	     from_ns < to_ns && i < LKST_TIMELINE_SLICES; i++) {
		u64 end_ns = begin_ns + (i + 1) * p->scale.slice_ns;

		end_ns = end_ns < to_ns ? end_ns : to_ns;
		d->sums[i] += (double)nr * (double)(end_ns - from_ns);
		from_ns = end_ns;
	}
}

static int pages_on_change(void *ctx, u64 ns, u64 block, u32 owner, s32 delta, bool since_begin)
{
	struct analyses_pages *p = ctx;
	struct drawn *d;

	if (owner >= DRAWN_MAX)
		return 0;
	d = lkst_vec_reach(p->drawn, p->nr_drawn, owner);
	if (!d)
		return -ENOMEM;
	/* What is learned later was so from the beginning. */
	if (since_begin) {
		pages_add_time(p, d, delta, p->scale.begin_ns, d->since_ns);
	} else {
		pages_add_time(p, d, d->nr, d->since_ns, ns);
		d->since_ns = ns;
	}
	d->nr += delta;
	return 0;
}

static int pages_on_end(void *ctx, u64 end_ns)
{
	((struct analyses_pages *)ctx)->end_ns = end_ns;
	return 0;
}

/* ---- the table ---------------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "pid", "process", LKST_COLUMN_PID,
	  "the process; none: whoever had them when the trace began" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its name" },
	{ "before", "before", LKST_COLUMN_COUNT,
	  "pages that it had when the trace began, as far as the trace shows" },
	{ "allocated", "allocated", LKST_COLUMN_COUNT,
	  "pages that its threads took from the page allocator" },
	{ "freed", "freed", LKST_COLUMN_COUNT, "pages of these that were given back, by whomever" },
	{ "life", "mean life", LKST_COLUMN_DURATION,
	  "how long those that were freed lived in the trace" },
	{ "most", "most", LKST_COLUMN_COUNT, "pages that it had at once" },
	{ "live", "live", LKST_COLUMN_COUNT, "pages that it has at the end" },
	{ "age", "mean age", LKST_COLUMN_DURATION, "how old these are" },
	{ "chart", "from the beginning to the end", LKST_COLUMN_TEXT,
	  "its pages in each of 40 equal stretches, its most being full" },
};

static bool pages_is_wanted(const struct lkst_analysis_state *w, const struct lkst_page_owner *o)
{
	const struct lkst_tally_options *which = &w->options->which;

	return (!which->has_tid || which->tid == o->pid) && (!which->has_pid || which->pid == o->pid);
}

/* In a damaged trace a time may be so close to 2^64 that a double has that. */
static u64 whole(double ns)
{
	return ns < 0x1p64 ? (u64)ns : UINT64_MAX;
}

static void put_chart(struct lkst_table *t, const struct analyses_pages *p, u32 i, u64 most)
{
	struct lkst_timeline line = {};
	char text[LKST_TIMELINE_TEXT];
	struct drawn *d;
	unsigned int k;

	if (i >= p->nr_drawn) {
		lkst_table_none(t);
		return;
	}
	d = &p->drawn[i];
	pages_add_time(p, d, d->nr, d->since_ns, p->end_ns);
	for (k = 0; most && k < LKST_TIMELINE_SLICES; k++)
		line.ns[k] = d->sums[k] > 0 ? whole(d->sums[k] / (double)most) : 0;
	lkst_timeline_put(&line, p->scale.slice_ns, text);
	lkst_table_str(t, text);
}

static void put_mean(struct lkst_table *t, double sum, u64 nr)
{
	if (nr)
		lkst_table_u64(t, whole(sum / (double)nr + 0.5));
	else
		lkst_table_none(t);
}

static void pages_put_row(struct lkst_table *t, struct analyses_pages *p, u32 i, const struct lkst_page_owner *o,
			  double age_ns)
{
	const struct lkst_thread *thread = lkst_threads_find(p->work.threads, o->pid);

	lkst_table_row(t);
	if (o->pid >= 0)
		lkst_table_s64(t, o->pid);
	else
		lkst_table_none(t);
	if (i == LKST_PAGE_OWNER_BEFORE)
		lkst_table_str(t, "before the trace");
	else if (thread && thread->has_comm)
		lkst_table_text(t, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
	else
		lkst_table_str(t, o->pid < 0 ? "others" : "?");
	lkst_table_u64(t, o->nr_before);
	lkst_table_u64(t, o->nr_allocated);
	lkst_table_u64(t, o->nr_freed);
	put_mean(t, o->lived_ns, o->nr_freed);
	lkst_table_u64(t, o->nr_most);
	lkst_table_u64(t, o->nr_now);
	put_mean(t, age_ns, o->nr_now);
	put_chart(t, p, i, o->nr_most);
}

static int pages_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct analyses_pages *p = (struct analyses_pages *)w;
	const struct lkst_page_owner *owners;
	_cleanup_free_ double *ages = NULL;
	struct lkst_table *t;
	u32 nr, i;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	owners = lkst_page_owners_list(p->owners, &nr);
	ages = calloc(nr, sizeof(*ages));
	t = lkst_tables_add(set, "pages", "Pages of processes", columns,
			    sizeof(columns) / sizeof(columns[0]));
	if (!t || !ages)
		return -ENOMEM;
	lkst_page_owners_ages(p->owners, p->end_ns, ages);
	for (i = 0; i < nr; i++)
		if ((owners[i].nr_allocated || owners[i].nr_before) && pages_is_wanted(w, &owners[i]))
			pages_put_row(t, p, i, &owners[i], ages[i]);
	lkst_table_sort(t, 3, true);
	if (!lkst_feed_has_come(w->feed, lkst_feed_id(w->feed, LKST_EV_state_pages)))
		lkst_notes_add(
			&t->notes,
			"The trace does not say what processes had when it began: lkst record --pages.");
	if (w->options->from_ns > p->scale.begin_ns)
		lkst_notes_add(
			&t->notes,
			"All is counted since the trace began, also what was before --from.");
	if (lkst_page_owners_nr_further(p->owners))
		lkst_notes_add(&t->notes, "%llu pages lie in too many places, and are not counted.",
			       (unsigned long long)lkst_page_owners_nr_further(p->owners));
	return t->error;
}

static int pages_begin(struct lkst_analysis_state *w)
{
	struct analyses_pages *p = (struct analyses_pages *)w;
	u64 begin_ns, end_ns;
	int has = lkst_page_owners_new(w->feed, w->threads, pages_on_change, p, &p->owners);
	int err = has < 0 ? has : lkst_feed_end(w->feed, pages_on_end, w);

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	p->scale = lkst_timeline_scale(begin_ns, end_ns);
	return err < 0 ? err : has;
}

static void pages_fini(struct lkst_analysis_state *w)
{
	struct analyses_pages *p = (struct analyses_pages *)w;

	lkst_page_owners_free(p->owners);
	free(p->drawn);
}

const struct lkst_analysis lkst_analysis_pages = {
	.name = "pages",
	.heritage = "F06",
	.title = "Pages of processes",
	.help = "the pages of memory that each process allocated and still has",
	.measures =
		"from mm_page_alloc of a thread of the process to mm_page_free of the page; before: what lkst record "
		"--pages has written, or is freed without having been allocated in the trace; -t takes a process",
	.events = "mm_page_alloc mm_page_free",
	.ignores = LKST_IGNORES_COMM | LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct analyses_pages),
	.begin = pages_begin,
	.end = pages_end,
	.fini = pages_fini,
};
