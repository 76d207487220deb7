/* SPDX-License-Identifier: GPL-2.0-only */
/* The tools that answer with tables. Their rows are counted through all tables; a page has some of them. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/mcp/session.h"
#include "print/table_text.h"

/* How many rows of a table are shown. One without rows counts as one, since it may have notes. */
static u64 answer_tables_rows_of(const struct lkst_shown_table *t)
{
	u64 nr = t->table->nr_rows;

	if (t->max_rows && t->max_rows < nr && t->table->kind == LKST_TABLE_ROWS)
		nr = t->max_rows;
	return nr ?: 1;
}

static u64 nr_all(const struct lkst_shown_tables *tables)
{
	unsigned int i;
	u64 nr = 0;

	for (i = 0; i < tables->nr; i++)
		nr += answer_tables_rows_of(&tables->items[i]);
	return nr;
}

/* Says how many rows follow that are not shown, as text does by itself. */
static void answer_tables_print_json(struct lkst_table_printer *json, struct lkst_table *part, u64 nr_hidden)
{
	const unsigned int nr_notes = part->notes.nr;

	if (nr_hidden)
		lkst_notes_add(&part->notes, "%llu more rows are not shown; rows 0 shows all.",
			       (unsigned long long)nr_hidden);
	lkst_table_print(json, part);
	/* The others are the table's. */
	while (part->notes.nr > nr_notes)
		free(part->notes.text[--part->notes.nr]);
}

/* Prints rows @from to @to of @t; what is below a table goes with its last row. */
static void answer_tables_print_part(const struct lkst_shown_table *t, u64 from, u64 to,
				     struct lkst_table_printer *text, struct lkst_table_printer *json)
{
	struct lkst_table part = *t->table;
	const u64 nr = answer_tables_rows_of(t);
	const u64 nr_hidden = to == nr && nr < t->table->nr_rows ? t->table->nr_rows - nr : 0;

	part.cells = t->table->nr_rows ? t->table->cells + from * part.nr_columns : NULL;
	part.nr_rows = t->table->nr_rows ? to - from : 0;
	if (to < nr) {
		part.notes.nr = 0;
		part.nr_left_out = 0;
		part.has_left_out = false;
	}
	answer_tables_print_json(json, &part, nr_hidden);
	/* Of rows beyond those that are shown, text says how many there are. */
	text->max_rows = 0;
	if (nr_hidden) {
		text->max_rows = part.nr_rows;
		part.nr_rows = t->table->nr_rows - from;
	}
	lkst_table_print(text, &part);
}

/* Prints rows @from to @to, counted through all tables. */
static void answer_tables_print_rows(const struct lkst_shown_tables *tables, u64 clock_offset_ns, u64 from,
				     u64 to, struct lkst_mcp_page *page)
{
	struct lkst_table_printer text, json;
	u64 first = 0, next;
	unsigned int i;

	lkst_table_printer_init(&text, page->text, LKST_TABLE_TEXT, clock_offset_ns);
	lkst_table_printer_init(&json, page->json, LKST_TABLE_JSON, clock_offset_ns);
	lkst_out_str(page->json, "{\"tables\":");
	for (i = 0; i < tables->nr; i++, first = next) {
		next = first + answer_tables_rows_of(&tables->items[i]);
		if (next > from && first < to)
			answer_tables_print_part(&tables->items[i], from > first ? from - first : 0,
						 (to < next ? to : next) - first, &text, &json);
	}
	lkst_table_printer_end(&text);
	lkst_table_printer_end(&json);
}

static int answer_tables_answer(struct lkst_err *e, struct lkst_mcp_session *s, const struct lkst_mcp_question *q,
				struct lkst_mcp_page *page)
{
	const u64 offset = lkst_trace_catalog(s->trace)->clock_offset_ns;
	const u64 nr = nr_all(&s->tables), from = q->place.at;
	struct lkst_mcp_place next;
	u64 part = q->limit;

	s->has_answer = true;
	if (from > nr)
		return lkst_err_set(e, -EINVAL,
				    "the answer has %llu rows: the cursor is beyond them",
				    (unsigned long long)nr);
	part = part < nr - from ? part : nr - from;
	answer_tables_print_rows(&s->tables, offset, from, from + part, page);
	/* As many as fit. */
	while (lkst_mcp_page_is_full(page) && part > 1) {
		part /= 2;
		lkst_mcp_page_clear(page);
		answer_tables_print_rows(&s->tables, offset, from, from + part, page);
	}
	next.at = from + part;
	next.more = 0;
	lkst_mcp_page_end(page, q->hash, next.at < nr ? &next : NULL);
	return 0;
}

int lkst_mcp_answer_report(struct lkst_err *e, struct lkst_mcp_session *s,
			   const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = lkst_mcp_session_has(s, q)
			  ? 0
			  : lkst_report_tables(e, q->options, s->trace, &s->tables);

	return err ? err : answer_tables_answer(e, s, q, page);
}

int lkst_mcp_answer_analyze(struct lkst_err *e, struct lkst_mcp_session *s,
			    const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = lkst_mcp_session_has(s, q)
			  ? 0
			  : lkst_analyze_tables(e, q->options, q->text, s->trace, &s->tables);

	return err ? err : answer_tables_answer(e, s, q, page);
}
