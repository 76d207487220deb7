/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of lkst fleet that answer with a table. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cmd/fleet/fleet.h"
#include "cmd/frame/answer.h"
#include "fleet/client.h"

#define HOUR_NS (3600 * LKST_NS_PER_S)
#define DAY_NS (24 * HOUR_NS)

/* The scope of a question, by default of the last @standard_ns. */
static int scope_of(struct lkst_job *job, u64 standard_ns, struct lkst_fleet_scope *ret_scope)
{
	const struct lkst_fleet_command *o = job->options;
	u64 now_ns = lkst_clock_ns(CLOCK_REALTIME);
	/* A time of day without a date is one of the last 24 hours. */
	struct lkst_time_range range = { .begin_ns = now_ns - DAY_NS, .end_ns = now_ns };
	struct lkst_fleet_scope scope = { .from_ns = now_ns - standard_ns,
					  .to_ns = now_ns,
					  .labels = o->labels.items,
					  .nr_labels = o->labels.nr,
					  .where = o->where,
					  .cgroup = o->cgroup,
					  .max_rows = (u64)o->max_rows };
	int err = 0;

	if (o->from)
		err = lkst_time_parse(job->e, o->from, &range, &scope.from_ns);
	if (!err && o->to)
		err = lkst_time_parse(job->e, o->to, &range, &scope.to_ns);
	*ret_scope = scope;
	return err;
}

void lkst_fleet_end_table(void *printer, const struct lkst_table *t)
{
	lkst_table_print_end(printer, t);
	lkst_table_printer_end(printer);
}

int lkst_fleet_print_answer(struct lkst_err *e, struct lkst_fleet *f,
			    const struct lkst_fleet_command *o, const struct lkst_fleet_question *q)
{
	struct lkst_answer_form form = { .format = o->format };
	struct lkst_answer a;
	int err = lkst_answer_begin(e, &form, &a);

	if (err)
		return err;
	/* Machines have clocks of their own; times here are of the day, and need their date. */
	lkst_time_text_init(&a.printer.time, LKST_TIME_DATE, 0);
	err = lkst_fleet_ask_ready(e, f, q, lkst_table_print_rows, &a.printer,
				   lkst_fleet_end_table);
	return lkst_answer_end(&a, err);
}

/* Asks @q, which is ended in any case, and prints the answer. */
static int fleet_ask_answer(struct lkst_job *job, const char *url, struct lkst_fleet_question *q)
{
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	int err = lkst_fleet_command_open(job->e, job->options, url, &f)
			  ?: lkst_fleet_print_answer(job->e, f, job->options, q);

	lkst_fleet_question_fini(q);
	return err;
}

int lkst_fleet_verb_hosts(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_fleet_scope scope;
	struct lkst_fleet_question q;
	int err = scope_of(job, DAY_NS, &scope) ?: lkst_fleet_question_hosts(job->e, &scope, &q);

	return err ?: fleet_ask_answer(job, args[0], &q);
}

int lkst_fleet_verb_incidents(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_fleet_scope scope;
	struct lkst_fleet_question q;
	int err =
		scope_of(job, DAY_NS, &scope) ?: lkst_fleet_question_incidents(job->e, &scope, &q);

	return err ?: fleet_ask_answer(job, args[0], &q);
}

int lkst_fleet_verb_top(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
	int rank = o->by ? lkst_choices_find(lkst_fleet_rank_choices, o->by) : LKST_FLEET_RANK_P99;
	char ranks[LKST_CHOICES_TEXT];
	struct lkst_fleet_scope scope;
	struct lkst_fleet_question q;
	int err;

	if (rank < 0) {
		lkst_choices_list(lkst_fleet_rank_choices, ranks);
		return lkst_err_set(job->e, -EINVAL, "with top, --by may be %s, not \"%.64s\"",
				    ranks, o->by);
	}
	err = scope_of(job, HOUR_NS, &scope);
	scope.measure = args[1];
	err = err ?: lkst_fleet_question_top(job->e, &scope, (enum lkst_fleet_rank)rank, &q);
	return err ?: fleet_ask_answer(job, args[0], &q);
}

int lkst_fleet_verb_compare(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
	struct lkst_fleet_scope scope;
	struct lkst_fleet_question q;
	int err = scope_of(job, HOUR_NS, &scope);

	scope.measure = args[1];
	err = err ?: lkst_fleet_question_compare(job->e, &scope, o->by ?: "kernel", &q);
	return err ?: fleet_ask_answer(job, args[0], &q);
}
