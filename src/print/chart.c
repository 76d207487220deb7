/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram drawn in the terminal. */
#include "print/chart.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

#include "base/size.h"

enum {
	WIDTH_STANDARD = 80,
	WIDTH_MIN = 40,
	WIDTH_MAX = 200,
	COLUMN_FROM = 0,
	COLUMN_TO = 1,
	COLUMN_COUNT = 2,
	LABEL_MAX = 2 * LKST_DURATION_TEXT + 8,
};

/* Marks the ranges in which these shares of all are reached, in thousandths. */
static const struct {
	unsigned int share;
	const char *name;
} marks[] = { { 500, "p50" }, { 950, "p95" }, { 990, "p99" }, { 999, "p99.9" } };
enum { NR_MARKS = sizeof(marks) / sizeof(marks[0]) };

/* ---- the terminal ---------------------------------------------------------------------------- */

static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value;
	size_t i;

	/* The first that is set and not empty counts (POSIX, environment variables). */
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

void lkst_chart_init(struct lkst_chart *chart, int fd)
{
	struct winsize size;

	chart->is_utf8 = locale_is_utf8();
	chart->width = WIDTH_STANDARD;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		chart->width = size.ws_col;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void format_bound(enum lkst_column_type type, uint64_t value, char text[LKST_DURATION_TEXT])
{
	_Static_assert((int)LKST_SIZE_TEXT <= (int)LKST_DURATION_TEXT, "either fits");

	if (type == LKST_COLUMN_DURATION)
		lkst_duration_format(value, text);
	else if (type == LKST_COLUMN_BYTES)
		lkst_size_format(value, text);
	else
		snprintf(text, LKST_DURATION_TEXT, "%llu", (unsigned long long)value);
}

/* "1.02 us to 2.05 us", or the one number that the range holds. */
static void format_range(const struct lkst_table *t, size_t row, char text[LABEL_MAX])
{
	enum lkst_column_type type = t->columns[COLUMN_FROM].type;
	uint64_t from = lkst_table_cell(t, row, COLUMN_FROM)->u64;
	uint64_t to = lkst_table_cell(t, row, COLUMN_TO)->u64;
	char first[LKST_DURATION_TEXT], last[LKST_DURATION_TEXT];

	format_bound(type, from, first);
	if (to - from == 1) {
		snprintf(text, LABEL_MAX, "%s", first);
		return;
	}
	/* Where every number counts, the range ends with its last one. */
	format_bound(type, type == LKST_COLUMN_DURATION ? to : to - 1, last);
	snprintf(text, LABEL_MAX, "%s to %s", first, last);
}

/* A bar of @eighths of a character, and blanks up to @width characters. */
static void put_bar(const struct lkst_chart *chart, struct lkst_out *out, unsigned int eighths,
		    unsigned int width)
{
	static const char *const parts[] = { "",       "\u258f", "\u258e", "\u258d",
					     "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned int i, full = eighths / 8, part = eighths % 8;

	if (!chart->is_utf8) {
		full = (eighths + 4) / 8;
		/* What is there can be seen. */
		full = eighths && !full ? 1 : full;
		part = 0;
	}
	for (i = 0; i < full; i++)
		lkst_out_str(out, chart->is_utf8 ? "\u2588" : "#");
	lkst_out_str(out, parts[part]);
	for (i += part != 0; i < width; i++)
		lkst_out_str(out, " ");
}

/* The names of the marks that are reached when @seen has become @now, of @total. */
static void chart_put_marks(struct lkst_out *out, uint64_t seen, uint64_t now, uint64_t total)
{
	const char *before = "  ";
	unsigned int i;

	for (i = 0; i < NR_MARKS; i++) {
		double rank = (double)total * marks[i].share / 1000;

		if ((double)seen < rank && (double)now >= rank) {
			lkst_out_str(out, before);
			lkst_out_str(out, marks[i].name);
			before = " ";
		}
	}
}

void lkst_chart_print(const struct lkst_chart *chart, struct lkst_out *out,
		      const struct lkst_table *t)
{
	unsigned int label_width = 0, count_width = 0, bar_width, fixed, width;
	uint64_t total = 0, most = 0, seen = 0, count;
	char label[LABEL_MAX];
	size_t row;
	int length;

	assert(t->kind == LKST_TABLE_HISTOGRAM && t->nr_columns == 3);
	for (row = 0; row < t->nr_rows; row++) {
		count = lkst_table_cell(t, row, COLUMN_COUNT)->u64;
		total += count;
		most = count > most ? count : most;
		format_range(t, row, label);
		label_width =
			strlen(label) > label_width ? (unsigned int)strlen(label) : label_width;
		length = snprintf(NULL, 0, "%llu", (unsigned long long)count);
		count_width =
			(unsigned int)length > count_width ? (unsigned int)length : count_width;
	}
	width = chart->width < WIDTH_MIN   ? WIDTH_MIN
		: chart->width > WIDTH_MAX ? WIDTH_MAX
					   : chart->width;
	/* label, count, share, the bar between strokes, marks */
	fixed = 2 + label_width + 2 + count_width + 2 + 7 + 3 + 1 + 16;
	bar_width = fixed + 8 < width ? width - fixed : 8;
	for (row = 0; row < t->nr_rows; row++) {
		count = lkst_table_cell(t, row, COLUMN_COUNT)->u64;
		format_range(t, row, label);
		lkst_out_printf(out, "  %*s  %*llu  %5.1f %% |", (int)label_width, label,
				(int)count_width, (unsigned long long)count,
				total ? 100.0 * (double)count / (double)total : 0.0);
		put_bar(chart, out,
			most ? (unsigned int)((double)count * bar_width * 8 / (double)most + 0.5)
			     : 0,
			bar_width);
		lkst_out_str(out, "|");
		chart_put_marks(out, seen, seen + count, total);
		lkst_out_str(out, "\n");
		seen += count;
	}
}
