/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst sql: questions to a trace in SQL. */
#include "cmd/sql/sql.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"

struct sql_options {
	unsigned int format;
	const char *output;
};

/* Those of tables, and one that only queries have. */
static bool choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i == LKST_SQL_PARQUET)
		*ret_choice =
			(struct lkst_choice){ "parquet", "a file for DuckDB, pandas and others" };
	return i == LKST_SQL_PARQUET || lkst_table_format_choices(i, ret_choice);
}

static const struct lkst_option rows[] = {
	LKST_OPTION(CHOICE, struct sql_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "", .choices = choices),
	LKST_OPTION(TEXT, struct sql_options, output, .name = "output", .letter = 'o',
		    .argument = "FILE", .standard = "standard output",
		    .help = "where the answers go; the file has its name when\nit is whole"),
	{},
};

#ifdef LKST_NO_SQL
static int sql_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	return lkst_err_set(e, -ENOTSUP,
			    "this lkst was built without SQLite, and answers no questions in SQL; use "
			    "one that was built with it, on any machine");
}
#else
/* Whether the last argument is a query: no file is called so, and there is a blank in it, or it is a command. */
static bool is_query(const char *text)
{
	if (!access(text, F_OK))
		return false;
	return strpbrk(text, " \t\n;") || (text[0] == '.' && isalpha((unsigned char)text[1]));
}

static int sql_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct sql_options *o = options;
	const char *query = nr_args > 1 && is_query(args[nr_args - 1]) ? args[nr_args - 1] : NULL;
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	int err = lkst_cmd_open_reading(e, args, nr_args - !!query, &reading);

	return err ? err : lkst_sql_session_run(e, &reading, o->format, o->output, query);
}
#endif

const struct lkst_cmd lkst_cmd_sql = {
	.name = "sql",
	.summary = "query a trace in SQL",
	.args = "TRACE... ['QUERY']",
	.help = "Answers QUERY, in the SQL of SQLite, by the records of TRACE, which are read where they lie:\n"
		"nothing is imported. There is a table of all records, `events`, one of each event with\n"
		"its fields as columns, and tables of what is known from them: threads, states, waits,\n"
		"syscalls and others, which .tables lists. Without QUERY it asks for queries, with history and\n"
		"completion, or reads them from standard input if that is not a terminal. It needs no\n"
		"root and works on any machine; a query can change nothing. With traces of several hosts each\n"
		"table has the rows of all, and a column `host`; times are then ns since 1970.",
	.examples =
		"  lkst sql slow-tx 'select event, count(*) from events group by event'\n"
		"  lkst sql slow-tx 'select cause, sum(duration_ns) from waits group by cause'\n"
		"  lkst sql -f parquet -o waits.parquet slow-tx 'select * from waits'\n"
		"  lkst sql slow-tx .tables\n"
		"  lkst sql web1 db1 'select host, comm, max(duration_ns) from waits group by 1, 2'\n"
		"  lkst sql slow-tx\n",
	.options = rows,
	.options_size = sizeof(struct sql_options),
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = sql_run,
};
