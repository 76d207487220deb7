/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results as data: a table of typed cells that knows what its columns mean. An analysis fills
 * tables and prints nothing; text, CSV, JSON, a page or a database walk the same tables.
 */
#ifndef LKST_RESULT_TABLE_H
#define LKST_RESULT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/notes.h"

/*
 * What a column holds: the name, how a cell stores it, and the suffix that its column's name gets
 * where a number stands alone, as in CSV and JSON.
 */
#define LKST_COLUMN_TYPES(T)                                                                       \
	T(TEXT, TEXT, "")	/* words */                                                        \
	T(COUNT, U64, "")	/* how many */                                                     \
	T(NUMBER, S64, "")	/* a plain number, perhaps negative */                             \
	T(DURATION, U64, "_ns") /* how long, ns; a person reads "3.2 ms" */                        \
	T(SECONDS, U64, "_ns")	/* the same, ns; a person or gnuplot reads "0.003200000" */        \
	T(TIME, U64, "_ns")	/* when, ns of CLOCK_MONOTONIC; a person reads time of day */      \
	T(CLOCK, U64, "_ns")	/* the same; a person or gnuplot reads "434.123456789" */          \
	T(BYTES, U64, "_bytes") /* how much */                                                     \
	T(PERCENT, DOUBLE, "_percent") /* a share, 0 to 100 */                                     \
	T(RATIO, DOUBLE, "")	       /* a number with a fraction */                              \
	T(TID, S64, "")		       /* a thread */                                              \
	T(PID, S64, "")		       /* a process */                                             \
	T(CPU, S64, "")		       /* a CPU number */                                          \
	T(ADDRESS, U64, "")	       /* an address, hexadecimal */                               \
	T(FLAG, BOOL, "")	       /* yes or no */

enum lkst_column_type {
#define T(name, storage, suffix) LKST_COLUMN_##name,
	LKST_COLUMN_TYPES(T)
#undef T
		LKST_NR_COLUMN_TYPES,
};

enum lkst_cell_storage {
	LKST_CELL_TEXT,
	LKST_CELL_U64,
	LKST_CELL_S64,
	LKST_CELL_DOUBLE,
	LKST_CELL_BOOL, /* in `u64` */
};

/* How cells of a type are stored, and the suffix of their columns' names ("" or "_ns"). */
enum lkst_cell_storage lkst_column_storage(enum lkst_column_type type);
const char *lkst_column_suffix(enum lkst_column_type type);

/* The type as programs read it: "duration". */
enum { LKST_COLUMN_TYPE_WORD = 16 };
void lkst_column_type_word(enum lkst_column_type type, char word[LKST_COLUMN_TYPE_WORD]);

struct lkst_column {
	const char *name;  /* one word, for programs: "max"; NULL: it is not in CSV and JSON */
	const char *title; /* for people: "longest"; NULL: it is not in text */
	enum lkst_column_type type;
	const char *help; /* one line: what it says */
};

/*
 * The name with its type's suffix, as programs read it; a name that has the suffix, or is it ("bytes"), stays. No
 * column has a name of more than LKST_COLUMN_NAME_MAX bytes: a longer one is cut.
 */
enum {
	LKST_COLUMN_NAME_MAX = 256,
	LKST_COLUMN_NAME = LKST_COLUMN_NAME_MAX + sizeof("_percent"),
};
void lkst_column_name(const struct lkst_column *column, char name[LKST_COLUMN_NAME]);

/* A cell's text belongs to its table and ends with a NUL. */
struct lkst_cell {
	union {
		const char *text;
		uint64_t u64;
		int64_t s64;
		double number;
	};
	uint32_t length; /* of the text */
	bool is_set;	 /* false: there is no value */
	bool is_at_least; /* a number that may be more: not all was recorded that it counts */
	bool is_at_most;  /* one that may be less: some of it may be of what was not recorded */
};

enum lkst_table_kind {
	LKST_TABLE_ROWS,
	/* Columns "from", "to" (of one type; to is not in the row) and "count", rows ascending. */
	LKST_TABLE_HISTOGRAM,
	LKST_TABLE_SENTENCES, /* what people are shown of a row is a number and a sentence, perhaps after a host */
};

struct lkst_table;

/* Of what the table is about, occurrences that are not in it, for one reason. */
struct lkst_table_left_out {
	const char *name;   /* one word, for programs: "gap" */
	const char *reason; /* for people, after a number: "across a gap in the trace" */
	uint64_t count;
};

/* Takes the rows that a table holds, which then drops them. 0 or a negative errno. */
typedef int lkst_table_sink(void *arg, const struct lkst_table *t);

struct lkst_table {
	const char *name;  /* one word, for programs */
	const char *title; /* for people */
	enum lkst_table_kind kind;
	const struct lkst_column *columns; /* borrowed */
	unsigned int nr_columns;
	struct lkst_cell *cells; /* row by row */
	size_t nr_rows;
	struct lkst_notes notes; /* sentences that belong below the table */
	struct lkst_table_left_out *left_out;
	unsigned int nr_left_out;
	bool has_left_out; /* what is left out is counted, even if there is nothing */
	bool is_at_least;  /* its counts and sums may be more: not all was recorded that they rest on */
	int error;	   /* the first negative errno, after which nothing is added */

	/* Private. */
	size_t room;		/* rows that `cells` has room for */
	unsigned int at;	/* cells that the last row has */
	struct lkst_text *text; /* memory of the texts */
	lkst_table_sink *sink;
	void *sink_arg;
};

enum {
	LKST_TABLE_COLUMNS_MAX = 32,
	LKST_TABLE_LEFT_OUT_TEXT = 1024,
	LKST_TABLE_SINK_ROWS = 1024, /* so many rows go to a sink at once, the last time fewer */
};

/* @name and @title (NULL: the name) are copied, @columns is borrowed. */
void lkst_table_init(struct lkst_table *t, const char *name, const char *title,
		     const struct lkst_column *columns, unsigned int nr_columns);
void lkst_table_fini(struct lkst_table *t);

/* The same for an array @columns. */
#define lkst_table_init_of(t, name, title, columns)                                                \
	lkst_table_init(t, name, title, columns, sizeof(columns) / sizeof((columns)[0]))

/* For a table of any length in bounded memory: its rows go to @sink in portions as they are made. */
void lkst_table_set_sink(struct lkst_table *t, lkst_table_sink *sink, void *arg);

/*
 * A row is begun, then its cells are added from left to right, each with the function that its
 * column's storage needs. Failure sticks: ask `error`, or the result of lkst_table_end().
 */
void lkst_table_row(struct lkst_table *t);
void lkst_table_u64(struct lkst_table *t, uint64_t value);
void lkst_table_s64(struct lkst_table *t, int64_t value);
void lkst_table_double(struct lkst_table *t, double value);
void lkst_table_bool(struct lkst_table *t, bool value);
void lkst_table_text(struct lkst_table *t, const char *text, size_t length);
void lkst_table_str(struct lkst_table *t, const char *text);
void lkst_table_printf(struct lkst_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void lkst_table_none(struct lkst_table *t);

/* The number that was added last is a lower bound: text says "at least". */
void lkst_table_at_least(struct lkst_table *t);

/* It is an upper bound: text says "at most". */
void lkst_table_at_most(struct lkst_table *t);

/*
 * @count occurrences are not in the table, for @reason, called @name (both borrowed); 0 says no more than
 * that they are counted. Failure sticks.
 */
void lkst_table_leave_out(struct lkst_table *t, const char *name, const char *reason,
			  uint64_t count);

/* "3 across a gap in the trace, 1 that failed". False: nothing is left out. */
bool lkst_table_left_out_text(const struct lkst_table *t, char *text, size_t size);

/* After the last row: gives what is left to the sink, if there is one. Returns `error`. */
int lkst_table_end(struct lkst_table *t);

static inline const struct lkst_cell *lkst_table_cell(const struct lkst_table *t, size_t row,
						      unsigned int column)
{
	return &t->cells[row * t->nr_columns + column];
}

/* The column called @name, -1: there is none. */
int lkst_table_column(const struct lkst_table *t, const char *name);

/* The cell of row @row in the column called @name; one that is not set: there is no such column. */
const struct lkst_cell *lkst_table_cell_of(const struct lkst_table *t, size_t row, const char *name);

/* Sorts the rows by a column; equal ones stay in their order. Rows without value come last. */
void lkst_table_sort(struct lkst_table *t, unsigned int column, bool descending);

/* Drops the rows from number @nr on. */
void lkst_table_cut(struct lkst_table *t, size_t nr);

/* Several tables: what a question was answered with. All zero is an empty set. */
struct lkst_tables {
	struct lkst_table **items;
	unsigned int nr;
};

/* Adds a table, made as lkst_table_init() does; it belongs to the set. NULL: no memory. */
struct lkst_table *lkst_tables_add(struct lkst_tables *set, const char *name, const char *title,
				   const struct lkst_column *columns, unsigned int nr_columns);
void lkst_tables_fini(struct lkst_tables *set);

/* The table called @name; NULL: there is none. */
const struct lkst_table *lkst_tables_find(const struct lkst_tables *set, const char *name);

#endif
