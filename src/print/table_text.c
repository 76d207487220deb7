/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints tables as text, CSV and JSON. */
#include "print/table_text.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"

enum {
	TEXT_STANDARD = 120,
	TIME_DIGITS = 9,
	SENTENCE_WIDTH = 100, /* columns of a terminal */
	NUMBER_ROOM = DBL_MAX_10_EXP + 8, /* "%.2f" of any number, a sign, a unit and a NUL */
};
static const char at_least[] = "at least ", at_most[] = "at most ";
_Static_assert((int)NUMBER_ROOM + (int)sizeof(at_least) <= (int)LKST_CELL_ROOM, "a number is a cell");
_Static_assert(2 + 2 * LKST_CELL_ROOM <= LKST_OUT_ROOM, "the room takes a cell, and blanks up to another's width");

void lkst_table_printer_init(struct lkst_table_printer *p, struct lkst_out *out,
			     enum lkst_table_format format, uint64_t clock_offset_ns)
{
	*p = (struct lkst_table_printer){ .out = out, .format = format, .max_text = TEXT_STANDARD };
	lkst_time_text_init(&p->time, LKST_TIME_DAY, clock_offset_ns);
	lkst_time_text_init(&p->clock, LKST_TIME_PLAIN, 0);
	lkst_chart_init(&p->chart, out->fd);
	lkst_json_init(&p->json, out);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Text of any length, of which as much is put as text shows of a cell; at most LKST_CELL_ROOM bytes. */
static char *table_text_put_text(char *p, const struct lkst_table_printer *printer, const char *text, size_t length)
{
	size_t most = printer->max_text < LKST_CELL_TEXT_MAX ? printer->max_text : LKST_CELL_TEXT_MAX;

	return lkst_put_escaped(p, text, length < most ? length : most, "");
}

/* Nanoseconds as seconds with all digits. */
static char *table_text_put_seconds(char *p, uint64_t ns)
{
	p = lkst_put_u64(p, ns / LKST_NS_PER_S);
	*p++ = '.';
	return lkst_put_digits(p, ns % LKST_NS_PER_S, 9);
}

char *lkst_put_cell(char *p, struct lkst_table_printer *printer, const struct lkst_column *column,
		    const struct lkst_cell *cell)
{
	if (!cell->is_set)
		return p;
	if (cell->is_at_least)
		p = lkst_put_str(p, at_least);
	if (cell->is_at_most)
		p = lkst_put_str(p, at_most);
	switch (column->type) {
	case LKST_COLUMN_TEXT:
		return table_text_put_text(p, printer, cell->text, cell->length);
	case LKST_COLUMN_DURATION:
		lkst_duration_format(cell->u64, p);
		return p + strlen(p);
	case LKST_COLUMN_BYTES:
		lkst_size_format(cell->u64, p);
		return p + strlen(p);
	case LKST_COLUMN_SECONDS:
		return table_text_put_seconds(p, cell->u64);
	case LKST_COLUMN_TIME:
		return lkst_put_time(p, &printer->time, cell->u64, TIME_DIGITS);
	case LKST_COLUMN_CLOCK:
		return lkst_put_time(p, &printer->clock, cell->u64, TIME_DIGITS);
	case LKST_COLUMN_PERCENT:
		return p + snprintf(p, NUMBER_ROOM, "%.1f %%", cell->number);
	case LKST_COLUMN_RATIO:
		return p + snprintf(p, NUMBER_ROOM, "%.2f", cell->number);
	case LKST_COLUMN_ADDRESS:
		return lkst_put_hex(p, cell->u64);
	case LKST_COLUMN_COUNT:
		return lkst_put_u64(p, cell->u64);
	case LKST_COLUMN_FLAG:
		return lkst_put_str(p, cell->u64 ? "yes" : "no");
	case LKST_COLUMN_NUMBER:
	case LKST_COLUMN_TID:
	case LKST_COLUMN_PID:
	case LKST_COLUMN_CPU:
		return lkst_put_s64(p, cell->s64);
	case LKST_NR_COLUMN_TYPES:
		break;
	}
	return p;
}

/* A cell's number as programs read it: no unit, and all digits. Not for text. */
static char *table_text_put_number(char *p, const struct lkst_column *column, const struct lkst_cell *cell)
{
	switch (lkst_column_storage(column->type)) {
	case LKST_CELL_U64:
		return lkst_put_u64(p, cell->u64);
	case LKST_CELL_S64:
		return lkst_put_s64(p, cell->s64);
	case LKST_CELL_DOUBLE:
		return p + snprintf(p, NUMBER_ROOM, "%.15g", cell->number);
	case LKST_CELL_BOOL:
		return lkst_put_str(p, cell->u64 ? "true" : "false");
	case LKST_CELL_TEXT:
		break;
	}
	return p;
}

/* How many columns of a terminal a text takes: continuation bytes of UTF-8 take none. */
static unsigned int text_width(const char *text, const char *end)
{
	unsigned int width = 0;

	for (; text < end; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Words are at the left of their column, all else is at the right. */
static bool table_text_is_left(const struct lkst_column *column)
{
	return column->type == LKST_COLUMN_TEXT;
}

static const char *heading(const struct lkst_table_printer *p, const struct lkst_column *column)
{
	return p->is_plain ? column->name : column->title;
}

/* The heading as the line has it. */
static char *put_heading(char *q, const struct lkst_table_printer *p, const struct lkst_column *column)
{
	const char *text = heading(p, column);

	return table_text_put_text(q, p, text, strlen(text));
}

static bool table_text_is_shown(const struct lkst_table_printer *p, const struct lkst_table *t, unsigned int i)
{
	return heading(p, &t->columns[i]) != NULL;
}

/* How many rows of this portion are among those to be shown. */
static size_t shown_rows(const struct lkst_table_printer *p, const struct lkst_table *t)
{
	uint64_t room = p->max_rows > p->nr_rows ? p->max_rows - p->nr_rows : 0;

	return !p->max_rows || t->nr_rows < room ? t->nr_rows : (size_t)room;
}

static void table_text_measure(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char text[LKST_CELL_ROOM];
	unsigned int i, width;
	size_t row;

	p->first = t->nr_columns;
	for (i = 0; i < t->nr_columns; i++) {
		if (!table_text_is_shown(p, t, i))
			continue;
		p->first = p->first < i ? p->first : i;
		p->last = i;
		p->widths[i] = text_width(text, put_heading(text, p, &t->columns[i]));
		/* "# " comes before the first one, where text is plain. */
		p->widths[i] += p->is_plain && !i ? 2 : 0;
		for (row = 0; row < shown_rows(p, t); row++) {
			width = text_width(text, lkst_put_cell(text, p, &t->columns[i],
							       lkst_table_cell(t, row, i)));
			p->widths[i] = width > p->widths[i] ? width : p->widths[i];
		}
	}
}

/*
 * Writes [@text, @end) in column @i of @t; the last one is not filled up with blanks. Both are at most LKST_CELL_ROOM
 * bytes, as a cell and a heading are, and so is a column's width: the room takes them.
 */
static char *put_aligned(struct lkst_table_printer *p, char *q, const struct lkst_table *t,
			 unsigned int i, const char *text, const char *end)
{
	unsigned int width = text_width(text, end);
	unsigned int fill = width < p->widths[i] ? p->widths[i] - width : 0;
	bool left = table_text_is_left(&t->columns[i]);

	if (i > p->first)
		q = lkst_put_mem(q, "  ", 2);
	for (; !left && fill; fill--)
		*q++ = ' ';
	q = lkst_put_mem(q, text, (size_t)(end - text));
	for (; left && fill && i < p->last; fill--)
		*q++ = ' ';
	return q;
}

static void put_title(struct lkst_table_printer *p, const char *title)
{
	char *q;

	if (p->nr_tables)
		lkst_out_str(p->out, "\n");
	if (!title[0])
		return;
	q = lkst_out_escaped(p->out, lkst_out_room(p->out), title, strlen(title), "");
	*q++ = '\n';
	lkst_out_advance(p->out, q);
}

static void table_text_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char text[LKST_CELL_ROOM], *end, *q;
	unsigned int i;

	if (!p->is_plain)
		put_title(p, p->is_untitled ? "" : t->title);
	else if (p->nr_tables)
		/* Two empty lines: what follows is another data set of gnuplot's. */
		lkst_out_str(p->out, "\n\n");
	if (t->kind != LKST_TABLE_ROWS && !p->is_plain)
		return;
	table_text_measure(p, t);
	if (p->is_plain) {
		lkst_out_str(p->out, "# ");
		p->widths[0] -= 2;
	}
	for (i = 0; i < t->nr_columns; i++) {
		if (!table_text_is_shown(p, t, i))
			continue;
		end = put_heading(text, p, &t->columns[i]);
		q = lkst_out_room(p->out);
		lkst_out_advance(p->out, put_aligned(p, q, t, i, text, end));
	}
	p->widths[0] += p->is_plain ? 2 : 0;
	lkst_out_str(p->out, "\n");
}

/* Writes the words of @cell, from column @at of the terminal on; lines after the first begin with blanks. */
static void table_text_put_sentence(struct lkst_table_printer *p, const struct lkst_cell *cell, unsigned int at)
{
	const char *word = cell->text, *end = cell->text + cell->length, *blank;
	char text[LKST_CELL_ROOM], *q;
	unsigned int width;
	bool is_first = true;

	for (; word < end; word = blank + 1, is_first = false) {
		blank = memchr(word, ' ', (size_t)(end - word)) ?: end;
		q = table_text_put_text(text, p, word, (size_t)(blank - word));
		width = text_width(text, q);
		if (!is_first && at + 1 + width > SENTENCE_WIDTH) {
			lkst_out_str(p->out, "\n    ");
			at = 4;
		} else if (!is_first) {
			lkst_out_str(p->out, " ");
			at++;
		}
		lkst_out_advance(p->out, lkst_put_mem(lkst_out_room(p->out), text, (size_t)(q - text)));
		at += width;
	}
	lkst_out_str(p->out, "\n");
}

/* "#1  web1  cv-worker waited ...": what comes before the sentence, in the order of its columns. */
static void sentence_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char text[LKST_CELL_ROOM], *q;
	unsigned int i, last = 0, at;
	size_t row;

	for (i = 0; i < t->nr_columns; i++)
		last = table_text_is_shown(p, t, i) ? i : last;
	for (row = 0; row < shown_rows(p, t); row++) {
		for (i = 0, at = 0; i < last; i++) {
			if (!table_text_is_shown(p, t, i))
				continue;
			q = lkst_put_str(text, t->columns[i].type == LKST_COLUMN_COUNT ? "#" : "");
			q = lkst_put_cell(q, p, &t->columns[i], lkst_table_cell(t, row, i));
			q = lkst_put_str(q, "  ");
			at += text_width(text, q);
			lkst_out_advance(p->out, lkst_put_mem(lkst_out_room(p->out), text, (size_t)(q - text)));
		}
		table_text_put_sentence(p, lkst_table_cell(t, row, last), at);
	}
}

static void text_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char text[LKST_CELL_ROOM], *end, *q;
	unsigned int i;
	size_t row;

	if (t->kind == LKST_TABLE_HISTOGRAM && !p->is_plain) {
		lkst_chart_print(&p->chart, p->out, t);
		return;
	}
	if (t->kind == LKST_TABLE_SENTENCES && !p->is_plain) {
		sentence_rows(p, t);
		return;
	}
	for (row = 0; row < shown_rows(p, t); row++) {
		for (i = 0; i < t->nr_columns; i++) {
			if (!table_text_is_shown(p, t, i))
				continue;
			q = lkst_out_room(p->out);
			end = lkst_put_cell(text, p, &t->columns[i], lkst_table_cell(t, row, i));
			if (end == text)
				*end++ = '-';
			lkst_out_advance(p->out, put_aligned(p, q, t, i, text, end));
		}
		lkst_out_str(p->out, "\n");
	}
}

static void table_text_end(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char left_out[LKST_TABLE_LEFT_OUT_TEXT];
	unsigned int i;

	if (!p->nr_rows && !p->is_plain && t->kind != LKST_TABLE_SENTENCES)
		lkst_out_str(p->out, "  none\n");
	if (p->max_rows && p->nr_rows > p->max_rows && t->kind != LKST_TABLE_HISTOGRAM)
		lkst_out_printf(p->out, "... and %llu more\n",
				(unsigned long long)(p->nr_rows - p->max_rows));
	if (lkst_table_left_out_text(t, left_out, sizeof(left_out)))
		lkst_out_message(p->out, "%sLeft out: %s.", p->is_plain ? "# " : "", left_out);
	for (i = 0; i < t->notes.nr; i++)
		lkst_out_message(p->out, "%s%s", p->is_plain ? "# " : "Note: ", t->notes.text[i]);
}

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------- */

static void table_text_csv_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	const char *comma = "";
	char name[LKST_COLUMN_NAME];
	unsigned int i;
	char *q;

	if (p->nr_tables)
		lkst_out_str(p->out, "\r\n");
	for (i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].name)
			continue;
		lkst_column_name(&t->columns[i], name);
		lkst_out_str(p->out, comma);
		q = lkst_out_csv(p->out, lkst_out_room(p->out), name, strlen(name));
		lkst_out_advance(p->out, q);
		comma = ",";
	}
	lkst_out_str(p->out, "\r\n");
}

static void csv_cell(struct lkst_out *out, const struct lkst_column *column,
		     const struct lkst_cell *cell)
{
	char *p = lkst_out_room(out);

	if (!cell->is_set)
		return;
	if (column->type == LKST_COLUMN_TEXT)
		lkst_out_advance(out, lkst_out_csv(out, p, cell->text, cell->length));
	else
		lkst_out_advance(out, table_text_put_number(p, column, cell));
}

static void csv_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	const char *comma;
	unsigned int i;
	size_t row;

	for (row = 0; row < t->nr_rows; row++) {
		for (i = 0, comma = ""; i < t->nr_columns; i++) {
			if (!t->columns[i].name)
				continue;
			lkst_out_str(p->out, comma);
			csv_cell(p->out, &t->columns[i], lkst_table_cell(t, row, i));
			comma = ",";
		}
		lkst_out_str(p->out, "\r\n");
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void table_text_json_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	if (!p->json.depth)
		lkst_json_object(&p->json, NULL);
	lkst_json_break(&p->json);
	lkst_json_object(&p->json, t->name);
	lkst_json_str(&p->json, "title", t->title);
	lkst_json_array(&p->json, "rows");
}

static void json_cell(struct lkst_json *j, const struct lkst_column *column,
		      const struct lkst_cell *cell)
{
	char name[LKST_COLUMN_NAME];

	lkst_column_name(column, name);
	if (!cell->is_set) {
		lkst_json_null(j, name);
		return;
	}
	switch (lkst_column_storage(column->type)) {
	case LKST_CELL_TEXT:
		lkst_json_text(j, name, cell->text, cell->length);
		break;
	case LKST_CELL_BOOL:
		lkst_json_bool(j, name, cell->u64);
		break;
	case LKST_CELL_U64:
		lkst_json_u64(j, name, cell->u64);
		break;
	case LKST_CELL_S64:
		lkst_json_s64(j, name, cell->s64);
		break;
	case LKST_CELL_DOUBLE:
		lkst_json_double(j, name, cell->number);
		break;
	}
}

/* Which numbers of the row are bounds, by column: "at least", "at most". */
static void json_bounds(struct lkst_json *j, const struct lkst_table *t, size_t row)
{
	char name[LKST_COLUMN_NAME];
	bool has_any = false;
	unsigned int i;

	for (i = 0; i < t->nr_columns; i++) {
		const struct lkst_cell *cell = lkst_table_cell(t, row, i);

		if (!t->columns[i].name || !cell->is_set || (!cell->is_at_least && !cell->is_at_most))
			continue;
		if (!has_any)
			lkst_json_object(j, "bounds");
		has_any = true;
		lkst_column_name(&t->columns[i], name);
		lkst_json_str(j, name, cell->is_at_least ? "at least" : "at most");
	}
	if (has_any)
		lkst_json_end(j);
}

void lkst_table_json_row(struct lkst_json *j, const struct lkst_table *t, size_t row)
{
	unsigned int i;

	lkst_json_object(j, NULL);
	for (i = 0; i < t->nr_columns; i++)
		if (t->columns[i].name)
			json_cell(j, &t->columns[i], lkst_table_cell(t, row, i));
	json_bounds(j, t, row);
	lkst_json_end(j);
}

static void json_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	size_t row;

	for (row = 0; row < t->nr_rows; row++) {
		lkst_json_break(&p->json);
		lkst_table_json_row(&p->json, t, row);
	}
}

/* What the columns are, for programs that show any table. */
static void json_columns(struct lkst_json *j, const struct lkst_table *t)
{
	char name[LKST_COLUMN_NAME], type[LKST_COLUMN_TYPE_WORD];
	unsigned int i;

	lkst_json_array(j, "columns");
	for (i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].name)
			continue;
		lkst_column_name(&t->columns[i], name);
		lkst_column_type_word(t->columns[i].type, type);
		lkst_json_object(j, NULL);
		lkst_json_str(j, "name", name);
		if (t->columns[i].title)
			lkst_json_str(j, "title", t->columns[i].title);
		else
			lkst_json_null(j, "title");
		lkst_json_str(j, "type", type);
		lkst_json_str(j, "help", t->columns[i].help);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void table_text_json_end(struct lkst_table_printer *p, const struct lkst_table *t)
{
	unsigned int i;

	lkst_json_end(&p->json);
	lkst_json_array(&p->json, "notes");
	for (i = 0; i < t->notes.nr; i++)
		lkst_json_str(&p->json, NULL, t->notes.text[i]);
	lkst_json_end(&p->json);
	if (t->has_left_out) {
		lkst_json_object(&p->json, "left_out");
		for (i = 0; i < t->nr_left_out; i++)
			lkst_json_u64(&p->json, t->left_out[i].name, t->left_out[i].count);
		lkst_json_end(&p->json);
	}
	if (t->is_at_least)
		lkst_json_bool(&p->json, "at_least", true);
	lkst_json_str(&p->json, "kind", t->kind == LKST_TABLE_HISTOGRAM ? "histogram" : "rows");
	json_columns(&p->json, t);
	lkst_json_end(&p->json);
}

static void json_finish(struct lkst_table_printer *p)
{
	if (p->json.depth)
		lkst_json_break(&p->json);
	else
		lkst_json_object(&p->json, NULL);
	lkst_json_end(&p->json);
}

/* ---- the formats ----------------------------------------------------------------------------- */

static const struct {
	struct lkst_choice choice;
	void (*begin)(struct lkst_table_printer *p, const struct lkst_table *t);
	void (*rows)(struct lkst_table_printer *p, const struct lkst_table *t);
	void (*end)(struct lkst_table_printer *p, const struct lkst_table *t); /* NULL: nothing */
	void (*finish)(struct lkst_table_printer *p); /* after the last table; NULL: nothing */
} formats[] = {
	[LKST_TABLE_TEXT] = {
		.choice = { "text", "aligned columns, with units" },
		.begin = table_text_begin,
		.rows = text_rows,
		.end = table_text_end,
	},
	[LKST_TABLE_CSV] = {
		.choice = { "csv", "a line of names, then plain numbers and all rows; times in ns" },
		.begin = table_text_csv_begin,
		.rows = csv_rows,
	},
	[LKST_TABLE_JSON] = {
		.choice = { "json", "the same as objects" },
		.begin = table_text_json_begin,
		.rows = json_rows,
		.end = table_text_json_end,
		.finish = json_finish,
	},
};
enum { NR_FORMATS = sizeof(formats) / sizeof(formats[0]) };

bool lkst_table_format_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i < NR_FORMATS)
		*ret_choice = formats[i].choice;
	return i < NR_FORMATS;
}

int lkst_table_print_rows(void *printer, const struct lkst_table *t)
{
	struct lkst_table_printer *p = printer;

	if (!p->is_begun) {
		p->nr_rows = 0;
		formats[p->format].begin(p, t);
		p->is_begun = true;
	}
	formats[p->format].rows(p, t);
	p->nr_rows += t->nr_rows;
	return p->out->error;
}

void lkst_table_print_end(struct lkst_table_printer *p, const struct lkst_table *t)
{
	/* A table without rows still has a heading. */
	if (!p->is_begun)
		lkst_table_print_rows(p, t);
	if (formats[p->format].end)
		formats[p->format].end(p, t);
	p->is_begun = false;
	p->nr_tables++;
}

void lkst_table_print(struct lkst_table_printer *p, const struct lkst_table *t)
{
	lkst_table_print_rows(p, t);
	lkst_table_print_end(p, t);
}

void lkst_table_printer_end(struct lkst_table_printer *p)
{
	if (formats[p->format].finish)
		formats[p->format].finish(p);
}
