/* SPDX-License-Identifier: GPL-2.0-only */
/* The SQL of ready questions. It keeps to what ClickHouse 18.16 and later ones both have. */
#include "fleet/question.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "fleet/peer_request.h"
#include "fleet/ship_rows.h"

enum {
	TRACE_DIGITS = 8,   /* of a trace's UUID, in an incident's name */
	NUMBER_DIGITS = 10, /* of its number there, at most */
	ID_MAX = 256,
	MEASURE_MAX = 64, /* bytes of a measure's name; longer ones there are not */
};

#define HOUR_NS (3600 * LKST_NS_PER_S)

void lkst_fleet_question_fini(struct lkst_fleet_question *q)
{
	free(q->text);
	q->text = NULL;
}

bool lkst_fleet_rank_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const struct lkst_choice rows[] = {
#define R(id, name, help) { name, help },
		LKST_FLEET_RANKS(R)
#undef R
	};

	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*ret_choice = rows[i];
	return true;
}

/* ---- text of a question ----------------------------------------------------------------------- */

struct sql {
	FILE *to; /* NULL: no memory */
	char *text;
	size_t length;
};

static void question_begin(struct sql *s)
{
	*s = (struct sql){};
	s->to = open_memstream(&s->text, &s->length);
}

__attribute__((format(printf, 2, 3))) static void question_put(struct sql *s, const char *format, ...)
{
	va_list args;

	if (!s->to)
		return;
	va_start(args, format);
	vfprintf(s->to, format, args);
	va_end(args);
}

/* A string of @length bytes as SQL has it. */
static void put_quoted(struct sql *s, const char *text, size_t length)
{
	size_t i;

	question_put(s, "'");
	for (i = 0; i < length; i++)
		question_put(s, text[i] == '\'' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
	question_put(s, "'");
}

static void question_put_string(struct sql *s, const char *text)
{
	put_quoted(s, text, strlen(text));
}

/* Ends the text, and the question has it. */
static int question_end(struct lkst_err *e, struct sql *s, struct lkst_fleet_question *ret_question,
			const struct lkst_fleet_question *what)
{
	bool is_bad = !s->to || ferror(s->to);

	is_bad |= s->to && fclose(s->to);
	if (is_bad) {
		free(s->text);
		return lkst_err_sys(e, -ENOMEM, "asking a server");
	}
	*ret_question = *what;
	ret_question->text = s->text;
	return 0;
}

#define QUESTION(name_, title_, columns_)                                                          \
	(&(const struct lkst_fleet_question){ .name = (name_),                                     \
					      .title = (title_),                                   \
					      .columns = (columns_),                               \
					      .nr_columns =                                        \
						      sizeof(columns_) / sizeof((columns_)[0]) })

/* ---- which rows ------------------------------------------------------------------------------- */

static int question_check(struct lkst_err *e, const struct lkst_fleet_scope *scope)
{
	unsigned int i;

	if (scope->from_ns >= scope->to_ns)
		return lkst_err_set(e, -EINVAL, "--from is not before --to");
	for (i = 0; i < scope->nr_labels; i++)
		if (!strchr(scope->labels[i], '=') || scope->labels[i][0] == '=')
			return lkst_err_set(e, -EINVAL, "\"%.64s\" is not a label: NAME=VALUE",
					    scope->labels[i]);
	return 0;
}

/* " and host in (...)", if only some hosts are meant; a host has the labels that it had last. */
static void put_labels(struct sql *s, const struct lkst_fleet_scope *scope)
{
	const char *label, *value;
	unsigned int i;

	if (!scope->nr_labels)
		return;
	question_put(s, " and host in (select host from (select host, argMax(label.name, seen) as names, "
	       "argMax(label.value, seen) as values from host_rows group by host) where 1");
	for (i = 0; i < scope->nr_labels; i++) {
		label = scope->labels[i];
		value = strchr(label, '=');
		question_put(s, " and values[indexOf(names, ");
		put_quoted(s, label, (size_t)(value - label));
		question_put(s, ")] = ");
		question_put_string(s, value + 1);
	}
	question_put(s, ")");
}

/* What tells the rows of a measure apart. */
#define KEY "cityHash64(host, toString(trace), second)"

/* " from second_rows where ...": the rows of a measure. */
struct rows {
	const struct lkst_fleet_scope *scope;
	const char *measure;
	u64 from;	  /* second */
	const char *more; /* what else is true of them: " and ...", or "" */
};

static void question_put_rows(struct sql *s, const struct rows *r)
{
	question_put(s, " from second_rows where measure = ");
	question_put_string(s, r->measure);
	question_put(s, " and cgroup = ");
	question_put_string(s, r->scope->cgroup ?: "");
	question_put(s, " and second >= toDateTime(%" PRIu64 ") and second < toDateTime(%" PRIu64 ")", r->from,
		     (u64)((r->scope->to_ns + LKST_NS_PER_S - 1) / LKST_NS_PER_S));
	put_labels(s, r->scope);
	question_put(s, "%s", r->more);
}

/* The same, of those that came once, or @twice: those with the hash of another one, which takes little memory. */
static void put_rows_that_came(struct sql *s, const struct rows *r, bool twice)
{
	question_put_rows(s, r);
	question_put(s, " and " KEY "%s in (select " KEY " as k", twice ? "" : " not");
	question_put_rows(s, r);
	question_put(s, " group by k having count() > 1)");
}

/*
 * A table of @columns of @r. Each row is there once, also before parts are merged. Those that came twice are few, as a
 * rule none, and apart: `limit 1 by` is done by one thread, for whatever it has to look through.
 */
static void put_each_row(struct sql *s, const struct rows *r, const char *columns)
{
	question_put(s, "(select %s", columns);
	put_rows_that_came(s, r, false);
	question_put(s, " union all select %s", columns);
	put_rows_that_came(s, r, true);
	question_put(s, " limit 1 by host, trace, second)");
}

/*
 * The same of the durations of the scope's measure: by minutes, which are few rows, or by seconds, as cgroups have
 * them.
 */
static void question_put_durations(struct sql *s, const struct lkst_fleet_scope *scope, const char *columns)
{
	char measure[MEASURE_MAX + sizeof(LKST_FLEET_OF_A_MINUTE)];
	u64 from = scope->from_ns / LKST_NS_PER_S;
	bool is_by_second = scope->cgroup && *scope->cgroup;

	snprintf(measure, sizeof(measure), "%.*s%s", MEASURE_MAX, scope->measure,
		 is_by_second ? "" : LKST_FLEET_OF_A_MINUTE);
	put_each_row(s,
		     &(const struct rows){ .scope = scope,
					   .measure = measure,
					   .from = is_by_second ? from : from - from % 60,
					   .more = "" },
		     columns);
}

/* " where time between ...": of incidents. */
static void question_put_time(struct sql *s, const struct lkst_fleet_scope *scope)
{
	question_put(s, " where time >= %" PRIu64 " and time < %" PRIu64, scope->from_ns, scope->to_ns);
	put_labels(s, scope);
}

/* The middle of the bucket whose number is the format's argument, as lkst_hist_quantile() has it. */
#define MIDDLE                                                                                     \
	"if(%1$s < 64, toUInt64(%1$s), toUInt64(bitShiftLeft(toUInt64(%1$s %% 32 + 32), "          \
	"intDiv(%1$s, 32) - 1) + bitShiftLeft(toUInt64(1), intDiv(%1$s, 32) - 2)))"

/* A quantile of several, as the duration that it is. Numbers of buckets are in the order of what they hold. */
static void put_quantile(struct sql *s, unsigned int i)
{
	char number[32];

	snprintf(number, sizeof(number), "arrayElement(q, %u)", i);
	question_put(s, MIDDLE, number);
}

#define IN_NS(second) "toUInt64(toUInt32(" second ")) * 1000000000"

/* ---- hosts ------------------------------------------------------------------------------------ */

static const struct lkst_column host_columns[] = {
	{ "host", "HOST", LKST_COLUMN_TEXT, "the machine's name" },
	{ "kernel", "KERNEL", LKST_COLUMN_TEXT, "its kernel, when it was seen last" },
	{ "version", "LKST", LKST_COLUMN_TEXT, "the version of lkst" },
	{ "cpus", "CPUS", LKST_COLUMN_COUNT, "how many CPUs it has" },
	{ "labels", "LABELS", LKST_COLUMN_TEXT, "NAME=VALUE" },
	{ "seen", "SEEN", LKST_COLUMN_TIME, "when it was heard of last" },
	{ "boots", NULL, LKST_COLUMN_COUNT, "how many boots of it are known" },
	{ "incidents", "INCIDENTS", LKST_COLUMN_COUNT, "how many in the time asked for" },
	{ "lost", "LOST", LKST_COLUMN_COUNT, "records that should be there, in that time" },
	{ "limited", "LEFT OUT FOR", LKST_COLUMN_DURATION,
	  "how long kinds of events were left out in that time, to keep to the cost limit" },
	{ "left_out", "LEFT OUT", LKST_COLUMN_TEXT, "which kinds" },
};

/*
 * " any left join (...) using host": of each host for how long kinds of events were left out, as `limited`, and which,
 * as `left_out`. What was measured meanwhile is not all there was.
 */
static void question_put_limited(struct sql *s, const struct lkst_fleet_scope *scope)
{
	/* Of a host, and not of one of its cgroups. */
	const struct lkst_fleet_scope of_hosts = { .from_ns = scope->from_ns,
						   .to_ns = scope->to_ns,
						   .labels = scope->labels,
						   .nr_labels = scope->nr_labels };
	const struct rows limited = { .scope = &of_hosts,
				      .measure = "limited",
				      .from = scope->from_ns / LKST_NS_PER_S,
				      .more = " and n != 0" };

	question_put(s, " any left join (select host, sum(worst) as limited, "
	       "arrayStringConcat(arraySort(groupUniqArrayArray(names)), ' ') as left_out from ");
	put_each_row(s, &limited, "host, trace, second, worst, part.name as names");
	question_put(s, " group by host) using host");
}

int lkst_fleet_question_hosts(struct lkst_err *e, const struct lkst_fleet_scope *scope,
			      struct lkst_fleet_question *ret_question)
{
	const struct rows lost = {
		.scope = scope, .measure = "lost", .from = scope->from_ns / LKST_NS_PER_S, .more = " and n != 0"
	};
	struct sql s;
	int err = question_check(e, scope);

	if (err)
		return err;
	question_begin(&s);
	question_put(&s,
		     "select host, kernels, versions, cpu_counts, labels, " IN_NS(
		    "last") " as seen_ns, boots, incidents, lost, limited, left_out from (select host, "
			    "kernels, versions, cpu_counts, labels, last, boots, incidents, lost from "
			    "(select host, kernels, versions, "
			    "cpu_counts, labels, last, boots, incidents from (select host, "
			    "argMax(kernel, seen) as kernels, argMax(version, seen) as versions, "
			    "argMax(cpus, seen) as cpu_counts, argMax(arrayStringConcat(arrayMap((n, v) -> "
			    "concat(n, '=', v), label.name, label.value), ' '), seen) as labels, "
			    "max(seen) as last, uniqExact(boot) as boots from host_rows where 1");
	put_labels(&s, scope);
	question_put(&s, " group by host) any left join (select host, uniqExact(trace, number) as incidents "
		"from incident_rows");
	question_put_time(&s, scope);
	question_put(&s, " group by host) using host) any left join (select host, sum(n) as lost from ");
	/* Few seconds lose anything, and only of those it is to be known whether they came twice. */
	put_each_row(&s, &lost, "host, trace, second, n");
	question_put(&s, " group by host) using host)");
	question_put_limited(&s, scope);
	question_put(&s, " order by host");
	return question_end(e, &s, ret_question, QUESTION("hosts", "machines", host_columns));
}

/* ---- incidents -------------------------------------------------------------------------------- */

static const struct lkst_column incident_columns[] = {
	[LKST_FLEET_INCIDENT_TIME] = { "at", "AT", LKST_COLUMN_TIME, "when it happened" },
	[LKST_FLEET_INCIDENT_HOST] = { "host", "HOST", LKST_COLUMN_TEXT, "on which machine" },
	[LKST_FLEET_INCIDENT_ID] = { "id", "ID", LKST_COLUMN_TEXT, "what `get` and `why` name it by" },
	[LKST_FLEET_INCIDENT_REASON] = { "reason", "REASON", LKST_COLUMN_TEXT, "why it was kept" },
	[LKST_FLEET_INCIDENT_EVENT] = { "event", "EVENT", LKST_COLUMN_TEXT, "the event that fired" },
	[LKST_FLEET_INCIDENT_COMM] = { "comm", "COMM", LKST_COLUMN_TEXT, "the thread's name" },
	[LKST_FLEET_INCIDENT_TID] = { "tid", NULL, LKST_COLUMN_TID, "the thread" },
	[LKST_FLEET_INCIDENT_VALUE] = { "value", NULL, LKST_COLUMN_NUMBER,
					"what the trigger has measured" },
	[LKST_FLEET_INCIDENT_KERNEL] = { "kernel", NULL, LKST_COLUMN_TEXT, "the machine's kernel" },
	[LKST_FLEET_INCIDENT_MOMENT] = { "moment", "MOMENT", LKST_COLUMN_TEXT,
					 "the moment of several machines that it is of" },
	[LKST_FLEET_INCIDENT_BYTES] = { "size", "BUNDLE", LKST_COLUMN_BYTES,
					"how large its bundle is; 0: there is none yet" },
	[LKST_FLEET_INCIDENT_BUNDLE] = { "bundle", NULL, LKST_COLUMN_TEXT, "where the bundle is" },
	[LKST_FLEET_INCIDENT_NOTE] = { "note", "NOTE", LKST_COLUMN_TEXT, "what is missing" },
	[LKST_FLEET_INCIDENT_FINDING] = { "finding", "FIRST FINDING", LKST_COLUMN_TEXT,
					  "where most of the waiting went, as `lkst why` says it; "
					  "empty: nothing stands out, or it is not known" },
	[LKST_FLEET_INCIDENT_ACCOUNT] = { "account", NULL, LKST_COLUMN_TEXT, "why, in words" },
};

/* The first finding of the account, in one line. */
#define FINDING "replaceAll(extract(account, '" LKST_FLEET_FINDING_PATTERN "'), '\n    ', ' ')"

/* What they are in the table, but for the last. A recording has each number once: that is how an incident is called. */
#define OF_INCIDENT                                                                                \
	"time, host, concat(substring(toString(trace), 1, 8), '.', toString(number)) as id, "      \
	"reason, event, comm, tid, value, kernel, moment, bundle_bytes, bundle, note, " FINDING " as finding"

int lkst_fleet_question_incidents(struct lkst_err *e, const struct lkst_fleet_scope *scope,
				  struct lkst_fleet_question *ret_question)
{
	static const struct lkst_fleet_question incidents = {
		.name = "incidents",
		.title = "incidents",
		.columns = incident_columns,
		.nr_columns = LKST_FLEET_INCIDENT_ACCOUNT,
	};
	struct sql s;
	int err = question_check(e, scope);

	if (err)
		return err;
	question_begin(&s);
	question_put(&s, "select " OF_INCIDENT " from incidents");
	question_put_time(&s, scope);
	if (scope->where)
		question_put(&s, " and (%s\n)", scope->where);
	question_put(&s, " order by time desc, host limit %" PRIu64, scope->max_rows);
	return question_end(e, &s, ret_question, &incidents);
}

/* ---- the worst hosts -------------------------------------------------------------------------- */

static const struct lkst_column top_columns[] = {
	{ "host", "HOST", LKST_COLUMN_TEXT, "the machine's name" },
	{ "n", "N", LKST_COLUMN_COUNT, "how many there were" },
	{ "total", "TOTAL", LKST_COLUMN_DURATION, "their sum" },
	{ "p50", "P50", LKST_COLUMN_DURATION, "half of them took at most so long" },
	{ "p99", "P99", LKST_COLUMN_DURATION, "99 of 100 took at most so long" },
	{ "worst", "WORST", LKST_COLUMN_DURATION, "the longest" },
	{ "at", "WORST AT", LKST_COLUMN_TIME, "when the minute of the longest began" },
	{ "kernel", "KERNEL", LKST_COLUMN_TEXT, "its kernel, when it was seen last" },
	{ "limited", "LEFT OUT FOR", LKST_COLUMN_DURATION,
	  "how long kinds of events were left out, to keep to the cost limit: what came meanwhile may be missing" },
	{ "left_out", "LEFT OUT", LKST_COLUMN_TEXT, "which kinds" },
};

int lkst_fleet_question_top(struct lkst_err *e, const struct lkst_fleet_scope *scope,
			    enum lkst_fleet_rank rank, struct lkst_fleet_question *ret_question)
{
	static const char *const orders[] = {
#define R(id, name, help) [LKST_FLEET_RANK_##id] = name "s",
		LKST_FLEET_RANKS(R)
#undef R
	};
	struct sql s;
	int err = question_check(e, scope);

	if (err)
		return err;
	question_begin(&s);
	question_put(
		&s,
		"select host, ns, totals, p50s, p99s, worsts, at_ns, kernels, limited, left_out from (select host, ns, "
		"totals, ");
	put_quantile(&s, 1);
	question_put(&s, " as p50s, ");
	put_quantile(&s, 2);
	question_put(&s,
		     " as p99s, worsts, at_ns, kernels from (select host, sum(n) as ns, sum(total) as totals, "
		     "max(worst) as worsts, " IN_NS("argMax(second, worst)"));
	question_put(&s, " as at_ns, quantilesExactWeightedArray(0.5, 0.99)(bucket.number, bucket.count) as q from ");
	question_put_durations(&s, scope,
			       "host, trace, second, n, total, worst, bucket.number, bucket.count");
	question_put(&s,
		     " group by host) any left join (select host, argMax(kernel, seen) as kernels "
		     "from host_rows group by host) using host)");
	question_put_limited(&s, scope);
	question_put(&s, " order by %s desc, host limit %" PRIu64, orders[rank], scope->max_rows);
	return question_end(e, &s, ret_question, QUESTION("top", "worst hosts", top_columns));
}

/* ---- compared --------------------------------------------------------------------------------- */

static const struct lkst_column compare_columns[] = {
	{ "by", "BY", LKST_COLUMN_TEXT, "what the hosts have in common" },
	{ "hosts", "HOSTS", LKST_COLUMN_COUNT, "how many hosts there were" },
	{ "n", "N", LKST_COLUMN_COUNT, "how many durations" },
	{ "p50", "P50", LKST_COLUMN_DURATION, "half of them took at most so long" },
	{ "p95", "P95", LKST_COLUMN_DURATION, "95 of 100 took at most so long" },
	{ "p99", "P99", LKST_COLUMN_DURATION, "99 of 100 took at most so long" },
	{ "lowest", "P99 FROM", LKST_COLUMN_DURATION, "the p99 of the boot where it is lowest" },
	{ "highest", "P99 TO", LKST_COLUMN_DURATION, "the p99 of the boot where it is highest" },
	{ "worst", "WORST", LKST_COLUMN_DURATION, "the longest" },
};

/* What a boot has, that it is compared by. */
static void question_put_common(struct sql *s, const char *by)
{
	if (!strcmp(by, "kernel") || !strcmp(by, "version")) {
		question_put(s, "argMax(%s, seen)", by);
		return;
	}
	question_put(s, "argMax(label.value[indexOf(label.name, ");
	question_put_string(s, by);
	question_put(s, ")], seen)");
}

/* Of the buckets of several rows; as a state, of which the quantiles are known, and that of several boots. */
#define QUANTILES(of) "quantilesExactWeightedArray" of "(0.5, 0.95, 0.99)"

int lkst_fleet_question_compare(struct lkst_err *e, const struct lkst_fleet_scope *scope,
				const char *by, struct lkst_fleet_question *ret_question)
{
	struct sql s;
	unsigned int i;
	int err = question_check(e, scope);

	if (err)
		return err;
	question_begin(&s);
	/* By boot first: that is little, and then what the boots are is looked up. */
	question_put(&s, "select common, hosts, ns");
	for (i = 1; i <= 3; i++) {
		question_put(&s, ", ");
		put_quantile(&s, i);
	}
	question_put(&s, ", " MIDDLE, "lowest");
	question_put(&s, ", " MIDDLE, "highest");
	question_put(&s,
		     ", worsts from (select common, uniqExact(host) as hosts, sum(ns) as ns, "
		     QUANTILES("Merge") "(state) as q, min(p) as lowest, max(p) as highest, max(w) as worsts "
		     "from (select boot, ns, state, w, arrayElement(finalizeAggregation(state), 3) as p "
		     "from (select boot, sum(n) as ns, " QUANTILES("State") "(bucket.number, bucket.count) as state, "
		     "max(worst) as w from ");
	question_put_durations(&s, scope,
			       "host, trace, second, boot, n, worst, bucket.number, bucket.count");
	question_put(&s, " group by boot)) any inner join (select boot, any(host) as host, ");
	question_put_common(&s, by);
	question_put(&s,
		     " as common from host_rows group by boot) using boot group by common) order by common");
	return question_end(e, &s, ret_question, QUESTION("compare", "compared", compare_columns));
}

/* ---- one incident ----------------------------------------------------------------------------- */

static const struct lkst_column wait_columns[] = {
	{ "host", "HOST", LKST_COLUMN_TEXT, "on which machine" },
	{ "at", "AT", LKST_COLUMN_TIME, "when it began" },
	{ "took", "TOOK", LKST_COLUMN_DURATION, "how long it took" },
	{ "tid", "TID", LKST_COLUMN_TID, "the thread that waited" },
	{ "comm", "COMM", LKST_COLUMN_TEXT, "its name" },
	{ "what", "WHAT", LKST_COLUMN_TEXT, "what it waited in, or for" },
	{ "account", "WHY", LKST_COLUMN_TEXT, "why it took so long" },
};

static int check_id(struct lkst_err *e, const char *id)
{
	if (*id && strlen(id) <= ID_MAX)
		return 0;
	return lkst_err_set(
		e, -EINVAL,
		"\"%.64s\" does not name an incident: `lkst fleet incidents` lists their "
		"names",
		id);
}

/* " where ..." for what a user calls an incident, or a moment of several machines. */
static void put_which(struct sql *s, const char *id)
{
	size_t digits = strspn(id, "0123456789abcdef"), more = 0;

	if (digits == TRACE_DIGITS && id[digits] == '.')
		more = strspn(id + digits + 1, "0123456789");
	if (more && more <= NUMBER_DIGITS && !id[digits + 1 + more]) {
		question_put(s, " where toString(trace) like '%.*s%%' and number = %s", TRACE_DIGITS, id,
			     id + digits + 1);
		return;
	}
	question_put(s, " where moment = ");
	question_put_string(s, id);
}

static int ask_which(struct lkst_err *e, const char *columns, const char *id, const char *more,
		     struct lkst_fleet_question *ret_question,
		     const struct lkst_fleet_question *what)
{
	struct sql s;
	int err = check_id(e, id);

	if (err)
		return err;
	question_begin(&s);
	question_put(&s, "select %s", columns);
	put_which(&s, id);
	question_put(&s, "%s", more);
	return question_end(e, &s, ret_question, what);
}

int lkst_fleet_question_incident(struct lkst_err *e, const char *id,
				 struct lkst_fleet_question *ret_question)
{
	return ask_which(e, OF_INCIDENT ", account from incidents", id, " order by host, time",
			 ret_question, QUESTION("incident", "incident", incident_columns));
}

int lkst_fleet_question_waits(struct lkst_err *e, const char *id,
			      struct lkst_fleet_question *ret_question)
{
	return ask_which(
		e,
		"host, toUInt64(worst.time_ns + (time - time_ns)), worst.took_ns, worst.tid, worst.comm, "
		"worst.what, worst.account from incidents array join worst",
		id, " order by worst.took_ns desc", ret_question,
		QUESTION("waits", "longest waits", wait_columns));
}

/* ---- moments of several machines -------------------------------------------------------------- */

static const struct lkst_column request_columns[] = {
	{ "host", "HOST", LKST_COLUMN_TEXT, "which machine asks" },
	{ "moment", "MOMENT", LKST_COLUMN_TEXT, "the moment's name" },
	{ "at", "AT", LKST_COLUMN_TIME, "when it fired" },
};

/* " and (...)": whom @peers names, or who has all their labels. */
static void put_peers(struct sql *s, const struct lkst_fleet_peers *peers)
{
	const struct lkst_fleet_scope scope = { .labels = peers->labels, .nr_labels = peers->nr_labels };
	unsigned int i;

	question_put(s, " and (0");
	for (i = 0; i < peers->nr_hosts; i++) {
		question_put(s, " or host = ");
		question_put_string(s, peers->hosts[i]);
	}
	if (peers->nr_labels) {
		question_put(s, " or (1");
		put_labels(s, &scope);
		question_put(s, ")");
	}
	question_put(s, ")");
}

/* Only whose incident a moment is called by asks; the others have answered. */
int lkst_fleet_question_requests(struct lkst_err *e, const char *self, const struct lkst_fleet_peers *peers,
				 u64 from_ns, u64 to_ns, struct lkst_fleet_question *ret_question)
{
	const struct lkst_fleet_scope time = { .from_ns = from_ns, .to_ns = to_ns };
	struct lkst_fleet_scope scope = time;
	struct sql s;
	int err;

	scope.labels = peers->labels;
	scope.nr_labels = peers->nr_labels;
	err = question_check(e, &scope);

	if (err)
		return err;
	question_begin(&s);
	question_put(&s, "select host, m, min(t) as at from (select host, moment as m, time as t from incident_rows");
	question_put_time(&s, &time);
	question_put(
		&s, " and moment = concat('m-', substring(toString(trace), 1, 8), '.', toString(number)) and host != ");
	question_put_string(&s, self);
	put_peers(&s, peers);
	question_put(&s, ") where m not in (select moment from incident_rows where host = ");
	question_put_string(&s, self);
	/* By its own clock, which may be another. */
	question_put(&s, " and time >= %" PRIu64, (uint64_t)(from_ns > HOUR_NS ? from_ns - HOUR_NS : 0));
	question_put(&s, " and moment != '') group by host, m order by at desc, host, m limit %d",
		     LKST_PEER_REQUESTS_MAX);
	return question_end(e, &s, ret_question, QUESTION("requests", "requests", request_columns));
}
