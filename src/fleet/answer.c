/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes the lines of an answer apart: names, types, then rows. */
#include "fleet/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES, TYPES, ROWS };

struct lkst_fleet_answer {
	lkst_table_sink *sink;
	void *arg;
	int at; /* which line is next */
	char *line;
	size_t length, room;
	char *names; /* NUL after each */
	unsigned int nr;
	struct lkst_column columns[LKST_TABLE_COLUMNS_MAX];
	const char *name, *title;
	const struct lkst_column *known; /* what the columns are; NULL: what the answer says */
	unsigned int nr_known;
	struct lkst_table table;
	bool has_table;
};

int lkst_fleet_answer_new(lkst_table_sink *sink, void *arg, struct lkst_fleet_answer **ret_answer)
{
	struct lkst_fleet_answer *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->sink = sink;
	a->arg = arg;
	a->name = "answer";
	*ret_answer = a;
	return 0;
}

void lkst_fleet_answer_expect(struct lkst_fleet_answer *a, const char *name, const char *title,
			      const struct lkst_column *columns, unsigned int nr_columns)
{
	a->name = name;
	a->title = title;
	a->known = columns;
	a->nr_known = nr_columns;
}

void lkst_fleet_answer_free(struct lkst_fleet_answer *a)
{
	if (!a)
		return;
	if (a->has_table)
		lkst_table_fini(&a->table);
	free(a->names);
	free(a->line);
	free(a);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int no_answer(struct lkst_err *e, const char *why)
{
	return lkst_err_set(e, -EPROTO, "what it sent is no answer of ClickHouse: %s", why);
}

/* Undoes the escapes of a cell in place, and ends it with a NUL. Returns its length. */
static size_t answer_unescape(char *cell, size_t length)
{
	static const char letters[] = "tnrbf0", bytes[] = "\t\n\r\b\f\0";
	size_t from = 0, to = 0;

	while (from < length) {
		char c = cell[from++];
		const char *letter;

		if (c == '\\' && from < length) {
			c = cell[from++];
			letter = c ? strchr(letters, c) : NULL;
			c = letter ? bytes[letter - letters] : c;
		}
		cell[to++] = c;
	}
	cell[to] = 0;
	return to;
}

static enum lkst_column_type answer_type_of(const char *type)
{
	static const struct {
		const char *begin;
		enum lkst_column_type type;
	} rows[] = { { "UInt", LKST_COLUMN_COUNT },
		     { "Int", LKST_COLUMN_NUMBER },
		     { "Float", LKST_COLUMN_RATIO } };
	size_t i, length;

	if (!strncmp(type, "Nullable(", 9))
		type += 9;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		length = strlen(rows[i].begin);
		if (strncmp(type, rows[i].begin, length))
			continue;
		/* Numbers of more than 64 bits stay text. */
		length += strspn(type + length, "1234568");
		if ((!type[length] || type[length] == ')') &&
		    atoi(type + strcspn(type, "1368")) <= 64)
			return rows[i].type;
	}
	return LKST_COLUMN_TEXT;
}

static int answer_put_cell(struct lkst_err *e, struct lkst_fleet_answer *a, unsigned int i, char *cell,
			   size_t length)
{
	char *end = cell;

	if (length == 2 && cell[0] == '\\' && cell[1] == 'N') {
		lkst_table_none(&a->table);
		return 0;
	}
	length = answer_unescape(cell, length);
	errno = 0;
	switch (lkst_column_storage(a->columns[i].type)) {
	case LKST_CELL_U64:
		lkst_table_u64(&a->table, strtoull(cell, &end, 10));
		break;
	case LKST_CELL_S64:
		lkst_table_s64(&a->table, strtoll(cell, &end, 10));
		break;
	case LKST_CELL_DOUBLE:
		lkst_table_double(&a->table, strtod(cell, &end));
		errno = 0;
		break;
	default:
		lkst_table_text(&a->table, cell, length);
		return 0;
	}
	if (errno || end == cell || *end)
		return no_answer(e, "a cell is not a number, where its column has numbers");
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Takes the name of @length bytes, behind which one byte is free. */
static int answer_take_name(struct lkst_err *e, struct lkst_fleet_answer *a, char *name, size_t length)
{
	if (a->nr == LKST_TABLE_COLUMNS_MAX)
		return lkst_err_set(e, -E2BIG, "the answer has more than %d columns; ask for fewer",
				    LKST_TABLE_COLUMNS_MAX);
	length = answer_unescape(name, length);
	if (!length)
		return no_answer(e, "a column has no name");
	/* What is behind it would be lost, and two names might become one. */
	if (strlen(name) != length)
		return no_answer(e, "the name of a column has a byte 0");
	if (length > LKST_COLUMN_NAME_MAX)
		return lkst_err_set(e, -E2BIG,
				    "column %u of the answer has a name of %zu bytes, more than %d; give it a shorter "
				    "one with AS",
				    a->nr + 1, length, LKST_COLUMN_NAME_MAX);
	a->columns[a->nr].name = a->columns[a->nr].title = name;
	a->columns[a->nr++].help = "";
	return 0;
}

static int take_names(struct lkst_err *e, struct lkst_fleet_answer *a)
{
	char *name = a->line, *end = a->line + a->length, *tab;
	int err = 0;

	a->names = a->line;
	a->line = NULL;
	a->room = 0;
	for (; name && !err; name = tab ? tab + 1 : NULL) {
		tab = memchr(name, '\t', (size_t)(end - name));
		err = answer_take_name(e, a, name, (size_t)((tab ?: end) - name));
	}
	return err;
}

/* Splits the line into a cell for each column, and calls for each. */
static int each_cell(struct lkst_err *e, struct lkst_fleet_answer *a, bool is_row)
{
	char *cell = a->line, *end = a->line + a->length, *tab;
	unsigned int i;
	int err;

	for (i = 0; i < a->nr; i++) {
		tab = memchr(cell, '\t', (size_t)(end - cell));
		if (!tab != (i == a->nr - 1))
			return no_answer(e, "a line has another number of cells than the first");
		if (tab)
			*tab = 0;
		/* All types of ClickHouse begin so, and no line of HTML does. */
		if (!is_row && (*cell < 'A' || *cell > 'Z'))
			return no_answer(e, "its second line has no types");
		if (!is_row)
			a->columns[i].type = answer_type_of(cell);
		err = is_row ? answer_put_cell(e, a, i, cell, (size_t)((tab ?: end) - cell)) : 0;
		if (err)
			return err;
		cell = tab ? tab + 1 : end;
	}
	return 0;
}

/* Puts what is known of the columns in place of what the answer says. */
static int take_known(struct lkst_err *e, struct lkst_fleet_answer *a)
{
	unsigned int i;

	if (!a->known)
		return 0;
	if (a->nr != a->nr_known)
		return no_answer(e, "it has not the columns that were asked for");
	for (i = 0; i < a->nr; i++) {
		if (lkst_column_storage(a->columns[i].type) !=
		    lkst_column_storage(a->known[i].type))
			return no_answer(e, "a column is of another type than was asked for");
		a->columns[i] = a->known[i];
	}
	return 0;
}

static int answer_take_line(struct lkst_err *e, struct lkst_fleet_answer *a)
{
	int err;

	a->line[a->length] = 0;
	if (a->at == NAMES) {
		err = take_names(e, a);
		a->at = TYPES;
	} else if (a->at == TYPES) {
		err = each_cell(e, a, false) ?: take_known(e, a);
		if (err)
			return err;
		lkst_table_init(&a->table, a->name, a->title, a->columns, a->nr);
		lkst_table_set_sink(&a->table, a->sink, a->arg);
		a->has_table = true;
		a->at = ROWS;
	} else {
		lkst_table_row(&a->table);
		err = each_cell(e, a, true) ?: a->table.error;
	}
	a->length = 0;
	return err;
}

static int answer_append(struct lkst_err *e, struct lkst_fleet_answer *a, const char *bytes, size_t length)
{
	size_t room = a->room ?: 4096;
	char *line;

	if (length > LKST_FLEET_LINE_MAX - a->length)
		return lkst_err_set(e, -E2BIG, "a row of the answer is longer than %d bytes",
				    LKST_FLEET_LINE_MAX);
	while (room < a->length + length + 1)
		room *= 2;
	if (room != a->room) {
		line = realloc(a->line, room);
		if (!line)
			return lkst_err_sys(e, -ENOMEM, "reading the answer");
		a->line = line;
		a->room = room;
	}
	memcpy(a->line + a->length, bytes, length);
	a->length += length;
	return 0;
}

int lkst_fleet_answer_feed(struct lkst_err *e, struct lkst_fleet_answer *a, const char *bytes,
			   size_t length)
{
	const char *end = bytes + length, *newline;
	int err = 0;

	while (bytes < end && !err) {
		newline = memchr(bytes, '\n', (size_t)(end - bytes));
		err = answer_append(e, a, bytes, (size_t)((newline ?: end) - bytes));
		if (!err && newline)
			err = answer_take_line(e, a);
		bytes = newline ? newline + 1 : end;
	}
	return err;
}

int lkst_fleet_answer_end(struct lkst_err *e, struct lkst_fleet_answer *a,
			  const struct lkst_table **ret_table)
{
	int err;

	if (a->at != ROWS || a->length)
		return no_answer(e, "it ends too early");
	err = lkst_table_end(&a->table);
	if (err)
		return lkst_err_sys(e, err, "reading the answer");
	*ret_table = &a->table;
	return 0;
}
