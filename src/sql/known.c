/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of what is known from the records: making them, and the pass that fills them. */
#include "sql/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/descriptors_before.h"
#include "trace/threads.h"

enum { LOOKS = 1 << 12 }; /* rows between two looks at whether to stop */

static const struct lkst_sql_known *const tables[] = {
#define T(name) &lkst_sql_known_##name,
	LKST_SQL_KNOWN(T)
#undef T
};

const struct lkst_sql_known *lkst_sql_known_table(unsigned int i)
{
	return i < LKST_SQL_NR_KNOWN ? tables[i] : NULL;
}

char *lkst_sql_known_text(const struct lkst_sql *s, const struct lkst_sql_known *table, bool has_help)
{
	const struct lkst_sql_known_column *c;
	sqlite3_str *text = sqlite3_str_new(NULL);

	if (s->prefix[0])
		sqlite3_str_appendf(text, "CREATE TABLE \"%w%w\" (\n", s->prefix, table->name);
	else
		sqlite3_str_appendf(text, "CREATE TABLE %s (\n", table->name);
	for (c = table->columns; c->name; c++) {
		sqlite3_str_appendf(text, "\t%s %s%s", c->name, c->type, c[1].name ? "," : "");
		if (has_help)
			sqlite3_str_appendf(text, " -- %s", c->help);
		sqlite3_str_appendall(text, "\n");
	}
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

/* Runs @text, which is not the user's. */
static int run(struct lkst_sql *s, const char *text)
{
	int code;

	s->front->is_inside = true;
	code = text ? sqlite3_exec(s->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
	s->front->is_inside = false;
	return code;
}

int lkst_sql_known_add(struct lkst_sql *s)
{
	unsigned int i;
	int code = SQLITE_OK;

	for (i = 0; i < LKST_SQL_NR_KNOWN && !code; i++) {
		char *text = lkst_sql_known_text(s, tables[i], false);

		code = run(s, text);
		sqlite3_free(text);
	}
	return code ? -ENOMEM : 0;
}

void lkst_sql_known_want(struct lkst_sql *s, const char *name)
{
	const size_t length = strlen(s->prefix);
	unsigned int i;

	for (i = 0; i < s->nr_hosts; i++)
		lkst_sql_known_want(s->hosts[i], name);
	if (s->nr_hosts || strncmp(name, s->prefix, length))
		return;
	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		if (!sqlite3_stricmp(tables[i]->name, name + length))
			s->wants_known |= 1u << i;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void note_code(struct lkst_sql_pass *p, int code)
{
	if (code && !p->error)
		p->error = code;
}

void lkst_sql_row(struct lkst_sql_pass *p, enum lkst_sql_known_number number)
{
	p->row = p->inserts[number];
	p->table = number;
	p->row_ns = 0;
	p->at = 1;
}

/* The same cell of a file, whose columns are numbered from 0 on. */
static void put_int(struct lkst_sql_pass *p, s64 value)
{
	struct lkst_parquet *file = p->files[p->table];
	bool has_time = p->has_time[p->table];

	if (has_time && p->at == 1) {
		p->row_ns = (u64)value;
		lkst_parquet_int(file, 0, value + (s64)p->sql->catalog->clock_offset_ns);
	}
	lkst_parquet_int(file, (unsigned int)(p->at++ - !has_time), value);
}

static void put_text(struct lkst_sql_pass *p, const char *text, size_t length)
{
	lkst_parquet_text(p->files[p->table], (unsigned int)(p->at++ - !p->has_time[p->table]),
			  text, length);
}

void lkst_sql_int(struct lkst_sql_pass *p, s64 value)
{
	if (p->to)
		put_int(p, value);
	else
		note_code(p, sqlite3_bind_int64(p->row, p->at++, value));
}

void lkst_sql_none(struct lkst_sql_pass *p)
{
	if (p->to)
		p->at++;
	else
		note_code(p, sqlite3_bind_null(p->row, p->at++));
}

void lkst_sql_text(struct lkst_sql_pass *p, const char *text, size_t length)
{
	if (length && p->to)
		put_text(p, text, length);
	else if (length)
		note_code(p,
			  sqlite3_bind_text(p->row, p->at++, text, (int)length, SQLITE_TRANSIENT));
	else
		lkst_sql_none(p);
}

void lkst_sql_str(struct lkst_sql_pass *p, const char *text)
{
	lkst_sql_text(p, text, text ? strlen(text) : 0);
}

int lkst_sql_row_end(struct lkst_sql_pass *p)
{
	int code;

	if (p->to)
		return p->to->row(p->to->ctx, p->numbers[p->table], p->row_ns);
	code = p->error ?: sqlite3_step(p->row);
	if (code != SQLITE_DONE)
		note_code(p, code);
	sqlite3_reset(p->row);
	if (++p->nr_rows % LOOKS == 0 && lkst_sql_is_stopped(p->sql))
		return -EINTR;
	return p->error ? -EIO : 0;
}

bool lkst_sql_wants_life(const struct lkst_sql_pass *p, const struct lkst_thread_life *life)
{
	static const struct lkst_thread_life nobody = { .tid = -1 };

	if (!p->to)
		return true;
	life = life ?: &nobody;
	return p->to->wants(p->to->ctx, p->model, life);
}

void lkst_sql_life(struct lkst_sql_pass *p, const struct lkst_thread_life *life)
{
	if (!life) {
		lkst_sql_none(p);
		lkst_sql_none(p);
		lkst_sql_none(p);
		return;
	}
	lkst_sql_int(p, life->tid);
	if (life->pid || life->idle_cpu >= 0)
		lkst_sql_int(p, life->pid);
	else
		lkst_sql_none(p);
	lkst_sql_text(p, life->comm, strnlen(life->comm, sizeof(life->comm)));
}

/* ---- the pass -------------------------------------------------------------------------------- */

static int prepare(struct lkst_sql_pass *p, unsigned int i)
{
	const struct lkst_sql_known_column *c;
	sqlite3_str *text = sqlite3_str_new(NULL);
	char *insert;
	int code = SQLITE_NOMEM;

	sqlite3_str_appendf(text, "INSERT OR IGNORE INTO \"%w%w\" VALUES (", p->sql->prefix, tables[i]->name);
	for (c = tables[i]->columns; c->name; c++)
		sqlite3_str_appendall(text, c[1].name ? "?," : "?)");
	insert = sqlite3_str_finish(text);
	if (insert)
		code = sqlite3_prepare_v2(p->sql->db, insert, -1, &p->inserts[i], NULL);
	sqlite3_free(insert);
	note_code(p, code);
	return code ? -EIO : 0;
}

/* Where records are missing, a table of what they say lacks rows. */
static int on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_sql_pass *p = ctx;

	p->nr_gaps += !gap->is_pause;
	return 0;
}

static int follow_descriptors(struct lkst_err *e, struct lkst_sql_pass *p)
{
	int err;

	if (!p->is_wanted[LKST_SQL_syscalls])
		return 0;
	p->descriptors = lkst_descriptors_new(p->threads);
	if (!p->descriptors)
		return -ENOMEM;
	err = lkst_descriptors_tell_state(e, p->descriptors, p->sql->trace);
	return err ?: lkst_feed_descriptors(p->feed, p->descriptors);
}

static int begin_pass(struct lkst_err *e, struct lkst_sql_pass *p)
{
	bool needs_model = false;
	unsigned int i;
	int err = lkst_feed_new(e, p->sql->trace, &p->feed);

	if (!err && p->to)
		lkst_feed_limit(p->feed, p->to->from_ns, p->to->to_ns);
	if (!err)
		err = lkst_labels_subscribe(&p->labels, p->feed);
	if (!err && lkst_feed_gaps(p->feed, on_gap, p) < 0)
		err = -ENOMEM;
	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		needs_model |= p->is_wanted[i] && tables[i]->needs_model;
	if (!err && needs_model) {
		p->threads = lkst_threads_new();
		err = p->threads ? lkst_feed_threads(p->feed, p->threads) : -ENOMEM;
		err = err ?: follow_descriptors(e, p);
		err = err ?: lkst_model_new(e, p->feed, &p->model);
	}
	if (p->model)
		lkst_model_know_cgroups(p->model, p->threads);
	for (i = 0; i < LKST_SQL_NR_KNOWN && !err; i++) {
		if (p->is_wanted[i] && !p->to)
			err = prepare(p, i);
		if (!err && p->is_wanted[i] && tables[i]->begin)
			err = tables[i]->begin(p);
	}
	return err < 0 ? err : 0;
}

static int end_pass(struct lkst_sql_pass *p)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < LKST_SQL_NR_KNOWN && !err; i++)
		if (p->is_wanted[i] && tables[i]->end)
			err = tables[i]->end(p);
	return err;
}

static void free_pass(struct lkst_sql_pass *p)
{
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		sqlite3_finalize(p->inserts[i]);
	lkst_model_free(p->model);
	lkst_feed_free(p->feed);
	lkst_descriptors_free(p->descriptors);
	lkst_spans_free(p->spans);
	lkst_threads_free(p->threads);
	lkst_labels_fini(&p->labels);
	free(p->faults);
}

int lkst_sql_pass_run(struct lkst_err *e, struct lkst_sql_pass *p)
{
	int err = begin_pass(e, p) ?: lkst_feed_run(e, p->feed) ?: end_pass(p);

	free_pass(p);
	return err;
}

/* What was filled of them in part is not to be taken for all. */
static void empty(struct lkst_sql_pass *p)
{
	char text[64];
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++) {
		snprintf(text, sizeof(text), "DELETE FROM \"%s%s\"", p->sql->prefix, tables[i]->name);
		if (p->is_wanted[i])
			run(p->sql, text);
	}
}

static bool choose(struct lkst_sql_pass *p)
{
	u32 wanted = p->sql->wants_known & ~p->sql->has_known;
	unsigned int i;

	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		p->is_wanted[i] = wanted >> i & 1;
	return wanted;
}

static int fill_one(struct lkst_err *e, struct lkst_sql *s)
{
	struct lkst_sql_pass pass = { .sql = s };
	int err;

	if (!choose(&pass))
		return 0;
	s->front->is_inside = true;
	note_code(&pass, sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL));
	err = lkst_sql_pass_run(e, &pass);
	note_code(&pass, sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL));
	s->front->is_inside = false;
	if (pass.error || err) {
		empty(&pass);
		s->front->known_code = pass.error;
		return lkst_sql_is_stopped(s) ? -EINTR : pass.error ? -EIO : err;
	}
	s->has_known |= s->wants_known;
	s->known_gaps = pass.nr_gaps;
	return 0;
}

int lkst_sql_known_fill(struct lkst_err *e, struct lkst_sql *s)
{
	unsigned int i;
	int err = 0;

	s->known_code = 0;
	for (i = 0; i < s->nr_hosts && !err; i++)
		err = fill_one(e, s->hosts[i]);
	return err || s->nr_hosts ? err : fill_one(e, s);
}

void lkst_sql_known_forget(struct lkst_sql *s)
{
	unsigned int i;

	s->wants_known = 0;
	for (i = 0; i < s->nr_hosts; i++)
		s->hosts[i]->wants_known = 0;
}

u64 lkst_sql_known_nr_gaps(const struct lkst_sql *s)
{
	u64 nr = s->wants_known ? s->known_gaps : 0;
	unsigned int i;

	for (i = 0; i < s->nr_hosts; i++)
		nr += lkst_sql_known_nr_gaps(s->hosts[i]);
	return nr;
}

bool lkst_sql_known_is_time(const char *column)
{
	static const char *const names[] = { "time_ns", "from_ns", "to_ns", "start_ns", "end_ns", "at_ns", "until_ns" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], column))
			return true;
	return false;
}
