/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hosts may have different kernels and programs, so an event of one may have fields that another's lacks, or not be
 * there.
 */
#include "sql/records/joined_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static const struct lkst_sql_column host_column = {
	.name = "host",
	.type = "TEXT",
	.help = "the host's name",
	.common = LKST_SQL_HOST,
};

static int joined_records_find_column(const struct lkst_sql_records *table, const char *name)
{
	unsigned int i;

	for (i = 0; i < table->nr_columns; i++)
		if (!sqlite3_stricmp(table->columns[i].name, name))
			return (int)i;
	return -1;
}

static const struct lkst_sql_records *find_table(const struct lkst_sql_records *tables,
						 unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!sqlite3_stricmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

static int joined_records_add_column(struct lkst_sql_records *table, const struct lkst_sql_column *column)
{
	struct lkst_sql_column *added = lkst_vec_add(table->columns, table->nr_columns);

	if (!added)
		return -ENOMEM;
	*added = *column;
	return 0;
}

/* The columns of all parts, each name once. */
static int join_columns(struct lkst_sql_records *table, unsigned int nr_hosts)
{
	unsigned int i, k;
	int err = joined_records_add_column(table, &host_column);

	for (i = 0; i < nr_hosts; i++) {
		const struct lkst_sql_records *part = table->parts[i];

		for (k = 0; part && k < part->nr_columns && !err; k++)
			if (joined_records_find_column(table, part->columns[k].name) < 0)
				err = joined_records_add_column(table, &part->columns[k]);
	}
	return err;
}

static int find_places(struct lkst_sql_records *table, unsigned int nr_hosts)
{
	unsigned int i, k;

	table->places = calloc((size_t)nr_hosts * table->nr_columns, sizeof(*table->places));
	if (!table->places)
		return -ENOMEM;
	for (i = 0; i < nr_hosts; i++)
		for (k = 0; k < table->nr_columns; k++)
			table->places[i * table->nr_columns + k] =
				table->parts[i]
					? (s16)joined_records_find_column(table->parts[i], table->columns[k].name)
					: -1;
	return 0;
}

static int joined_records_join(struct lkst_sql *front, const struct lkst_sql_records *like)
{
	struct lkst_sql_records *table = lkst_vec_add(front->records, front->nr_records);
	unsigned int i;

	if (!table)
		return -ENOMEM;
	*table = (struct lkst_sql_records){ .sql = front,
					    .event = like->event,
					    .name = like->name,
					    .help = like->help,
					    .faults = -1 };
	table->parts = calloc(front->nr_hosts, sizeof(struct lkst_sql_records *));
	if (!table->parts)
		return -ENOMEM;
	for (i = 0; i < front->nr_hosts; i++)
		table->parts[i] = find_table(front->hosts[i]->records, front->hosts[i]->nr_records,
					     like->name);
	return join_columns(table, front->nr_hosts) ?: find_places(table, front->nr_hosts);
}

int lkst_sql_join_records(struct lkst_sql *front)
{
	unsigned int i, k;
	int err = 0;

	for (i = 0; i < front->nr_hosts; i++)
		for (k = 0; k < front->hosts[i]->nr_records && !err; k++) {
			const struct lkst_sql_records *one = &front->hosts[i]->records[k];

			if (!find_table(front->records, front->nr_records, one->name))
				err = joined_records_join(front, one);
		}
	return err;
}
