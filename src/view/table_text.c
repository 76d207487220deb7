/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints tables as text, CSV and JSON. */
#include "view/table_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"

enum {
	TEXT_CUT = 120, /* characters of a text cell in text form */
	TIME_DIGITS = 9,
};

int lkst_table_format_parse(struct lkst_err *e, const char *text,
			    enum lkst_table_format *ret_format)
{
	static const char *const words[] = {
		[LKST_TABLE_TEXT] = "text",
		[LKST_TABLE_CSV] = "csv",
		[LKST_TABLE_JSON] = "json",
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i], text)) {
			*ret_format = i;
			return 0;
		}
	}
	return lkst_err_set(e, -EINVAL, "there is no format \"%s\"; use text, csv or json",
			    text);
}

void lkst_table_printer_init(struct lkst_table_printer *p, struct lkst_out *out,
			     enum lkst_table_format format, uint64_t clock_offset_ns)
{
	*p = (struct lkst_table_printer){ .out = out, .format = format };
	lkst_time_text_init(&p->time, LKST_TIME_DAY, clock_offset_ns);
	lkst_time_text_init(&p->clock, LKST_TIME_PLAIN, 0);
	lkst_chart_init(&p->chart, out->fd);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Nanoseconds as seconds with all digits. */
static char *put_seconds(char *p, uint64_t ns)
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
	switch (column->type) {
	case LKST_COLUMN_TEXT:
		return lkst_put_escaped(p, cell->text,
					cell->length < TEXT_CUT ? cell->length : TEXT_CUT, "");
	case LKST_COLUMN_DURATION:
		lkst_duration_format(cell->u64, p);
		return p + strlen(p);
	case LKST_COLUMN_BYTES:
		lkst_size_format(cell->u64, p);
		return p + strlen(p);
	case LKST_COLUMN_SECONDS:
		return put_seconds(p, cell->u64);
	case LKST_COLUMN_TIME:
		return lkst_put_time(p, &printer->time, cell->u64, TIME_DIGITS);
	case LKST_COLUMN_CLOCK:
		return lkst_put_time(p, &printer->clock, cell->u64, TIME_DIGITS);
	case LKST_COLUMN_PERCENT:
		return p + snprintf(p, LKST_CELL_ROOM, "%.1f %%", cell->number);
	case LKST_COLUMN_RATIO:
		return p + snprintf(p, LKST_CELL_ROOM, "%.2f", cell->number);
	case LKST_COLUMN_ADDRESS:
		return lkst_put_hex(p, cell->u64);
	case LKST_COLUMN_COUNT:
		return lkst_put_u64(p, cell->u64);
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
static char *put_number(char *p, const struct lkst_column *column, const struct lkst_cell *cell)
{
	switch (lkst_column_storage(column->type)) {
	case LKST_CELL_U64:
		return lkst_put_u64(p, cell->u64);
	case LKST_CELL_S64:
		return lkst_put_s64(p, cell->s64);
	case LKST_CELL_DOUBLE:
		return p + snprintf(p, LKST_CELL_ROOM, "%.15g", cell->number);
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
static bool is_left(const struct lkst_column *column)
{
	return column->type == LKST_COLUMN_TEXT;
}

static const char *heading(const struct lkst_table_printer *p, const struct lkst_column *column)
{
	return p->is_plain ? column->name : column->title;
}

/* How many rows of this portion are among those to be shown. */
static size_t shown_rows(const struct lkst_table_printer *p, const struct lkst_table *t)
{
	uint64_t room = p->max_rows > p->nr_rows ? p->max_rows - p->nr_rows : 0;

	return !p->max_rows || t->nr_rows < room ? t->nr_rows : (size_t)room;
}

static void measure(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char text[LKST_CELL_ROOM];
	unsigned int i, width;
	size_t row;

	for (i = 0; i < t->nr_columns; i++) {
		p->widths[i] = (unsigned int)strlen(heading(p, &t->columns[i]));
		/* "# " comes before the first one, where text is plain. */
		p->widths[i] += p->is_plain && !i ? 2 : 0;
		for (row = 0; row < shown_rows(p, t); row++) {
			width = text_width(text, lkst_put_cell(text, p, &t->columns[i],
							       lkst_table_cell(t, row, i)));
			p->widths[i] = width > p->widths[i] ? width : p->widths[i];
		}
	}
}

/* Writes [@text, @end) in column @i of @t; the last one is not filled up with blanks. */
static char *put_aligned(struct lkst_table_printer *p, char *q, const struct lkst_table *t,
			 unsigned int i, const char *text, const char *end)
{
	unsigned int width = text_width(text, end);
	unsigned int fill = width < p->widths[i] ? p->widths[i] - width : 0;
	bool left = is_left(&t->columns[i]);

	if (i)
		q = lkst_put_mem(q, "  ", 2);
	for (; !left && fill; fill--)
		*q++ = ' ';
	q = lkst_put_mem(q, text, (size_t)(end - text));
	for (; left && fill && i + 1 < t->nr_columns; fill--)
		*q++ = ' ';
	return q;
}

static void text_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	unsigned int i;
	const char *text;
	char *q;

	if (!p->is_plain)
		lkst_out_printf(p->out, "%s%s\n", p->nr_tables ? "\n" : "", t->title);
	else if (p->nr_tables)
		/* Two empty lines: what follows is another data set of gnuplot's. */
		lkst_out_str(p->out, "\n\n");
	if (t->kind == LKST_TABLE_HISTOGRAM && !p->is_plain)
		return;
	measure(p, t);
	if (p->is_plain) {
		lkst_out_str(p->out, "# ");
		p->widths[0] -= 2;
	}
	for (i = 0; i < t->nr_columns; i++) {
		q = lkst_out_room(p->out);
		text = heading(p, &t->columns[i]);
		lkst_out_advance(p->out, put_aligned(p, q, t, i, text, text + strlen(text)));
	}
	p->widths[0] += p->is_plain ? 2 : 0;
	lkst_out_str(p->out, "\n");
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
	for (row = 0; row < shown_rows(p, t); row++) {
		for (i = 0; i < t->nr_columns; i++) {
			q = lkst_out_room(p->out);
			end = lkst_put_cell(text, p, &t->columns[i], lkst_table_cell(t, row, i));
			if (end == text)
				*end++ = '-';
			lkst_out_advance(p->out, put_aligned(p, q, t, i, text, end));
		}
		lkst_out_str(p->out, "\n");
	}
}

static void text_end(struct lkst_table_printer *p, const struct lkst_table *t)
{
	char left_out[LKST_TABLE_LEFT_OUT_TEXT];
	unsigned int i;

	if (!p->nr_rows && !p->is_plain)
		lkst_out_str(p->out, "  none\n");
	if (p->max_rows && p->nr_rows > p->max_rows && t->kind == LKST_TABLE_ROWS)
		lkst_out_printf(p->out, "... and %llu more\n",
				(unsigned long long)(p->nr_rows - p->max_rows));
	if (lkst_table_left_out_text(t, left_out, sizeof(left_out)))
		lkst_out_message(p->out, "%sLeft out: %s.", p->is_plain ? "# " : "", left_out);
	for (i = 0; i < t->notes.nr; i++)
		lkst_out_message(p->out, "%s%s", p->is_plain ? "# " : "Note: ", t->notes.text[i]);
}

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------- */

static void csv_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	unsigned int i;

	if (p->nr_tables)
		lkst_out_str(p->out, "\r\n");
	for (i = 0; i < t->nr_columns; i++)
		lkst_out_printf(p->out, "%s%s%s", i ? "," : "", t->columns[i].name,
				lkst_column_suffix(t->columns[i].type));
	lkst_out_str(p->out, "\r\n");
}

static void csv_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	const struct lkst_cell *cell;
	unsigned int i;
	size_t row;

	for (row = 0; row < t->nr_rows; row++) {
		for (i = 0; i < t->nr_columns; i++) {
			cell = lkst_table_cell(t, row, i);
			if (i)
				lkst_out_str(p->out, ",");
			if (!cell->is_set)
				continue;
			if (t->columns[i].type == LKST_COLUMN_TEXT)
				lkst_out_advance(p->out, lkst_out_csv(p->out, lkst_out_room(p->out),
								      cell->text, cell->length));
			else
				lkst_out_advance(p->out, put_number(lkst_out_room(p->out),
								    &t->columns[i], cell));
		}
		lkst_out_str(p->out, "\r\n");
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_string(struct lkst_out *out, const char *text, size_t length)
{
	lkst_out_advance(out, lkst_out_json(out, lkst_out_room(out), text, length));
}

static void json_begin(struct lkst_table_printer *p, const struct lkst_table *t)
{
	lkst_out_str(p->out, p->nr_tables ? ",\n" : "{\n");
	json_string(p->out, t->name, strlen(t->name));
	lkst_out_str(p->out, ":{\"title\":");
	json_string(p->out, t->title, strlen(t->title));
	lkst_out_str(p->out, ",\"rows\":[");
}

static void json_rows(struct lkst_table_printer *p, const struct lkst_table *t)
{
	const struct lkst_cell *cell;
	unsigned int i;
	size_t row;

	for (row = 0; row < t->nr_rows; row++) {
		lkst_out_str(p->out, p->nr_rows || row ? ",\n{" : "\n{");
		for (i = 0; i < t->nr_columns; i++) {
			const struct lkst_column *column = &t->columns[i];

			cell = lkst_table_cell(t, row, i);
			lkst_out_printf(p->out, "%s\"%s%s\":", i ? "," : "", column->name,
					lkst_column_suffix(column->type));
			if (!cell->is_set)
				lkst_out_str(p->out, "null");
			else if (column->type == LKST_COLUMN_TEXT)
				json_string(p->out, cell->text, cell->length);
			else if (lkst_column_storage(column->type) == LKST_CELL_DOUBLE &&
				 !isfinite(cell->number))
				lkst_out_str(p->out, "null");
			else
				lkst_out_advance(p->out,
						 put_number(lkst_out_room(p->out), column, cell));
		}
		lkst_out_str(p->out, "}");
	}
}

static void json_left_out(struct lkst_table_printer *p, const struct lkst_table *t)
{
	unsigned int i;

	lkst_out_str(p->out, ",\"left_out\":{");
	for (i = 0; i < t->nr_left_out; i++)
		lkst_out_printf(p->out, "%s\"%s\":%llu", i ? "," : "", t->left_out[i].name,
				(unsigned long long)t->left_out[i].count);
	lkst_out_str(p->out, "}");
}

static void json_end(struct lkst_table_printer *p, const struct lkst_table *t)
{
	unsigned int i;

	lkst_out_str(p->out, "],\"notes\":[");
	for (i = 0; i < t->notes.nr; i++) {
		if (i)
			lkst_out_str(p->out, ",");
		json_string(p->out, t->notes.text[i], strlen(t->notes.text[i]));
	}
	lkst_out_str(p->out, "]");
	if (t->has_left_out)
		json_left_out(p, t);
	lkst_out_str(p->out, "}");
}

/* ---- the formats ----------------------------------------------------------------------------- */

static const struct {
	void (*begin)(struct lkst_table_printer *p, const struct lkst_table *t);
	void (*rows)(struct lkst_table_printer *p, const struct lkst_table *t);
	void (*end)(struct lkst_table_printer *p, const struct lkst_table *t); /* NULL: nothing */
} formats[] = {
	[LKST_TABLE_TEXT] = { text_begin, text_rows, text_end },
	[LKST_TABLE_CSV] = { csv_begin, csv_rows, NULL },
	[LKST_TABLE_JSON] = { json_begin, json_rows, json_end },
};

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
	if (p->format == LKST_TABLE_JSON)
		lkst_out_str(p->out, p->nr_tables ? "\n}\n" : "{}\n");
}
