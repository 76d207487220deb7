/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of SQL that speak of times, addresses and distributions. */
#include "sql/query/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "result/hist.h"

/* time_text(ns): the time of day, as `lkst print` has it. */
static void time_text(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const struct lkst_sql *s = sqlite3_user_data(ctx);
	struct lkst_time_text form;
	char text[LKST_TIME_ROOM];
	sqlite3_int64 ns = sqlite3_value_int64(values[0]);

	if (sqlite3_value_type(values[0]) == SQLITE_NULL || ns < 0)
		return;
	lkst_time_text_init(&form, LKST_TIME_DAY, s->catalog ? s->catalog->clock_offset_ns : 0);
	sqlite3_result_text(ctx, text, (int)(lkst_put_time(text, &form, (u64)ns, 9) - text),
			    SQLITE_TRANSIENT);
}

static void functions_put_symbol(sqlite3_context *ctx, struct lkst_sql *s, sqlite3_value **values)
{
	struct lkst_symbols *symbols = lkst_sql_symbols(s);
	u64 address = (u64)sqlite3_value_int64(values[0]), offset;
	char text[LKST_SYMBOL_ROOM];

	if (!symbols)
		sqlite3_result_error_nomem(ctx);
	if (!symbols || sqlite3_value_type(values[0]) == SQLITE_NULL ||
	    !lkst_symbols_find(symbols, address, &offset))
		return;
	sqlite3_result_text(ctx, text, (int)(lkst_symbols_put(symbols, text, address) - text),
			    SQLITE_TRANSIENT);
}

/* symbol(address): "function+0x12", or NULL where the trace has no name. */
static void symbol(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	functions_put_symbol(ctx, sqlite3_user_data(ctx), values);
}

/* symbol(address, host): each kernel has its own. */
static void symbol_of_host(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const struct lkst_sql *s = sqlite3_user_data(ctx);
	const char *host = (const char *)sqlite3_value_text(values[1]);
	unsigned int i;

	for (i = 0; host && i < s->nr_hosts; i++)
		if (!strcmp(s->hosts[i]->name, host))
			functions_put_symbol(ctx, s->hosts[i], values);
}

static void symbol_of_none(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	sqlite3_result_error(ctx, "with several hosts, whose kernel is it? symbol(address, host)", -1);
}

/* ---- quantile(value, share) ------------------------------------------------------------------ */

struct quantile {
	struct lkst_hist
		*hist; /* values below 0 count as 0; it needs more alignment than SQLite gives */
	double share;
};

static void quantile_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct quantile *q = sqlite3_aggregate_context(ctx, sizeof(*q));
	sqlite3_int64 value = sqlite3_value_int64(values[0]);
	double share = sqlite3_value_double(values[1]);

	if (q && !q->hist)
		q->hist = calloc(1, sizeof(*q->hist));
	if (!q || !q->hist) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (!(share >= 0 && share <= 1)) {
		sqlite3_result_error(ctx, "quantile() takes a share from 0 to 1", -1);
		return;
	}
	q->share = share;
	if (sqlite3_value_type(values[0]) != SQLITE_NULL &&
	    lkst_hist_add(q->hist, value < 0 ? 0 : (u64)value, 1))
		sqlite3_result_error_nomem(ctx);
}

static void quantile_final(sqlite3_context *ctx)
{
	struct quantile *q = sqlite3_aggregate_context(ctx, 0);

	if (!q || !q->hist)
		return;
	if (q->hist->count)
		sqlite3_result_int64(ctx, (sqlite3_int64)lkst_hist_quantile(q->hist, q->share));
	lkst_hist_fini(q->hist);
	free(q->hist);
}

enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC };

/* How many characters @length bytes of UTF-8 are: those that begin one. */
static sqlite3_int64 nr_characters(const unsigned char *text, size_t length)
{
	sqlite3_int64 nr = 0;
	size_t i;

	for (i = 0; i < length; i++)
		nr += (text[i] & 0xc0) != 0x80;
	return nr;
}

/*
 * instr(X, Y) as SQLite has it. Its own compares again from each place, which takes minutes for two long texts, and
 * nothing stops it meanwhile; memmem(3) takes time in proportion to their lengths.
 */
static void instr(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const bool are_blobs = sqlite3_value_type(values[0]) == SQLITE_BLOB &&
			       sqlite3_value_type(values[1]) == SQLITE_BLOB;
	const unsigned char *in, *what, *found;
	size_t length, what_length;

	if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
		return;
	in = are_blobs ? sqlite3_value_blob(values[0]) : sqlite3_value_text(values[0]);
	length = (size_t)sqlite3_value_bytes(values[0]);
	what = are_blobs ? sqlite3_value_blob(values[1]) : sqlite3_value_text(values[1]);
	what_length = (size_t)sqlite3_value_bytes(values[1]);
	if ((!in && length) || (!what && what_length)) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	found = length && what_length ? memmem(in, length, what, what_length) : NULL;
	if (!what_length)
		sqlite3_result_int64(ctx, 1);
	else if (!found)
		sqlite3_result_int64(ctx, 0);
	else
		sqlite3_result_int64(ctx, 1 + (are_blobs ? found - in : nr_characters(in, (size_t)(found - in))));
}

static int functions_add_common(struct lkst_sql *s)
{
	return sqlite3_create_function(s->db, "time_text", 1, FLAGS, s, time_text, NULL, NULL) ||
	       sqlite3_create_function(s->db, "instr", 2, FLAGS, s, instr, NULL, NULL) ||
	       sqlite3_create_function(s->db, "quantile", 2, FLAGS, s, NULL, quantile_step, quantile_final);
}

int lkst_sql_add_functions(struct lkst_sql *s)
{
	if (functions_add_common(s) || sqlite3_create_function(s->db, "symbol", 1, FLAGS, s, symbol, NULL, NULL))
		return -ENOMEM;
	return 0;
}

int lkst_sql_add_functions_of_hosts(struct lkst_sql *s)
{
	if (functions_add_common(s) ||
	    sqlite3_create_function(s->db, "symbol", 1, FLAGS, s, symbol_of_none, NULL, NULL) ||
	    sqlite3_create_function(s->db, "symbol", 2, FLAGS, s, symbol_of_host, NULL, NULL))
		return -ENOMEM;
	return 0;
}
