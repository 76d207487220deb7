/* SPDX-License-Identifier: GPL-2.0-only */
/* Analyses along one axis of time: a row of a table or a column of a picture for each stretch. */
#include "cmd/read/analyze_along.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/lanes/lanes.h"
#include "base/size.h"
#include "base/vec.h"
#include "print/svg_chart.h"

enum {
	ANALYSES_MAX = 7, /* whose columns a table has room for */
	COLUMNS_EACH = 3,
	STRETCHES_MAX = 100000,
	STRETCHES_OF_PICTURE = 600,
	LANES_MAX = 16, /* that a picture has */
	NAME_ROOM = 64,
	ABOUT_ROOM = 1024,
};

/* The states in the order in which they are drawn, the lowest first. The colours are those of the page (page.css). */
static const struct {
	u8 state;
	const char *colour;
} states[] = {
	{ LKST_LANE_RUNNING, "#009e73" }, { LKST_LANE_IRQ, "#d55e00" },
	{ LKST_LANE_READY, "#e69f00" },	  { LKST_LANE_DISK, "#0072b2" },
	{ LKST_LANE_LOCK, "#cc79a7" },	  { LKST_LANE_BLOCKED, "#bcd4ea" },
	{ LKST_LANE_STOPPED, "#5e4b8b" }, { LKST_LANE_IDLE, "#e0e0e0" },
	{ LKST_LANE_UNKNOWN, "#4d4d4d" },
};
_Static_assert(sizeof(states) / sizeof(states[0]) == LKST_NR_LANE_STATES, "each has its colour");

enum { NR_TABLE_COLUMNS = 1 + ANALYSES_MAX * COLUMNS_EACH + LKST_NR_LANE_STATES };
_Static_assert((int)NR_TABLE_COLUMNS <= (int)LKST_TABLE_COLUMNS_MAX,
	       "a table has room for all columns");

struct lkst_analyze_along {
	const struct lkst_analysis *found[ANALYSES_MAX];
	unsigned int nr;
	struct lkst_along values[ANALYSES_MAX];
	u64 trace_begin_ns, clock_offset_ns;
	u64 begin_ns, step_ns;
	u32 nr_stretches;
	struct lkst_lanes *lanes; /* of `chart`; NULL: it is not asked */
	u32 *wanted;		  /* of these lanes, the places of those that are drawn */
	u32 nr_wanted;
	double *shares; /* of all drawn lanes together, LKST_NR_LANE_STATES for each stretch */
	struct lkst_limited *limited; /* what the cost limit left out, and when */
	bool wants[ANALYSES_MAX][LKST_EVENT_SPACE]; /* what the analyses' counts rest on, by id */
	struct lkst_notes notes;
	struct lkst_column columns[NR_TABLE_COLUMNS];
	char names[NR_TABLE_COLUMNS][NAME_ROOM], titles[NR_TABLE_COLUMNS][NAME_ROOM];
	unsigned int nr_columns;
};

void lkst_analyze_along_free(struct lkst_analyze_along *x)
{
	unsigned int i;

	if (!x)
		return;
	for (i = 0; i < x->nr; i++)
		free(x->values[i].stretches);
	lkst_lanes_free(x->lanes);
	lkst_limited_free(x->limited);
	lkst_notes_fini(&x->notes);
	free(x->wanted);
	free(x->shares);
	free(x);
}

/* ---- the axis ----------------------------------------------------------------------------------- */

/* Divides the window into stretches. */
static int divide(struct lkst_err *e, struct lkst_analyze_along *x, const struct lkst_analyze *a,
		  struct lkst_trace *t, const struct lkst_analysis_options *options)
{
	bool is_picture = a->format == LKST_ANALYZE_SVG;
	u64 end_ns, length_ns, nr,
		most = is_picture ? (u64)LKST_SVG_COLUMNS_MAX : (u64)STRETCHES_MAX;

	lkst_trace_range(t, &x->trace_begin_ns, &end_ns);
	x->clock_offset_ns = lkst_trace_catalog(t)->clock_offset_ns;
	x->begin_ns = options->from_ns > x->trace_begin_ns ? options->from_ns : x->trace_begin_ns;
	end_ns = options->to_ns < end_ns ? options->to_ns : end_ns;
	if (end_ns <= x->begin_ns)
		return lkst_err_set(e, -EINVAL, "the trace has nothing between --from and --to");
	length_ns = end_ns - x->begin_ns;
	x->step_ns = a->interval_ns ?: length_ns / STRETCHES_OF_PICTURE + 1;
	nr = length_ns / x->step_ns + (length_ns % x->step_ns != 0);
	if (nr > most)
		return lkst_err_set(
			e, -EINVAL,
			"with this interval there would be %llu stretches of time, and %llu is the most: "
			"give a longer one, or --from and --to",
			(unsigned long long)nr, (unsigned long long)most);
	x->nr_stretches = (u32)nr;
	return 0;
}

/* ---- the states --------------------------------------------------------------------------------- */

static bool analyze_along_is_wanted(const struct lkst_analyze_along *x, const struct lkst_tally_options *which,
				    const struct lkst_lane *lane)
{
	const struct lkst_lane_thread *thread;

	if (lane->kind == LKST_LANE_OF_CPU)
		return !which->has_tid && !which->has_pid && !which->comm &&
		       (!which->has_cpu || which->cpu == lane->number);
	if ((!which->has_tid && !which->has_pid && !which->comm) || lane->number >= x->lanes->nr_threads)
		return false;
	thread = &x->lanes->threads[lane->number];
	return (!which->has_tid || which->tid == thread->tid) && (!which->has_pid || which->pid == thread->pid) &&
	       (!which->comm || !fnmatch(which->comm, thread->comm, 0));
}

/* Adds lane @i to what all have together. */
static int analyze_along_add_lane(struct lkst_analyze_along *x, u32 i)
{
	_cleanup_free_ struct lkst_shares *shares = calloc(x->nr_stretches, sizeof(*shares));
	u32 *wanted = lkst_vec_add(x->wanted, x->nr_wanted);
	u32 k, m;
	int err;

	if (!shares || !wanted)
		return -ENOMEM;
	*wanted = i;
	err = lkst_lane_shares(&x->lanes->list[i], x->begin_ns,
			       x->begin_ns + x->nr_stretches * x->step_ns, x->nr_stretches, shares);
	for (k = 0; k < x->nr_stretches && !err; k++)
		for (m = 0; m < LKST_NR_LANE_STATES; m++)
			x->shares[k * LKST_NR_LANE_STATES + m] += shares[k].of[m] / 65535.0;
	return err;
}

static int find_states(struct lkst_err *e, struct lkst_analyze_along *x, struct lkst_trace *t,
		       const struct lkst_tally_options *which)
{
	u32 i;
	int err = lkst_lanes_new(e, t, &x->lanes);

	if (err)
		return err;
	x->shares = calloc((size_t)x->nr_stretches * LKST_NR_LANE_STATES, sizeof(*x->shares));
	if (!x->shares)
		return lkst_err_sys(e, -ENOMEM, "drawing");
	for (i = 0; i < x->lanes->nr && !err; i++)
		if (analyze_along_is_wanted(x, which, &x->lanes->list[i]))
			err = analyze_along_add_lane(x, i);
	if (err)
		return lkst_err_sys(e, err, "drawing");
	/* Lanes of threads have no cgroup. */
	if (which->cgroup)
		lkst_notes_add(&x->notes, "--cgroup does not limit the states along the time.");
	if (!x->nr_wanted)
		lkst_notes_add(&x->notes, "The trace shows no such thread or CPU.");
	else if (!which->has_tid && !which->has_pid && !which->comm)
		lkst_notes_add(&x->notes,
			       "CPUs are drawn. Threads are, if --tid, --pid or --comm asks for them.");
	return 0;
}

/* ---- the analyses ------------------------------------------------------------------------------- */

static void take_notes(struct lkst_analyze_along *x, const struct lkst_analysis_run *s)
{
	unsigned int i, k;

	for (i = 0; i < x->nr; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(s, i);
		char left_out[LKST_TABLE_LEFT_OUT_TEXT];

		if (!x->values[i].title[0])
			lkst_notes_add(&x->notes, "%s has no values along the time.",
				       x->found[i]->name);
		for (k = 0; set->nr && k < set->items[0]->notes.nr; k++)
			lkst_notes_add(&x->notes, "%s", set->items[0]->notes.text[k]);
		if (set->nr && lkst_table_left_out_text(set->items[0], left_out, sizeof(left_out)))
			lkst_notes_add(&x->notes, "%s: left out: %s.", x->found[i]->name, left_out);
	}
}

static int analyze_along_measure(struct lkst_err *e, struct lkst_analyze_along *x, struct lkst_trace *t,
				 struct lkst_analysis_options *options)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *s = NULL;
	unsigned int i;
	int err;

	for (i = 0; i < x->nr; i++) {
		x->values[i] = (struct lkst_along){ .begin_ns = x->begin_ns,
						    .step_ns = x->step_ns,
						    .nr = x->nr_stretches };
		x->values[i].stretches = calloc(x->nr_stretches, sizeof(struct lkst_along_stretch));
		if (!x->values[i].stretches)
			return lkst_err_sys(e, -ENOMEM, "analyzing");
	}
	if (!x->nr)
		return 0;
	options->along = x->values;
	err = lkst_analysis_run_new(e, t, options, x->found, x->nr, &s)
		      ?: lkst_analysis_run_pass(e, s);
	if (!err)
		take_notes(x, s);
	return err;
}

/* ---- as a table --------------------------------------------------------------------------------- */

static void analyze_along_add_column(struct lkst_analyze_along *x, enum lkst_column_type type, const char *of,
				     const char *what, const char *help)
{
	unsigned int i = x->nr_columns++;

	snprintf(x->names[i], NAME_ROOM, "%s%s%s", of, of[0] ? "_" : "", what);
	snprintf(x->titles[i], NAME_ROOM, "%s%s%s", of, of[0] ? " " : "", what);
	x->columns[i] = (struct lkst_column){ x->names[i], x->titles[i], type, help };
}

static void make_columns(struct lkst_analyze_along *x)
{
	unsigned int i;

	analyze_along_add_column(x, LKST_COLUMN_TIME, "", "from", "when the stretch begins");
	for (i = 0; i < x->nr; i++) {
		analyze_along_add_column(x, LKST_COLUMN_COUNT, x->found[i]->name, "count",
					 "values that began in it");
		analyze_along_add_column(x, x->values[i].type, x->found[i]->name, "mean", "their mean");
		analyze_along_add_column(x, x->values[i].type, x->found[i]->name, "max", "the greatest of them");
	}
	for (i = 0; x->lanes && i < LKST_NR_LANE_STATES; i++)
		analyze_along_add_column(x, LKST_COLUMN_PERCENT, "", lkst_lane_state_names[states[i].state],
					 "of the stretch; of several threads or CPUs, the sum");
}

/* How many values there were in stretch @k; where some were left out it is a least number, and none is not known. */
static void put_count(const struct lkst_analyze_along *x, unsigned int analysis, u32 k, u64 nr,
		      struct lkst_table *table)
{
	const u64 from_ns = x->begin_ns + k * x->step_ns;
	const bool is_limited = lkst_limited_is(x->limited, x->wants[analysis], from_ns, from_ns + x->step_ns, NULL);

	if (is_limited && !nr) {
		lkst_table_none(table);
		return;
	}
	lkst_table_u64(table, nr);
	if (is_limited)
		lkst_table_at_least(table);
}

int lkst_analyze_along_tell(const struct lkst_analyze_along *x, struct lkst_table *table)
{
	u32 k;
	unsigned int i;

	lkst_table_init(table, "along", "Along the time", x->columns, x->nr_columns);
	for (k = 0; k < x->nr_stretches && !table->error; k++) {
		lkst_table_row(table);
		lkst_table_u64(table, x->begin_ns + k * x->step_ns);
		for (i = 0; i < x->nr; i++) {
			const struct lkst_along_stretch *s = &x->values[i].stretches[k];

			put_count(x, i, k, s->nr, table);
			if (s->nr) {
				lkst_table_u64(table, (u64)(s->sum / (double)s->nr + 0.5));
				lkst_table_u64(table, s->max);
			} else {
				lkst_table_none(table);
				lkst_table_none(table);
			}
		}
		for (i = 0; x->lanes && i < LKST_NR_LANE_STATES; i++)
			lkst_table_double(
				table, 100 * x->shares[k * LKST_NR_LANE_STATES + states[i].state]);
	}
	for (i = 0; i < x->notes.nr; i++)
		lkst_notes_add(&table->notes, "%s", x->notes.text[i]);
	return table->error;
}

int lkst_analyze_along_new(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
			   struct lkst_analysis_options *options,
			   const struct lkst_analysis *const *found, unsigned int nr,
			   struct lkst_analyze_along **ret_along)
{
	_cleanup_(lkst_analyze_along_freep) struct lkst_analyze_along *x = calloc(1, sizeof(*x));
	bool has_chart = false;
	unsigned int i;
	int err;

	if (!x)
		return lkst_err_sys(e, -ENOMEM, "analyzing");
	for (i = 0; i < nr; i++) {
		if (found[i] == &lkst_analysis_chart)
			has_chart = true;
		else if (x->nr < ANALYSES_MAX)
			x->found[x->nr++] = found[i];
		else
			return lkst_err_set(
				e, -EINVAL,
				"along the time there is room for chart and %d analyses: name fewer",
				ANALYSES_MAX);
	}
	err = divide(e, x, a, t, options) ?: lkst_limited_new(e, t, &x->limited) ?:
	      analyze_along_measure(e, x, t, options);
	for (i = 0; i < x->nr && !err; i++)
		lkst_limited_match(x->limited, x->found[i]->events, x->wants[i]);
	if (!err && has_chart)
		err = find_states(e, x, t, &a->which);
	if (err)
		return err;
	make_columns(x);
	*ret_along = lkst_take(x);
	return 0;
}

/* ---- as a picture ------------------------------------------------------------------------------- */

/* What a picture is drawn from; its texts and values are the picture's own. */
struct picture {
	const struct lkst_analyze_along *x;
	struct lkst_svg_panel panels[LANES_MAX + ANALYSES_MAX];
	char titles[LANES_MAX + ANALYSES_MAX][2 * NAME_ROOM];
	unsigned int nr;
	double *values;
	size_t nr_values; /* that are used */
	struct lkst_notes notes;
	char about[ABOUT_ROOM], title[2 * NAME_ROOM];
};

/* Values for a series, one for each stretch: there is room for all. */
static double *take_values(struct picture *p)
{
	p->nr_values += p->x->nr_stretches;
	return p->values + p->nr_values - p->x->nr_stretches;
}

static int add_states(struct picture *p, u32 lane_nr)
{
	const struct lkst_analyze_along *x = p->x;
	const struct lkst_lane *lane = &x->lanes->list[lane_nr];
	_cleanup_free_ struct lkst_shares *shares = calloc(x->nr_stretches, sizeof(*shares));
	struct lkst_svg_panel *panel = &p->panels[p->nr];
	const struct lkst_lane_thread *thread;
	unsigned int i;
	u32 k;
	int err = !shares ? -ENOMEM
			  : lkst_lane_shares(lane, x->begin_ns,
					     x->begin_ns + x->nr_stretches * x->step_ns,
					     x->nr_stretches, shares);

	if (err)
		return err;
	if (lane->kind == LKST_LANE_OF_CPU) {
		snprintf(p->titles[p->nr], sizeof(p->titles[0]), "CPU %u", lane->number);
	} else {
		thread = &x->lanes->threads[lane->number];
		snprintf(p->titles[p->nr], sizeof(p->titles[0]), "%.16s %d, process %d",
			 thread->comm[0] ? thread->comm : "?", thread->tid, thread->pid);
	}
	*panel = (struct lkst_svg_panel){ .title = p->titles[p->nr], .is_shares = true };
	for (i = 0; i < LKST_NR_LANE_STATES; i++) {
		double *values = take_values(p);

		for (k = 0; k < x->nr_stretches; k++)
			values[k] = shares[k].of[states[i].state] / 65535.0;
		panel->series[panel->nr_series++] =
			(struct lkst_svg_series){ lkst_lane_state_names[states[i].state],
						  states[i].colour, values };
	}
	p->nr++;
	return 0;
}

static void add_measure(struct picture *p, unsigned int i)
{
	const struct lkst_along *a = &p->x->values[i];
	struct lkst_svg_panel *panel = &p->panels[p->nr];
	double *max, *mean;
	u32 k;

	if (!a->title[0])
		return;
	max = take_values(p);
	mean = take_values(p);
	for (k = 0; k < a->nr; k++) {
		const struct lkst_along_stretch *s = &a->stretches[k];

		max[k] = s->nr ? (double)s->max : -1;
		mean[k] = s->nr ? s->sum / (double)s->nr : -1;
	}
	snprintf(p->titles[p->nr], sizeof(p->titles[0]), "%s (%s)", a->title, p->x->found[i]->name);
	*panel = (struct lkst_svg_panel){ .title = p->titles[p->nr],
					  .type = a->type,
					  .series = { { "greatest", "#9ab8cf", max },
						      { "mean", "#00456b", mean } },
					  .nr_series = 2 };
	p->nr++;
}

/* What the picture says in words: when, how long a column is, and what the panels are. */
static void analyze_along_describe(struct picture *p)
{
	const struct lkst_analyze_along *x = p->x;
	char step[LKST_DURATION_TEXT], length[LKST_DURATION_TEXT], at[LKST_TIME_ROOM];
	struct lkst_time_text time;
	size_t used;
	unsigned int i;

	lkst_time_text_init(&time, LKST_TIME_UTC, x->clock_offset_ns);
	*lkst_put_time(at, &time, x->begin_ns, 9) = 0;
	lkst_duration_format(x->step_ns, step);
	lkst_duration_format(x->nr_stretches * x->step_ns, length);
	snprintf(p->title, sizeof(p->title), "%s, %s", at, length);
	used = (size_t)snprintf(p->about, sizeof(p->about),
				"Along the time from %s for %s, a column for each %s:", at, length,
				step);
	for (i = 0; i < p->nr && used < sizeof(p->about) - 1; i++)
		used += (size_t)snprintf(p->about + used, sizeof(p->about) - used, "%s %s",
					 i ? ";" : "", p->titles[i]);
}

static int make_picture(struct picture *p)
{
	const struct lkst_analyze_along *x = p->x;
	u32 nr_lanes = x->nr_wanted < LANES_MAX ? x->nr_wanted : (u32)LANES_MAX, i;
	size_t nr_series = (size_t)nr_lanes * LKST_NR_LANE_STATES + 2 * x->nr;
	int err = 0;

	p->values = calloc(nr_series * x->nr_stretches + 1, sizeof(*p->values));
	if (!p->values)
		return -ENOMEM;
	for (i = 0; i < nr_lanes && !err; i++)
		err = add_states(p, x->wanted[i]);
	for (i = 0; i < x->nr; i++)
		add_measure(p, i);
	if (x->nr_wanted > nr_lanes)
		lkst_notes_add(&p->notes, "%u more are not drawn.", x->nr_wanted - nr_lanes);
	for (i = 0; i < x->notes.nr; i++)
		lkst_notes_add(&p->notes, "%s", x->notes.text[i]);
	analyze_along_describe(p);
	return err;
}

int lkst_analyze_along_draw(const struct lkst_analyze_along *x, struct lkst_out *out)
{
	_cleanup_free_ struct picture *p = calloc(1, sizeof(*p));
	struct lkst_svg_chart chart;
	int err;

	if (!p)
		return -ENOMEM;
	p->x = x;
	err = make_picture(p);
	chart = (struct lkst_svg_chart){ .title = p->title,
					 .about = p->about,
					 .first_ns = x->begin_ns - x->trace_begin_ns,
					 .length_ns = x->nr_stretches * x->step_ns,
					 .nr_columns = x->nr_stretches,
					 .panels = p->panels,
					 .nr_panels = p->nr,
					 .notes = &p->notes };
	if (!err)
		lkst_svg_chart_print(&chart, out);
	lkst_notes_fini(&p->notes);
	free(p->values);
	return err;
}
