/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what a ClickHouse server answers: the first byte says in how large pieces the rest comes, and whether
 * its columns are known. Whatever comes, it is an error or a table, the same one in one piece.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fleet/answer.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 1;

	bool is_known = size && data[0] & 128;

	if (size && rows_of(bytes, size - 1, (data[0] & 127) + 1u, is_known) !=
			    rows_of(bytes, size - 1, size, is_known))
		abort();
	return 0;
}
