/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass that fills the tables of what is known. */
#include "sql/known/known_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/known/descriptors_before.h"
#include "trace/known/threads.h"

enum { LOOKS = 1 << 12 }; /* rows between two looks at whether to stop */

/* ---- rows ------------------------------------------------------------------------------------ */

void lkst_sql_pass_note(struct lkst_sql_pass *p, int code)
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
static void known_pass_put_int(struct lkst_sql_pass *p, s64 value)
{
	struct lkst_parquet *file = p->files[p->table];
	bool has_time = p->has_time[p->table];

	if (has_time && p->at == 1) {
		p->row_ns = (u64)value;
		lkst_parquet_int(file, 0, value + (s64)p->sql->catalog->clock_offset_ns);
	}
	lkst_parquet_int(file, (unsigned int)(p->at++ - !has_time), value);
}

static void known_pass_put_text(struct lkst_sql_pass *p, const char *text, size_t length)
{
	lkst_parquet_text(p->files[p->table], (unsigned int)(p->at++ - !p->has_time[p->table]),
			  text, length);
}

void lkst_sql_int(struct lkst_sql_pass *p, s64 value)
{
	if (p->to)
		known_pass_put_int(p, value);
	else
		lkst_sql_pass_note(p, sqlite3_bind_int64(p->row, p->at++, value));
}

void lkst_sql_none(struct lkst_sql_pass *p)
{
	if (p->to)
		p->at++;
	else
		lkst_sql_pass_note(p, sqlite3_bind_null(p->row, p->at++));
}

void lkst_sql_text(struct lkst_sql_pass *p, const char *text, size_t length)
{
	if (length && p->to)
		known_pass_put_text(p, text, length);
	else if (length)
		lkst_sql_pass_note(p, sqlite3_bind_text(p->row, p->at++, text, (int)length, SQLITE_TRANSIENT));
	else
		lkst_sql_none(p);
}

void lkst_sql_comm(struct lkst_sql_pass *p, const struct lkst_thread_life *life)
{
	const size_t length = life ? strnlen(life->comm, sizeof(life->comm)) : 0;

	if (!life || !life->has_comm)
		lkst_sql_none(p);
	else if (p->to)
		known_pass_put_text(p, life->comm, length);
	else
		lkst_sql_pass_note(p, sqlite3_bind_text(p->row, p->at++, life->comm, (int)length, SQLITE_TRANSIENT));
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
		lkst_sql_pass_note(p, code);
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
	lkst_sql_comm(p, life);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static int known_pass_prepare(struct lkst_sql_pass *p, unsigned int i)
{
	const struct lkst_sql_known *table = lkst_sql_known_table(i);
	const struct lkst_sql_known_column *c;
	sqlite3_str *text = sqlite3_str_new(NULL);
	char *insert;
	int code = SQLITE_NOMEM;

	sqlite3_str_appendf(text, "INSERT OR IGNORE INTO \"%w%w\" VALUES (", p->sql->prefix, table->name);
	for (c = table->columns; c->name; c++)
		sqlite3_str_appendall(text, c[1].name ? "?," : "?)");
	insert = sqlite3_str_finish(text);
	if (insert)
		code = sqlite3_prepare_v2(p->sql->db, insert, -1, &p->inserts[i], NULL);
	sqlite3_free(insert);
	lkst_sql_pass_note(p, code);
	return code ? -EIO : 0;
}

/* Where records are missing, a table of what they say lacks rows. */
static int known_pass_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_sql_pass *p = ctx;

	p->nr_gaps += !gap->is_pause;
	return 0;
}

static int known_pass_follow_descriptors(struct lkst_err *e, struct lkst_sql_pass *p)
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

static int known_pass_begin_pass(struct lkst_err *e, struct lkst_sql_pass *p)
{
	bool needs_model = false;
	unsigned int i;
	int err = lkst_feed_new(e, p->sql->trace, &p->feed);

	if (!err && p->to)
		lkst_feed_limit(p->feed, p->to->from_ns, p->to->to_ns);
	if (!err)
		err = lkst_labels_subscribe(&p->labels, p->feed);
	if (!err && lkst_feed_gaps(p->feed, known_pass_on_gap, p) < 0)
		err = -ENOMEM;
	for (i = 0; i < LKST_SQL_NR_KNOWN; i++)
		needs_model |= p->is_wanted[i] && lkst_sql_known_table(i)->needs_model;
	if (!err && needs_model) {
		p->threads = lkst_threads_new();
		err = p->threads ? lkst_feed_threads(p->feed, p->threads) : -ENOMEM;
		err = err ?: known_pass_follow_descriptors(e, p);
		err = err ?: lkst_model_new(e, p->feed, &p->model);
	}
	if (p->model)
		lkst_model_know_cgroups(p->model, p->threads);
	for (i = 0; i < LKST_SQL_NR_KNOWN && !err; i++) {
		if (p->is_wanted[i] && !p->to)
			err = known_pass_prepare(p, i);
		if (!err && p->is_wanted[i] && lkst_sql_known_table(i)->begin)
			err = lkst_sql_known_table(i)->begin(p);
	}
	return err < 0 ? err : 0;
}

static int known_pass_end_pass(struct lkst_sql_pass *p)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < LKST_SQL_NR_KNOWN && !err; i++)
		if (p->is_wanted[i] && lkst_sql_known_table(i)->end)
			err = lkst_sql_known_table(i)->end(p);
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
	int err = known_pass_begin_pass(e, p) ?: lkst_feed_run(e, p->feed) ?: known_pass_end_pass(p);

	free_pass(p);
	return err;
}
