/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of what stands out: the sentences of the analyses waiting and hung, as `lkst why` has them. */
#include <errno.h>

#include "analyze/analyses/analysis.h"
#include "sql/known/known_pass.h"

static void known_findings_put_number(struct lkst_sql_pass *p, const struct lkst_cell *cell)
{
	if (cell->is_set)
		lkst_sql_int(p, cell->s64);
	else
		lkst_sql_none(p);
}

static int known_findings_put_row(struct lkst_sql_pass *p, const struct lkst_table *t, size_t row)
{
	static const char *const numbers[] = { "tid", "count", "total", "longest", "at" };
	const struct lkst_cell *kind = lkst_table_cell_of(t, row, "kind"), *comm = lkst_table_cell_of(t, row, "comm");
	const struct lkst_cell *text = lkst_table_cell_of(t, row, "text");
	size_t i;

	lkst_sql_row(p, LKST_SQL_findings);
	lkst_sql_str(p, t->name);
	lkst_sql_int(p, lkst_table_cell_of(t, row, "number")->s64);
	lkst_sql_text(p, kind->text, kind->length);
	lkst_sql_text(p, comm->text, comm->length);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		known_findings_put_number(p, lkst_table_cell_of(t, row, numbers[i]));
	lkst_sql_text(p, text->text, text->length);
	return lkst_sql_row_end(p);
}

static int end_findings(struct lkst_sql_pass *p)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_waiting, &lkst_analysis_hung };
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *run = NULL;
	const struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	unsigned int i;
	size_t row;
	int err = lkst_analysis_run_new(NULL, p->sql->trace, &options, asked, 2, &run) ?:
		  lkst_analysis_run_pass(NULL, run);

	/* The sentences are in the first table of each. */
	for (i = 0; i < 2 && !err; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(run, i);

		for (row = 0; set->nr && row < set->items[0]->nr_rows && !err; row++)
			err = known_findings_put_row(p, set->items[0], row);
	}
	return err;
}

static const struct lkst_sql_known_column findings[] = {
	{ "analysis", "TEXT", "waiting: where the waiting went; hung: what has not ended" },
	{ "number", "INTEGER", "which of these it is, the gravest first: `lkst why '#1'` explains one of waiting" },
	{ "kind", "TEXT", "of which kind it is: lock, answer, disk ...; deadlock, holder, unknown" },
	{ "comm", "TEXT", "the name of the threads that waited; of hung of the one that all wait for" },
	{ "tid", "INTEGER", "the thread of the longest wait; of hung the one that all wait for" },
	{ "count", "INTEGER", "how often; of hung how many threads wait" },
	{ "total_ns", "INTEGER", "how long all of them waited; of hung not known" },
	{ "longest_ns", "INTEGER", "the longest" },
	{ "at_ns", "INTEGER", "when that began" },
	{ "text", "TEXT", "the sentence" },
	{},
};

const struct lkst_sql_known lkst_sql_known_findings = {
	.name = "findings",
	.help = "what stands out: who was kept waiting, for what, because of whom; and what has not ended",
	.events = "sched_* syscall_* block_* irq_* softirq_* timer_* hrtimer_* contention_*",
	.columns = findings,
	.end = end_findings,
};
