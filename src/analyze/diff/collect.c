/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass over a trace: the analyses' values by key, the states of groups of threads, and what gaps leave. */
#include "analyze/diff/collect.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum {
	NR_ANALYSES = LKST_NR_DIFF_KINDS - LKST_DIFF_FIRST_ANALYSIS,
	GAPS_MAX = 4096, /* that are kept apart; a power of two */
	GROUPS_MAX = 4096,
	COMM = 16,
	NOT_WHOLE = LKST_INTERVAL_OPEN | LKST_INTERVAL_EARLIER | LKST_INTERVAL_CUT |
		    LKST_INTERVAL_NO_WAKE,
	SUB_SHIFT = 8, /* of the state in a key of the model's rows; below is its cause */
	GROUP_SHIFT = 16,
	FAULT_STATE = LKST_NR_RUNS, /* in place of a state: the row of page faults */
};

/* A number for what is known by a key of 64 bits. */
struct collect_place {
	u64 key;
	u32 index;
};

struct collect_group {
	char comm[COMM];
};

/* Keys of the side for those of a tally: their numbers plus 1. */
struct collect_source {
	const struct lkst_tally *tally;
	u8 kind;
	u32 *index_of;
	u32 nr;
};

struct collect_pass {
	const struct lkst_diff_side_options *options;
	struct lkst_diff_side *side;
	struct lkst_analysis_run *run;
	const struct lkst_model *model;
	const struct lkst_analysis *found[NR_ANALYSES];
	struct collect_source sources[NR_ANALYSES];
	u32 nr_sources, last;
	struct lkst_hash states, names; /* of struct place: keys of the side, and groups */
	struct collect_group *groups;
	u32 nr_groups;
	struct lkst_gaps gaps;
};

/* ---- occurrences ----------------------------------------------------------------------------- */

/* The index of a new key, or -ENOMEM. */
static s64 collect_add_key(struct lkst_diff_side *s, enum lkst_diff_kind kind)
{
	struct lkst_diff_key *k = lkst_vec_add(s->keys, s->nr_keys);

	if (!k)
		return -ENOMEM;
	k->kind = (u8)kind;
	if (s->nr_keys <= LKST_DIFF_KEYS_MAX && s->nr_stretches) {
		k->stretches = calloc(s->nr_stretches, sizeof(*k->stretches));
		if (!k->stretches)
			return -ENOMEM;
	}
	return s->nr_keys - 1;
}

/* Divides time among the stretches in which it was spent. */
static void collect_spread(const struct lkst_diff_side *s, struct lkst_diff_key *k, u64 start_ns, u64 ns)
{
	u64 before_ns = start_ns < s->from_ns ? s->from_ns - start_ns : 0, room_ns;
	u64 from_ns = before_ns ? 0 : start_ns - s->from_ns, i = from_ns / s->step_ns;

	ns = ns > before_ns ? ns - before_ns : 0;
	for (; k->stretches && ns && i < s->nr_stretches; i++) {
		room_ns = (i + 1) * s->step_ns - from_ns;
		room_ns = room_ns < ns ? room_ns : ns;
		k->stretches[i].ns += room_ns;
		from_ns += room_ns;
		ns -= room_ns;
	}
}

/* The place of a length; moves the usual one towards it, the more the fewer there have been. */
static u32 collect_place_of(struct lkst_diff_key *k, u64 ns)
{
	u32 place = lkst_hist_bucket(ns), nr = k->nr_places++, step = nr < 128 ? 128 / (nr + 1) : 1;
	u32 least, most;

	if (!nr)
		k->center = place;
	least = k->center > LKST_HISTOGRAM_ROW ? k->center - LKST_HISTOGRAM_ROW : 0;
	most = k->center + LKST_HISTOGRAM_ROW;
	if (place > k->center)
		k->center += step < place - k->center ? step : place - k->center;
	else
		k->center -= step < k->center - place ? step : k->center - place;
	return place < least ? least : place > most ? most : place;
}

/* An occurrence that was recorded whole, but for its length, which its tally counts or the caller. */
static int note_whole(const struct lkst_diff_side *s, struct lkst_diff_key *k, u64 start_ns, u64 ns,
		      s32 tid)
{
	struct lkst_diff_example *x;
	u32 place;
	u64 i = start_ns > s->from_ns ? (start_ns - s->from_ns) / s->step_ns : 0;

	if (!k->stretches)
		return 0;
	if (i < s->nr_stretches) {
		place = collect_place_of(k, ns);
		k->stretches[i].nr++;
		k->stretches[i].places += place;
		k->squares += (double)place * place;
	}
	if (lkst_diff_example_reach(k, lkst_diff_example_range(ns), &x))
		return -ENOMEM;
	/* The second, the fourth, the eighth: late in the trace, where the most is known before it. */
	if (!(x->nr & (x->nr + 1)))
		*x = (struct lkst_diff_example){ start_ns, ns, tid, x->nr };
	x->nr++;
	return 0;
}

/* ---- the analyses ---------------------------------------------------------------------------- */

static struct collect_source *collect_source_of(struct collect_pass *p, const struct lkst_tally *t)
{
	u32 i;

	if (p->last < p->nr_sources && p->sources[p->last].tally == t)
		return &p->sources[p->last];
	for (i = 0; i < p->nr_sources && p->sources[i].tally != t; i++)
		;
	p->last = i;
	if (i == p->nr_sources)
		return NULL;
	return &p->sources[i];
}

/* The key of the side for key @i of @source; it lasts until the next is made. NULL: no memory. */
static struct lkst_diff_key *collect_key_of(struct collect_pass *p, struct collect_source *source, u32 i)
{
	u32 *index = lkst_vec_reach(source->index_of, source->nr, i);
	s64 made;

	if (!index)
		return NULL;
	if (!*index) {
		made = collect_add_key(p->side, source->kind);
		if (made < 0)
			return NULL;
		*index = (u32)made + 1;
	}
	return &p->side->keys[*index - 1];
}

static int on_value(void *arg, const struct lkst_tally *t, u32 key, u64 value, u64 start_ns,
		    s32 tid)
{
	struct collect_pass *p = arg;
	struct collect_source *source = collect_source_of(p, t);
	struct lkst_diff_key *k;

	if (!source)
		return 0;
	k = collect_key_of(p, source, key);
	if (!k)
		return -ENOMEM;
	collect_spread(p->side, k, start_ns, value);
	return note_whole(p->side, k, start_ns, value, tid);
}

/* After the pass: names, and the histograms that the tally has made. */
static int take_tally(struct collect_pass *p, struct collect_source *source, struct lkst_tally *t)
{
	u32 i;

	for (i = 0; i < t->nr_keys; i++) {
		struct lkst_tally_key *from = &t->keys[i];
		struct lkst_diff_key *k;

		if (!from->histogram.count && !from->nr_crossing)
			continue;
		k = collect_key_of(p, source, i);
		if (!k)
			return -ENOMEM;
		memcpy(k->text, from->text, sizeof(k->text));
		k->lengths = from->histogram;
		k->nr_lost = from->nr_crossing;
		from->histogram = (struct lkst_hist){};
	}
	return 0;
}

/* ---- groups of threads ----------------------------------------------------------------------- */

/* kworker/0:1 becomes "kworker/" "*:*": the numbers of a name say which of many it is. */
static void hide_numbers(char comm[COMM])
{
	unsigned int from, to = 0;

	for (from = 0; from < COMM && comm[from]; from++) {
		bool is_digit = comm[from] >= '0' && comm[from] <= '9';

		if (is_digit && to && comm[to - 1] == '*')
			continue;
		comm[to++] = is_digit ? '*' : comm[from];
	}
	memset(comm + to, 0, COMM - to);
}

static void name_group(const struct collect_pass *p, const struct lkst_thread_life *life, char comm[COMM])
{
	const struct lkst_thread_life *leader = NULL;

	if (p->options->group == LKST_DIFF_BY_PROCESS && !life->is_kernel && life->pid &&
	    life->pid != life->tid)
		leader = lkst_model_life_of(p->model, life->pid, 0);
	memcpy(comm, leader && leader->has_comm ? leader->comm : life->comm, COMM);
	if (p->options->group == LKST_DIFF_BY_THREAD || life->is_kernel)
		hide_numbers(comm);
}

static u64 collect_hash_of(const char comm[COMM])
{
	u64 half[2];

	memcpy(half, comm, sizeof(half));
	return (half[0] * 0x9e3779b97f4a7c15ULL ^
		(half[1] + (half[0] >> 29)) * 0xbf58476d1ce4e5b9ULL) >>
	       1;
}

/* The number of the group of @life, or -ENOMEM. The last one has all that there is no room for. */
static s64 collect_group_of(struct collect_pass *p, const struct lkst_thread_life *life)
{
	char comm[COMM];
	struct collect_group *group;
	struct collect_place *place;
	u64 hash;

	name_group(p, life, comm);
	/* Groups whose hashes are equal follow each other. */
	for (hash = collect_hash_of(comm);; hash++) {
		place = lkst_hash_find(&p->names, hash, sizeof(*place));
		if (!place)
			break;
		if (!memcmp(p->groups[place->index].comm, comm, COMM))
			return place->index;
	}
	if (p->nr_groups >= GROUPS_MAX)
		return GROUPS_MAX - 1;
	if (p->nr_groups == GROUPS_MAX - 1)
		snprintf(comm, sizeof(comm), "others");
	group = lkst_vec_add(p->groups, p->nr_groups);
	if (!group || lkst_hash_reserve(&p->names, sizeof(*place)))
		return -ENOMEM;
	memcpy(group->comm, comm, COMM);
	place = lkst_hash_add(&p->names, hash, sizeof(*place));
	place->index = p->nr_groups - 1;
	return place->index;
}

static void name_state(const struct collect_pass *p, u64 key, char text[LKST_KEY_TEXT])
{
	unsigned int state = key >> SUB_SHIFT & 0xff, sub = key & 0xff;
	char group[LKST_KEY_TEXT];

	lkst_put_key(group, p->groups[key >> GROUP_SHIFT].comm, COMM);
	if (state == FAULT_STATE)
		snprintf(text, LKST_KEY_TEXT, "%s", group);
	else if (state == LKST_RUN_READY)
		snprintf(text, LKST_KEY_TEXT, "%.48s:ready:%s", group, lkst_ready_names[sub]);
	else if (state == LKST_RUN_BLOCKED)
		snprintf(text, LKST_KEY_TEXT, "%.48s:blocked:%s", group, lkst_cause_names[sub]);
	else
		snprintf(text, LKST_KEY_TEXT, "%.48s:%s", group, lkst_run_names[state]);
}

/* The row of a group's state. NULL: no memory. */
static struct lkst_diff_key *collect_state_of(struct collect_pass *p, const struct lkst_thread_life *life,
					      unsigned int state, unsigned int sub)
{
	s64 group = collect_group_of(p, life), made;
	struct collect_place *place;
	u64 key;

	if (group < 0)
		return NULL;
	key = (u64)group << GROUP_SHIFT | state << SUB_SHIFT | sub;
	place = lkst_hash_find(&p->states, key, sizeof(*place));
	if (place)
		return &p->side->keys[place->index];
	if (lkst_hash_reserve(&p->states, sizeof(*place)))
		return NULL;
	made = collect_add_key(p->side, state == FAULT_STATE ? LKST_DIFF_fault : LKST_DIFF_state);
	if (made < 0)
		return NULL;
	place = lkst_hash_add(&p->states, key, sizeof(*place));
	place->index = (u32)made;
	name_state(p, key, p->side->keys[made].text);
	return &p->side->keys[made];
}

static bool collect_is_wanted(const struct collect_pass *p, const struct lkst_thread_life *life)
{
	char comm[COMM + 1] = "";

	memcpy(comm, life->comm, COMM);
	return life->idle_cpu < 0 && (!p->options->comm || !fnmatch(p->options->comm, comm, 0));
}

static int collect_add_whole(struct collect_pass *p, struct lkst_diff_key *k, u64 from_ns, u64 to_ns, s32 tid)
{
	return lkst_hist_add(&k->lengths, to_ns - from_ns, 1)
		       ?: note_whole(p->side, k, from_ns, to_ns - from_ns, tid);
}

static int collect_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct collect_pass *p = ctx;
	struct lkst_diff_key *k;
	unsigned int sub = 0;

	/* What is not known is of no state, and so is a gap, after which it is not known. */
	if (i->run == LKST_RUN_UNKNOWN || i->run == LKST_RUN_DEAD || !collect_is_wanted(p, i->life))
		return 0;
	if (i->run == LKST_RUN_READY)
		sub = i->ready;
	else if (i->run == LKST_RUN_BLOCKED)
		sub = i->wait ? i->wait->cause : LKST_CAUSE_UNKNOWN;
	k = collect_state_of(p, i->life, i->run, sub);
	if (!k)
		return -ENOMEM;
	collect_spread(p->side, k, i->from_ns, i->to_ns - i->from_ns);
	if (!(i->flags & NOT_WHOLE))
		return collect_add_whole(p, k, i->from_ns, i->to_ns, i->life->tid);
	k->parts_ns += i->to_ns - i->from_ns;
	k->nr_lost += !!(i->flags & LKST_INTERVAL_CUT);
	return 0;
}

static int collect_on_fault(void *ctx, const struct lkst_fault_interval *f)
{
	struct collect_pass *p = ctx;
	struct lkst_diff_key *k;

	if (!collect_is_wanted(p, f->life) || f->from_ns < p->side->from_ns)
		return 0;
	k = collect_state_of(p, f->life, FAULT_STATE, 0);
	if (!k)
		return -ENOMEM;
	collect_spread(p->side, k, f->from_ns, f->to_ns - f->from_ns);
	return collect_add_whole(p, k, f->from_ns, f->to_ns, f->life->tid);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

static int collect_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct collect_pass *p = ctx;

	if (lkst_buffer_is_of_kernel(gap->buffer))
		lkst_gaps_insert(&p->gaps, gap);
	return 0;
}

/* Nothing of the time from @from_ns to @to_ns, after what was removed before, is covered. */
static void uncover(struct lkst_diff_side *s, u64 from_ns, u64 to_ns)
{
	u64 i;

	s->covered_ns -= to_ns - from_ns;
	from_ns -= s->from_ns;
	to_ns -= s->from_ns;
	for (i = from_ns / s->step_ns; i < s->nr_stretches && i * s->step_ns < to_ns; i++) {
		u64 begin_ns = i * s->step_ns, end_ns = begin_ns + s->step_ns;

		begin_ns = begin_ns > from_ns ? begin_ns : from_ns;
		end_ns = end_ns < to_ns ? end_ns : to_ns;
		s->covered[i] -= end_ns - begin_ns;
	}
}

/* What is in no gap of any CPU: the analyses drop what crosses one, wherever it is. */
static void find_covered(struct collect_pass *p)
{
	struct lkst_diff_side *s = p->side;
	u64 done_ns = s->from_ns;
	u32 i;

	s->covered_ns = s->to_ns - s->from_ns;
	for (i = 0; i < s->nr_stretches; i++)
		s->covered[i] = s->step_ns;
	for (i = 0; i < p->gaps.nr; i++) {
		const struct lkst_gap *gap = lkst_gaps_at(&p->gaps, i);
		u64 from_ns = gap->from_ns > done_ns ? gap->from_ns : done_ns;
		u64 to_ns = gap->to_ns < s->to_ns ? gap->to_ns : s->to_ns;

		if (from_ns >= to_ns)
			continue;
		uncover(s, from_ns, to_ns);
		done_ns = to_ns;
	}
}

/* ---- the pass -------------------------------------------------------------------------------- */

static int collect_begin(struct lkst_err *e, struct collect_pass *p, struct lkst_trace *t)
{
	static const struct lkst_model_calls calls = { .interval = collect_on_interval, .fault = collect_on_fault };
	struct lkst_analysis_options options = { .which = { .comm = p->options->comm },
						 .from_ns = p->options->from_ns,
						 .to_ns = p->options->to_ns,
						 .each = on_value,
						 .each_arg = p,
						 .needs_state = true };
	u32 i;
	int err;

	for (i = 0; i < NR_ANALYSES; i++)
		p->found[i] =
			lkst_analysis_find(lkst_diff_kind_names[LKST_DIFF_FIRST_ANALYSIS + i]);
	err = lkst_analysis_run_new(e, t, &options, p->found, NR_ANALYSES, &p->run);
	if (err)
		return err;
	for (i = 0; i < NR_ANALYSES; i++)
		p->sources[i] = (struct collect_source){ .tally = lkst_analysis_run_tally(p->run, i),
						 .kind = (u8)(LKST_DIFF_FIRST_ANALYSIS + i) };
	p->nr_sources = NR_ANALYSES;
	p->model = lkst_analysis_run_model(p->run);
	err = lkst_gaps_init(&p->gaps, GAPS_MAX);
	if (!err)
		err = lkst_model_subscribe(lkst_analysis_run_model(p->run), &calls, p);
	if (err >= 0)
		err = lkst_feed_gaps(lkst_analysis_run_feed(p->run), collect_on_gap, p);
	return err < 0 ? lkst_err_sys(e, err, "comparing") : 0;
}

static int collect_miss(struct lkst_diff_side *s, unsigned int kind, const char *why)
{
	s->missing[kind] = strdup(why);
	return s->missing[kind] ? 0 : -ENOMEM;
}

/* What the trace cannot show of each kind, in words. */
static int find_missing(struct collect_pass *p)
{
	const struct lkst_feed *f = lkst_analysis_run_feed(p->run);
	u32 i;
	int err = 0;

	if (!lkst_feed_has(f, LKST_EV_sched_switch))
		err = collect_miss(p->side, LKST_DIFF_state,
				   "The trace cannot have sched_switch, which shows what threads do.");
	if (!lkst_feed_has(f, LKST_EV_page_fault_exit))
		err = err
			      ?: collect_miss(p->side, LKST_DIFF_fault,
					      "The trace cannot have page_fault_exit, which ends page faults.");
	for (i = 0; i < NR_ANALYSES && !err; i++) {
		struct lkst_notes notes = {};

		lkst_analysis_run_missing(p->run, i, &notes);
		if (notes.nr)
			err = collect_miss(p->side, LKST_DIFF_FIRST_ANALYSIS + i, notes.text[0]);
		lkst_notes_fini(&notes);
	}
	return err;
}

static int collect_finish(struct collect_pass *p)
{
	u32 i;
	int err = 0;

	for (i = 0; i < NR_ANALYSES && !err; i++) {
		struct lkst_tally *t = lkst_analysis_run_tally(p->run, i);

		if (t)
			err = take_tally(p, &p->sources[i], t);
	}
	find_covered(p);
	return err ?: find_missing(p);
}

static void pass_fini(struct collect_pass *p)
{
	u32 i;

	for (i = 0; i < p->nr_sources; i++)
		free(p->sources[i].index_of);
	lkst_analysis_run_free(p->run);
	lkst_hash_fini(&p->states);
	lkst_hash_fini(&p->names);
	lkst_gaps_fini(&p->gaps);
	free(p->groups);
}

int lkst_diff_collect(struct lkst_err *e, struct lkst_trace *t,
		      const struct lkst_diff_side_options *options, struct lkst_diff_side *s)
{
	_cleanup_(pass_fini) struct collect_pass p = { .options = options, .side = s };
	int err = collect_begin(e, &p, t) ?: lkst_analysis_run_pass(e, p.run);

	if (err)
		return err;
	err = collect_finish(&p);
	return err ? lkst_err_sys(e, err, "comparing") : 0;
}
