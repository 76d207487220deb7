/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what a ClickHouse server answers: the first byte says in how large pieces the rest comes, and whether
 * its columns are known. Whatever comes, it is an error or a table, the same one in one piece, and printed as
 * `lkst fleet sql` does: row by row as it comes.
 *
 * prints: text csv json
 */
#include <stdint.h>
#include <stdlib.h>

#include "fleet/answer.h"
#include "lib/printed.h"
#include "print/table_text.h"

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
	if (err)
		printed_error(&e);
	return err ?: (long)nr;
}

/* Prints the answer, which is whole, in one form. */
static void print(const char *bytes, size_t size, bool is_known, enum lkst_table_format format, bool is_plain)
{
	static const enum printed_form forms[] = { [LKST_TABLE_TEXT] = PRINTED_TEXT,
						   [LKST_TABLE_CSV] = PRINTED_CSV,
						   [LKST_TABLE_JSON] = PRINTED_JSON };
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	const struct lkst_table *t;
	struct lkst_table_printer p;
	struct lkst_err e = {};

	lkst_table_printer_init(&p, printed_begin(), format, 0);
	p.max_text = LKST_CELL_TEXT_MAX;
	p.is_plain = is_plain;
	if (lkst_fleet_answer_new(lkst_table_print_rows, &p, &a))
		abort();
	if (is_known)
		lkst_fleet_answer_expect(a, "known", NULL, known, sizeof(known) / sizeof(known[0]));
	if (lkst_fleet_answer_feed(&e, a, bytes, size) || lkst_fleet_answer_end(&e, a, &t))
		abort();
	lkst_table_print_end(&p, t);
	lkst_table_printer_end(&p);
	printed_end(forms[format]);
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
