/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as data: tables of typed cells. */
#include "result/table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/escape.h"

enum {
	ROWS_MIN = 16,
	TEXT_MIN = 4096, /* memory for texts is taken in pieces of so many bytes or more */
};

/* A piece of memory for texts; pieces are chained, the newest first. */
struct lkst_text {
	struct lkst_text *next;
	size_t used, room;
	char bytes[];
};

static const struct {
	enum lkst_cell_storage storage;
	const char *suffix;
	const char *name;
} types[] = {
#define T(name, storage, suffix) [LKST_COLUMN_##name] = { LKST_CELL_##storage, suffix, #name },
	LKST_COLUMN_TYPES(T)
#undef T
};

enum lkst_cell_storage lkst_column_storage(enum lkst_column_type type)
{
	assert(type < LKST_NR_COLUMN_TYPES);
	return types[type].storage;
}

void lkst_column_type_word(enum lkst_column_type type, char word[LKST_COLUMN_TYPE_WORD])
{
	const char *name = types[type].name;
	unsigned int i;

	for (i = 0; name[i] && i < LKST_COLUMN_TYPE_WORD - 1; i++)
		word[i] = (char)tolower((unsigned char)name[i]);
	word[i] = 0;
}

const char *lkst_column_suffix(enum lkst_column_type type)
{
	assert(type < LKST_NR_COLUMN_TYPES);
	return types[type].suffix;
}

void lkst_column_name(const struct lkst_column *column, char name[LKST_COLUMN_NAME])
{
	const char *suffix = lkst_column_suffix(column->type);
	size_t length = strlen(column->name), suffix_length = strlen(suffix);
	bool has_it = suffix_length && (!strcmp(column->name, suffix + 1) ||
					(length > suffix_length &&
					 !strcmp(column->name + length - suffix_length, suffix)));

	snprintf(name, LKST_COLUMN_NAME, "%s%s", column->name, has_it ? "" : suffix);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Room for @length bytes and a NUL; NULL: no memory. */
static char *table_text_room(struct lkst_table *t, size_t length)
{
	struct lkst_text *piece = t->text;
	size_t room;

	if (!piece || piece->room - piece->used <= length) {
		room = length < TEXT_MIN ? TEXT_MIN : length + 1;
		piece = malloc(sizeof(*piece) + room);
		if (!piece)
			return NULL;
		*piece = (struct lkst_text){ .next = t->text, .room = room };
		t->text = piece;
	}
	piece->used += length + 1;
	return piece->bytes + piece->used - length - 1;
}

/* Frees the pieces from @piece on. */
static void free_text(struct lkst_text *piece)
{
	while (piece) {
		struct lkst_text *next = piece->next;

		free(piece);
		piece = next;
	}
}

/* ---- making a table -------------------------------------------------------------------------- */

void lkst_table_init(struct lkst_table *t, const char *name, const char *title,
		     const struct lkst_column *columns, unsigned int nr_columns)
{
	assert(nr_columns && nr_columns <= LKST_TABLE_COLUMNS_MAX);
	*t = (struct lkst_table){ .columns = columns, .nr_columns = nr_columns };
	t->at = nr_columns;
	t->name = strdup(name);
	t->title = strdup(title ? title : name);
	if (!t->name || !t->title)
		t->error = -ENOMEM;
}

void lkst_table_fini(struct lkst_table *t)
{
	free((char *)t->name);
	free((char *)t->title);
	free(t->cells);
	free_text(t->text);
	lkst_notes_fini(&t->notes);
	free(t->left_out);
	*t = (struct lkst_table){ 0 };
}

void lkst_table_set_sink(struct lkst_table *t, lkst_table_sink *sink, void *arg)
{
	t->sink = sink;
	t->sink_arg = arg;
}

/* Gives the rows to the sink and forgets them, but keeps one piece of memory for texts. */
static void table_drain(struct lkst_table *t)
{
	int err = t->error ? 0 : t->sink(t->sink_arg, t);

	if (err)
		t->error = err;
	t->nr_rows = 0;
	if (t->text) {
		free_text(t->text->next);
		t->text->next = NULL;
		t->text->used = 0;
	}
}

void lkst_table_row(struct lkst_table *t)
{
	struct lkst_cell *cells;
	size_t room;

	assert(t->error || t->at == t->nr_columns);
	if (t->sink && t->nr_rows == LKST_TABLE_SINK_ROWS)
		table_drain(t);
	if (t->error)
		return;
	if (t->nr_rows == t->room) {
		room = t->room ? 2 * t->room : ROWS_MIN;
		cells = reallocarray(t->cells, room, t->nr_columns * sizeof(*cells));
		if (!cells) {
			t->error = -ENOMEM;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	t->nr_rows++;
	t->at = 0;
}

/* The next cell of the last row, which must be stored so; NULL after a failure. */
static struct lkst_cell *next_cell(struct lkst_table *t, enum lkst_cell_storage storage)
{
	struct lkst_cell *cell;

	if (t->error)
		return NULL;
	assert(t->at < t->nr_columns);
	assert(types[t->columns[t->at].type].storage == storage);
	cell = &t->cells[(t->nr_rows - 1) * t->nr_columns + t->at++];
	*cell = (struct lkst_cell){ .is_set = true };
	return cell;
}

void lkst_table_u64(struct lkst_table *t, uint64_t value)
{
	struct lkst_cell *cell = next_cell(t, LKST_CELL_U64);

	if (cell)
		cell->u64 = value;
}

void lkst_table_s64(struct lkst_table *t, int64_t value)
{
	struct lkst_cell *cell = next_cell(t, LKST_CELL_S64);

	if (cell)
		cell->s64 = value;
}

void lkst_table_double(struct lkst_table *t, double value)
{
	struct lkst_cell *cell = next_cell(t, LKST_CELL_DOUBLE);

	if (cell)
		cell->number = value;
}

void lkst_table_bool(struct lkst_table *t, bool value)
{
	struct lkst_cell *cell = next_cell(t, LKST_CELL_BOOL);

	if (cell)
		cell->u64 = value;
}

void lkst_table_text(struct lkst_table *t, const char *text, size_t length)
{
	struct lkst_cell *cell = next_cell(t, LKST_CELL_TEXT);
	char *copy;

	if (!cell)
		return;
	copy = length < UINT32_MAX ? table_text_room(t, length) : NULL;
	if (!copy) {
		t->error = -ENOMEM;
		return;
	}
	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	cell->text = copy;
	cell->length = (uint32_t)length;
}

void lkst_table_str(struct lkst_table *t, const char *text)
{
	lkst_table_text(t, text, strlen(text));
}

void lkst_table_printf(struct lkst_table *t, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	va_list args;

	va_start(args, format);
	text = lkst_text_vformat(format, args, &length);
	va_end(args);
	if (text)
		lkst_table_text(t, text, length);
	else if (!t->error)
		t->error = -ENOMEM;
}

void lkst_table_none(struct lkst_table *t)
{
	if (t->error)
		return;
	assert(t->at < t->nr_columns);
	t->cells[(t->nr_rows - 1) * t->nr_columns + t->at++] = (struct lkst_cell){ 0 };
}

void lkst_table_at_least(struct lkst_table *t)
{
	if (t->error)
		return;
	assert(t->nr_rows && t->at);
	t->cells[(t->nr_rows - 1) * t->nr_columns + t->at - 1].is_at_least = true;
}

void lkst_table_at_most(struct lkst_table *t)
{
	if (t->error)
		return;
	assert(t->nr_rows && t->at);
	t->cells[(t->nr_rows - 1) * t->nr_columns + t->at - 1].is_at_most = true;
}

void lkst_table_leave_out(struct lkst_table *t, const char *name, const char *reason,
			  uint64_t count)
{
	struct lkst_table_left_out *list;

	t->has_left_out = true;
	if (!count)
		return;
	list = reallocarray(t->left_out, t->nr_left_out + 1, sizeof(*list));
	if (!list) {
		t->error = t->error ? t->error : -ENOMEM;
		return;
	}
	list[t->nr_left_out++] = (struct lkst_table_left_out){ name, reason, count };
	t->left_out = list;
}

bool lkst_table_left_out_text(const struct lkst_table *t, char *text, size_t size)
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < t->nr_left_out && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%llu %s", i ? ", " : "",
					 (unsigned long long)t->left_out[i].count,
					 t->left_out[i].reason);
	return t->nr_left_out;
}

int lkst_table_end(struct lkst_table *t)
{
	assert(t->error || t->at == t->nr_columns);
	if (t->sink && t->nr_rows)
		table_drain(t);
	return t->error;
}

/* ---- using one ------------------------------------------------------------------------------- */

int lkst_table_column(const struct lkst_table *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < t->nr_columns; i++)
		if (t->columns[i].name && !strcmp(t->columns[i].name, name))
			return (int)i;
	return -1;
}

const struct lkst_cell *lkst_table_cell_of(const struct lkst_table *t, size_t row, const char *name)
{
	static const struct lkst_cell none;
	const int column = lkst_table_column(t, name);

	return column < 0 ? &none : lkst_table_cell(t, row, (unsigned int)column);
}

static int compare_values(const struct lkst_cell *a, const struct lkst_cell *b,
			  enum lkst_cell_storage storage)
{
	switch (storage) {
	case LKST_CELL_TEXT:
		return strcmp(a->text, b->text);
	case LKST_CELL_BOOL:
	case LKST_CELL_U64:
		return (a->u64 > b->u64) - (a->u64 < b->u64);
	case LKST_CELL_S64:
		return (a->s64 > b->s64) - (a->s64 < b->s64);
	case LKST_CELL_DOUBLE:
		return (a->number > b->number) - (a->number < b->number);
	}
	return 0;
}

struct table_order {
	const struct lkst_table *t;
	unsigned int column;
	bool descending;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct table_order *order = arg;
	size_t row_a = *(const size_t *)a, row_b = *(const size_t *)b;
	const struct lkst_cell *x = lkst_table_cell(order->t, row_a, order->column);
	const struct lkst_cell *y = lkst_table_cell(order->t, row_b, order->column);
	int d;

	if (x->is_set && y->is_set) {
		d = compare_values(x, y, types[order->t->columns[order->column].type].storage);
		d = order->descending ? -d : d;
	} else {
		d = y->is_set - x->is_set;
	}
	return d ? d : (row_a > row_b) - (row_a < row_b);
}

void lkst_table_sort(struct lkst_table *t, unsigned int column, bool descending)
{
	struct table_order order = { t, column, descending };
	size_t row_size = t->nr_columns * sizeof(*t->cells), i;
	_cleanup_free_ size_t *rows = calloc(t->nr_rows + 1, sizeof(*rows));
	struct lkst_cell *cells = calloc(t->nr_rows + 1, row_size);

	assert(column < t->nr_columns);
	if (!rows || !cells) {
		free(cells);
		t->error = t->error ? t->error : -ENOMEM;
		return;
	}
	for (i = 0; i < t->nr_rows; i++)
		rows[i] = i;
	qsort_r(rows, t->nr_rows, sizeof(*rows), compare_rows, &order);
	for (i = 0; i < t->nr_rows; i++)
		memcpy(cells + i * t->nr_columns, t->cells + rows[i] * t->nr_columns, row_size);
	free(t->cells);
	t->cells = cells;
	t->room = t->nr_rows;
}

void lkst_table_cut(struct lkst_table *t, size_t nr)
{
	if (nr < t->nr_rows)
		t->nr_rows = nr;
}

/* ---- several --------------------------------------------------------------------------------- */

struct lkst_table *lkst_tables_add(struct lkst_tables *set, const char *name, const char *title,
				   const struct lkst_column *columns, unsigned int nr_columns)
{
	struct lkst_table **items =
		reallocarray(set->items, set->nr + 1, sizeof(struct lkst_table *));
	struct lkst_table *t = malloc(sizeof(*t));

	if (items)
		set->items = items;
	if (!items || !t) {
		free(t);
		return NULL;
	}
	lkst_table_init(t, name, title, columns, nr_columns);
	items[set->nr++] = t;
	return t;
}

void lkst_tables_fini(struct lkst_tables *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		lkst_table_fini(set->items[i]);
		free(set->items[i]);
	}
	free(set->items);
	*set = (struct lkst_tables){ 0 };
}

const struct lkst_table *lkst_tables_find(const struct lkst_tables *set, const char *name)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->items[i]->name, name))
			return set->items[i];
	return NULL;
}
