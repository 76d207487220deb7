/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables that a host was answered with, and how those of several are joined. */
#include "cmd/read/joined_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/frame/answer.h"
#include "cmd/readers/traces.h"
#include "trace/format/catalog.h"

static const struct lkst_column host_column = { "host", "host", LKST_COLUMN_TEXT,
						"the host's name" };

/* ---- one table ------------------------------------------------------------------------------- */

static struct lkst_joined_table *joined_tables_find(const struct lkst_joined_tables *j, const char *name)
{
	unsigned int i;

	for (i = 0; i < j->nr; i++)
		if (!strcmp(j->items[i]->table.name, name))
			return j->items[i];
	return NULL;
}

/* An empty table like @t with @nr_more columns in front; NULL: no memory. */
static struct lkst_joined_table *add_like(struct lkst_joined_tables *j, const struct lkst_table *t,
					  const char *title, unsigned int nr_more)
{
	struct lkst_joined_table *one = calloc(1, sizeof(*one)), **added;

	if (!one)
		return NULL;
	one->columns = calloc(t->nr_columns + nr_more, sizeof(*one->columns));
	added = one->columns ? lkst_vec_add(j->items, j->nr) : NULL;
	if (!added) {
		free(one->columns);
		free(one);
		return NULL;
	}
	if (nr_more)
		one->columns[0] = host_column;
	memcpy(one->columns + nr_more, t->columns, t->nr_columns * sizeof(*t->columns));
	lkst_table_init(&one->table, t->name, title, one->columns, t->nr_columns + nr_more);
	*added = one;
	return one;
}

static bool joined_tables_is_time(const struct lkst_column *column)
{
	return column->type == LKST_COLUMN_TIME || column->type == LKST_COLUMN_CLOCK;
}

static void copy_cell(struct lkst_table *to, const struct lkst_column *column,
		      const struct lkst_cell *cell, u64 offset_ns)
{
	if (!cell->is_set) {
		lkst_table_none(to);
		return;
	}
	switch (lkst_column_storage(column->type)) {
	case LKST_CELL_TEXT:
		lkst_table_text(to, cell->text, cell->length);
		break;
	case LKST_CELL_U64:
		lkst_table_u64(to, cell->u64 + (joined_tables_is_time(column) ? offset_ns : 0));
		break;
	case LKST_CELL_S64:
		lkst_table_s64(to, cell->s64);
		break;
	case LKST_CELL_DOUBLE:
		lkst_table_double(to, cell->number);
		break;
	case LKST_CELL_BOOL:
		lkst_table_bool(to, cell->u64);
		break;
	}
	if (cell->is_at_least)
		lkst_table_at_least(to);
	if (cell->is_at_most)
		lkst_table_at_most(to);
}

static void copy_rows(struct lkst_table *to, const struct lkst_host *host,
		      const struct lkst_table *from, size_t nr, bool has_host)
{
	unsigned int i;
	size_t row;

	for (row = 0; row < nr; row++) {
		lkst_table_row(to);
		if (has_host)
			lkst_table_str(to, host->name);
		for (i = 0; i < from->nr_columns; i++)
			copy_cell(to, &from->columns[i], lkst_table_cell(from, row, i),
				  host->offset_ns);
	}
}

/* What was said below the table, with whose it is. */
static void copy_notes(struct lkst_table *to, const struct lkst_host *host,
		       const struct lkst_table *from, size_t nr)
{
	char left_out[LKST_TABLE_LEFT_OUT_TEXT];
	unsigned int i;

	to->is_at_least |= from->is_at_least;
	if (nr < from->nr_rows)
		lkst_notes_add(&to->notes, "%s: and %zu more.", host->name, from->nr_rows - nr);
	if (lkst_table_left_out_text(from, left_out, sizeof(left_out)))
		lkst_notes_add(&to->notes, "%s: left out: %s.", host->name, left_out);
	for (i = 0; i < from->notes.nr; i++)
		lkst_notes_add(&to->notes, "%s: %s", host->name, from->notes.text[i]);
}

/* A histogram that is drawn is one host's. */
static int add_drawn(struct lkst_joined_tables *j, const struct lkst_host *host,
		     const struct lkst_table *t)
{
	_cleanup_free_ char *title = NULL;
	struct lkst_joined_table *one;

	if (asprintf(&title, "%s, %s", t->title, host->name) < 0)
		return -ENOMEM;
	one = add_like(j, t, title, 0);
	if (!one)
		return -ENOMEM;
	one->table.kind = t->kind;
	copy_rows(&one->table, host, t, t->nr_rows, false);
	copy_notes(&one->table, host, t, t->nr_rows);
	return lkst_table_end(&one->table);
}

static int joined_tables_add_table(struct lkst_joined_tables *j, const struct lkst_host *host,
				   const struct lkst_table *t, u64 max_rows)
{
	const size_t nr =
		j->is_text && max_rows && max_rows < t->nr_rows ? (size_t)max_rows : t->nr_rows;
	struct lkst_joined_table *one = joined_tables_find(j, t->name);

	if (j->is_text && t->kind == LKST_TABLE_HISTOGRAM)
		return add_drawn(j, host, t);
	one = one ?: add_like(j, t, t->title, 1);
	/* Another program's columns are not to be taken for these. */
	if (!one || one->table.nr_columns != t->nr_columns + 1)
		return -ENOMEM;
	copy_rows(&one->table, host, t, nr, true);
	copy_notes(&one->table, host, t, nr);
	return lkst_table_end(&one->table);
}

int lkst_joined_tables_add(struct lkst_joined_tables *j, const struct lkst_host *host,
			   const struct lkst_shown_tables *shown)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < shown->nr && !err; i++)
		err = joined_tables_add_table(j, host, shown->items[i].table, shown->items[i].max_rows);
	return err;
}

/* ---- the hosts ------------------------------------------------------------------------------- */

static const struct lkst_column columns_of_hosts[] = {
	{ "host", "host", LKST_COLUMN_TEXT, "the host's name" },
	{ "kernel", "kernel", LKST_COLUMN_TEXT, "its kernel's release" },
	{ "begin", "first record", LKST_COLUMN_TIME, "its first record" },
	{ "end", "last record", LKST_COLUMN_TIME, "its last record" },
	{ "synchronised", "kept right", LKST_COLUMN_FLAG,
	  "a program such as chronyd kept its clock right" },
	{ "added_ns", NULL, LKST_COLUMN_NUMBER, "what was added to its time of day" },
	{ "error", NULL, LKST_COLUMN_DURATION, "that is right to so much; none: it is not known" },
	{ "packets", "packets", LKST_COLUMN_COUNT,
	  "those between it and the others that both have recorded" },
	{ NULL, "its clock", LKST_COLUMN_TEXT, "what is known of its clock" },
};

static void joined_tables_put_host(struct lkst_table *t, const struct lkst_reading *h, unsigned int i)
{
	const struct lkst_host *host = &h->list[i];
	char text[LKST_HOST_CLOCK_TEXT];
	u64 begin_ns, end_ns;

	lkst_trace_range(host->trace, &begin_ns, &end_ns);
	lkst_reading_clock_text(h, i, text);
	lkst_table_row(t);
	lkst_table_str(t, host->name);
	lkst_table_str(t, lkst_trace_catalog(host->trace)->release);
	lkst_table_u64(t, begin_ns + host->offset_ns);
	lkst_table_u64(t, end_ns + host->offset_ns);
	lkst_table_bool(t, host->clock.is_synchronised);
	lkst_table_s64(t, host->bound.shift_ns);
	if (host->bound.is_bounded)
		lkst_table_u64(t, host->bound.error_ns);
	else
		lkst_table_none(t);
	lkst_table_u64(t, host->nr_messages);
	lkst_table_str(t, text);
}

int lkst_joined_tables_add_hosts(struct lkst_joined_tables *j, const struct lkst_reading *h)
{
	const struct lkst_table like = { .name = "hosts",
					 .columns = columns_of_hosts,
					 .nr_columns = sizeof(columns_of_hosts) /
						       sizeof(columns_of_hosts[0]) };
	struct lkst_joined_table *one = add_like(j, &like, "Hosts", 0);
	unsigned int i;

	if (!one)
		return -ENOMEM;
	for (i = 0; i < h->nr; i++)
		joined_tables_put_host(&one->table, h, i);
	if (h->nr_messages)
		lkst_notes_add(
			&one->table.notes,
			"%llu packets between them were recorded on both sides; by the clocks as they were, %llu "
			"were received before they were sent.",
			(unsigned long long)h->nr_messages, (unsigned long long)h->nr_backwards);
	for (i = 0; i < h->notes.nr; i++)
		lkst_notes_add(&one->table.notes, "%s", h->notes.text[i]);
	return lkst_table_end(&one->table);
}

/* ---- all of them ----------------------------------------------------------------------------- */

void lkst_joined_tables_print(struct lkst_joined_tables *j, struct lkst_table_printer *p)
{
	unsigned int i;

	for (i = 0; i < j->nr; i++)
		lkst_table_print(p, &j->items[i]->table);
}

void lkst_joined_tables_fini(struct lkst_joined_tables *j)
{
	unsigned int i;

	for (i = 0; i < j->nr; i++) {
		lkst_table_fini(&j->items[i]->table);
		free(j->items[i]->columns);
		free(j->items[i]);
	}
	free(j->items);
	*j = (struct lkst_joined_tables){};
}

static int answer_host(struct lkst_err *e, const struct lkst_joined_question *q,
		       const struct lkst_host *host, u64 from_ns, u64 to_ns,
		       struct lkst_joined_tables *j)
{
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	char from[LKST_CMD_OWN_TIME], to[LKST_CMD_OWN_TIME];
	int err;

	if (from_ns)
		*q->from = lkst_cmd_own_time(host, from_ns, from);
	if (to_ns != UINT64_MAX)
		*q->to = lkst_cmd_own_time(host, to_ns, to);
	err = q->answer(e, q->options, host->trace, &shown);
	if (err) {
		lkst_err_add(e, "%s", host->name);
		return err;
	}
	err = lkst_joined_tables_add(j, host, &shown);
	return err ? lkst_err_sys(e, err, "joining the tables of the hosts") : 0;
}

static int answer_hosts(struct lkst_err *e, const struct lkst_joined_question *q, const struct lkst_reading *r,
			struct lkst_out *out)
{
	_cleanup_(lkst_joined_tables_fini) struct lkst_joined_tables j = {
		.is_text = q->format == LKST_TABLE_TEXT
	};
	u64 from_ns = 0, to_ns = UINT64_MAX;
	struct lkst_table_printer p;
	unsigned int i;
	int err = lkst_cmd_reading_range(e, r, *q->from, *q->to, &from_ns, &to_ns);

	if (!err && lkst_joined_tables_add_hosts(&j, r))
		err = lkst_err_sys(e, -ENOMEM, "listing the hosts");
	for (i = 0; i < r->nr && !err; i++)
		err = answer_host(e, q, &r->list[i], from_ns, to_ns, &j);
	if (err)
		return err;
	lkst_table_printer_init(&p, out, q->format, 0);
	lkst_joined_tables_print(&j, &p);
	lkst_table_printer_end(&p);
	return 0;
}

/* Without a host that the rows have to name, as it has said it. */
static int answer_one(struct lkst_err *e, const struct lkst_joined_question *q, struct lkst_trace *t,
		      struct lkst_out *out)
{
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	struct lkst_table_printer p;
	unsigned int i;
	int err = q->answer(e, q->options, t, &shown);

	if (err)
		return err;
	lkst_table_printer_init(&p, out, q->format, lkst_trace_catalog(t)->clock_offset_ns);
	p.is_untitled = q->is_untitled;
	for (i = 0; i < shown.nr; i++) {
		if (q->is_shown && !q->is_shown(shown.items[i].table))
			continue;
		p.max_rows = shown.items[i].max_rows;
		lkst_table_print(&p, shown.items[i].table);
		lkst_answer_notes(q->format, shown.items[i].table);
	}
	lkst_table_printer_end(&p);
	return 0;
}

int lkst_joined_tables_answer(struct lkst_err *e, const struct lkst_joined_question *q,
			      const struct lkst_reading *r, struct lkst_out *out)
{
	struct lkst_trace *one = lkst_reading_one(r);

	return one ? answer_one(e, q, one, out) : answer_hosts(e, q, r, out);
}
