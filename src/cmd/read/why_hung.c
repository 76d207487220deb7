/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of the analysis hung, as `lkst why --hung` has them. */
#include "cmd/read/why_hung.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/read/joined_tables.h"

int lkst_why_hung_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
			 struct lkst_shown_tables *shown)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_hung };
	const struct lkst_why_hung_options *o = options;
	const struct lkst_hung_question question = { .least_ns = o->least_ns, .ask = o->ask };
	struct lkst_analysis_options asked_for = { .to_ns = UINT64_MAX, .hung = &question };
	const struct lkst_tables *set;
	unsigned int i;
	int err = lkst_cmd_parse_range(e, t, o->from, o->to, &asked_for.from_ns, &asked_for.to_ns) ?:
		  lkst_analysis_run_new(e, t, &asked_for, asked, 1, &shown->run) ?:
		  lkst_analysis_run_pass(e, shown->run);

	if (err)
		return err;
	set = lkst_analysis_run_tables(shown->run, 0);
	for (i = 0; i < set->nr && !err; i++)
		if (o->is_json || strcmp(set->items[i]->name, "hung_threads") != 0)
			err = lkst_shown_tables_add(shown, set->items[i], 0);
	return err ? lkst_err_sys(e, err, "explaining") : 0;
}

int lkst_why_hung_tell(struct lkst_err *e, const struct lkst_why_hung_options *o, const struct lkst_reading *r)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_why_hung_options own = *o;
	const struct lkst_joined_question q = { .answer = lkst_why_hung_tables,
						.options = &own,
						.from = &own.from,
						.to = &own.to,
						.format = o->is_json ? LKST_TABLE_JSON : LKST_TABLE_TEXT,
						.is_untitled = true };
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	lkst_out_init(out, STDOUT_FILENO);
	err = lkst_joined_tables_answer(e, &q, r, out);
	return err ?: lkst_out_flush(out) ? lkst_err_sys(e, out->error, "writing") : 0;
}
