/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the rows of a statement. As text, the first rows decide how wide the columns are. */
#include "sql/query/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "base/vec.h"
#include "result/json_writer.h"

enum {
	HELD_MAX = 64 * 1024,  /* bytes of the rows that are held to be measured */
	CELLS_MAX = 16 * 1024, /* and their cells, which may be empty */
	WIDTH_MAX = 64,	       /* wider cells push what follows them to the right */
	NUMBER_ROOM = 64,
	BETWEEN = 2,	 /* blanks between columns */
	PORTION = 256,	 /* bytes that are escaped at once */
	ROOM_MIN = 4096, /* bytes of text that there is room for */
	ESCAPED = 4,	 /* bytes that one may become when it is escaped */
	CELL_ROOM = LKST_OUT_ROOM / 2, /* longer ones are copied as a whole */
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
	char *text; /* of the cells that are held, or of the row */
	u32 length;
	size_t room;
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

/*
 * What the row has in column @i. SQLite calls it unprotected: it must not be shared between threads. To ask it for its
 * type and its bytes is faster than to ask the statement, which looks for the column each time.
 */
static sqlite3_value *result_value_of(const struct lkst_sql_result *x, unsigned int i)
{
	return sqlite3_column_value(x->statement, (int)i);
}

/* Bytes of text or of a blob. */
static const char *result_bytes_of(sqlite3_value *value, size_t *ret_length)
{
	const void *bytes = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value)
								     : sqlite3_value_text(value);

	*ret_length = bytes ? (size_t)sqlite3_value_bytes(value) : 0;
	return bytes ? bytes : "";
}

static const char *result_name_of(const struct lkst_sql_result *x, unsigned int i)
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
		p = lkst_out_csv(x->out, p, result_name_of(x, i), strlen(result_name_of(x, i)));
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
		sqlite3_value *value = result_value_of(x, i);
		char *p = lkst_out_room(x->out);

		if (i)
			*p++ = ',';
		switch (sqlite3_value_type(value)) {
		case SQLITE_INTEGER:
			p = lkst_put_s64(p, sqlite3_value_int64(value));
			break;
		case SQLITE_FLOAT:
			p = put_double(p, sqlite3_value_double(value));
			break;
		case SQLITE_TEXT:
			bytes = result_bytes_of(value, &length);
			p = lkst_out_csv(x->out, p, bytes, length);
			break;
		case SQLITE_BLOB:
			bytes = result_bytes_of(value, &length);
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

	if (!text)
		return -ENOMEM;
	lkst_put_bytes(text, bytes, length);
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
		sqlite3_value *value = result_value_of(x, i);

		switch (sqlite3_value_type(value)) {
		case SQLITE_INTEGER:
			lkst_json_s64(&x->json, result_name_of(x, i), sqlite3_value_int64(value));
			break;
		case SQLITE_FLOAT:
			lkst_json_double(&x->json, result_name_of(x, i), sqlite3_value_double(value));
			break;
		case SQLITE_TEXT:
			bytes = result_bytes_of(value, &length);
			lkst_json_text(&x->json, result_name_of(x, i), bytes, length);
			break;
		case SQLITE_BLOB:
			bytes = result_bytes_of(value, &length);
			err = json_blob(x, result_name_of(x, i), (const u8 *)bytes, length);
			break;
		default:
			lkst_json_null(&x->json, result_name_of(x, i));
		}
	}
	lkst_json_end(&x->json);
	return err;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Columns of a terminal: bytes but those that go on with a character of UTF-8, which have the highest two bits 10. */
static u32 result_width_of(const char *text, u32 length)
{
	const u64 ones = 0x0101010101010101ULL, highest = ones << 7;
	u32 width = length;
	u64 word;

	for (; length >= sizeof(word); text += sizeof(word), length -= (u32)sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		/* The product's highest byte is the sum of all bytes, which are 1 or 0. */
		width -= (u32)(((word & ~(word << 1) & highest) >> 7) * ones >> 56);
	}
	for (; length; length--)
		width -= ((u8)*text++ & 0xc0) == 0x80;
	return width;
}

/* Where @nr more bytes of text are held; NULL: no memory. */
static char *result_text_room(struct lkst_sql_result *x, size_t nr)
{
	size_t least = x->length + nr, room = x->room ? x->room : ROOM_MIN;
	char *more;

	if (least < x->room)
		return x->text + x->length;
	while (room <= least)
		room *= 2;
	more = realloc(x->text, room);
	if (!more)
		return NULL;
	x->text = more;
	x->room = room;
	return x->text + x->length;
}

/* Writes @length bytes of @text so that they fit on one line of a terminal. They become the next cell, *@ret_cell. */
static int hold_text(struct lkst_sql_result *x, const char *text, size_t length, struct cell *ret_cell)
{
	char *p = result_text_room(x, ESCAPED * length), *end;
	u32 nr;

	if (!p)
		return -ENOMEM;
	end = lkst_put_escaped(p, text, length, "");
	nr = (u32)(end - p);
	*ret_cell = (struct cell){ x->length, nr, result_width_of(p, nr), false };
	x->length += nr;
	return 0;
}

/* The same for one that needs no escapes, from @p to @end in the room. */
static int hold_plain(struct lkst_sql_result *x, const char *p, const char *end, bool is_right,
		      struct cell *ret_cell)
{
	u32 nr = (u32)(end - p);

	*ret_cell = (struct cell){ x->length, nr, nr, is_right };
	x->length += nr;
	return 0;
}

static int hold_blob(struct lkst_sql_result *x, const u8 *bytes, size_t length, struct cell *ret_cell)
{
	char *text = result_text_room(x, 2 * length + 4), *p = text;

	if (!text)
		return -ENOMEM;
	p = lkst_put_bytes(lkst_put_str(p, "x'"), bytes, length);
	*p++ = '\'';
	return hold_plain(x, text, p, false, ret_cell);
}

/* What the row has in column @i becomes the next cell that is held. */
static int hold_cell(struct lkst_sql_result *x, unsigned int i, struct cell *ret_cell)
{
	sqlite3_value *value = result_value_of(x, i);
	char *p = result_text_room(x, NUMBER_ROOM);
	const char *bytes;
	size_t length;

	if (!p)
		return -ENOMEM;
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		return hold_plain(x, p, lkst_put_s64(p, sqlite3_value_int64(value)), true, ret_cell);
	case SQLITE_FLOAT:
		return hold_plain(x, p, put_double(p, sqlite3_value_double(value)), true, ret_cell);
	case SQLITE_TEXT:
		bytes = result_bytes_of(value, &length);
		return hold_text(x, bytes, length, ret_cell);
	case SQLITE_BLOB:
		bytes = result_bytes_of(value, &length);
		return hold_blob(x, (const u8 *)bytes, length, ret_cell);
	default:
		return hold_plain(x, p, p, false, ret_cell);
	}
}

_Static_assert(WIDTH_MAX + BETWEEN + WIDTH_MAX + CELL_ROOM + 1 < LKST_OUT_ROOM, "the room takes a cell and its blanks");

static char *put_blanks(char *p, u32 nr)
{
	memset(p, ' ', nr);
	return p + nr;
}

/*
 * Prints a cell of a row, and a line's end behind the last. *@after: blanks that belong behind the cell before it. @p
 * and the result are as in lkst_out_more().
 */
static char *print_cell(struct lkst_sql_result *x, char *p, unsigned int column, const struct cell *cell,
			bool is_right, u32 *after)
{
	u32 width = x->widths[column];
	u32 blanks = cell->width < width ? width - cell->width : 0;

	p = put_blanks(p, *after + (column ? BETWEEN : 0) + (is_right ? blanks : 0));
	*after = is_right ? 0 : blanks;
	if (cell->length <= CELL_ROOM) {
		p = lkst_put_mem(p, x->text + cell->start, cell->length);
	} else {
		lkst_out_advance(x->out, p);
		lkst_out_bytes(x->out, x->text + cell->start, cell->length);
		p = lkst_out_room(x->out);
	}
	if (column + 1 == x->nr_columns) {
		*p++ = '\n';
		*after = 0;
	}
	return lkst_out_more(x->out, p);
}

/* Prints the rows that are held. The names are the first; they are above what the next row has. */
static void print_held(struct lkst_sql_result *x)
{
	char *p = lkst_out_room(x->out);
	u32 i, after = 0;

	for (i = 0; i < x->nr_cells; i++) {
		u32 says = i < x->nr_columns && i + x->nr_columns < x->nr_cells ? i + x->nr_columns : i;

		p = print_cell(x, p, i % x->nr_columns, &x->cells[i], x->cells[says].is_right, &after);
	}
	lkst_out_advance(x->out, p);
	x->nr_cells = 0;
	x->length = 0;
}

/* From here on the widths stay, and rows go out as they come. */
static void measure_and_print(struct lkst_sql_result *x)
{
	u32 i;

	for (i = 0; i < x->nr_cells; i++) {
		u32 width = x->cells[i].width < WIDTH_MAX ? x->cells[i].width : WIDTH_MAX;
		u32 *widest = &x->widths[i % x->nr_columns];

		*widest = width > *widest ? width : *widest;
	}
	print_held(x);
	x->is_measured = true;
}

static int result_add_cell(struct lkst_sql_result *x, struct cell of)
{
	struct cell *cell = lkst_vec_add(x->cells, x->nr_cells);

	if (!cell)
		return -ENOMEM;
	*cell = of;
	return 0;
}

static int text_names(struct lkst_sql_result *x)
{
	struct cell cell;
	unsigned int i;
	int err = 0;

	for (i = 0; i < x->nr_columns && !err; i++)
		err = hold_text(x, result_name_of(x, i), strlen(result_name_of(x, i)), &cell)
			      ?: result_add_cell(x, cell);
	return err;
}

/* Holds the row, to be measured with others. */
static int result_hold_row(struct lkst_sql_result *x)
{
	struct cell cell;
	unsigned int i;
	int err = 0;

	for (i = 0; i < x->nr_columns && !err; i++)
		err = hold_cell(x, i, &cell) ?: result_add_cell(x, cell);
	if (!err && (x->length > HELD_MAX || x->nr_cells > CELLS_MAX))
		measure_and_print(x);
	return err;
}

/* Prints it at once. */
static int print_row(struct lkst_sql_result *x)
{
	char *p = lkst_out_room(x->out);
	struct cell cell;
	unsigned int i;
	u32 after = 0;
	int err = 0;

	for (i = 0; i < x->nr_columns && !err; i++) {
		err = hold_cell(x, i, &cell);
		if (!err)
			p = print_cell(x, p, i, &cell, cell.is_right, &after);
		x->length = 0;
	}
	lkst_out_advance(x->out, p);
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
		return x->is_measured ? print_row(x) : result_hold_row(x);
	}
}

void lkst_sql_result_end(struct lkst_sql_result *x)
{
	if (!x)
		return;
	if (x->format == LKST_TABLE_TEXT && x->widths && !x->is_measured)
		measure_and_print(x);
	if (x->format == LKST_TABLE_JSON && x->widths)
		lkst_json_end(&x->json);
	free(x->cells);
	free(x->text);
	free(x->widths);
	free(x);
}
