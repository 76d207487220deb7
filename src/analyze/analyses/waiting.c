/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the waiting went: who was kept waiting, for what, and because of whom. */
#include <errno.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/waiting/cause_text.h"
#include "analyze/waiting/instances.h"
#include "analyze/waiting/times.h"
#include "analyze/waiting/tree_rows.h"
#include "trace/known/descriptors_before.h"

struct analyses_waiting {
	struct lkst_analysis_state work;
	struct lkst_pasts pasts;
	struct lkst_evidence evidence;
	struct lkst_taken taken;
	struct lkst_descriptors *descriptors;
	struct lkst_whose scope;
	struct lkst_times times;
	struct lkst_instances instances;
};

static const struct lkst_column columns[] = {
	{ "number", "#", LKST_COLUMN_COUNT, "its number, the greatest harm first: `lkst why '#1' TRACE` explains it" },
	{ "text", "where the waiting went", LKST_COLUMN_TEXT, "who was kept waiting, for what, and because of whom" },
	{ "kind", NULL, LKST_COLUMN_TEXT,
	  "what it waited for: lock, answer, sending, disk, call, fault, cpu, throttled, "
	  "stopped, traced, frozen, network, memory; or failed, killed, interrupts" },
	{ "comm", NULL, LKST_COLUMN_TEXT, "the name of the threads that waited" },
	{ "total", NULL, LKST_COLUMN_DURATION, "how long all of them did, together" },
	{ "count", NULL, LKST_COLUMN_COUNT, "how often" },
	{ "longest", NULL, LKST_COLUMN_DURATION, "the longest" },
	{ "tid", NULL, LKST_COLUMN_TID, "whose that was" },
	{ "at", NULL, LKST_COLUMN_TIME, "when it began" },
	{ "time", NULL, LKST_COLUMN_TEXT, "where all the time of these threads went, running or not" },
	{ "differs", NULL, LKST_COLUMN_TEXT, "what the slowest of these calls did that the others did not" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct lkst_column time_columns[] = {
	{ "number", "#", LKST_COLUMN_COUNT, "the row whose threads these are" },
	{ "comm", "threads", LKST_COLUMN_TEXT, "their name" },
	{ "part", "part", LKST_COLUMN_TEXT,
	  "on a CPU: program, kernel, memory (reclaim and compaction), interrupts, stolen, no tick; "
	  "else ready, throttled, blocked, stopped, unknown" },
	{ "of", "of", LKST_COLUMN_TEXT, "the function of the kernel; what it was blocked by" },
	{ "time", "time", LKST_COLUMN_DURATION, "how long: all of a row's are the time of these threads" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of their time" },
	{ "samples", "ticks", LKST_COLUMN_COUNT, "the ticks that it is estimated by; none: it was measured" },
};
enum { NR_TIME_COLUMNS = sizeof(time_columns) / sizeof(time_columns[0]) };

static void waiting_put_time(const struct analyses_waiting *d, struct lkst_table *t, const struct lkst_time *p,
			     u64 whole_ns)
{
	char name[LKST_SYMBOL_ROOM];

	lkst_table_str(t, lkst_time_part_words[p->part]);
	if (p->part == LKST_TIME_BLOCKED) {
		lkst_table_str(t, lkst_cause_names[p->cause]);
	} else if (p->function) {
		*lkst_symbols_put(d->work.symbols, name, p->function) = '\0';
		lkst_table_str(t, name);
	} else {
		lkst_table_none(t);
	}
	lkst_table_u64(t, p->ns);
	lkst_table_double(t, whole_ns ? 100.0 * (double)p->ns / (double)whole_ns : 0);
	if (p->ticks)
		lkst_table_u64(t, p->ticks);
	else
		lkst_table_none(t);
}

/* Whether all was recorded that says where all the time of threads went: where some is missing, others have it. */
static bool knows_times(const struct lkst_analysis_state *w)
{
	return !w->options->which.span && !lkst_analysis_lacks(w, "*");
}

/* Where the time went of the threads of a row; in @text in words. */
static void waiting_put_times(struct analyses_waiting *d, struct lkst_table *t, unsigned int number,
			      const struct lkst_found_cause *c, char text[LKST_TIMES_TEXT])
{
	struct lkst_time list[LKST_TIMES_MAX];
	const u32 nr = knows_times(&d->work) ? lkst_times_of(&d->times, &d->scope, c->comm, list) : 0;
	u64 whole_ns = 0;
	u32 i;

	text[0] = '\0';
	for (i = 0; i < nr; i++)
		whole_ns += list[i].ns;
	for (i = 0; i < nr; i++) {
		lkst_table_row(t);
		lkst_table_u64(t, number);
		lkst_table_text(t, c->comm, strnlen(c->comm, sizeof(c->comm)));
		waiting_put_time(d, t, &list[i], whole_ns);
	}
	if (nr)
		lkst_times_text(&d->times, list, nr, c->comm, text);
}

static void waiting_put_words(struct lkst_table *t, const char *text)
{
	if (text[0])
		lkst_table_str(t, text);
	else
		lkst_table_none(t);
}

static void waiting_put(struct lkst_table *t, unsigned int number, const struct lkst_found_cause *c, const char *time,
			const char *differs)
{
	lkst_table_row(t);
	lkst_table_u64(t, number);
	lkst_table_str(t, c->text);
	lkst_table_str(t, c->what);
	lkst_table_text(t, c->comm, strnlen(c->comm, sizeof(c->comm)));
	lkst_table_u64(t, c->total_ns);
	lkst_table_u64(t, c->count);
	lkst_table_u64(t, c->longest_ns);
	if (c->tid > 0)
		lkst_table_s64(t, c->tid);
	else
		lkst_table_none(t);
	lkst_table_u64(t, c->at_ns);
	waiting_put_words(t, time);
	waiting_put_words(t, differs);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static const struct lkst_column tree_columns[] = {
	{ "total", "time", LKST_COLUMN_DURATION, "how long, of all waits together" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of all waiting" },
	{ "count", "count", LKST_COLUMN_COUNT, "how often; of what is too small to be shown, of how many kinds" },
	{ "longest", "longest", LKST_COLUMN_DURATION, "the longest" },
	{ NULL, "who waited, because of whom, who meanwhile ...", LKST_COLUMN_TEXT, "what is further right "
										    "explains it" },
	{ "depth", NULL, LKST_COLUMN_COUNT, "0: who waited; 1: because of whom or what; and so on" },
	{ "kind", NULL, LKST_COLUMN_TEXT, "of depth 0: as in `waiting`; none: what is no harm by itself" },
	{ "comm", NULL, LKST_COLUMN_TEXT, "whose threads; none: nobody's, as a timer's, a disk's or an interrupt's" },
	{ "leaf", NULL, LKST_COLUMN_FLAG, "nothing is below: these are together all of the waiting" },
	{ "text", NULL, LKST_COLUMN_TEXT, "what they did" },
	{ "tid", NULL, LKST_COLUMN_TID, "whose the longest was" },
	{ "at", NULL, LKST_COLUMN_TIME, "when the longest began" },
};
enum { NR_TREE_COLUMNS = sizeof(tree_columns) / sizeof(tree_columns[0]) };

static void put_tree_text(const struct lkst_tree *tree, const struct lkst_cause_names *names,
			  const struct lkst_tree_row *row, char text[LKST_CAUSE_TEXT])
{
	if (row->is == LKST_TREE_ROW_NODE)
		lkst_cause_text_node(tree, row->node, names, text);
	else
		strcpy(text, row->is == LKST_TREE_ROW_UNKNOWN ? "not known" : "others, each less than 0.1 % of all");
}

/* When the longest of a node was, and whose. */
static void put_tree_longest(struct lkst_table *t, const struct lkst_tree *tree, const struct lkst_tree_node *n)
{
	const struct lkst_thread_life *life =
		n && !lkst_tree_is_nobody(n->key.doing) ? lkst_model_life(tree->model, n->longest_life) : NULL;

	if (life)
		lkst_table_s64(t, life->tid);
	else
		lkst_table_none(t);
	if (n)
		lkst_table_u64(t, n->longest_at_ns);
	else
		lkst_table_none(t);
}

static void put_tree_row(struct lkst_table *t, const struct lkst_tree *tree, const struct lkst_cause_names *names,
			 const struct lkst_tree_row *row, u64 whole_ns)
{
	const struct lkst_tree_node *n = row->is == LKST_TREE_ROW_NODE ? &tree->nodes[row->node] : NULL;
	const bool is_root = n && n->key.parent == LKST_NO_NODE;
	char text[LKST_CAUSE_TEXT];

	put_tree_text(tree, names, row, text);
	lkst_table_row(t);
	lkst_table_u64(t, row->ns);
	lkst_table_double(t, whole_ns ? 100.0 * (double)row->ns / (double)whole_ns : 0);
	if (row->count)
		lkst_table_u64(t, row->count);
	else
		lkst_table_none(t);
	if (n)
		lkst_table_u64(t, n->longest_ns);
	else
		lkst_table_none(t);
	lkst_table_printf(t, "%*s%s", (int)row->depth * 2, "", text);
	lkst_table_u64(t, row->depth);
	if (is_root && n->key.kind)
		lkst_table_str(t, lkst_harm_word((enum lkst_harm)n->key.kind));
	else
		lkst_table_none(t);
	if (n && !lkst_tree_is_nobody(n->key.doing))
		lkst_table_str(t, lkst_tree_name_text(tree, n->key.name));
	else
		lkst_table_none(t);
	lkst_table_bool(t, row->is_leaf);
	lkst_table_str(t, text);
	put_tree_longest(t, tree, n);
}

static int waiting_put_tree(struct analyses_waiting *d, const struct lkst_cause_names *names, struct lkst_tables *set)
{
	struct lkst_table *t = lkst_tables_add(set, "waiting_tree", "All waiting, and because of whom", tree_columns,
					       NR_TREE_COLUMNS);
	struct lkst_tree_rows rows = {};
	struct lkst_tree tree;
	u32 i;
	int err;

	if (!t)
		return -ENOMEM;
	lkst_tree_init(&tree, &d->pasts, d->work.state);
	err = lkst_causes_add_all(&d->pasts, names, &tree) ?:
	      lkst_tree_rows_make(&rows, &tree, d->work.options->tree_depth, LKST_TREE_SMALL_PART);
	for (i = 0; i < rows.nr && !err; i++)
		put_tree_row(t, &tree, names, &rows.list[i], rows.whole_ns);
	if (tree.is_full || d->pasts.is_cut)
		lkst_notes_add(&t->notes, "There was more than is followed at once: some of it is left out, or "
					  "not known.");
	lkst_tree_rows_fini(&rows);
	lkst_tree_fini(&tree);
	return err ?: t->error;
}

static bool is_scoped(const struct lkst_whose *s)
{
	return s->chooses || s->span;
}

static int waiting_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct analyses_waiting *d = (struct analyses_waiting *)w;
	const struct lkst_cause_names names = { .symbols = w->symbols, .labels = w->labels, .model = w->state,
						.evidence = &d->evidence, .taken = &d->taken,
						.scope = &d->scope };
	struct lkst_table *t, *times;
	struct lkst_causes causes;
	char text[LKST_TIMES_TEXT], differs[LKST_INSTANCES_TEXT];
	unsigned int i;
	int err;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	lkst_whose_finish(&d->scope);
	err = d->times.error ?: d->taken.error;
	err = err ?: lkst_past_finish(&d->pasts) ?: lkst_causes_find(&d->pasts, &names, &causes);
	if (err)
		return err;
	t = lkst_tables_add(set, "waiting", "Where the waiting went", columns, NR_COLUMNS);
	times = lkst_tables_add(set, "waiting_time", "Where the time of these threads went", time_columns,
				NR_TIME_COLUMNS);
	if (!t || !times)
		return -ENOMEM;
	t->kind = LKST_TABLE_SENTENCES;
	for (i = 0; i < causes.nr; i++) {
		err = lkst_instances_differ(&d->instances, &d->pasts, &names, causes.list[i].comm, causes.list[i].call,
					    differs);
		if (err)
			return err;
		waiting_put_times(d, times, i + 1, &causes.list[i], text);
		waiting_put(t, i + 1, &causes.list[i], text, differs);
	}
	if (!causes.nr)
		lkst_notes_add(&t->notes, "Nothing stands out: no %s were kept waiting for long, as far as it "
					  "is recorded.",
			       is_scoped(&d->scope) ? "such threads" : "threads of programs");
	if (causes.nr_more)
		lkst_notes_add(&t->notes, "%llu more were less.", (unsigned long long)causes.nr_more);
	if (causes.is_full)
		lkst_notes_add(&t->notes,
			       "There was more than is followed at once: some of the waiting is not explained.");
	if (d->scope.span)
		lkst_notes_add(&t->notes, "This is of spans: what failed, was killed or reclaimed memory is not "
					  "looked for, "
			       "nor where the threads' time went.");
	if (d->scope.nr_left_out)
		lkst_notes_add(&t->notes, "%llu parts of spans are left out: who had them, or until when, is "
					  "not known.",
			       (unsigned long long)d->scope.nr_left_out);
	err = t->error ?: times->error;
	return err || !w->options->tree_depth ? err : waiting_put_tree(d, &names, set);
}

/* What waits are about. Which descriptors there were before is of use, and no more than that. */
static int waiting_follow_descriptors(struct lkst_analysis_state *w, struct analyses_waiting *d)
{
	struct lkst_err err = {};

	d->descriptors = lkst_descriptors_new(w->threads);
	if (!d->descriptors)
		return -ENOMEM;
	d->pasts.abouts.descriptors = d->descriptors;
	d->pasts.circumstances.symbols = w->symbols;
	d->evidence.abouts = &d->pasts.abouts;
	if (lkst_descriptors_tell_state(&err, d->descriptors, lkst_feed_trace(w->feed)) == -ENOMEM)
		return -ENOMEM;
	return lkst_feed_descriptors(w->feed, d->descriptors);
}

static bool chooses(void *ctx, const struct lkst_thread_life *life)
{
	return lkst_analysis_chooses(ctx, life);
}

static int waiting_begin(struct lkst_analysis_state *w)
{
	struct analyses_waiting *d = (struct analyses_waiting *)w;
	const struct lkst_tally_options *which = &w->options->which;
	int r = waiting_follow_descriptors(w, d);

	if (r < 0)
		return r;
	d->scope.ctx = w;
	d->scope.chooses = lkst_tally_chooses_threads(which) ? chooses : NULL;
	d->scope.span = which->span;
	d->scope.from_ns = which->within_from_ns;
	d->scope.to_ns = which->within_to_ns;
	d->evidence.scope = &d->scope;
	r = lkst_whose_subscribe(&d->scope, w->feed, w->state, w->threads);
	if (r >= 0)
		r = lkst_past_subscribe(&d->pasts, w->feed, w->state, w->limited);
	if (r >= 0)
		r = lkst_times_subscribe(&d->times, w->feed, w->state, w->symbols);
	if (r >= 0)
		r = lkst_taken_subscribe(&d->taken, w->state);
	if (r >= 0)
		r = lkst_instances_subscribe(&d->instances, w->state, &d->scope);
	return r < 0 ? r : lkst_evidence_subscribe(&d->evidence, w->feed, w->state, w->limited);
}

static void waiting_fini(struct lkst_analysis_state *w)
{
	struct analyses_waiting *d = (struct analyses_waiting *)w;

	lkst_past_fini(&d->pasts);
	lkst_evidence_fini(&d->evidence);
	lkst_taken_fini(&d->taken);
	lkst_descriptors_free(d->descriptors);
	lkst_instances_fini(&d->instances);
	lkst_times_fini(&d->times);
	lkst_whose_fini(&d->scope);
}

const struct lkst_analysis lkst_analysis_waiting = {
	.name = "waiting",
	.title = "Where the waiting went",
	.help = "who was kept waiting, for what, and because of whom: the greatest harm first",
	.measures = "waits by the state model (doc/states.md), each followed to what ended it, and added up",
	.events = "sched_* syscall_* block_* irq_* softirq_* timer_* hrtimer_* contention_* socket_* "
		  "mm_vmscan_*reclaim* mm_vmscan_write_folio page_fault_* workqueue_execute_* tcp_retransmit_skb "
		  "mark_victim tick steal",
	.needs_state = true,
	.has_shares = true,
	.heeds_spans = true,
	.ignores = LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct analyses_waiting),
	.begin = waiting_begin,
	.end = waiting_end,
	.fini = waiting_fini,
};
