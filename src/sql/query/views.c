/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of what is known of several hosts, each in the time that all have in common. */
#include "sql/query/views.h"

#include <errno.h>

#include "sql/known/known.h"
#include "trace/format/catalog.h"

const char lkst_sql_hosts_text[] =
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

int lkst_sql_add_views(struct lkst_sql *front, const struct lkst_reading *h)
{
	const struct lkst_sql_known *table;
	unsigned int i;
	int err = views_run(front, sqlite3_mprintf("%s", lkst_sql_hosts_text));

	for (i = 0; i < h->nr && !err; i++)
		err = views_add_host(front, h, i);
	for (i = 0; !err && (table = lkst_sql_known_table(i)); i++)
		err = add_view(front, table);
	return err;
}
