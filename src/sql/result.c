/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the rows of a statement. As text, the first rows decide how wide the columns are. */
#include "sql/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/json_writer.h"
#include "base/vec.h"

enum {
	HELD_MAX = 256 * 1024, /* bytes of the rows that are held to be measured */
	CELLS_MAX = 64 * 1024, /* and their cells, which may be empty */
	WIDTH_MAX = 64,	       /* wider cells push what follows them to the right */
	NUMBER_ROOM = 64,
	BETWEEN = 2,   /* blanks between columns */
	PORTION = 256, /* bytes that are escaped at once */
};

struct cell {
	u32 start, length; /* in `text` */
	u32 width;	   /* in columns of a terminal */
	bool is_right;
};

struct lkst_sql_result {
	sqlite3_stmt *statement;
	enum lkst_table_format format;
	struct lkst_out *out;
	unsigned int nr_columns;
	struct lkst_json json;

	/* Text. */
	bool is_measured; /* rows go out as they come */
	u32 *widths;
	struct cell *cells;
	u32 nr_cells;
	char *text;
	u32 length;
};

/* ---- cells ----------------------------------------------------------------------------------- */

static char *put_double(char *p, double v)
{
	return p + snprintf(p, NUMBER_ROOM, "%.15g", v);
}

static char *put_blob(struct lkst_out *out, char *p, const u8 *bytes, u32 length)
{
	static const char digits[] = "0123456789abcdef";
	u32 i;

	for (i = 0; i < length; i++) {
		if (!(i % PORTION))
			p = lkst_out_more(out, p);
		*p++ = digits[bytes[i] >> 4];
		*p++ = digits[bytes[i] & 15];
	}
	return p;
}

/* Bytes of text or of a blob of column @i. */
static const char *bytes_of(const struct lkst_sql_result *x, unsigned int i, size_t *ret_length)
{
	const void *bytes = sqlite3_column_type(x->statement, (int)i) == SQLITE_BLOB
				    ? sqlite3_column_blob(x->statement, (int)i)
				    : sqlite3_column_text(x->statement, (int)i);

	*ret_length = bytes ? (size_t)sqlite3_column_bytes(x->statement, (int)i) : 0;
	return bytes ? bytes : "";
}

static const char *name_of(const struct lkst_sql_result *x, unsigned int i)
{
	return sqlite3_column_name(x->statement, (int)i) ?: "";
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_names(struct lkst_sql_result *x)
{
	unsigned int i;

	for (i = 0; i < x->nr_columns; i++) {
		char *p = lkst_out_room(x->out);

		if (i)
			*p++ = ',';
		p = lkst_out_csv(x->out, p, name_of(x, i), strlen(name_of(x, i)));
		lkst_out_advance(x->out, p);
	}
	lkst_out_str(x->out, "\r\n");
}

static void csv_row(struct lkst_sql_result *x)
{
	unsigned int i;
	size_t length;
	const char *bytes;

	for (i = 0; i < x->nr_columns; i++) {
		char *p = lkst_out_room(x->out);

		if (i)
			*p++ = ',';
		switch (sqlite3_column_type(x->statement, (int)i)) {
		case SQLITE_INTEGER:
			p = lkst_put_s64(p, sqlite3_column_int64(x->statement, (int)i));
			break;
		case SQLITE_FLOAT:
			p = put_double(p, sqlite3_column_double(x->statement, (int)i));
			break;
		case SQLITE_TEXT:
			bytes = bytes_of(x, i, &length);
			p = lkst_out_csv(x->out, p, bytes, length);
			break;
		case SQLITE_BLOB:
			bytes = bytes_of(x, i, &length);
			p = put_blob(x->out, p, (const u8 *)bytes, (u32)length);
			break;
		}
		lkst_out_advance(x->out, p);
	}
	lkst_out_str(x->out, "\r\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static int json_blob(struct lkst_sql_result *x, const char *name, const u8 *bytes, size_t length)
{
	_cleanup_free_ char *text = malloc(2 * length + 1);
	size_t i;

	if (!text)
		return -ENOMEM;
	for (i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	lkst_json_text(&x->json, name, text, 2 * length);
	return 0;
}

static int json_row(struct lkst_sql_result *x)
{
	const char *bytes;
	unsigned int i;
	size_t length;
	int err = 0;

	lkst_json_break(&x->json);
	lkst_json_object(&x->json, NULL);
	for (i = 0; i < x->nr_columns && !err; i++) {
		switch (sqlite3_column_type(x->statement, (int)i)) {
		case SQLITE_INTEGER:
			lkst_json_s64(&x->json, name_of(x, i),
				      sqlite3_column_int64(x->statement, (int)i));
			break;
		case SQLITE_FLOAT:
			lkst_json_double(&x->json, name_of(x, i),
					 sqlite3_column_double(x->statement, (int)i));
			break;
		case SQLITE_TEXT:
			bytes = bytes_of(x, i, &length);
			lkst_json_text(&x->json, name_of(x, i), bytes, length);
			break;
		case SQLITE_BLOB:
			bytes = bytes_of(x, i, &length);
			err = json_blob(x, name_of(x, i), (const u8 *)bytes, length);
			break;
		default:
			lkst_json_null(&x->json, name_of(x, i));
		}
	}
	lkst_json_end(&x->json);
	return err;
}

/* ---- text ------------------------------------------------------------------------------------ */

static u32 width_of(const char *text, u32 length)
{
	u32 width = 0, i;

	for (i = 0; i < length; i++)
		width += ((u8)text[i] & 0xc0) != 0x80;
	return width;
}

/* Holds @length bytes of @text, which fit on one line of a terminal, as the next cell. */
static int hold(struct lkst_sql_result *x, const char *text, size_t length, bool is_right)
{
	struct cell *cell = lkst_vec_add(x->cells, x->nr_cells);
	char *more;

	if (!cell)
		return -ENOMEM;
	more = realloc(x->text, x->length + length + 1);
	if (!more)
		return -ENOMEM;
	x->text = more;
	memcpy(x->text + x->length, text, length);
	*cell = (struct cell){ x->length, (u32)length, width_of(text, (u32)length), is_right };
	x->length += (u32)length;
	return 0;
}

static int hold_bytes(struct lkst_sql_result *x, const char *text, size_t length)
{
	_cleanup_free_ char *escaped = malloc(4 * length + 1);
	char *end;

	if (!escaped)
		return -ENOMEM;
	end = lkst_put_escaped(escaped, text, length, "");
	return hold(x, escaped, (size_t)(end - escaped), false);
}

static int hold_blob(struct lkst_sql_result *x, const u8 *bytes, size_t length)
{
	_cleanup_free_ char *text = malloc(2 * length + 4);
	size_t i;
	char *p = text;

	if (!text)
		return -ENOMEM;
	p = lkst_put_str(p, "x'");
	for (i = 0; i < length; i++)
		p += snprintf(p, 3, "%02x", bytes[i]);
	*p++ = '\'';
	return hold(x, text, (size_t)(p - text), false);
}

static int hold_cell(struct lkst_sql_result *x, unsigned int i)
{
	char number[NUMBER_ROOM];
	const char *bytes;
	size_t length;

	switch (sqlite3_column_type(x->statement, (int)i)) {
	case SQLITE_INTEGER:
		return hold(
			x, number,
			(size_t)(lkst_put_s64(number, sqlite3_column_int64(x->statement, (int)i)) -
				 number),
			true);
	case SQLITE_FLOAT:
		return hold(
			x, number,
			(size_t)(put_double(number, sqlite3_column_double(x->statement, (int)i)) -
				 number),
			true);
	case SQLITE_TEXT:
		bytes = bytes_of(x, i, &length);
		return hold_bytes(x, bytes, length);
	case SQLITE_BLOB:
		bytes = bytes_of(x, i, &length);
		return hold_blob(x, (const u8 *)bytes, length);
	default:
		return hold(x, "", 0, false);
	}
}

static void print_blanks(struct lkst_out *out, u32 nr)
{
	char *p = lkst_out_room(out);

	while (nr--)
		*p++ = ' ';
	lkst_out_advance(out, p);
}

static void print_cell(struct lkst_sql_result *x, unsigned int column, const struct cell *cell,
		       bool is_right)
{
	u32 width = x->widths[column];
	u32 blanks = cell->width < width ? width - cell->width : 0;

	if (column)
		print_blanks(x->out, BETWEEN);
	if (is_right)
		print_blanks(x->out, blanks);
	lkst_out_bytes(x->out, x->text + cell->start, cell->length);
	if (!is_right && column + 1 < x->nr_columns)
		print_blanks(x->out, blanks);
}

/* Prints the rows that are held. The names are the first; they are above what the next row has. */
static void print_held(struct lkst_sql_result *x)
{
	u32 i;

	for (i = 0; i < x->nr_cells; i++) {
		unsigned int column = i % x->nr_columns;
		bool is_name = !x->is_measured && i < x->nr_columns;
		u32 says = is_name && i + x->nr_columns < x->nr_cells ? i + x->nr_columns : i;

		print_cell(x, column, &x->cells[i], x->cells[says].is_right);
		if (column + 1 == x->nr_columns)
			lkst_out_str(x->out, "\n");
	}
	free(x->cells);
	x->cells = NULL;
	x->nr_cells = 0;
	x->length = 0;
}

static void measure_and_print(struct lkst_sql_result *x)
{
	u32 i;

	for (i = 0; i < x->nr_cells && !x->is_measured; i++) {
		u32 width = x->cells[i].width < WIDTH_MAX ? x->cells[i].width : WIDTH_MAX;
		u32 *widest = &x->widths[i % x->nr_columns];

		*widest = width > *widest ? width : *widest;
	}
	print_held(x);
	x->is_measured = true;
}

static int text_names(struct lkst_sql_result *x)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < x->nr_columns && !err; i++)
		err = hold_bytes(x, name_of(x, i), strlen(name_of(x, i)));
	return err;
}

static int text_row(struct lkst_sql_result *x)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < x->nr_columns && !err; i++)
		err = hold_cell(x, i);
	if (!err && (x->is_measured || x->length > HELD_MAX || x->nr_cells > CELLS_MAX))
		measure_and_print(x);
	return err;
}

/* ---- all forms ------------------------------------------------------------------------------- */

int lkst_sql_result_new(sqlite3_stmt *statement, enum lkst_table_format format,
			struct lkst_out *out, struct lkst_sql_result **ret_result)
{
	struct lkst_sql_result *x = calloc(1, sizeof(*x));
	int err = 0;

	*ret_result = x;
	if (!x)
		return -ENOMEM;
	x->statement = statement;
	x->format = format;
	x->out = out;
	x->nr_columns = (unsigned int)sqlite3_column_count(statement);
	x->widths = calloc(x->nr_columns, sizeof(*x->widths));
	if (!x->widths)
		return -ENOMEM;
	if (format == LKST_TABLE_TEXT)
		err = text_names(x);
	if (format == LKST_TABLE_CSV)
		csv_names(x);
	if (format == LKST_TABLE_JSON) {
		lkst_json_init(&x->json, out);
		lkst_json_array(&x->json, NULL);
	}
	return err;
}

int lkst_sql_result_row(struct lkst_sql_result *x)
{
	switch (x->format) {
	case LKST_TABLE_CSV:
		csv_row(x);
		return 0;
	case LKST_TABLE_JSON:
		return json_row(x);
	default:
		return text_row(x);
	}
}

void lkst_sql_result_end(struct lkst_sql_result *x)
{
	if (!x)
		return;
	if (x->format == LKST_TABLE_TEXT && x->widths)
		measure_and_print(x);
	if (x->format == LKST_TABLE_JSON && x->widths)
		lkst_json_end(&x->json);
	free(x->cells);
	free(x->text);
	free(x->widths);
	free(x);
}
