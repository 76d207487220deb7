/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the spans of programs take, and what their threads do meanwhile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/model/spans.h"
#include "base/hash.h"
#include "base/vec.h"

enum { NAMES_MAX = 4096 }; /* further names share the last one, "others" */

/* All spans of a name. */
struct span_name {
	char text[LKST_SPAN_NAME];
	u64 count, least_ns, total_ns, running_ns, ready_ns, blocked_ns, nr_handovers;
	u64 nr_not_ended[LKST_NR_SPAN_ENDINGS];
};

/* The number of a name, by its hash. */
struct span_place {
	u64 key;
	u32 name;
};

struct analyses_span {
	struct lkst_analysis_state work;
	struct lkst_spans *spans;
	struct span_name *names;
	u32 nr_names;
	struct lkst_hash places;
};

static u64 span_hash_of(const char *text)
{
	u64 hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 0x100000001b3;
	return hash >> 1;
}

/* The place of @text in names[], new or not; negative: -ENOMEM. */
static s64 span_number_of(struct analyses_span *s, const char *text)
{
	u64 key = span_hash_of(s->nr_names < NAMES_MAX ? text : "others");
	struct span_place *place = lkst_hash_find(&s->places, span_hash_of(text), sizeof(*place))
				      ?: lkst_hash_find(&s->places, key, sizeof(*place));
	struct span_name *name;

	if (place)
		return place->name;
	name = lkst_hash_reserve(&s->places, sizeof(*place)) ? NULL
							     : lkst_vec_add(s->names, s->nr_names);
	if (!name)
		return -ENOMEM;
	text = s->nr_names <= NAMES_MAX ? text : "others";
	memcpy(name->text, text, strnlen(text, sizeof(name->text) - 1));
	place = lkst_hash_add(&s->places, key, sizeof(*place));
	place->name = s->nr_names - 1;
	return place->name;
}

static void span_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct analyses_span *s = ctx;

	lkst_put_key(text, s->names[key].text, sizeof(s->names[key].text));
}

static int span_leave_out(struct lkst_tally *tally, u64 key, const struct lkst_span *x)
{
	enum lkst_left_out why = x->ending == LKST_SPAN_OPEN ? LKST_LEFT_OUT_NOT_OVER
				 : x->is_doubtful	     ? LKST_LEFT_OUT_GAP
							     : LKST_LEFT_OUT_NO_END;

	return lkst_tally_leave_out(tally, why, key, x->begin_tid, x->begin_cpu);
}

static int analyses_span_on_span(void *ctx, const struct lkst_span *x)
{
	struct analyses_span *s = ctx;
	struct lkst_tally *tally = &s->work.tallies[0];
	s64 key = span_number_of(s, x->name);
	struct span_name *name;

	if (key < 0)
		return (int)key;
	name = &s->names[key];
	if (lkst_tally_passes(tally, x->begin_tid, x->begin_cpu)) {
		bool is_over = x->ending == LKST_SPAN_ENDED && !x->is_doubtful;

		name->nr_not_ended[x->ending] += x->ending != LKST_SPAN_ENDED;
		name->nr_handovers += x->nr_handovers;
		if (is_over && (!name->count || x->to_ns - x->from_ns < name->least_ns))
			name->least_ns = x->to_ns - x->from_ns;
		name->count += is_over;
		name->total_ns += is_over ? x->to_ns - x->from_ns : 0;
		name->running_ns += is_over ? x->running_ns : 0;
		name->ready_ns += is_over ? x->ready_ns : 0;
		name->blocked_ns += is_over ? x->blocked_ns : 0;
	}
	if (x->ending != LKST_SPAN_ENDED || x->is_doubtful)
		return span_leave_out(tally, (u64)key, x);
	return lkst_tally_add(tally, (u64)key, x->to_ns - x->from_ns, x->from_ns, x->begin_tid,
			      x->begin_cpu);
}

static const struct lkst_column columns[] = {
	{ "span", "span", LKST_COLUMN_TEXT, "its name" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many ended" },
	{ "total", "total", LKST_COLUMN_DURATION, "how long they took in all" },
	{ "least", "least", LKST_COLUMN_DURATION, "how long the shortest one took" },
	{ "running", "running", LKST_COLUMN_PERCENT, "of that, the threads that had them ran" },
	{ "ready", "ready", LKST_COLUMN_PERCENT, "these waited for a CPU" },
	{ "blocked", "blocked", LKST_COLUMN_PERCENT, "these waited for something else" },
	{ "handovers", "handovers", LKST_COLUMN_COUNT,
	  "how often one was given to another thread" },
	{ "open", "open", LKST_COLUMN_COUNT, "how many went on when the trace ended" },
	{ "dead", "dead", LKST_COLUMN_COUNT, "how many were left by threads that ended" },
	{ "lost", "lost", LKST_COLUMN_COUNT, "how many may have ended where marks are missing" },
};

static void span_put_share(struct lkst_table *table, u64 ns, u64 total_ns)
{
	if (total_ns)
		lkst_table_double(table, 100.0 * (double)ns / (double)total_ns);
	else
		lkst_table_none(table);
}

static void span_put_name(struct lkst_table *table, const struct span_name *name)
{
	lkst_table_row(table);
	lkst_table_text(table, name->text, strlen(name->text));
	lkst_table_u64(table, name->count);
	lkst_table_u64(table, name->total_ns);
	if (name->count)
		lkst_table_u64(table, name->least_ns);
	else
		lkst_table_none(table);
	span_put_share(table, name->running_ns, name->total_ns);
	span_put_share(table, name->ready_ns, name->total_ns);
	span_put_share(table, name->blocked_ns, name->total_ns);
	lkst_table_u64(table, name->nr_handovers);
	lkst_table_u64(table, name->nr_not_ended[LKST_SPAN_OPEN]);
	lkst_table_u64(table, name->nr_not_ended[LKST_SPAN_DEAD]);
	lkst_table_u64(table, name->nr_not_ended[LKST_SPAN_LOST]);
}

/* Which handovers could not be followed, below the table. */
static void put_doubts(struct lkst_table *table, const struct lkst_spans_doubts *doubts)
{
	if (doubts->no_number)
		lkst_notes_add(
			&table->notes,
			"%llu handover%s left out that came without a number: lkst_handover(0, ...) does not "
			"say which span is meant.",
			(unsigned long long)doubts->no_number,
			doubts->no_number == 1 ? " is" : "s are");
	if (doubts->no_handover)
		lkst_notes_add(&table->notes,
			       "%llu handover%s left out since no span of that number was open.",
			       (unsigned long long)doubts->no_handover,
			       doubts->no_handover == 1 ? " is" : "s are");
}

static int span_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct analyses_span *s = (struct analyses_span *)w;
	const struct lkst_spans_doubts *doubts = lkst_spans_doubts(s->spans);
	struct lkst_table *table;
	u32 i;

	if (w->list)
		return 0;
	table = lkst_tables_add(set, "span_states", "Spans: what their threads did", columns,
				sizeof(columns) / sizeof(columns[0]));
	if (!table)
		return -ENOMEM;
	for (i = 0; i < s->nr_names; i++)
		if (s->names[i].count || s->names[i].nr_not_ended[LKST_SPAN_OPEN] ||
		    s->names[i].nr_not_ended[LKST_SPAN_DEAD] ||
		    s->names[i].nr_not_ended[LKST_SPAN_LOST])
			span_put_name(table, &s->names[i]);
	lkst_table_sort(table, (unsigned int)lkst_table_column(table, "total"), true);
	put_doubts(table, doubts);
	return table->error;
}

/* What was counted by the spans themselves is left out, too: the tables are made after the last record. */
static int span_on_over(void *ctx, u64 end_ns)
{
	struct analyses_span *s = ctx;
	const struct lkst_spans_doubts *doubts = lkst_spans_doubts(s->spans);
	struct lkst_tally *tally = &s->work.tallies[0];

	tally->left_out.nr[LKST_LEFT_OUT_NO_BEGIN] += doubts->no_begin;
	tally->left_out.nr[LKST_LEFT_OUT_FULL] += doubts->no_room;
	return 0;
}

static int span_begin(struct lkst_analysis_state *w)
{
	struct analyses_span *s = (struct analyses_span *)w;
	struct lkst_spans_options options = { w->feed, w->state, w->threads, analyses_span_on_span, s };
	static const enum lkst_event_index events[] = { LKST_EV_span_begin, LKST_EV_span_end };
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!lkst_feed_has(w->feed, events[i]))
			return 0;
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "span",
							   .title = "Spans of programs",
							   .unit = "spans",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = span_put_key });
	err = lkst_spans_new(NULL, &options, &s->spans);
	if (!err)
		err = lkst_feed_end(w->feed, span_on_over, s);
	return err < 0 ? err : 1;
}

static void span_fini(struct lkst_analysis_state *w)
{
	struct analyses_span *s = (struct analyses_span *)w;

	lkst_spans_free(s->spans);
	lkst_hash_fini(&s->places);
	free(s->names);
}

const struct lkst_analysis lkst_analysis_span = {
	.name = "span",
	.title = "Spans of programs",
	.help = "how long the spans that programs mark take, and what their threads do meanwhile",
	.measures =
		"from span_begin to span_end of the same name and number (doc/marks.md), by name; the state "
		"model's intervals (doc/states.md) of the threads that had them",
	.events = "span_begin span_end span_handover span_request sched_*",
	.needs_state = true,
	.size = sizeof(struct analyses_span),
	.begin = span_begin,
	.end = span_end,
	.fini = span_fini,
};
