/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records the conditions of a query leave: the plan, and what its values mean. */
#include "sql/records/wanted.h"

#include <math.h>
#include <string.h>

#include "sql/records/grouping.h"

enum {
	RECORD_BYTES = 32, /* in the mean, for estimates */
	TERMS_MAX = 64,
};

/* A plan is two letters for each value: the column, and what is done with it. */
enum { COLUMN_NS = 'n', COLUMN_CPU = 'c', COLUMN_TID = 't', COLUMN_EVENT = 'e', COLUMN_HOST = 'h' };
enum {
	IS = '=',
	IS_ABOVE = '>',
	IS_AT_LEAST = 'G',
	IS_BELOW = '<',
	IS_AT_MOST = 'L',
	IS_ONE_OF = 'i',
	IS_GLOB = '*',
	IS_LIKE = '%',
};

/* ---- planning -------------------------------------------------------------------------------- */

static char letter_of_column(const struct lkst_sql_records *table, int column)
{
	if (column < 0 || (unsigned int)column >= table->nr_columns)
		return 0;
	switch (table->columns[column].common) {
	case LKST_SQL_TIME:
		return COLUMN_NS;
	case LKST_SQL_CPU:
		return COLUMN_CPU;
	case LKST_SQL_TID:
		return COLUMN_TID;
	case LKST_SQL_EVENT:
		return COLUMN_EVENT;
	case LKST_SQL_HOST:
		return COLUMN_HOST;
	}
	return 0;
}

static char letter_of_operator(sqlite3_index_info *info, int i, char column)
{
	bool is_text = column == COLUMN_EVENT || column == COLUMN_HOST;

	switch (info->aConstraint[i].op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		if (!is_text)
			return IS;
		if (strcmp(sqlite3_vtab_collation(info, i), "BINARY"))
			return 0;
		return sqlite3_vtab_in(info, i, -1) ? IS_ONE_OF : IS;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return is_text ? 0 : IS_ABOVE;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return is_text ? 0 : IS_AT_LEAST;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return is_text ? 0 : IS_BELOW;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return is_text ? 0 : IS_AT_MOST;
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return is_text ? IS_GLOB : 0;
	case SQLITE_INDEX_CONSTRAINT_LIKE:
		return is_text ? IS_LIKE : 0;
	}
	return 0;
}

/* The share of all rows that a condition is taken to leave. */
static double wanted_share_of(char column, char how)
{
	if (column == COLUMN_NS)
		return how == IS ? 1e-7 : 0.1;
	return how == IS ? 0.05 : 0.3;
}

static u64 wanted_bit_of(int column)
{
	return 1ULL << (column < 63 ? column : 63);
}

/* What must be known for column @c: of the threads, and of the code of programs. */
static int knowledge_of(const struct lkst_sql_column *c)
{
	switch (c->common) {
	case LKST_SQL_PID:
	case LKST_SQL_COMM:
		return LKST_SQL_NAMES;
	case LKST_SQL_LINE:
	case LKST_SQL_JSON:
		return LKST_SQL_NAMES | LKST_SQL_CODE;
	default:
		return c->has_code ? LKST_SQL_NAMES | LKST_SQL_CODE : 0;
	}
}

/* What must be known for the columns that are used. */
static int knowledge(const struct lkst_sql_records *table, u64 used)
{
	unsigned int i;
	int how = 0;

	for (i = 0; i < table->nr_columns; i++)
		if (used & wanted_bit_of((int)i))
			how |= knowledge_of(&table->columns[i]);
	return how;
}

static double nr_records_of(const struct lkst_sql *s)
{
	double bytes = 0, nr = 0;
	unsigned int i;

	for (i = 0; i < s->nr_hosts; i++)
		nr += nr_records_of(s->hosts[i]);
	if (s->nr_hosts)
		return nr;
	for (i = 0; i < lkst_trace_nr_streams(s->trace); i++)
		bytes += 4096.0 * lkst_trace_stream(s->trace, i)->nr_blocks;
	return bytes / RECORD_BYTES + 1;
}

/* The bit of LKST_SQL_BY_EVENT and so on; 0: rows are not grouped by this column. */
static unsigned int group_bit(char column)
{
	switch (column) {
	case COLUMN_EVENT:
		return LKST_SQL_BY_EVENT;
	case COLUMN_CPU:
		return LKST_SQL_BY_CPU;
	case COLUMN_TID:
		return LKST_SQL_BY_TID;
	}
	return 0;
}

/* The columns that are used, if they are all those of groups; else 0. */
static unsigned int groups_of(const struct lkst_sql_records *table, const sqlite3_index_info *info)
{
	unsigned int i, by = 0;

	for (i = 0; i < table->nr_columns; i++) {
		unsigned int bit = group_bit(letter_of_column(table, (int)i));

		if (info->colUsed & wanted_bit_of((int)i) && !bit)
			return 0;
		if (info->colUsed & wanted_bit_of((int)i))
			by |= bit;
	}
	return by;
}

/* How rows come that are wanted in an order of groups, as by GROUP BY and DISTINCT; 0: they do not. */
static int grouped(const struct lkst_sql_records *table, sqlite3_index_info *info)
{
	unsigned int by = groups_of(table, info), order = 0;
	int i, distinct = sqlite3_vtab_distinct(info);

	if (!by || info->nOrderBy > 3)
		return 0;
	for (i = 0; i < info->nOrderBy; i++) {
		unsigned int bit = group_bit(letter_of_column(table, info->aOrderBy[i].iColumn));

		if (!bit)
			return 0;
		/* The numbers of bits 1, 2 and 4 are 1, 2 and 3. */
		order |= (bit == LKST_SQL_BY_TID ? 3 : bit) << 3 * i;
		order |= (info->aOrderBy[i].desc ? 4u : 0) << 3 * i;
	}
	info->orderByConsumed = 1;
	return LKST_SQL_GROUPED | (distinct >= 2 ? LKST_SQL_ONE_EACH : 0) |
	       (int)(by << LKST_SQL_HOW_BY | order << LKST_SQL_HOW_ORDER);
}

/* Where all rows are alike, as in count(*), their order does not matter. */
static int order_of(const struct lkst_sql_records *table, sqlite3_index_info *info, u64 fixed)
{
	/* Records of the state of the machine come in no order of time. */
	bool is_state = table->event && table->event->group == LKST_GROUP_STATE;
	/* Of several hosts each is read by itself. */
	bool is_ordered = !table->parts;
	bool by_time = is_ordered && !is_state && info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
		       letter_of_column(table, info->aOrderBy[0].iColumn) == COLUMN_NS;

	if (by_time)
		info->orderByConsumed = 1;
	if (info->nOrderBy)
		return by_time || !is_ordered ? 0 : grouped(table, info);
	if (!info->colUsed)
		return LKST_SQL_ANY | LKST_SQL_COUNTED;
	return info->colUsed & ~fixed ? 0 : LKST_SQL_ANY;
}

int lkst_sql_plan(const struct lkst_sql_records *table, sqlite3_index_info *info)
{
	double rows = nr_records_of(table->sql) * (table->event ? 0.05 : 1), left = rows;
	char plan[2 * TERMS_MAX + 1] = "";
	u64 fixed = 0;
	int i, nr = 0, known = knowledge(table, info->colUsed);

	for (i = 0; i < info->nConstraint && nr < TERMS_MAX; i++) {
		int at = info->aConstraint[i].iColumn;
		char column = info->aConstraint[i].usable ? letter_of_column(table, at) : 0;
		char how = column ? letter_of_operator(info, i, column) : 0;

		if (!how)
			continue;
		if (how == IS_ONE_OF)
			sqlite3_vtab_in(info, i, 1);
		/* A moment is found in the order of time: in any other all blocks would be read. */
		if (how == IS && column != COLUMN_NS)
			fixed |= wanted_bit_of(at);
		plan[2 * nr] = column;
		plan[2 * nr + 1] = how;
		info->aConstraintUsage[i].argvIndex = ++nr;
		info->aConstraintUsage[i].omit = 1;
		left *= wanted_share_of(column, how);
	}
	info->idxNum = order_of(table, info, fixed & ~wanted_bit_of(63));
	if (known)
		info->idxNum = known;
	info->estimatedRows = (sqlite3_int64)left + 1;
	/* What is skipped is walked over, unless it is of another time or CPU. */
	info->estimatedCost = left + rows / 10 + 1;
	for (i = 0; i < nr; i++)
		if (plan[2 * i] == COLUMN_NS || plan[2 * i] == COLUMN_CPU)
			info->estimatedCost = left + left / 10 + 1;
	info->idxStr = sqlite3_mprintf("%s", plan);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const struct lkst_sql_span nothing = { 1, 0 }, all = { INT64_MIN, INT64_MAX };

static struct lkst_sql_span wanted_both(struct lkst_sql_span a, struct lkst_sql_span b)
{
	return (struct lkst_sql_span){ a.from > b.from ? a.from : b.from,
				       a.to < b.to ? a.to : b.to };
}

static struct lkst_sql_span span_of_int(char how, s64 v)
{
	switch (how) {
	case IS:
		return (struct lkst_sql_span){ v, v };
	case IS_ABOVE:
		return v == INT64_MAX ? nothing : (struct lkst_sql_span){ v + 1, INT64_MAX };
	case IS_AT_LEAST:
		return (struct lkst_sql_span){ v, INT64_MAX };
	case IS_BELOW:
		return v == INT64_MIN ? nothing : (struct lkst_sql_span){ INT64_MIN, v - 1 };
	default:
		return (struct lkst_sql_span){ INT64_MIN, v };
	}
}

/* Whole numbers that compare so with @v, which may have a fraction. */
static struct lkst_sql_span span_of_double(char how, double v)
{
	const double limit = 9223372036854775808.0; /* 2^63, which no s64 reaches */
	bool is_upper = how == IS_ABOVE || how == IS_AT_LEAST;

	if (v >= limit)
		return is_upper || how == IS ? nothing : all;
	if (v < -limit)
		return is_upper ? all : nothing;
	if (floor(v) == v)
		return span_of_int(how, (s64)v);
	if (how == IS)
		return nothing;
	return is_upper ? (struct lkst_sql_span){ (s64)floor(v) + 1, INT64_MAX }
			: (struct lkst_sql_span){ INT64_MIN, (s64)floor(v) };
}

/* As SQLite compares a column of integers: text that is a number is one; other text is above all numbers. */
static struct lkst_sql_span span_of(char how, sqlite3_value *value)
{
	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		return span_of_int(how, sqlite3_value_int64(value));
	case SQLITE_FLOAT:
		return span_of_double(how, sqlite3_value_double(value));
	case SQLITE_NULL:
		return nothing;
	default:
		return how == IS_BELOW || how == IS_AT_MOST ? all : nothing;
	}
}

static s64 wanted_less(s64 value, s64 offset)
{
	s64 result;

	if (__builtin_sub_overflow(value, offset, &result))
		return offset > 0 ? INT64_MIN : INT64_MAX;
	return result;
}

/* The times of the records whose times in the table are in @span. */
static struct lkst_sql_span own_times(const struct lkst_sql *s, struct lkst_sql_span span)
{
	if (span.from != INT64_MIN)
		span.from = wanted_less(span.from, (s64)s->offset_ns);
	if (span.to != INT64_MAX)
		span.to = wanted_less(span.to, (s64)s->offset_ns);
	return span;
}

static bool wanted_is_text(sqlite3_value *value)
{
	int type = sqlite3_value_type(value);

	return type != SQLITE_NULL && type != SQLITE_BLOB;
}

/* Whether the event called @name fits. False also where there is no memory, which SQLite notices by itself. */
static bool name_fits(char how, const char *name, sqlite3_value *value)
{
	const char *text = sqlite3_value_type(value) == SQLITE_NULL
				   ? NULL
				   : (const char *)sqlite3_value_text(value);

	if (!text)
		return false;
	if (how == IS_GLOB)
		return !sqlite3_strglob(text, name);
	if (how == IS_LIKE)
		return !sqlite3_strlike(text, name, 0);
	return wanted_is_text(value) && !strcmp(text, name) &&
	       (size_t)sqlite3_value_bytes(value) == strlen(name);
}

static bool one_fits(const char *name, sqlite3_value *list)
{
	sqlite3_value *value;
	int r;

	for (r = sqlite3_vtab_in_first(list, &value); r == SQLITE_OK && value;
	     r = sqlite3_vtab_in_next(list, &value))
		if (name_fits(IS, name, value))
			return true;
	return false;
}

static void wanted_choose_events(const struct lkst_sql *s, char how, sqlite3_value *value, bool *events)
{
	unsigned int id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = s->catalog->classes[id];

		if (events[id])
			events[id] = how == IS_ONE_OF ? one_fits(event->name, value)
						      : name_fits(how, event->name, value);
	}
}

/* The records of the table: those of the state of the machine are not events of a moment. */
static void wanted_choose_all(const struct lkst_sql_records *table, struct lkst_sql_wanted *w)
{
	const struct lkst_catalog *c = table->sql->catalog;
	unsigned int id;

	w->ns = w->cpu = w->tid = all;
	w->no_host = false;
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		w->events[id] = c->classes[id] &&
				(table->event ? table->event == c->classes[id]
					      : c->classes[id]->group != LKST_GROUP_STATE);
}

void lkst_sql_wanted_of(const struct lkst_sql_records *table, const char *plan, int nr,
			sqlite3_value **values, struct lkst_sql_wanted *ret_wanted)
{
	struct lkst_sql_wanted *w = ret_wanted;
	int i;

	wanted_choose_all(table, w);
	for (i = 0; i < nr && plan[2 * i]; i++) {
		char how = plan[2 * i + 1];

		switch (plan[2 * i]) {
		case COLUMN_NS:
			w->ns = wanted_both(w->ns, own_times(table->sql, span_of(how, values[i])));
			break;
		case COLUMN_CPU:
			w->cpu = wanted_both(w->cpu, span_of(how, values[i]));
			break;
		case COLUMN_TID:
			w->tid = wanted_both(w->tid, span_of(how, values[i]));
			break;
		case COLUMN_EVENT:
			wanted_choose_events(table->sql, how, values[i], w->events);
			break;
		case COLUMN_HOST:
			w->no_host |= how == IS_ONE_OF ? !one_fits(table->sql->name, values[i])
						       : !name_fits(how, table->sql->name, values[i]);
			break;
		}
	}
}

/* ---- records --------------------------------------------------------------------------------- */

bool lkst_sql_wants_state(const struct lkst_sql *s, const struct lkst_sql_wanted *w)
{
	unsigned int id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (w->events[id] && s->catalog->classes[id]->group == LKST_GROUP_STATE)
			return true;
	return false;
}

bool lkst_sql_wants_stream(const struct lkst_sql *s, const struct lkst_sql_wanted *w,
			   const struct lkst_stream_info *stream)
{
	return lkst_sql_is_in(w->cpu, stream->cpu) &&
	       (stream->buffer != LKST_BUFFER_STATE || lkst_sql_wants_state(s, w));
}
