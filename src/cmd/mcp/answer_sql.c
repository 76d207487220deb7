/* SPDX-License-Identifier: GPL-2.0-only */
/* Tool `sql`: rows of a query, which goes on where the page before ended; or what tables there are. */
#include <errno.h>
#include <string.h>

#include "cmd/mcp/session.h"
#include "result/json_writer.h"
#include "sql/query/rows.h"

/* Ends a page on which @nr rows are after those before it. */
static void answer_sql_end(const struct lkst_mcp_question *q, u64 given, bool has_more,
			   struct lkst_mcp_page *page)
{
	const struct lkst_mcp_place next = { .at = given };

	lkst_mcp_page_end(page, q->hash, has_more ? &next : NULL);
}

/* ---- what tables there are --------------------------------------------------------------------- */

/* Tables whose names have @part in them, a row each. */
static void list_tables(const struct lkst_mcp_session *s, const struct lkst_mcp_question *q,
			const char *part, struct lkst_mcp_page *page)
{
	const char *name, *help;
	struct lkst_json j;
	unsigned int i;
	u64 nr = 0;

	lkst_json_init(&j, page->json);
	lkst_json_array(&j, NULL);
	for (i = 0; lkst_sql_table(s->sql, i, &name, &help); i++) {
		if (!strstr(name, part) || nr++ < q->place.at)
			continue;
		if (nr > q->place.at + q->limit || lkst_mcp_page_is_full(page))
			break;
		lkst_out_message(page->text, "%s%s%s", name, help ? ": " : "", help ?: "");
		lkst_json_object(&j, NULL);
		lkst_json_str(&j, "table", name);
		lkst_json_str(&j, "help", help ?: "");
		lkst_json_end(&j);
	}
	lkst_json_end(&j);
	lkst_out_str(page->json, ",\"gaps\":0");
	answer_sql_end(q, nr - 1, lkst_sql_table(s->sql, i, &name, &help), page);
}

static int show_schema(struct lkst_err *e, const struct lkst_mcp_session *s,
		       const struct lkst_mcp_question *q, const char *name,
		       struct lkst_mcp_page *page)
{
	struct lkst_json j;
	int err = lkst_sql_schema(e, s->sql, name, page->text);

	if (err)
		return err;
	lkst_json_init(&j, page->json);
	lkst_json_array(&j, NULL);
	lkst_json_object(&j, NULL);
	lkst_json_str(&j, "table", name);
	lkst_json_text(&j, "schema", page->text->buffer, page->text->used);
	lkst_json_end(&j);
	lkst_json_end(&j);
	lkst_out_str(page->json, ",\"gaps\":0");
	answer_sql_end(q, 0, false, page);
	return 0;
}

/* What begins with a dot is a command, as at the terminal. */
static int run_command(struct lkst_err *e, const struct lkst_mcp_session *s,
		       const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	char name[16] = "", argument[256] = "";

	sscanf(q->text, " %15s %255s", name, argument);
	argument[strcspn(argument, ";")] = 0;
	lkst_out_str(page->json, "{\"rows\":");
	if (!strcmp(name, ".schema") && argument[0])
		return show_schema(e, s, q, argument, page);
	if (strcmp(name, ".tables"))
		return lkst_err_set(
			e, -EINVAL,
			"there is no command \"%s\"; .tables lists the tables, .schema NAME "
			"says what the columns of one mean",
			name);
	list_tables(s, q, argument, page);
	return 0;
}

/* ---- queries ----------------------------------------------------------------------------------- */

/* Has the rows from the first that this page is to have. */
static int find_rows(struct lkst_err *e, struct lkst_mcp_session *s,
		     const struct lkst_mcp_question *q)
{
	int err;

	if (lkst_mcp_session_has(s, q) && s->rows && s->rows_given == q->place.at)
		return 0;
	lkst_mcp_session_drop(s);
	err = lkst_sql_rows_new(e, s->sql, q->text, &s->rows)
		      ?: lkst_sql_rows_skip(e, s->rows, q->place.at);
	s->rows_given = q->place.at;
	s->hash = q->hash;
	s->has_answer = !err;
	return err;
}

/* What the rows lack because it was not recorded. */
static int tell_left_out(struct lkst_err *e, struct lkst_mcp_session *s, struct lkst_mcp_page *page)
{
	_cleanup_(lkst_notes_fini) struct lkst_notes notes = {};
	struct lkst_json j;
	unsigned int i;
	int err = lkst_sql_note_left_out(e, s->sql, &notes);

	if (!notes.nr)
		return err;
	lkst_out_str(page->json, ",\"notes\":");
	lkst_json_init(&j, page->json);
	lkst_json_array(&j, NULL);
	for (i = 0; i < notes.nr; i++) {
		lkst_out_message(page->text, "Note: %s", notes.text[i]);
		lkst_json_str(&j, NULL, notes.text[i]);
	}
	lkst_json_end(&j);
	return err;
}

static int answer_sql_print_rows(struct lkst_err *e, struct lkst_mcp_session *s,
				 const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	const struct lkst_sql_portion portion = { .csv = page->text,
						  .json = page->json,
						  .csv_max =
							  LKST_MCP_TEXT_MAX - LKST_MCP_PAGE_SPARE,
						  .json_max =
							  LKST_MCP_JSON_MAX - LKST_MCP_PAGE_SPARE,
						  .max_rows = q->limit };
	bool has_more;
	u64 nr, gaps;
	int err;

	lkst_out_str(page->json, "{\"rows\":");
	err = lkst_sql_rows_print(e, s->rows, &portion, &nr, &has_more);
	if (err)
		return err;
	s->rows_given += nr;
	gaps = lkst_sql_nr_gaps(s->sql);
	lkst_out_printf(page->json, ",\"gaps\":%llu", (unsigned long long)gaps);
	if (gaps)
		lkst_out_printf(
			page->text,
			"Note: records are missing in %llu places that were read, and are not in the "
			"answer; table gaps has them.\n",
			(unsigned long long)gaps);
	err = tell_left_out(e, s, page);
	answer_sql_end(q, s->rows_given, has_more, page);
	return err;
}

int lkst_mcp_answer_sql(struct lkst_err *e, struct lkst_mcp_session *s,
			const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = s->sql ? 0 : lkst_sql_open(e, s->trace, s->stop, &s->sql);

	if (err)
		return err;
	lkst_sql_name_code(s->sql, s->namer);
	if (q->text[strspn(q->text, " \t\n")] == '.')
		return run_command(e, s, q, page);
	err = find_rows(e, s, q);
	return err ? err : answer_sql_print_rows(e, s, q, page);
}
