/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the analyses, of what prints them, and of exports: any events with any values in any order. All
 * analyses are asked in one pass, one of them for its list; sums must agree, and every table must print.
 *
 * The first byte chooses the analysis that lists. The rest is a trace (lib/any_trace.h).
 *
 * prints: text csv json page
 */
#include <dirent.h>

#include "lib/any_trace.h"
#include "lib/exported.h"
#include "lib/paged.h"

#include "analyze/analyses/analysis.h"
#include "analyze/lanes/lanes.h"
#include "analyze/maps/disk_map.h"
#include "analyze/maps/memory_map.h"
#include "analyze/top/figures.h"
#include "analyze/waiting/tree.h"
#include "export/thread_slices.h"
#include "print/table_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	ANALYSES_MAX = 64,
	TABLES_MAX = 512,
};

static char scratch[64];

static void remove_files(void)
{
	DIR *d = opendir(scratch);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}

static void remove_scratch(void)
{
	remove_files();
	rmdir(scratch);
}

/*
 * The counts by key must add up to the total's; but how many threads sleep in all is a level of its own, whose time is
 * that of the trace and not the sum of its classes' times.
 */
static void check_sums(const struct lkst_tables *set)
{
	unsigned int i, k;
	size_t row;

	for (i = 0; i < set->nr; i++) {
		const struct lkst_table *total = set->items[i], *keys = NULL;
		size_t length = strlen(total->name);
		u64 sum = 0;

		if (length < 7 || strcmp(total->name + length - 6, "_total") || !total->nr_rows ||
		    !strcmp(total->name, "waitqueue_asleep_total"))
			continue;
		for (k = 0; k < set->nr; k++)
			if (strlen(set->items[k]->name) == length - 6 &&
			    !strncmp(set->items[k]->name, total->name, length - 6))
				keys = set->items[k];
		for (row = 0; keys && row < keys->nr_rows; row++)
			sum += lkst_table_cell(keys, row, 1)->u64;
		if (!keys || sum != lkst_table_cell(total, 0, 1)->u64)
			abort();
	}
}

static void ask(struct lkst_trace *t, const struct lkst_analysis *const *analyses, unsigned int nr)
{
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	const struct lkst_table *tables[TABLES_MAX];
	struct lkst_analysis_run *s;
	unsigned int i, k, used = 0;
	struct lkst_err e;

	if (lkst_analysis_run_new(&e, t, &options, analyses, nr, &s) || lkst_analysis_run_pass(&e, s))
		abort();
	for (i = 0; i < nr; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(s, i);

		check_sums(set);
		for (k = 0; k < set->nr && used < TABLES_MAX; k++)
			tables[used++] = set->items[k];
	}
	printed_tables(tables, used);
	lkst_analysis_run_free(s);
}

/* The list of one analysis, whose rows are printed as they come. */
static void list(struct lkst_trace *t, const struct lkst_analysis *analysis, enum lkst_table_format format,
		 enum printed_form form)
{
	struct lkst_table_printer p;
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX, .list = lkst_table_print_rows, .list_arg = &p };
	struct lkst_analysis_run *s;
	struct lkst_err e;

	lkst_table_printer_init(&p, printed_begin(), format, 0);
	p.is_plain = format == LKST_TABLE_TEXT;
	if (lkst_analysis_run_new(&e, t, &options, &analysis, 1, &s) || lkst_analysis_run_pass(&e, s))
		abort();
	lkst_table_print_end(&p, lkst_analysis_run_list(s));
	lkst_table_printer_end(&p);
	printed_end(form);
	lkst_analysis_run_free(s);
}

static void check_order(const struct lkst_slices *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		if (s->list[i].to_ns <= s->list[i].from_ns ||
		    (i && s->list[i].from_ns < s->list[i - 1].to_ns) ||
		    s->list[i].state >= LKST_NR_LANE_STATES)
			abort();
}

/* No column of a count is outside its least and greatest number. */
static void check_counts(const struct lkst_lanes *lanes, u32 nr)
{
	struct lkst_curve_column columns[256];
	u32 i, k;

	for (i = 0; i < lanes->counts.nr; i++) {
		if (lkst_count_columns(&lanes->counts, i, lanes->begin_ns, lanes->end_ns + 1, nr,
				       columns))
			abort();
		for (k = 0; k < nr; k++)
			if (columns[k].known < 0 || columns[k].known > 1.0001 ||
			    columns[k].min < 0 || columns[k].mean < columns[k].min * 0.9999 ||
			    columns[k].mean > columns[k].max * 1.0001)
				abort();
	}
}

/* What a tree of waits has below a node is no more than the node has: no time is told twice. */
static void check_waiting(struct lkst_trace *t)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *model = NULL;
	struct lkst_pasts pasts = {};
	struct lkst_tree tree;
	struct lkst_err e;
	u32 i, k;

	if (!threads || lkst_feed_new(&e, t, &f) || lkst_feed_threads(f, threads) < 0 || lkst_model_new(&e, f, &model))
		abort();
	lkst_model_know_cgroups(model, threads);
	if (lkst_past_subscribe(&pasts, f, model, NULL) < 0 || lkst_feed_run(&e, f) || lkst_past_finish(&pasts))
		abort();
	lkst_tree_init(&tree, &pasts, model);
	for (i = 0; i < pasts.nr; i++)
		if (pasts.list[i].run != LKST_RUN_RUNNING && lkst_tree_add(&tree, i, NULL, 1, 0))
			abort();
	for (i = 0; i < tree.nr; i++) {
		u64 below_ns = 0;

		for (k = tree.nodes[i].first_child; k != LKST_NO_NODE; k = tree.nodes[k].next)
			below_ns += tree.nodes[k].ns;
		if (below_ns > tree.nodes[i].ns)
			abort();
	}
	lkst_tree_fini(&tree);
	lkst_past_fini(&pasts);
}

/* Slices are in order, and no column of a picture has more than all of its time. */
static void draw(struct lkst_trace *t, u32 nr)
{
	struct lkst_shares shares[256];
	struct lkst_lanes *lanes;
	struct lkst_err e;
	u32 i, k, m, sum;

	if (lkst_lanes_new(&e, t, &lanes))
		abort();
	for (i = 0; i < lanes->nr; i++) {
		const struct lkst_lane *lane = &lanes->list[i];

		check_order(&lane->slices);
		check_order(&lane->irqs);
		check_order(&lane->calls);
		check_order(&lane->faults);
		for (k = 0; k < lane->nr_wakings; k++)
			if (lkst_lane_waking_at(lane, lane->wakings[k].ns) != k)
				abort();
		if (lkst_lane_shares(lane, lanes->begin_ns, lanes->end_ns + 1, nr, shares))
			abort();
		for (k = 0; k < nr; k++) {
			for (m = sum = 0; m < LKST_NR_LANE_STATES; m++)
				sum += shares[k].of[m];
			if (sum > 65535 + 2 * LKST_NR_LANE_STATES)
				abort();
		}
	}
	check_counts(lanes, nr);
	for (i = 1; i < lanes->marks.nr; i++)
		if (lanes->marks.list[i].ns < lanes->marks.list[i - 1].ns)
			abort();
	lkst_lanes_free(lanes);
}

/* Two stretches, the second after the first: no thread has more time than there is. */
static void add_up(struct lkst_trace *t)
{
	struct lkst_figures *f[2] = {};
	struct lkst_figures_options o = {};
	u64 begin_ns, end_ns;
	struct lkst_err e;
	u32 i, k;

	lkst_trace_range(t, &begin_ns, &end_ns);
	for (k = 0; k < 2; k++) {
		o.from_ns = k ? o.to_ns : begin_ns;
		o.to_ns = k ? end_ns : begin_ns + (end_ns - begin_ns) / 3;
		o.before = f[0];
		if (lkst_figures_new(&e, t, &o, &f[k]))
			abort();
		for (i = 0; i < f[k]->nr_threads; i++) {
			const struct lkst_thread_figures *x = &f[k]->threads[i];

			if (x->tid >= 0 && x->running_ns + x->ready_ns + x->stopped_ns +
							   x->unknown_ns +
							   lkst_figures_blocked_all(x) >
						   end_ns - begin_ns)
				abort();
		}
	}
	lkst_figures_free(f[0]);
	lkst_figures_free(f[1]);
}

/* Pages of cells add up to those of their owners, and a moment is the same from wherever it is reached. */
static void map_memory(struct lkst_trace *t)
{
	const struct lkst_memory_cell *cells;
	u64 sums[LKST_MEMORY_OWNERS] = {}, ns;
	struct lkst_memory_cell first = {};
	struct lkst_memory_map *map;
	struct lkst_err e;
	u32 i, k;

	if (lkst_memory_map_new(&e, t, &map))
		abort();
	ns = map->begin_ns + (map->end_ns - map->begin_ns) / 2;
	cells = lkst_memory_map_at(map, ns);
	if (cells)
		first = cells[0];
	cells = lkst_memory_map_at(map, UINT64_MAX);
	for (i = 0; cells && i < map->nr_cells; i++)
		for (k = 0; k < LKST_MEMORY_OWNERS; k++)
			sums[k] += cells[i].nr[k];
	for (k = 0; cells && k < LKST_MEMORY_OWNERS; k++)
		if (sums[k] != map->owners[k].pages.nr_now)
			abort();
	cells = lkst_memory_map_at(map, ns);
	if (cells && memcmp(&first, &cells[0], sizeof(first)))
		abort();
	lkst_memory_map_free(map);
}

/* The cells of a disk add up to what it did. */
static void map_disks(struct lkst_trace *t, u32 nr_columns, u32 nr_rows)
{
	struct lkst_disk_map *map;
	struct lkst_err e;
	u64 begin_ns, end_ns;
	u32 i, k;

	lkst_trace_range(t, &begin_ns, &end_ns);
	if (lkst_disk_map_new(&e, t, begin_ns, end_ns, nr_columns, nr_rows, &map))
		abort();
	for (i = 0; i < map->nr_disks; i++) {
		const struct lkst_disk *d = &map->disks[i];
		struct lkst_disk_cell sum = {};

		for (k = 0; d->cells && k < nr_columns * nr_rows; k++) {
			sum.read_bytes += d->cells[k].read_bytes;
			sum.written_bytes += d->cells[k].written_bytes;
			sum.nr_reads += d->cells[k].nr_reads;
			sum.nr_writes += d->cells[k].nr_writes;
		}
		if (memcmp(&sum, &d->all, sizeof(sum)))
			abort();
	}
	lkst_disk_map_free(map);
}

/* A return that no slice can end: it takes no time. */
static int check_returned(void *ctx, const struct lkst_thread_slice *s)
{
	if (s->to_ns != s->from_ns || !s->ends_call || !s->in_call)
		abort();
	return 0;
}

/* What is exported of threads follows each other without holes. */
static int check_slice(void *ctx, const struct lkst_thread_slice *s)
{
	static u64 end_ns[LKST_LIVES_MAX];
	bool *is_first = ctx;

	if (*is_first)
		memset(end_ns, 0, sizeof(end_ns));
	*is_first = false;
	if (s->to_ns <= s->from_ns || s->life->nr >= LKST_LIVES_MAX ||
	    (end_ns[s->life->nr] && s->from_ns != end_ns[s->life->nr]) ||
	    (s->ends_call && !s->in_call))
		abort();
	end_ns[s->life->nr] = s->to_ns;
	return 0;
}

static void check_slices(struct lkst_trace *t)
{
	struct lkst_thread_slices *slices;
	struct lkst_model *model;
	struct lkst_feed *feed;
	bool is_first = true;
	struct lkst_err e;

	if (lkst_feed_new(&e, t, &feed) || lkst_model_new(&e, feed, &model) ||
	    lkst_thread_slices_new(&e, model, check_slice, check_returned, &is_first, &slices) ||
	    lkst_feed_run(&e, feed))
		abort();
	lkst_thread_slices_free(slices);
	lkst_model_free(model);
	lkst_feed_free(feed);
}

static void print(void)
{
	static const struct paged_line pictures[] = { { "analyze all --format svg", PRINTED_TEXT } };
	struct in_memory files = {};

	in_memory_add(&files, scratch, "");
	paged_run(&files, pictures, 1);
	paged_draw(&files);
	in_memory_fini(&files);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	const struct lkst_analysis *all[ANALYSES_MAX];
	struct lkst_trace *t = NULL;
	struct lkst_err e;
	char exported[128];
	unsigned int nr, one;

	if (!scratch[0]) {
		make_scratch(scratch);
		atexit(remove_scratch);
	}
	remove_files();
	for (nr = 0; lkst_analyses[nr] && nr < ANALYSES_MAX; nr++)
		all[nr] = lkst_analyses[nr];
	one = next(&in) % nr;
	any_trace_make(scratch, &in);
	if (lkst_trace_open(&e, scratch, &t))
		abort();
	ask(t, all, nr);
	list(t, all[one], LKST_TABLE_TEXT, PRINTED_TEXT);
	list(t, all[one], LKST_TABLE_CSV, PRINTED_CSV);
	list(t, all[one], LKST_TABLE_JSON, PRINTED_JSON);
	print();
	draw(t, 1 + one * 7 % 256);
	check_waiting(t);
	map_memory(t);
	map_disks(t, 1 + one * 7 % 256, 1 + one * 5 % 64);
	add_up(t);
	check_slices(t);
	snprintf(exported, sizeof(exported), "%s.exported", scratch);
	export_all(t, exported);
	lkst_trace_close(t);
	return 0;
}
