/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the rows of a statement as a Parquet file. Until the columns' types are known, the first rows are held. */
#include "sql/query/result_parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "parquet/parquet.h"

enum {
	HELD_ROWS = 1000,	  /* rows that say what an undeclared column holds */
	HELD_BYTES = 1024 * 1024, /* of them; more are not looked at */
	NAME_ROOM = 16,		  /* bytes for what makes a name unique */
};

struct result {
	sqlite3_stmt *statement;
	struct lkst_out *out;
	unsigned int nr_columns;
	struct lkst_parquet_column *columns;
	u8 *is_open;		   /* bool of each: its type is not declared */
	bool has_open;		   /* one is */
	struct lkst_parquet *file; /* NULL: rows are held */
	sqlite3_value **held;	   /* row by row */
	u32 nr_held;
	size_t held_bytes;
	u64 nr_rows;
};

/* ---- columns --------------------------------------------------------------------------------- */

static bool result_parquet_is_taken(const struct result *x, const char *name)
{
	unsigned int i;

	for (i = 0; i < x->nr_columns && x->columns[i].name; i++)
		if (!sqlite3_stricmp(x->columns[i].name, name))
			return true;
	return false;
}

/* Column @i's name, for the caller to free: SQL may give several the same one, and readers take none such. */
static char *result_parquet_name_of(const struct result *x, unsigned int i)
{
	const char *given = sqlite3_column_name(x->statement, (int)i) ?: "";
	size_t room = strlen(given) + NAME_ROOM;
	char *name = malloc(room);
	unsigned int nr;

	if (!name)
		return NULL;
	snprintf(name, room, "%s", given);
	for (nr = 2; result_parquet_is_taken(x, name); nr++)
		snprintf(name, room, "%s_%u", given, nr);
	return name;
}

static bool type_of_declared(const char *declared, enum lkst_parquet_type *ret_type)
{
	static const struct {
		const char *declared;
		enum lkst_parquet_type type;
	} types[] = {
		{ "INTEGER", LKST_PARQUET_INT64 },
		{ "REAL", LKST_PARQUET_DOUBLE },
		{ "TEXT", LKST_PARQUET_TEXT },
		{ "BLOB", LKST_PARQUET_BYTES },
	};
	size_t i;

	for (i = 0; declared && i < sizeof(types) / sizeof(types[0]); i++)
		if (!sqlite3_stricmp(declared, types[i].declared)) {
			*ret_type = types[i].type;
			return true;
		}
	return false;
}

static int begin_columns(struct result *x)
{
	unsigned int i;

	x->nr_columns = (unsigned int)sqlite3_column_count(x->statement);
	x->columns = calloc(x->nr_columns, sizeof(*x->columns));
	x->is_open = calloc(x->nr_columns, sizeof(*x->is_open));
	if (!x->columns || !x->is_open)
		return -ENOMEM;
	for (i = 0; i < x->nr_columns; i++) {
		x->columns[i].name = result_parquet_name_of(x, i);
		x->is_open[i] = !type_of_declared(sqlite3_column_decltype(x->statement, (int)i),
						  &x->columns[i].type);
		x->has_open |= x->is_open[i];
		if (!x->columns[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* The type of column @i by its values in the rows that are held. */
static enum lkst_parquet_type type_of_held(const struct result *x, unsigned int i)
{
	bool has[SQLITE_NULL + 1] = {}; /* by the types of SQLite, which are 1 to 5 */
	u32 at;

	for (at = i; at < x->nr_held; at += x->nr_columns)
		has[sqlite3_value_type(x->held[at])] = true;
	if (has[SQLITE_BLOB])
		return LKST_PARQUET_BYTES;
	if (has[SQLITE_TEXT])
		return LKST_PARQUET_TEXT;
	if (has[SQLITE_FLOAT])
		return LKST_PARQUET_DOUBLE;
	return has[SQLITE_INTEGER] ? LKST_PARQUET_INT64 : LKST_PARQUET_TEXT;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int misfit(struct lkst_err *e, const struct result *x, unsigned int i, sqlite3_value *value)
{
	static const char *const have[] = {
		[SQLITE_INTEGER] = "a whole number",
		[SQLITE_FLOAT] = "a number with a fraction",
		[SQLITE_TEXT] = "text",
		[SQLITE_BLOB] = "a blob",
		[SQLITE_NULL] = "NULL",
	};
	static const char *const hold[] = {
		[LKST_PARQUET_INT64] = "whole numbers",
		[LKST_PARQUET_DOUBLE] = "numbers",
		[LKST_PARQUET_TEXT] = "text",
		[LKST_PARQUET_BYTES] = "blobs",
	};

	return lkst_err_set(
		e, -EILSEQ,
		"column \"%s\" holds %s, and has %s in row %llu; cast (... as text) or (... as "
		"real) gives it one type",
		x->columns[i].name, hold[x->columns[i].type], have[sqlite3_value_type(value)],
		(unsigned long long)x->nr_rows + 1);
}

/* @value is a whole number that a fraction's type would change: 53 bits of it are kept (IEEE 754). */
static bool loses_digits(sqlite3_value *value)
{
	s64 number = sqlite3_value_int64(value);

	return number > 1LL << 53 || number < -(1LL << 53);
}

static int refuse_digits(struct lkst_err *e, const struct result *x, unsigned int i,
			 sqlite3_value *value)
{
	return lkst_err_set(
		e, -EILSEQ,
		"column \"%s\" holds numbers with a fraction, which would change the whole "
		"number %lld in row %llu; cast (... as integer) or (... as text) keeps it",
		x->columns[i].name, (long long)sqlite3_value_int64(value),
		(unsigned long long)x->nr_rows + 1);
}

static int result_parquet_put_text(struct result *x, unsigned int i, sqlite3_value *value)
{
	const void *bytes = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value)
								     : sqlite3_value_text(value);
	int length = sqlite3_value_bytes(value);

	if (!bytes && length)
		return -ENOMEM;
	lkst_parquet_text(x->file, i, bytes ?: "", (size_t)length);
	return 0;
}

static int result_parquet_put_cell(struct lkst_err *e, struct result *x, unsigned int i, sqlite3_value *value)
{
	int type = sqlite3_value_type(value);
	bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;

	if (type == SQLITE_NULL)
		return 0;
	switch (x->columns[i].type) {
	case LKST_PARQUET_INT64:
		if (type != SQLITE_INTEGER)
			return misfit(e, x, i, value);
		lkst_parquet_int(x->file, i, sqlite3_value_int64(value));
		return 0;
	case LKST_PARQUET_DOUBLE:
		if (!is_number)
			return misfit(e, x, i, value);
		if (type == SQLITE_INTEGER && loses_digits(value))
			return refuse_digits(e, x, i, value);
		lkst_parquet_double(x->file, i, sqlite3_value_double(value));
		return 0;
	case LKST_PARQUET_TEXT:
		return type == SQLITE_BLOB ? misfit(e, x, i, value) : result_parquet_put_text(x, i, value);
	default:
		return is_number ? misfit(e, x, i, value) : result_parquet_put_text(x, i, value);
	}
}

static int end_row(struct result *x)
{
	x->nr_rows++;
	return lkst_parquet_row_end(x->file);
}

/* Decides what is open, and writes the rows that were held for it. */
static int begin_file(struct lkst_err *e, struct result *x)
{
	unsigned int i;
	u32 at;
	int err;

	for (i = 0; i < x->nr_columns; i++)
		if (x->is_open[i])
			x->columns[i].type = type_of_held(x, i);
	err = lkst_parquet_new(e, x->columns, x->nr_columns, "lkst sql", x->out, &x->file);
	for (at = 0; at < x->nr_held && !err; at++) {
		i = at % x->nr_columns;
		err = result_parquet_put_cell(e, x, i, x->held[at]);
		if (!err && i + 1 == x->nr_columns)
			err = end_row(x);
	}
	return err;
}

static int result_parquet_hold_row(struct lkst_err *e, struct result *x)
{
	unsigned int i;

	for (i = 0; i < x->nr_columns; i++) {
		sqlite3_value **held = lkst_vec_add(x->held, x->nr_held);

		if (!held)
			return -ENOMEM;
		*held = sqlite3_value_dup(sqlite3_column_value(x->statement, (int)i));
		if (!*held)
			return -ENOMEM;
		x->held_bytes += (size_t)sqlite3_column_bytes(x->statement, (int)i);
	}
	if (x->nr_held < HELD_ROWS * x->nr_columns && x->held_bytes < HELD_BYTES)
		return 0;
	return begin_file(e, x);
}

static int take_row(struct lkst_err *e, struct result *x)
{
	unsigned int i;
	int err = 0;

	if (!x->file && !x->has_open)
		err = begin_file(e, x);
	if (!err && !x->file)
		return result_parquet_hold_row(e, x);
	/* Such a value is good for nothing else if other threads use the database; none does. */
	for (i = 0; i < x->nr_columns && !err; i++)
		err = result_parquet_put_cell(e, x, i, sqlite3_column_value(x->statement, (int)i));
	return err ? err : end_row(x);
}

static void free_result(struct result *x)
{
	unsigned int i;

	for (i = 0; i < x->nr_held; i++)
		sqlite3_value_free(x->held[i]);
	for (i = 0; x->columns && i < x->nr_columns; i++)
		free((char *)x->columns[i].name);
	lkst_parquet_free(x->file);
	free(x->held);
	free(x->columns);
	free(x->is_open);
}

int lkst_sql_result_parquet(struct lkst_err *e, sqlite3_stmt *statement, struct lkst_out *out,
			    int *ret_code)
{
	struct result x = { .statement = statement, .out = out };
	int err = begin_columns(&x);

	while (!err && (*ret_code = sqlite3_step(statement)) == SQLITE_ROW)
		err = take_row(e, &x);
	if (!err && *ret_code == SQLITE_DONE && !x.file)
		err = begin_file(e, &x);
	if (!err && *ret_code == SQLITE_DONE)
		err = lkst_parquet_end(x.file);
	free_result(&x);
	return err;
}
