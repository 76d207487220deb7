/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of records: `events`, and one of each event. A row is a record where it lies; its number is the
 * record's address, so that it is the same whatever the conditions are. SQLite's conditions on time, CPU, thread and
 * event choose what is read at all (sql/records/wanted.h).
 */
#include "sql/records/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "print/record_text.h"
#include "print/values.h"
#include "sql/records/columns.h"
#include "sql/records/field_value.h"
#include "sql/records/row_scan.h"

struct table {
	sqlite3_vtab base;
	const struct lkst_sql_records *records;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct lkst_sql_records *joined; /* the table, if it is of several hosts; NULL: it is not */
	const struct lkst_sql_records *table;  /* that which is read */
	unsigned int host;		       /* whose that is */
	struct lkst_sql_wanted *wanted;	       /* of each host */
	int how;
	struct lkst_sql_scan *scan;
	const struct lkst_record *record; /* NULL: all are over */
	struct lkst_record_text *line, *json;
};

static int connect_table(sqlite3 *db, void *aux, int nr, const char *const *args,
			 sqlite3_vtab **ret_table, char **ret_error)
{
	const struct lkst_sql_records *records = aux;
	struct table *t = sqlite3_malloc64(sizeof(*t));
	char *text = lkst_sql_columns_text(records, false);
	int r = SQLITE_NOMEM;

	/* SQLite reads the text as if it made a table. */
	records->sql->front->is_inside = true;
	if (t && text)
		r = sqlite3_declare_vtab(db, text);
	records->sql->front->is_inside = false;
	sqlite3_free(text);
	if (r) {
		sqlite3_free(t);
		return r;
	}
	*t = (struct table){ .records = records };
	*ret_table = &t->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	return lkst_sql_plan(((struct table *)table)->records, info);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret_cursor)
{
	struct cursor *c = sqlite3_malloc64(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .table = ((struct table *)table)->records };
	if (c->table->parts)
		c->joined = c->table;
	*ret_cursor = &c->base;
	return SQLITE_OK;
}

/* Ends what the cursor reads. The views go with it: they have the names of its threads. */
static void end_scan(struct cursor *c)
{
	lkst_record_text_free(c->line);
	lkst_record_text_free(c->json);
	lkst_sql_scan_free(c->scan);
	c->line = c->json = NULL;
	c->scan = NULL;
	c->record = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	end_scan((struct cursor *)cursor);
	free(((struct cursor *)cursor)->wanted);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* -EINTR ends the query. */
static int result_of(int err)
{
	switch (err) {
	case 0:
		return SQLITE_OK;
	case -EINTR:
		return SQLITE_INTERRUPT;
	case -ENOSPC:
		return SQLITE_FULL;
	default:
		return SQLITE_NOMEM;
	}
}

/* What SQLite then says of the query. */
static void records_explain(sqlite3_vtab_cursor *cursor, char *text)
{
	sqlite3_free(cursor->pVtab->zErrMsg);
	cursor->pVtab->zErrMsg = text;
}

/* Begins to read the records of @host, if it has some that are wanted, up to the first. */
static int records_begin_host(struct cursor *c, unsigned int host)
{
	const struct lkst_sql_records *part = c->joined->parts[host];
	int err;

	end_scan(c);
	c->host = host;
	if (!part || c->wanted[host].no_host)
		return SQLITE_OK;
	c->table = part;
	err = lkst_sql_scan_new(part->sql, &c->wanted[host], c->how, &c->scan);
	return result_of(err ?: lkst_sql_scan_next(c->scan, &c->record));
}

/* Where a host has no more rows, those of the next one come. */
static int records_go_on(struct cursor *c)
{
	int r = SQLITE_OK;

	while (!r && !c->record && c->joined && c->host + 1 < c->joined->sql->nr_hosts)
		r = records_begin_host(c, c->host + 1);
	return r;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	return result_of(lkst_sql_scan_next(c->scan, &c->record)) ?: records_go_on(c);
}

/* With several hosts: what each is to be asked is worked out now, for the values do not stay. */
static int filter_hosts(struct cursor *c, const char *plan, int nr, sqlite3_value **values)
{
	const unsigned int nr_hosts = c->joined->sql->nr_hosts;
	unsigned int i;

	if (!c->wanted)
		c->wanted = calloc(nr_hosts, sizeof(*c->wanted));
	if (!c->wanted)
		return SQLITE_NOMEM;
	for (i = 0; i < nr_hosts; i++)
		if (c->joined->parts[i])
			lkst_sql_wanted_of(c->joined->parts[i], plan, nr, values, &c->wanted[i]);
	return records_begin_host(c, 0) ?: records_go_on(c);
}

static int filter(sqlite3_vtab_cursor *cursor, int how, const char *plan, int nr,
		  sqlite3_value **values)
{
	struct cursor *c = (struct cursor *)cursor;
	struct lkst_sql_wanted wanted;
	int err;

	end_scan(c);
	c->how = how;
	if (c->joined)
		return filter_hosts(c, plan, nr, values);
	lkst_sql_wanted_of(c->table, plan, nr, values, &wanted);
	err = lkst_sql_scan_new(c->table->sql, &wanted, how, &c->scan);
	return err ? result_of(err) : next_row(cursor);
}

static int records_is_over(sqlite3_vtab_cursor *cursor)
{
	return !((struct cursor *)cursor)->record;
}

static int row_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret_number)
{
	const struct lkst_record *r = ((struct cursor *)cursor)->record;

	*ret_number = (sqlite3_int64)(intptr_t)r->bytes;
	if (r->bytes)
		return SQLITE_OK;
	/* Rows that are only counted are no records: better no answer than a wrong one. */
	records_explain(cursor, sqlite3_mprintf("rowid is only known together with time_ns: ask for both"));
	return SQLITE_ERROR;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void thread_value(sqlite3_context *ctx, const struct cursor *c, u8 column)
{
	const struct lkst_threads *threads = lkst_sql_scan_threads(c->scan);
	const struct lkst_thread *t = threads ? lkst_threads_find(threads, c->record->tid) : NULL;
	const bool has_comm = t ? t->has_comm : !c->record->tid;
	const char *comm = t ? t->comm : "swapper";

	if (column == LKST_SQL_PID && ((t && t->pid) || !c->record->tid))
		sqlite3_result_int64(ctx, t ? t->pid : 0);
	if (column == LKST_SQL_COMM && has_comm)
		sqlite3_result_text(ctx, comm, (int)strnlen(comm, sizeof(t->comm)),
				    SQLITE_TRANSIENT);
}

/* Prints records with @view, with the names that are known by then. NULL: no memory. */
static struct lkst_record_text *begin_shown(const struct cursor *c, const struct lkst_view *view)
{
	const struct lkst_address_names names = lkst_sql_scan_addresses(c->scan);
	const struct lkst_view_config config = { .catalog = c->table->sql->catalog,
						 .threads = names.threads,
						 .symbols = names.symbols,
						 .code = names.code,
						 .begin_ns = c->table->sql->begin_ns };

	return config.symbols ? lkst_record_text_new(view, &config) : NULL;
}

static void shown_value(sqlite3_context *ctx, struct cursor *c, struct lkst_record_text **shown,
			const struct lkst_view *view)
{
	const char *text = NULL;
	size_t length;

	if (!*shown)
		*shown = begin_shown(c, view);
	if (*shown)
		text = lkst_record_text_of(*shown, c->record, &length);
	if (text)
		sqlite3_result_text64(ctx, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(ctx);
}

/* The names of the addresses in a field, with blanks between; NULL where none is known. */
static void symbol_value(sqlite3_context *ctx, const struct cursor *c, unsigned int index)
{
	const struct lkst_address_names names = lkst_sql_scan_addresses(c->scan);
	const struct lkst_record *r = c->record;
	const char *end;
	char *text;

	if (names.symbols && !lkst_address_names_serve(&names, &r->event->fields[index]))
		return;
	text = names.symbols ? sqlite3_malloc64(lkst_address_list_room(r, index)) : NULL;
	if (!text) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	end = lkst_address_list_put(&names, text, r, index);
	if (end == text)
		sqlite3_free(text);
	else
		sqlite3_result_text64(ctx, text, (sqlite3_uint64)(end - text), sqlite3_free, SQLITE_UTF8);
}

static void buffer_value(sqlite3_context *ctx, u32 buffer)
{
	char text[LKST_VALUE_ROOM];

	sqlite3_result_text(ctx, text, (int)(lkst_put_buffer(text, buffer) - text),
			    SQLITE_TRANSIENT);
}

static int records_cell(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int index)
{
	struct cursor *c = (struct cursor *)cursor;
	const struct lkst_sql_column *column;
	const struct lkst_record *r = c->record;

	if (c->joined && c->joined->columns[index].common == LKST_SQL_HOST) {
		sqlite3_result_text(ctx, c->table->sql->name, -1, SQLITE_STATIC);
		return SQLITE_OK;
	}
	if (c->joined)
		index = c->joined->places[c->host * c->joined->nr_columns + (unsigned int)index];
	if (index < 0)
		return SQLITE_OK;
	column = &c->table->columns[index];
	switch (column->common) {
	case LKST_SQL_TIME:
		sqlite3_result_int64(ctx, (sqlite3_int64)(r->ns + c->table->sql->offset_ns));
		break;
	case LKST_SQL_CPU:
		sqlite3_result_int64(ctx, r->cpu);
		break;
	case LKST_SQL_TID:
		sqlite3_result_int64(ctx, r->tid);
		break;
	case LKST_SQL_EVENT:
		sqlite3_result_text(ctx, r->event->name, -1, SQLITE_STATIC);
		break;
	case LKST_SQL_BUFFER:
		buffer_value(ctx, r->buffer);
		break;
	case LKST_SQL_LINE:
		shown_value(ctx, c, &c->line, &lkst_view_text);
		break;
	case LKST_SQL_JSON:
		shown_value(ctx, c, &c->json, &lkst_view_json);
		break;
	case LKST_SQL_FIELD:
		if (lkst_sql_field_is_known(r, c->table->faults, column->field))
			lkst_sql_field_value(ctx, r, column->field);
		break;
	case LKST_SQL_SYMBOL:
		if (lkst_sql_field_is_known(r, c->table->faults, column->field))
			symbol_value(ctx, c, column->field);
		break;
	default:
		thread_value(ctx, c, column->common);
	}
	return SQLITE_OK;
}

/* Without a way to create one: each is there under its name. */
static const sqlite3_module module = {
	.iVersion = 2,
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = records_is_over,
	.xColumn = records_cell,
	.xRowid = row_number,
};

/* ---- tables of several hosts ------------------------------------------------------------------- */

/*
 * Hosts may have different kernels and programs, so an event of one may have fields that another's lacks, or not be
 * there.
 */

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

/*
 * Makes the tables of records of @front: one for each name that a host has, with a column `host`, and the columns that
 * any of them has. 0 or -ENOMEM.
 */
static int sql_join_records(struct lkst_sql *front)
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

/* ---- all tables ------------------------------------------------------------------------------ */

static int records_add(struct lkst_sql *s, const struct lkst_event_class *event)
{
	struct lkst_sql_records *table = &s->records[s->nr_records];

	table->sql = s;
	table->name = event ? event->name : "events";
	table->help = event ? NULL : "all records, in order of time";
	if (event && event->index >= 0)
		table->help = lkst_events[event->index].help;
	if (lkst_sql_columns_make(table, event))
		return -ENOMEM;
	s->nr_records++;
	return 0;
}

/* An event of a trace from anywhere may be called "events": the table of all comes last, and stays. */
static int make_modules(struct lkst_sql *s)
{
	unsigned int i;

	for (i = s->nr_records; i-- > 0;)
		if (sqlite3_create_module(s->db, s->records[i].name, &module, &s->records[i]))
			return -ENOMEM;
	return 0;
}

int lkst_sql_add_joined_records(struct lkst_sql *s)
{
	return sql_join_records(s) ?: make_modules(s);
}

int lkst_sql_add_records(struct lkst_sql *s)
{
	unsigned int id;
	int err;

	s->records = calloc(1 + s->catalog->nr_classes, sizeof(*s->records));
	if (!s->records)
		return -ENOMEM;
	err = records_add(s, NULL);
	for (id = 0; id <= LKST_ID_MAX && !err; id++)
		if (s->catalog->classes[id])
			err = records_add(s, s->catalog->classes[id]);
	/* Those of several hosts are read as one. */
	return err || s->front != s ? err : make_modules(s);
}

void lkst_sql_free_records(struct lkst_sql *s)
{
	while (s->nr_records) {
		struct lkst_sql_records *table = &s->records[--s->nr_records];

		free(table->columns);
		free(table->parts);
		free(table->places);
	}
	free(s->records);
}
