/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what a ClickHouse server answers: the first byte says in how large pieces the rest comes, and whether
 * its columns are known. Whatever comes, it is an error or a table, the same one in one piece. The table is printed
 * in each form, as `lkst fleet sql` does: nothing of it commands a terminal, and all is UTF-8.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/answer.h"
#include "view/table_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct lkst_column known[] = {
	{ "host", "HOST", LKST_COLUMN_TEXT, "" },
	{ "at", "AT", LKST_COLUMN_TIME, "" },
	{ "value", "VALUE", LKST_COLUMN_NUMBER, "" },
};

static int count_rows(void *arg, const struct lkst_table *t)
{
	size_t *nr = arg;

	*nr += t->nr_rows;
	return 0;
}

/* How many rows there are, or an error. */
static long rows_of(const char *bytes, size_t size, size_t piece, bool is_known)
{
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	const struct lkst_table *t;
	struct lkst_err e = {};
	size_t nr = 0, at, length;
	int err = 0;

	if (lkst_fleet_answer_new(count_rows, &nr, &a))
		abort();
	if (is_known)
		lkst_fleet_answer_expect(a, "known", NULL, known, sizeof(known) / sizeof(known[0]));
	for (at = 0; at < size && !err; at += length) {
		length = size - at < piece ? size - at : piece;
		err = lkst_fleet_answer_feed(&e, a, bytes + at, length);
	}
	err = err ?: lkst_fleet_answer_end(&e, a, &t);
	if (err && !e.text[0])
		abort();
	return err ?: (long)nr;
}

/* ---- printing ------------------------------------------------------------------------------- */

/* Lines end with a newline, and those of CSV with a return before it. */
static void check_controls(const char *text, size_t length, bool is_csv)
{
	size_t i;

	for (i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\r' && is_csv && i + 1 < length && text[i + 1] == '\n')
			continue;
		if ((c < ' ' && c != '\n') || c == 0x7f)
			abort();
	}
}

/* That nothing is left to be escaped says also that no text turns, and that all is UTF-8. */
static void check_printed(const char *text, size_t length, bool is_csv)
{
	const char *end = text + length, *line, *stop;
	char *escaped = malloc(4 * length + 1);
	size_t n;

	if (!escaped)
		abort();
	check_controls(text, length, is_csv);
	for (line = text; line < end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line)) ?: end;
		n = (size_t)(stop - line);
		n -= is_csv && n && line[n - 1] == '\r';
		if ((size_t)(lkst_put_escaped(escaped, line, n, NULL) - escaped) != n || memcmp(escaped, line, n))
			abort();
	}
	free(escaped);
}

/* Prints the answer in one form, and looks at what came out. */
static void print(const char *bytes, size_t size, bool is_known, enum lkst_table_format format, bool is_plain)
{
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lkst_table *t;
	struct lkst_table_printer p;
	struct lkst_err e = {};
	size_t length = 0;
	char *text = NULL;
	FILE *to = open_memstream(&text, &length);

	if (!out || !to)
		abort();
	lkst_out_init_stream(out, to);
	lkst_table_printer_init(&p, out, format, 0);
	p.max_text = LKST_CELL_TEXT_MAX;
	p.is_plain = is_plain;
	if (lkst_fleet_answer_new(lkst_table_print_rows, &p, &a))
		abort();
	if (is_known)
		lkst_fleet_answer_expect(a, "known", NULL, known, sizeof(known) / sizeof(known[0]));
	if (!lkst_fleet_answer_feed(&e, a, bytes, size) && !lkst_fleet_answer_end(&e, a, &t)) {
		lkst_table_print_end(&p, t);
		lkst_table_printer_end(&p);
	}
	if (lkst_out_flush(out) || fclose(to))
		abort();
	check_printed(text, length, format == LKST_TABLE_CSV);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 1;

	bool is_known = size && data[0] & 128;
	long nr;

	if (!size)
		return 0;
	nr = rows_of(bytes, size - 1, (data[0] & 127) + 1u, is_known);
	if (nr != rows_of(bytes, size - 1, size, is_known))
		abort();
	if (nr < 0)
		return 0;
	print(bytes, size - 1, is_known, LKST_TABLE_TEXT, false);
	print(bytes, size - 1, is_known, LKST_TABLE_TEXT, true);
	print(bytes, size - 1, is_known, LKST_TABLE_CSV, false);
	print(bytes, size - 1, is_known, LKST_TABLE_JSON, false);
	return 0;
}
