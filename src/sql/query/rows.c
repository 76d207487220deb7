/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of one query, a portion at a time. */
#include "sql/query/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/query/result.h"
#include "sql/query/statement.h"

struct lkst_sql_rows {
	struct lkst_sql *sql;
	sqlite3_stmt *statement;
	char *text;
	bool is_at_row; /* which nobody has got */
	bool is_over;
};

int lkst_sql_rows_new(struct lkst_err *e, struct lkst_sql *s, const char *text,
		      struct lkst_sql_rows **ret_rows)
{
	_cleanup_(lkst_sql_rows_freep) struct lkst_sql_rows *rows = calloc(1, sizeof(*rows));
	sqlite3_stmt *second = NULL;
	const char *rest, *end;
	int err;

	if (!rows || !(rows->text = strdup(text)))
		return lkst_err_sys(e, -ENOMEM, "answering");
	if (strlen(text) > LKST_SQL_TEXT_MAX)
		return lkst_err_set(e, -E2BIG, "the query is longer than %d bytes",
				    LKST_SQL_TEXT_MAX);
	lkst_sql_forget(s);
	rows->sql = s;
	err = lkst_sql_prepare(e, s, rows->text, rows->text, &rows->statement, &rest);
	if (err)
		return err;
	if (!rows->statement)
		return lkst_err_set(e, -EINVAL, "there is no query in \"%s\"", text);
	for (end = rest; *end && !err && !second; rest = end)
		err = lkst_sql_prepare(e, s, rows->text, rest, &second, &end);
	sqlite3_finalize(second);
	if (err || second)
		return err
			       ?: lkst_err_set(e, -EINVAL,
					       "one query at a time: more than one is given");
	*ret_rows = lkst_take(rows);
	return 0;
}

void lkst_sql_rows_free(struct lkst_sql_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->statement);
	free(rows->text);
	free(rows);
}

/* Makes a row that nobody has got the current one, if there is one. */
static int rows_reach(struct lkst_err *e, struct lkst_sql_rows *rows)
{
	int code;

	if (rows->is_at_row || rows->is_over)
		return 0;
	code = sqlite3_step(rows->statement);
	rows->is_at_row = code == SQLITE_ROW;
	rows->is_over = !rows->is_at_row;
	return rows->is_at_row ? 0 : lkst_sql_tell(e, rows->sql, 0, code, rows->text, rows->text);
}

int lkst_sql_rows_skip(struct lkst_err *e, struct lkst_sql_rows *rows, u64 nr)
{
	int err = 0;

	for (; nr && !err && !rows->is_over; nr--) {
		err = rows_reach(e, rows);
		rows->is_at_row = false;
	}
	return err;
}

static bool rows_fits(const struct lkst_sql_portion *p)
{
	return !p->csv->error && !p->json->error && p->csv->used <= p->csv_max &&
	       p->json->used <= p->json_max;
}

/* Prints rows until there is no more room. */
static int query_rows_print_rows(struct lkst_err *e, struct lkst_sql_rows *rows,
				 const struct lkst_sql_portion *p, struct lkst_sql_result *csv,
				 struct lkst_sql_result *json, u64 *ret_nr)
{
	u64 nr;
	int err = 0;

	for (nr = 0; nr < p->max_rows; nr++) {
		const size_t csv_used = p->csv->used, json_used = p->json->used;

		err = rows_reach(e, rows);
		if (err || !rows->is_at_row)
			break;
		if (lkst_sql_result_row(csv) || lkst_sql_result_row(json))
			return lkst_err_sys(e, -ENOMEM, "answering");
		if (rows_fits(p)) {
			rows->is_at_row = false;
			continue;
		}
		if (!nr)
			return lkst_err_set(e, -E2BIG,
					    "a row of the answer is larger than an answer may be: "
					    "ask for fewer columns, or for substr(COLUMN, 1, 100)");
		p->csv->used = csv_used;
		p->json->used = json_used;
		break;
	}
	*ret_nr = nr;
	return err;
}

int lkst_sql_rows_print(struct lkst_err *e, struct lkst_sql_rows *rows,
			const struct lkst_sql_portion *p, u64 *ret_nr, bool *ret_has_more)
{
	struct lkst_sql_result *csv = NULL, *json = NULL;
	int err = lkst_sql_result_new(rows->statement, LKST_TABLE_CSV, p->csv, &csv)
			  ?: lkst_sql_result_new(rows->statement, LKST_TABLE_JSON, p->json, &json);

	if (err)
		err = lkst_err_sys(e, err, "answering");
	if (!err)
		err = query_rows_print_rows(e, rows, p, csv, json, ret_nr);
	if (!err)
		err = rows_reach(e, rows);
	*ret_has_more = rows->is_at_row;
	lkst_sql_result_end(csv);
	lkst_sql_result_end(json);
	return err;
}
