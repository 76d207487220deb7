/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of what is known from the records: which there are. */
#include "sql/known/known.h"

#include <sqlite3.h>
#include <string.h>

static const struct lkst_sql_known *const tables[] = {
#define T(name) &lkst_sql_known_##name,
	LKST_SQL_KNOWN(T)
#undef T
};

const struct lkst_sql_known *lkst_sql_known_table(unsigned int i)
{
	return i < LKST_SQL_NR_KNOWN ? tables[i] : NULL;
}

char *lkst_sql_known_text(const struct lkst_sql_known *table, const char *prefix, bool has_help)
{
	const struct lkst_sql_known_column *c;
	sqlite3_str *text = sqlite3_str_new(NULL);

	if (prefix[0])
		sqlite3_str_appendf(text, "CREATE TABLE \"%w%w\" (\n", prefix, table->name);
	else
		sqlite3_str_appendf(text, "CREATE TABLE %s (\n", table->name);
	for (c = table->columns; c->name; c++) {
		sqlite3_str_appendf(text, "\t%s %s%s", c->name, c->type, c[1].name ? "," : "");
		if (has_help)
			sqlite3_str_appendf(text, " -- %s", c->help);
		sqlite3_str_appendall(text, "\n");
	}
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

bool lkst_sql_known_is_time(const char *column)
{
	static const char *const names[] = { "time_ns", "from_ns", "to_ns", "start_ns", "end_ns", "at_ns", "until_ns" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], column))
			return true;
	return false;
}
