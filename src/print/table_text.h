/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints tables (result/table.h): aligned text for people, CSV (RFC 4180) and JSON for programs.
 */
#ifndef LKST_PRINT_TABLE_TEXT_H
#define LKST_PRINT_TABLE_TEXT_H

#include "result/json_writer.h"
#include "base/out.h"
#include "result/table.h"
#include "base/time.h"
#include "base/choice.h"
#include "print/chart.h"

/* To add one: a constant here, and its row in table_text.c. */
enum lkst_table_format {
	LKST_TABLE_TEXT,
	LKST_TABLE_CSV, /* a header line and lines of values; several tables: an empty line between */
	/*
	 * An object by table name, with "title", "rows" (objects), "notes", perhaps "left_out", "kind" ("rows" or
	 * "histogram"), and "columns": {"name": in the rows, "title": for people, null: not for them, "type": enum
	 * lkst_column_type, "help"}.
	 */
	LKST_TABLE_JSON,
};

/* Their words, in the order of the enum: "text", "csv", "json". */
bool lkst_table_format_choices(unsigned int i, struct lkst_choice *ret_choice);

enum {
	LKST_CELL_TEXT_MAX = 256,		 /* characters of a cell that `max_text` may be */
	LKST_CELL_ROOM = 4 * LKST_CELL_TEXT_MAX, /* a cell as text, escaped */
};

/*
 * Prints tables one after another. A table whose rows come in portions is printed with
 * lkst_table_print_rows() as its sink; then widths are those of the first portion.
 */
struct lkst_table_printer {
	struct lkst_out *out;
	enum lkst_table_format format;
	struct lkst_time_text time;  /* how columns of TIME read */
	struct lkst_time_text clock; /* how columns of CLOCK read */
	struct lkst_chart chart;     /* how histograms are drawn */
	uint64_t max_rows;	     /* of a table that text shows, 0: all */
	unsigned int max_text;	     /* characters of a cell or heading that text shows, 120 */
	bool is_untitled; /* the title of a table that is alone says nothing */
	bool is_plain; /* text without title, notes and blanks in names of columns: for gnuplot */

	/* Private. */
	unsigned int nr_tables; /* begun */
	uint64_t nr_rows;	/* of this table */
	bool is_begun;
	struct lkst_json json;
	unsigned int first, last; /* columns that text shows */
	unsigned int widths[LKST_TABLE_COLUMNS_MAX];
};

/* @clock_offset_ns: time of day = CLOCK_MONOTONIC + this. */
void lkst_table_printer_init(struct lkst_table_printer *p, struct lkst_out *out,
			     enum lkst_table_format format, uint64_t clock_offset_ns);

/* A whole table, notes and all. */
void lkst_table_print(struct lkst_table_printer *p, const struct lkst_table *t);

/* A portion of rows, a lkst_table_sink for @printer; lkst_table_print_end() comes after the last. */
int lkst_table_print_rows(void *printer, const struct lkst_table *t);
void lkst_table_print_end(struct lkst_table_printer *p, const struct lkst_table *t);

/* After the last table. */
void lkst_table_printer_end(struct lkst_table_printer *p);

/* A row as a JSON object: columns by their names. For answers that are more than their table. */
void lkst_table_json_row(struct lkst_json *j, const struct lkst_table *t, size_t row);

/*
 * A cell as a person reads it ("3.2 ms", "17 KiB"), at most LKST_CELL_ROOM bytes; returns the end.
 * Nothing for a cell without value.
 */
char *lkst_put_cell(char *p, struct lkst_table_printer *printer, const struct lkst_column *column,
		    const struct lkst_cell *cell);

#endif
