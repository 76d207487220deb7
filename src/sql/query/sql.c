/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to a trace in SQL: opening what they are put to, and answering them. */
#include "sql/query/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/reading.h"
#include "sql/known/known.h"
#include "sql/known/known_fill.h"
#include "sql/known/known_left_out.h"
#include "sql/query/functions.h"
#include "sql/query/result.h"
#include "sql/query/result_parquet.h"
#include "sql/query/statement.h"
#include "sql/records/groups.h"
#include "sql/records/records.h"
#include "trace/format/catalog.h"

/*
 * What is sorted at once, a setting of the main database. The temporary one is left as it is: a small cache does
 * for what is written once, and its journal undoes the rows of a pass that is interrupted.
 */
enum { CACHE_KIB = 8 * 1024 };

/* ---- what is known of several hosts, each in the time that all have in common ------------------ */

/* The CREATE TABLE of the table of the hosts. */
static const char hosts_text[] =
	"CREATE TABLE hosts (\n"
	"\thost TEXT, -- the host's name\n"
	"\tkernel TEXT, -- its kernel's release\n"
	"\tfrom_ns INTEGER, -- its first record\n"
	"\tto_ns INTEGER, -- its last record\n"
	"\tadded_ns INTEGER, -- what was added to its time of day\n"
	"\terror_ns INTEGER, -- that is right to so much; none: it is not known\n"
	"\tsynchronised INTEGER, -- a program such as chronyd kept its clock right\n"
	"\tpackets INTEGER, -- those between it and the others that both have recorded\n"
	"\tclock TEXT -- what is known of its clock, in words\n"
	")";

/* Runs @text, which is not the user's, and frees it. */
static int views_run(struct lkst_sql *s, char *text)
{
	int code = lkst_sql_run_own(s, text);

	sqlite3_free(text);
	return code ? -ENOMEM : 0;
}

/* "SELECT 'web1' AS host, from_ns + 17... AS from_ns, tid, ... FROM "0:waits"". */
static void put_select(sqlite3_str *text, const struct lkst_sql *host,
		       const struct lkst_sql_known *table)
{
	const struct lkst_sql_known_column *c;

	sqlite3_str_appendf(text, "SELECT %Q AS host", host->name);
	for (c = table->columns; c->name; c++)
		if (lkst_sql_known_is_time(c->name))
			sqlite3_str_appendf(text, ", \"%w\" + (%lld) AS \"%w\"", c->name,
					    (long long)host->offset_ns, c->name);
		else
			sqlite3_str_appendf(text, ", \"%w\"", c->name);
	sqlite3_str_appendf(text, " FROM \"%w%w\"", host->prefix, table->name);
}

static int add_view(struct lkst_sql *front, const struct lkst_sql_known *table)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	unsigned int i;

	sqlite3_str_appendf(text, "CREATE VIEW \"%w\" AS ", table->name);
	for (i = 0; i < front->nr_hosts; i++) {
		if (i)
			sqlite3_str_appendall(text, " UNION ALL ");
		put_select(text, front->hosts[i], table);
	}
	return views_run(front, sqlite3_str_finish(text));
}

static int views_add_host(struct lkst_sql *front, const struct lkst_reading *h, unsigned int i)
{
	const struct lkst_host *host = &h->list[i];
	char clock[LKST_HOST_CLOCK_TEXT], error[32] = "NULL";
	u64 begin_ns, end_ns;

	lkst_trace_range(host->trace, &begin_ns, &end_ns);
	lkst_reading_clock_text(h, i, clock);
	if (host->bound.is_bounded)
		snprintf(error, sizeof(error), "%llu", (unsigned long long)host->bound.error_ns);
	return views_run(front,
			 sqlite3_mprintf(
			   "INSERT INTO hosts VALUES (%Q, %Q, %lld, %lld, %lld, %s, %d, %llu, %Q)",
			   host->name, lkst_trace_catalog(host->trace)->release,
			   (long long)(begin_ns + host->offset_ns),
			   (long long)(end_ns + host->offset_ns), (long long)host->bound.shift_ns,
			   error, host->clock.is_synchronised,
			   (unsigned long long)host->nr_messages, clock));
}

/* 0 or -ENOMEM. */
static int sql_add_views(struct lkst_sql *front, const struct lkst_reading *h)
{
	const struct lkst_sql_known *table;
	unsigned int i;
	int err = views_run(front, sqlite3_mprintf("%s", hosts_text));

	for (i = 0; i < h->nr && !err; i++)
		err = views_add_host(front, h, i);
	for (i = 0; !err && (table = lkst_sql_known_table(i)); i++)
		err = add_view(front, table);
	return err;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* What does not fit into memory goes to files without a name, in $SQLITE_TMPDIR, $TMPDIR or /var/tmp. */
static int sql_set_up(struct lkst_sql *s)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "PRAGMA temp_store = FILE; PRAGMA cache_size = -%d; PRAGMA journal_mode = OFF",
		 CACHE_KIB);
	return sqlite3_exec(s->db, text, NULL, NULL, NULL) ? -ENOMEM : 0;
}

static void take_trace(struct lkst_sql *s, struct lkst_trace *t)
{
	s->trace = t;
	s->catalog = lkst_trace_catalog(t);
	s->max_groups = LKST_SQL_GROUPS_MAX;
	lkst_trace_range(t, &s->begin_ns, &s->end_ns);
}

int lkst_sql_open(struct lkst_err *e, struct lkst_trace *t, const volatile sig_atomic_t *stop,
		  struct lkst_sql **ret_sql)
{
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "preparing for queries");
	take_trace(s, t);
	s->front = s;
	s->stop = stop;
	if (sqlite3_open_v2("", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    sql_set_up(s) || lkst_sql_add_functions(s) || lkst_sql_add_records(s) ||
	    lkst_sql_known_add(s))
		return lkst_err_set(e, -ENOMEM, "preparing for queries: %s",
				    s->db ? sqlite3_errmsg(s->db) : "there is no memory");
	lkst_sql_guard(s);
	*ret_sql = lkst_take(s);
	return 0;
}

void lkst_sql_name_code(struct lkst_sql *s, struct lkst_code_namer namer)
{
	s->namer = namer;
}

/* Adds the tables of @host to those of @front. */
static int sql_add_host(struct lkst_sql *front, const struct lkst_host *host)
{
	const unsigned int i = front->nr_hosts;
	struct lkst_sql *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	take_trace(s, host->trace);
	front->hosts[front->nr_hosts++] = s;
	s->front = front;
	s->db = front->db;
	s->stop = front->stop;
	s->offset_ns = host->offset_ns;
	s->name = host->name;
	snprintf(s->prefix, sizeof(s->prefix), "%u:", i);
	return lkst_sql_add_records(s) ?: lkst_sql_known_add(s);
}

/* Each host's tables, and those that join them. */
static int add_hosts(struct lkst_sql *front, const struct lkst_reading *r)
{
	unsigned int i;
	int err = 0;

	front->hosts = calloc(r->nr, sizeof(struct lkst_sql *));
	if (!front->hosts)
		return -ENOMEM;
	for (i = 0; i < r->nr && !err; i++)
		err = sql_add_host(front, &r->list[i]);
	return err ?: lkst_sql_add_joined_records(front) ?: sql_add_views(front, r);
}

static int sql_open_hosts(struct lkst_err *e, const struct lkst_reading *r, const volatile sig_atomic_t *stop,
			  struct lkst_sql **ret_sql)
{
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "preparing for queries");
	s->front = s;
	s->stop = stop;
	s->max_groups = LKST_SQL_GROUPS_MAX;
	if (sqlite3_open_v2("", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) || sql_set_up(s) ||
	    lkst_sql_add_functions_of_hosts(s) || add_hosts(s, r))
		return lkst_err_set(e, -ENOMEM, "preparing for queries: %s",
				    s->db ? sqlite3_errmsg(s->db) : "there is no memory");
	lkst_sql_guard(s);
	*ret_sql = lkst_take(s);
	return 0;
}

int lkst_sql_open_reading(struct lkst_err *e, const struct lkst_reading *r, const volatile sig_atomic_t *stop,
			  struct lkst_sql **ret_sql)
{
	struct lkst_trace *one = lkst_reading_one(r);

	return one ? lkst_sql_open(e, one, stop, ret_sql) : sql_open_hosts(e, r, stop, ret_sql);
}

/* What is not of the database, which has pointers to it. */
static void free_parts(struct lkst_sql *s)
{
	lkst_sql_free_records(s);
	lkst_sql_left_out_free(s);
	lkst_symbols_free(s->symbols);
	free(s->hosts);
	free(s);
}

void lkst_sql_close(struct lkst_sql *s)
{
	unsigned int i;

	if (!s)
		return;
	sqlite3_close(s->db);
	for (i = 0; i < s->nr_hosts; i++)
		free_parts(s->hosts[i]);
	free_parts(s);
}

void lkst_sql_limit(struct lkst_sql *s, u64 max_steps, int cell_bytes)
{
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, cell_bytes);
	s->max_steps = max_steps;
	s->steps = 0;
}

void lkst_sql_limit_groups(struct lkst_sql *s, u32 max_groups)
{
	s->max_groups = max_groups;
}

u64 lkst_sql_nr_gaps(const struct lkst_sql *s)
{
	return s->nr_gaps;
}

int lkst_sql_note_left_out(struct lkst_err *e, struct lkst_sql *s, struct lkst_notes *notes)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < s->nr_hosts && !err; i++)
		err = lkst_sql_left_out_note(e, s->hosts[i], notes);
	return err || s->nr_hosts ? err : lkst_sql_left_out_note(e, s, notes);
}

/* ---- running --------------------------------------------------------------------------------- */

static int run_statement(struct lkst_err *e, struct lkst_sql *s, sqlite3_stmt *statement,
			 unsigned int format, struct lkst_out *out, int *ret_code)
{
	struct lkst_sql_result *result;
	int err;

	if (format == LKST_SQL_PARQUET)
		return lkst_sql_result_parquet(e, statement, out, ret_code);
	err = lkst_sql_result_new(statement, format, out, &result);
	while (!err && (*ret_code = sqlite3_step(statement)) == SQLITE_ROW)
		err = lkst_sql_result_row(result);
	lkst_sql_result_end(result);
	return err;
}

/* The first statement of @text; *@ret_rest is what follows on it. */
static int run_first(struct lkst_err *e, struct lkst_sql *s, const char *all, const char *text,
		     unsigned int format, struct lkst_out *out, const char **ret_rest)
{
	sqlite3_stmt *statement = NULL;
	int code = SQLITE_DONE;
	int err = lkst_sql_prepare(e, s, all, text, &statement, ret_rest);

	if (!err && statement && s->nr_answers++ && format == LKST_SQL_PARQUET) {
		err = lkst_err_set(
			e, -EINVAL,
			"a Parquet file has the answer of one statement, and these are more");
	} else if (!err && statement) {
		err = run_statement(e, s, statement, format, out, &code);
		err = lkst_sql_tell(e, s, err, code, all, text);
	}
	sqlite3_finalize(statement);
	return err;
}

int lkst_sql_run(struct lkst_err *e, struct lkst_sql *s, const char *text, unsigned int format,
		 struct lkst_out *out)
{
	const char *at = text;
	int err = 0;

	lkst_sql_forget(s);
	s->nr_answers = 0;
	if (strlen(text) > LKST_SQL_TEXT_MAX)
		return lkst_err_set(e, -E2BIG, "the query is longer than %d bytes",
				    LKST_SQL_TEXT_MAX);
	while (*at && !err)
		err = run_first(e, s, text, at, format, out, &at);
	/* Nothing at all is no Parquet file. */
	if (!err && format == LKST_SQL_PARQUET && !s->nr_answers)
		return lkst_err_set(e, -EINVAL, "a Parquet file needs a query, and there is none");
	return err;
}

bool lkst_sql_is_complete(const char *text)
{
	return sqlite3_complete(text) == 1;
}

/* ---- what there is --------------------------------------------------------------------------- */

bool lkst_sql_table(const struct lkst_sql *s, unsigned int i, const char **ret_name,
		    const char **ret_help)
{
	const struct lkst_sql_known *known = lkst_sql_known_table(i);

	if (s->nr_hosts && i == LKST_SQL_NR_KNOWN + s->nr_records) {
		*ret_name = "hosts";
		*ret_help = "the hosts, and what is known of their clocks";
		return true;
	}
	if (!known && i - LKST_SQL_NR_KNOWN >= s->nr_records)
		return false;
	*ret_name = known ? known->name : s->records[i - LKST_SQL_NR_KNOWN].name;
	*ret_help = known ? known->help : s->records[i - LKST_SQL_NR_KNOWN].help;
	return true;
}

const char *lkst_sql_column(const struct lkst_sql *s, unsigned int table, unsigned int i)
{
	const struct lkst_sql_known *known = lkst_sql_known_table(table);
	const struct lkst_sql_records *t;
	unsigned int nr = 0;

	if (known) {
		while (nr < i && known->columns[nr].name)
			nr++;
		return known->columns[nr].name;
	}
	table -= LKST_SQL_NR_KNOWN;
	t = table < s->nr_records ? &s->records[table] : NULL;
	return t && i < t->nr_columns ? t->columns[i].name : NULL;
}

int lkst_sql_schema(struct lkst_err *e, struct lkst_sql *s, const char *name, struct lkst_out *out)
{
	const char *found, *help;
	unsigned int i;
	char *text;

	for (i = 0; lkst_sql_table(s, i, &found, &help); i++)
		if (!sqlite3_stricmp(found, name))
			break;
	if (!lkst_sql_table(s, i, &found, &help))
		return lkst_err_set(e, -ENOENT, "there is no table \"%s\"; .tables lists them",
				    name);
	if (i == LKST_SQL_NR_KNOWN + s->nr_records)
		text = sqlite3_mprintf("%s", hosts_text);
	else
		text = i < LKST_SQL_NR_KNOWN
		       ? lkst_sql_known_text(lkst_sql_known_table(i), s->front->prefix, true)
		       : lkst_sql_columns_text(&s->records[i - LKST_SQL_NR_KNOWN], true);
	if (!text)
		return lkst_err_sys(e, -ENOMEM, "the columns of %s", name);
	if (help)
		lkst_out_printf(out, "-- %s\n", help);
	if (s->nr_hosts)
		lkst_out_str(out, i < LKST_SQL_NR_KNOWN
					  ? "-- and a column host TEXT in front; times are ns since 1970\n"
					  : "-- times are ns since 1970\n");
	lkst_out_str(out, text);
	lkst_out_str(out, ";\n");
	sqlite3_free(text);
	return 0;
}
