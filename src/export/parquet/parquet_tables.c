/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parquet: a directory with a file for each table. events.parquet has the records; the others have what the state model
 * knows, with the columns of the tables of lkst sql, and before them the time of day.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/create.h"
#include "export/parquet/parquet_file.h"
#include "sql/known/known_export.h"

enum { NAME_ROOM = 64 };

/* ---- files ----------------------------------------------------------------------------------- */

static void note_trace(const struct lkst_export *x, struct lkst_parquet *p, const char *table)
{
	char number[24];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)x->catalog->clock_offset_ns);
	lkst_parquet_note(p, "lkst.table", table);
	lkst_parquet_note(p, "lkst.hostname", x->catalog->hostname);
	lkst_parquet_note(p, "lkst.kernel", x->catalog->release);
	lkst_parquet_note(p, "lkst.clock_offset_ns", number);
}

int lkst_parquet_file_open(struct lkst_err *e, struct lkst_export *x, const char *name,
			   const struct lkst_parquet_column *columns, unsigned int nr,
			   struct lkst_parquet_file *ret_file)
{
	struct lkst_parquet_file *file = ret_file;
	char path[NAME_ROOM];
	int err;

	*file = (struct lkst_parquet_file){ .fd = -1 };
	snprintf(path, sizeof(path), "%s.parquet", name);
	err = lkst_create_file(e, x->request->access, x->dir_fd, path, &file->fd);
	if (err)
		return err;
	file->out = malloc(sizeof(*file->out));
	if (!file->out)
		return lkst_err_sys(e, -ENOMEM, "exporting");
	lkst_out_init(file->out, file->fd);
	err = lkst_parquet_new(e, columns, nr, "lkst export", file->out, &file->parquet);
	if (!err)
		note_trace(x, file->parquet, name);
	return err;
}

void lkst_parquet_file_fini(struct lkst_parquet_file *file)
{
	lkst_parquet_free(file->parquet);
	free(file->out);
	lkst_closep(&file->fd);
}

int lkst_parquet_file_row(struct lkst_export *x, struct lkst_parquet_file *file, u64 ns)
{
	int err = lkst_parquet_row_end(file->parquet);

	if (!err)
		err = file->out->error;
	return err ? err : lkst_export_step(x, ns);
}

int lkst_parquet_file_end(struct lkst_err *e, struct lkst_parquet_file *file, const char *name,
			  int err)
{
	if (err && err != file->out->error)
		return err;
	if (!err)
		err = lkst_parquet_end(file->parquet);
	if (!err)
		err = lkst_out_flush(file->out);
	return err ? lkst_err_sys(e, err, "writing %s.parquet", name) : 0;
}

/* ---- what is known --------------------------------------------------------------------------- */

#ifndef LKST_NO_SQL
static const char *const tables[] = { "threads", "states", "syscalls", "left_out" };
enum { NR_TABLES = sizeof(tables) / sizeof(tables[0]) };

/*
 * A pass of its own, on a thread of its own, while the records are written: both read the trace, and only this one
 * asks for blocks by their number.
 */
struct parquet_tables_known {
	struct lkst_export *x;
	struct lkst_parquet_file files[NR_TABLES];
	struct lkst_sql_known_export to;
	pthread_t thread;
	bool has_thread;
	atomic_bool must_end; /* set by the other thread, which has failed */
	struct lkst_err e;    /* what became of it, once the thread has ended */
	int err;
};

static void known_fini(struct parquet_tables_known *k)
{
	unsigned int i;

	for (i = 0; i < NR_TABLES; i++)
		lkst_parquet_file_fini(&k->files[i]);
}

static bool parquet_tables_wants(const void *ctx, const struct lkst_model *model,
				 const struct lkst_thread_life *life)
{
	const struct parquet_tables_known *k = ctx;

	return lkst_export_wants(k->x, model, life);
}

static int parquet_tables_row(void *ctx, unsigned int table, u64 ns)
{
	struct parquet_tables_known *k = ctx;
	const volatile sig_atomic_t *stop = k->x->request->stop;

	if (k->must_end || (stop && *stop))
		return -EINTR;
	return lkst_parquet_row_end(k->files[table].parquet) ?: k->files[table].out->error;
}

static int open_known(struct lkst_err *e, struct parquet_tables_known *k)
{
	struct lkst_parquet_column columns[LKST_SQL_EXPORT_COLUMNS_MAX];
	unsigned int i, nr;
	int err = 0;

	for (i = 0; i < NR_TABLES; i++)
		k->files[i].fd = -1;
	for (i = 0; i < NR_TABLES && !err; i++) {
		nr = lkst_sql_known_columns(tables[i], columns);
		err = lkst_parquet_file_open(e, k->x, tables[i], columns, nr, &k->files[i]);
		k->to.tables[i] = tables[i];
		k->to.files[i] = k->files[i].parquet;
	}
	k->to.nr_tables = NR_TABLES;
	return err;
}

static void *write_known(void *ctx)
{
	struct parquet_tables_known *k = ctx;
	unsigned int i;

	k->err = lkst_sql_known_write(&k->e, &k->to);
	for (i = 0; i < NR_TABLES; i++)
		k->err = lkst_parquet_file_end(&k->e, &k->files[i], tables[i], k->err);
	return NULL;
}

static int write_parquet(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(known_fini) struct parquet_tables_known k = { .x = x,
						 .to = { .trace = x->trace,
							 .from_ns = x->from_ns,
							 .to_ns = x->to_ns,
							 .wants = parquet_tables_wants,
							 .row = parquet_tables_row,
							 .ctx = &k } };
	_cleanup_(lkst_parquet_events_freep) struct lkst_parquet_events *events = NULL;
	int err = open_known(e, &k) ?: lkst_parquet_events_new(e, x, &events);

	if (err)
		return err;
	k.has_thread = !pthread_create(&k.thread, NULL, write_known, &k);
	err = lkst_parquet_events_write(e, events);
	k.must_end = err;
	if (k.has_thread)
		pthread_join(k.thread, NULL);
	else if (!err)
		write_known(&k);
	if (!err && k.err)
		err = k.e.text[0] ? lkst_err_set(e, k.err, "%s", k.e.text) : k.err;
	return err;
}
#else
/* The other tables are those of lkst sql, which this program is without. */
static int write_parquet(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_parquet_events_freep) struct lkst_parquet_events *events = NULL;

	x->result.has_events_only = true;
	return lkst_parquet_events_new(e, x, &events) ?: lkst_parquet_events_write(e, events);
}
#endif

const struct lkst_export_format lkst_export_parquet = {
	.name = "parquet",
	.help = "tables for DuckDB, pandas and others",
	.extension = "tables",
	.is_directory = true,
	.filters = LKST_EXPORT_BY_ALL,
	.write = write_parquet,
};
