/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of LKST on a server. Statements are of what ClickHouse 18.16 and later ones both have. */
#include "fleet/schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

/*
 * `event_rows` has a row for each record, known by its trace, CPU, buffer, time and number among those of one time: one
 * that was sent twice is taken for one, when parts are merged, and before that by FINAL, which `events` asks for. No
 * other servers are needed for that. A statement may run twice, if the first time nobody noted the version.
 *
 * `second_rows` has what a recording counted in each second, a row for each measure, known by its recording, second and
 * measure; `incident_rows` has a row for each incident, of which a later revision replaces the earlier; `host_rows` one
 * for each boot of a machine, of which the one seen last stays. doc/fleet.md says what the columns mean.
 */
static const char *const migrations[] = {
	/* 1 */
	"create table if not exists %1$s.event_rows (trace UUID, boot UUID, host String, time UInt64, "
	"time_ns UInt64, cpu UInt32, buffer String, n UInt32, tid Int32, pid Nullable(Int32), "
	"comm Nullable(String), event String, int Nested(name String, value Int64), "
	"text Nested(name String, value String)) engine = ReplacingMergeTree "
	"partition by intDiv(time, 86400000000000) order by (host, trace, cpu, time, buffer, n)",
	/* 2 */
	"create view if not exists %1$s.events as select * from %1$s.event_rows final",
	/* 3 */
	"create table if not exists %1$s.second_rows (host String, boot UUID, trace UUID, "
	"second DateTime, measure String, cgroup String, n UInt64, total UInt64, worst UInt64, "
	"part Nested(name String, value UInt64), bucket Nested(number UInt16, count UInt64)) "
	"engine = ReplacingMergeTree partition by intDiv(toUInt32(second), 86400) "
	"order by (measure, host, second, trace, cgroup)",
	/* 4 */
	"create view if not exists %1$s.seconds as select * from %1$s.second_rows final",
	/* 5 */
	"create table if not exists %1$s.incident_rows (host String, boot UUID, trace UUID, "
	"number UInt32, revision UInt32, time UInt64, time_ns UInt64, kernel String, version String, "
	"trigger UInt32, event String, tid Int32, comm String, value Int64, reason String, "
	"account String, worst Nested(tid Int32, comm String, what String, time_ns UInt64, "
	"took_ns UInt64, account String), bundle String, bundle_bytes UInt64, moment String, "
	"note String) engine = ReplacingMergeTree(revision) "
	"partition by intDiv(time, 86400000000000) order by (host, trace, number)",
	/* 6 */
	"create view if not exists %1$s.incidents as select * from %1$s.incident_rows final",
	/* 7 */
	"create table if not exists %1$s.host_rows (host String, machine UUID, boot UUID, "
	"seen DateTime, kernel String, version String, cpus UInt32, "
	"label Nested(name String, value String)) engine = ReplacingMergeTree(seen) "
	"order by (host, machine, boot)",
	/* 8 */
	"create view if not exists %1$s.hosts as select * from %1$s.host_rows final",
};

enum { NR_MIGRATIONS = sizeof(migrations) / sizeof(migrations[0]) };

/* How long rows stay, on a server that can drop them by itself; incidents and hosts, which are few, stay. */
static const struct {
	const char *table, *since;
	int days;
} stays[] = {
	{ "event_rows", "toDateTime(intDiv(time, 1000000000))", 30 },
	{ "second_rows", "second", 90 },
};

__attribute__((format(printf, 3, 4))) static int schema_do_f(struct lkst_err *e, struct lkst_fleet *f,
							     const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		text = NULL;
		return lkst_err_sys(e, -ENOMEM, "setting up tables");
	}
	return lkst_fleet_do(e, f, text);
}

/* The server's version, 0: it has none. */
static int version_of(struct lkst_err *e, struct lkst_fleet *f, u64 *ret_version)
{
	const char *database = lkst_fleet_database(f);
	_cleanup_free_ char *question = NULL, *max = NULL;
	u64 nr = 0;
	int err;

	if (asprintf(&question,
		     "select count() as n from system.tables where database = '%s' and "
		     "name = 'schema_version'",
		     database) < 0 ||
	    asprintf(&max, "select max(version) as n from %s.schema_version", database) < 0)
		return lkst_err_sys(e, -ENOMEM, "asking for the tables' version");
	err = lkst_fleet_ask_number(e, f, question, &nr);
	*ret_version = 0;
	return err || !nr ? err : lkst_fleet_ask_number(e, f, max, ret_version);
}

static int refuse_newer(struct lkst_err *e, const struct lkst_fleet *f, u64 version)
{
	return lkst_err_set(e, -ENOTSUP,
			    "the tables of database %s are of version %llu, and this lkst knows "
			    "%d: use the newer lkst that made them, or another --database",
			    lkst_fleet_database(f), (unsigned long long)version, NR_MIGRATIONS);
}

/* Whether somebody has said how long the rows of @table stay. */
static int has_ttl(struct lkst_err *e, struct lkst_fleet *f, const char *table, u64 *ret_nr)
{
	_cleanup_free_ char *question = NULL;

	if (asprintf(&question,
		     "select count() as n from system.tables where database = '%s' and "
		     "name = '%s' and position(engine_full, 'TTL') > 0",
		     lkst_fleet_database(f), table) < 0) {
		question = NULL;
		return lkst_err_sys(e, -ENOMEM, "setting up tables");
	}
	return lkst_fleet_ask_number(e, f, question, ret_nr);
}

/* Has the server drop rows that are old, if it can, and nobody has said when. ClickHouse can since 19.6. */
static int set_stays(struct lkst_err *e, struct lkst_fleet *f)
{
	u64 can = 0, nr = 0;
	size_t i;
	int err = lkst_fleet_ask_number(e, f,
					"select count() as n from system.merge_tree_settings "
					"where name = 'merge_with_ttl_timeout'",
					&can);

	for (i = 0; can && !err && i < sizeof(stays) / sizeof(stays[0]); i++) {
		err = has_ttl(e, f, stays[i].table, &nr);
		if (!err && !nr)
			err = schema_do_f(e, f, "alter table %s.%s modify ttl %s + interval %d day",
					  lkst_fleet_database(f), stays[i].table, stays[i].since,
					  stays[i].days);
	}
	return err;
}

int lkst_fleet_setup(struct lkst_err *e, struct lkst_fleet *f, struct lkst_fleet_schema *ret_schema)
{
	const char *database = lkst_fleet_database(f);
	u64 version, i;
	int err = version_of(e, f, &version);

	if (!err && version > NR_MIGRATIONS)
		return refuse_newer(e, f, version);
	if (!err && !version)
		err = schema_do_f(e, f, "create database if not exists %s", database)
			      ?: schema_do_f(e, f,
					     "create table if not exists %s.schema_version (version UInt32, "
					     "at DateTime) engine = MergeTree order by version",
					     database);
	for (i = version; i < NR_MIGRATIONS && !err; i++)
		err = schema_do_f(e, f, migrations[i], database)
			      ?: schema_do_f(e, f, "insert into %s.schema_version select %llu, now()",
					     database, (unsigned long long)i + 1);
	err = err ?: set_stays(e, f);
	if (err)
		return err;
	*ret_schema = (struct lkst_fleet_schema){ .before = version, .now = NR_MIGRATIONS };
	return 0;
}

int lkst_fleet_check_schema(struct lkst_err *e, struct lkst_fleet *f)
{
	u64 version;
	int err = version_of(e, f, &version);

	if (err || version == NR_MIGRATIONS)
		return err;
	if (version > NR_MIGRATIONS)
		return refuse_newer(e, f, version);
	return lkst_err_set(e, -ENOENT,
			    "database %s has no tables of LKST, or older ones; `lkst fleet setup` "
			    "makes them",
			    lkst_fleet_database(f));
}
