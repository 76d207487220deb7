/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the analysis waiting, and the wait that one of them has as its example. */
#include "cmd/read/why_waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/frame/cmd.h"

enum {
	SHORT_ROWS = 2, /* of an interval, at most */
};

/* A trace is read from its beginning: one that is longer before the interval is not, unless somebody asks for it. */
static const u64 BEFORE_NS = 300 * 1000000000ULL, AFTER_NS = 1000000000;

int lkst_why_waiting_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
			    struct lkst_shown_tables *shown)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_waiting };
	const struct lkst_why_waiting_options *o = options;
	struct lkst_analysis_options asked_for = { .to_ns = UINT64_MAX, .which = o->which,
						   .tree_depth = o->tree_depth };
	const struct lkst_tables *set;
	unsigned int i;
	int err;

	/* What ended a wait may come after the time that is asked for. */
	if (o->which.within_to_ns)
		asked_for.to_ns = o->which.within_to_ns + AFTER_NS;
	err = lkst_cmd_parse_range(e, t, o->from, o->to, &asked_for.from_ns, &asked_for.to_ns) ?:
		  lkst_analysis_run_new(e, t, &asked_for, asked, 1, &shown->run) ?:
		  lkst_analysis_run_pass(e, shown->run);

	if (err)
		return err;
	set = lkst_analysis_run_tables(shown->run, 0);
	for (i = 0; i < set->nr && !err; i++)
		if (!o->is_text || !strcmp(set->items[i]->name, o->tree_depth ? "waiting_tree" : "waiting"))
			err = lkst_shown_tables_add(shown, set->items[i], 0);
	return err ? lkst_err_sys(e, err, "explaining") : 0;
}

bool lkst_why_waiting_is_number(const char *arg)
{
	return arg[0] == '#' && arg[1];
}

static const struct lkst_table *table_of(const struct lkst_shown_tables *shown)
{
	unsigned int i;

	for (i = 0; i < shown->nr; i++)
		if (!strcmp(shown->items[i].table->name, "waiting"))
			return shown->items[i].table;
	return NULL;
}

static void why_waiting_note(struct lkst_notes *notes, const char *before, const struct lkst_cell *cell)
{
	if (cell->is_set)
		lkst_notes_add(notes, "%s%s.", before, cell->text);
}

int lkst_why_waiting_note(struct lkst_err *e, struct lkst_trace *t, s32 tid, u64 from_ns, u64 to_ns,
			  struct lkst_notes *notes)
{
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_why_waiting_options o = { .which = { .has_tid = true, .tid = tid,
							       .within_from_ns = from_ns, .within_to_ns = to_ns },
						    .is_text = true };
	const struct lkst_table *table;
	u64 begin_ns, end_ns;
	unsigned int nr = 0;
	size_t i;
	int err;

	lkst_trace_range(t, &begin_ns, &end_ns);
	if (from_ns > begin_ns + BEFORE_NS) {
		lkst_notes_add(notes, "The trace begins long before: `lkst why` with --from and --to tells in short "
				      "what this time was lost to.");
		return 0;
	}
	err = lkst_why_waiting_tables(e, &o, t, &shown);
	table = err ? NULL : table_of(&shown);
	for (i = 0; table && i < table->nr_rows && nr < SHORT_ROWS; i++) {
		const struct lkst_cell *at = lkst_table_cell_of(table, i, "at");

		/* What is no wait may be of another time. */
		if (!at->is_set || at->u64 < from_ns || at->u64 >= to_ns)
			continue;
		why_waiting_note(notes, "In short: ", lkst_table_cell_of(table, i, "text"));
		nr++;
	}
	return err;
}

int lkst_why_waiting_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_why_waiting_options *o,
			  const char *arg, struct lkst_notes *notes, s32 *ret_tid, u64 *ret_from_ns, u64 *ret_to_ns)
{
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_table *table;
	const struct lkst_cell *tid;
	unsigned long long number;
	char *end;
	int err;

	errno = 0;
	number = strtoull(arg + 1, &end, 10);
	if (errno || *end || end == arg + 1 || arg[1] == '-' || arg[1] == '+' || !number)
		return lkst_err_set(e, -EINVAL, "\"%s\" is not the number of a row, as '#1' is", arg);
	err = lkst_why_waiting_tables(e, o, t, &shown);
	if (err)
		return err;
	table = table_of(&shown);
	if (!table || number > table->nr_rows)
		return lkst_err_set(e, -ENOENT, "there is no row #%llu: `lkst why TRACE` has %zu", number,
				    table ? table->nr_rows : 0);
	tid = lkst_table_cell_of(table, number - 1, "tid");
	if (!tid->is_set)
		return lkst_err_set(e, -ENOENT,
				    "row #%llu is not about a wait of one thread: there is nothing to follow", number);
	/* What differs goes first. */
	why_waiting_note(notes, "", lkst_table_cell_of(table, number - 1, "differs"));
	why_waiting_note(notes, "", lkst_table_cell_of(table, number - 1, "time"));
	*ret_tid = (s32)tid->s64;
	*ret_from_ns = lkst_table_cell_of(table, number - 1, "at")->u64;
	*ret_to_ns = *ret_from_ns + lkst_table_cell_of(table, number - 1, "longest")->u64;
	return 0;
}
