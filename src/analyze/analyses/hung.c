/* SPDX-License-Identifier: GPL-2.0-only */
/* What has not ended: who waits when the trace ends, and has for long, for whom. */
#include "analyze/waiting/hung.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/size.h"

struct hung {
	struct lkst_analysis_state work;
	struct lkst_hung graph;
};

static const struct lkst_column columns[] = {
	{ "number", "#", LKST_COLUMN_COUNT, "its number, the gravest first" },
	{ "text", "what has not ended", LKST_COLUMN_TEXT, "who waits, for what and whom, and what that one does" },
	{ "kind", NULL, LKST_COLUMN_TEXT,
	  "deadlock: threads that wait for each other; holder: they wait for one; unknown: it is not known for whom" },
	{ "comm", NULL, LKST_COLUMN_TEXT, "the name of the thread at the end: that all wait for, or one of the cycle" },
	{ "tid", NULL, LKST_COLUMN_TID, "that thread" },
	{ "count", NULL, LKST_COLUMN_COUNT, "how many wait" },
	{ "longest", NULL, LKST_COLUMN_DURATION, "for how long the first of them has, as far as is recorded" },
	{ "at", NULL, LKST_COLUMN_TIME, "when that began, or is first known" },
};

static const struct lkst_column thread_columns[] = {
	{ "number", "#", LKST_COLUMN_COUNT, "the row of the table before that it is in" },
	{ "tid", "thread", LKST_COLUMN_TID, "who waits" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its name" },
	{ "waited", "for", LKST_COLUMN_DURATION, "how long" },
	{ "is_earlier", "or longer", LKST_COLUMN_FLAG, "the wait began before what is recorded, and is longer" },
	{ "what", "what", LKST_COLUMN_TEXT, "for what" },
	{ "holder_tid", "held by", LKST_COLUMN_TID, "for whom; none: it is not known" },
	{ "holder_comm", "name", LKST_COLUMN_TEXT, "the name of that" },
	{ "known", "as of", LKST_COLUMN_TEXT,
	  "now: that one has it at the end of the trace; begin: it had it when the wait began; not more is known" },
};

static void hung_put_row(struct lkst_table *t, const struct lkst_hung *h, unsigned int number)
{
	const struct lkst_hung_row *row = &h->rows[number - 1];
	const struct lkst_thread_life *life = lkst_model_life(h->model, row->end);

	lkst_table_row(t);
	lkst_table_u64(t, number);
	lkst_table_str(t, row->text);
	lkst_table_str(t, row->kind);
	lkst_table_text(t, life->comm, strnlen(life->comm, sizeof(life->comm)));
	lkst_table_s64(t, life->tid);
	lkst_table_u64(t, row->nr);
	lkst_table_u64(t, row->longest_ns);
	lkst_table_u64(t, row->since_ns);
}

static void hung_put_thread(struct lkst_table *t, const struct lkst_hung *h, struct lkst_symbols *symbols, u32 i)
{
	const struct lkst_hung_thread *thread = &h->threads[h->told[i]];
	const struct lkst_thread_life *life = lkst_model_life(h->model, h->told[i]);
	const struct lkst_thread_life *holder =
		thread->known ? lkst_model_life(h->model, thread->holder) : NULL;
	char what[256];

	lkst_hung_what(thread, symbols, what, sizeof(what));
	lkst_table_row(t);
	lkst_table_u64(t, h->row_of[i] + 1);
	lkst_table_s64(t, life->tid);
	lkst_table_text(t, life->comm, strnlen(life->comm, sizeof(life->comm)));
	lkst_table_u64(t, thread->to_ns - thread->from_ns);
	lkst_table_bool(t, thread->is_earlier);
	lkst_table_str(t, what);
	if (!holder) {
		lkst_table_none(t);
		lkst_table_none(t);
		lkst_table_none(t);
		return;
	}
	lkst_table_s64(t, holder->tid);
	lkst_table_text(t, holder->comm, strnlen(holder->comm, sizeof(holder->comm)));
	lkst_table_str(t, thread->known == LKST_HUNG_NOW ? "now" : "begin");
}

static void hung_note(struct lkst_table *t, const struct lkst_hung *h, u64 least_ns)
{
	char text[LKST_DURATION_TEXT];

	lkst_duration_format(least_ns, text);
	if (!h->nr_rows)
		lkst_notes_add(
			&t->notes,
			"Nothing hangs: when the trace ends no thread has waited for %s or longer, as far as it is "
			"recorded, for a lock, where no signal can end it, or in a call that need not wait.",
			text);
	if (h->nr_others)
		lkst_notes_add(
			&t->notes,
			h->nr_others == 1
				? "%llu other thread sleeps as long, as is its way; nobody above waits for it."
				: "%llu other threads sleep as long, as is their way; nobody above waits for them.",
			(unsigned long long)h->nr_others);
}

static int hung_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	static const struct lkst_hung_question usual = { .least_ns = LKST_HUNG_STANDARD_NS };
	struct hung *d = (struct hung *)w;
	struct lkst_hung *h = &d->graph;
	const struct lkst_hung_question *q = w->options->hung ?: &usual;
	struct lkst_table *t;
	u32 i;
	int err;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	err = lkst_hung_finish(h, q, w->symbols);
	if (err)
		return err;
	t = lkst_tables_add(set, "hung", "What has not ended", columns, sizeof(columns) / sizeof(columns[0]));
	if (!t)
		return -ENOMEM;
	t->kind = LKST_TABLE_SENTENCES;
	for (i = 0; i < h->nr_rows; i++)
		hung_put_row(t, h, i + 1);
	hung_note(t, h, q->least_ns);
	if (t->error || !h->nr_told)
		return t->error;
	t = lkst_tables_add(set, "hung_threads", "The threads that hang", thread_columns,
			    sizeof(thread_columns) / sizeof(thread_columns[0]));
	if (!t)
		return -ENOMEM;
	for (i = 0; i < h->nr_told; i++)
		hung_put_thread(t, h, w->symbols, i);
	return t->error;
}

static int hung_begin(struct lkst_analysis_state *w)
{
	struct hung *d = (struct hung *)w;

	return lkst_hung_subscribe(&d->graph, w->feed, w->state, w->limited);
}

static void hung_fini(struct lkst_analysis_state *w)
{
	struct hung *d = (struct hung *)w;

	lkst_hung_fini(&d->graph);
}

const struct lkst_analysis lkst_analysis_hung = {
	.name = "hung",
	.title = "What has not ended",
	.help = "who waits when the trace ends, and has for a second or longer, and for whom: deadlocks first",
	.measures = "the state of each thread at the trace's end (doc/states.md), and who holds what it waits for",
	.events = "sched_* syscall_* contention_* state_thread",
	.needs_state = true,
	.has_shares = true,
	.ignores = LKST_IGNORES_TID | LKST_IGNORES_COMM | LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct hung),
	.begin = hung_begin,
	.end = hung_end,
	.fini = hung_fini,
};
