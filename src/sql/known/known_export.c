/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what is known from the records, as Parquet. */
#include "sql/known/known_export.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sql/known/known_left_out.h"
#include "sql/known/known_pass.h"

_Static_assert(LKST_SQL_EXPORT_COLUMNS_MAX == LKST_SQL_COLUMNS_MAX + 1, "a table, and the time");
_Static_assert((int)LKST_SQL_EXPORT_TABLES_MAX >= (int)LKST_SQL_NR_KNOWN, "all tables");

static unsigned int known_export_number_of(const char *name)
{
	unsigned int i;

	for (i = 0; strcmp(lkst_sql_known_table(i)->name, name); i++)
		assert(i + 1 < LKST_SQL_NR_KNOWN);
	return i;
}

static bool known_export_is_time(const struct lkst_sql_known_column *c)
{
	return !strcmp(c->name, "time_ns") || !strcmp(c->name, "from_ns");
}

/* Rows come in the order in which what they say ends. */
static bool ends_time(const char *name)
{
	return !strcmp(name, "to_ns") || !strcmp(name, "from_ns") || !strcmp(name, "time_ns");
}

unsigned int lkst_sql_known_columns(const char *name, struct lkst_parquet_column *columns)
{
	const struct lkst_sql_known_column *c = lkst_sql_known_table(known_export_number_of(name))->columns;
	unsigned int nr = 0;

	if (known_export_is_time(c))
		columns[nr++] =
			(struct lkst_parquet_column){ "time", LKST_PARQUET_TIME, true, true };
	for (; c->name; c++) {
		bool is_text = !strncmp(c->type, "TEXT", strlen("TEXT"));

		assert(nr < LKST_SQL_EXPORT_COLUMNS_MAX);
		columns[nr++] = (struct lkst_parquet_column){
			.name = c->name,
			.type = is_text ? LKST_PARQUET_TEXT : LKST_PARQUET_INT64,
			.is_rising = ends_time(c->name),
		};
	}
	return nr;
}

int lkst_sql_known_write(struct lkst_err *e, const struct lkst_sql_known_export *to)
{
	struct lkst_sql sql = { .trace = to->trace, .catalog = lkst_trace_catalog(to->trace) };
	struct lkst_sql_pass pass = { .sql = &sql, .to = to };
	unsigned int i;
	int err;

	for (i = 0; i < to->nr_tables; i++) {
		unsigned int number = known_export_number_of(to->tables[i]);

		pass.is_wanted[number] = true;
		pass.files[number] = to->files[i];
		pass.numbers[number] = i;
		pass.has_time[number] = known_export_is_time(lkst_sql_known_table(number)->columns);
	}
	lkst_trace_range(to->trace, &sql.begin_ns, &sql.end_ns);
	err = lkst_sql_pass_run(e, &pass);
	lkst_symbols_free(sql.symbols);
	lkst_sql_left_out_free(&sql);
	return err;
}
