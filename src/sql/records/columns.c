/* SPDX-License-Identifier: GPL-2.0-only */
/* Which columns the tables of records have. */
#include "sql/records/columns.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/address_names.h"
#include "sql/records/field_value.h"

/* What all tables have; those that are hidden come last, after the fields. */
static const struct {
	const char *name, *type, *help;
	u8 common;
	bool is_of_all, is_hidden_in_one, is_hidden;
} common[] = {
	{ "time_ns", "INTEGER",
	  "when, ns of CLOCK_MONOTONIC; time_text(time_ns) is the time of day", LKST_SQL_TIME,
	  false, false, false },
	{ "cpu", "INTEGER", "the CPU", LKST_SQL_CPU, false, false, false },
	{ "tid", "INTEGER", "the thread that ran", LKST_SQL_TID, false, false, false },
	{ "pid", "INTEGER", "its process, as far as it is known", LKST_SQL_PID, false, false,
	  false },
	{ "comm", "TEXT", "the thread's name at the time", LKST_SQL_COMM, false, false, false },
	{ "event", "TEXT", "the event's name", LKST_SQL_EVENT, true, false, false },
	{ "buffer", "TEXT", "the buffer that had the record", LKST_SQL_BUFFER, false, true, false },
	{ "line", "TEXT", "the line that lkst print has", LKST_SQL_LINE, false, true, false },
	{ "json", "TEXT", "the object that lkst print --format json has", LKST_SQL_JSON, false,
	  true, true },
};
enum { NR_COMMON = sizeof(common) / sizeof(common[0]) };

static bool columns_is_taken(const struct lkst_sql_records *table, const char *name)
{
	unsigned int i;

	for (i = 0; i < table->nr_columns; i++)
		if (!sqlite3_stricmp(table->columns[i].name, name))
			return true;
	for (i = 0; i < NR_COMMON; i++)
		if (!sqlite3_stricmp(common[i].name, name))
			return true;
	return false;
}

static void columns_add_common(struct lkst_sql_records *table, bool is_hidden)
{
	unsigned int i;

	for (i = 0; i < NR_COMMON; i++) {
		bool hides = common[i].is_hidden || (table->event && common[i].is_hidden_in_one);
		struct lkst_sql_column *column = &table->columns[table->nr_columns];

		if (hides != is_hidden || (table->event && common[i].is_of_all))
			continue;
		strcpy(column->name, common[i].name);
		column->type = common[i].type;
		column->help = common[i].help;
		column->is_hidden = hides;
		column->common = common[i].common;
		table->nr_columns++;
	}
}

/* What the built-in catalogue says of a field. */
static const char *help_of(const struct lkst_event_class *event, const char *name)
{
	const struct lkst_event_desc *known;
	unsigned int i;

	if (event->index < 0)
		return NULL;
	known = &lkst_events[event->index];
	for (i = 0; i < known->nr_fields; i++)
		if (!strcmp(known->fields[i].name, name))
			return known->fields[i].help;
	return NULL;
}

/* A name that no other column has: that of field @f, with @ending. */
static void name_column(const struct lkst_sql_records *table, const struct lkst_field_class *f, const char *ending,
			struct lkst_sql_column *column)
{
	unsigned int i;

	snprintf(column->name, sizeof(column->name), "%s%s", f->name, ending);
	if (columns_is_taken(table, column->name))
		snprintf(column->name, sizeof(column->name), "%s_field%s", f->name, ending);
	for (i = 2; columns_is_taken(table, column->name); i++)
		snprintf(column->name, sizeof(column->name), "%s_%u%s", f->name, i, ending);
}

/* After a field with addresses, a column with their names. */
static void add_symbol(struct lkst_sql_records *table, const struct lkst_field_class *f, u16 index)
{
	struct lkst_sql_column column = { .type = "TEXT",
					  .help = "the same by name, as far as that is known",
					  .common = LKST_SQL_SYMBOL,
					  .has_code = lkst_field_is_user_stack(f) ||
						      (lkst_field_is_array(f) && table->event->index == LKST_EV_stack),
					  .field = index };

	if (!lkst_field_has_names(f))
		return;
	name_column(table, f, "_symbol", &column);
	table->columns[table->nr_columns++] = column;
}

static void columns_add_field(struct lkst_sql_records *table, u16 index)
{
	const struct lkst_field_class *f = &table->event->fields[index];
	struct lkst_sql_column column = { .type = lkst_sql_field_type(f),
					  .help = help_of(table->event, f->name),
					  .common = LKST_SQL_FIELD,
					  .field = index };

	if (!strcmp(f->name, LKST_PROBE_FIELD_FAULTS))
		table->faults = (s16)index;
	if (f->meaning == LKST_MEANING_PAD)
		return;
	name_column(table, f, "", &column);
	table->columns[table->nr_columns++] = column;
	add_symbol(table, f, index);
}

int lkst_sql_columns_make(struct lkst_sql_records *table, const struct lkst_event_class *event)
{
	unsigned int nr_fields = event ? event->nr_fields : 0;
	u16 i;

	table->event = event;
	table->faults = -1;
	table->columns = calloc(NR_COMMON + 2 * (size_t)nr_fields, sizeof(*table->columns));
	if (!table->columns)
		return -ENOMEM;
	columns_add_common(table, false);
	for (i = 0; i < nr_fields; i++)
		columns_add_field(table, i);
	columns_add_common(table, true);
	return 0;
}

char *lkst_sql_columns_text(const struct lkst_sql_records *table, bool has_help)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	unsigned int i;

	sqlite3_str_appendf(text, "CREATE TABLE \"%w\" (\n", table->name);
	for (i = 0; i < table->nr_columns; i++) {
		const struct lkst_sql_column *c = &table->columns[i];

		sqlite3_str_appendf(text, "\t\"%w\" %s%s%s", c->name, c->type,
				    c->is_hidden ? " HIDDEN" : "",
				    i + 1 < table->nr_columns ? "," : "");
		if (has_help && c->help)
			sqlite3_str_appendf(text, " -- %s", c->help);
		sqlite3_str_appendall(text, "\n");
	}
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}
