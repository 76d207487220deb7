/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For fuzz targets: prints what was read in each form in which a user can have it, and ends the process if something
 * comes out that no output may have, whatever was read: bytes that are no UTF-8, characters that command a terminal or
 * turn text around, a cell of CSV that a spreadsheet would calculate, or JSON that is none.
 */
#ifndef LKST_TESTS_PRINTED_H
#define LKST_TESTS_PRINTED_H

#include "base/err.h"
#include "base/out.h"
#include "print/print.h"
#include "result/account.h"
#include "result/notes.h"
#include "result/table.h"
#include "trace/format/catalog.h"

enum printed_form {
	PRINTED_TEXT,
	PRINTED_TABBED,	 /* text with tabs between columns: the flight recorder's form */
	PRINTED_CSV,	 /* RFC 4180 */
	PRINTED_COLUMNS, /* the CSV of records: cells are as in that, lines end without CR */
	PRINTED_JSON,	 /* any number of values */
};

/* An output, one at a time; printed_end() looks at what went to it. */
struct lkst_out *printed_begin(void);
void printed_end(enum printed_form form);

/* Looks at what was printed elsewhere. */
void printed_check(const char *bytes, size_t length, enum printed_form form);

/* Tables together, in each format, as text also for gnuplot. */
void printed_tables(const struct lkst_table *const *tables, unsigned int nr);

/* A text that others chose, as users see it: as a message, a cell, and a value of JSON. */
void printed_name(const char *text, size_t length);
void printed_names(const char *const *texts, unsigned int nr);

/* An error as commands print it; it has a text. Sentences. */
void printed_error(const struct lkst_err *e);
void printed_notes(const struct lkst_notes *n);

/* A tree of steps, and as one line, as text and as JSON. The output of @config is set here. */
void printed_account(const struct lkst_view_config *config, const struct lkst_account *a);

/* Records of a trace, or of any other catalogue, by every view. The output of @config is set here. */
void printed_records(const struct lkst_view_config *config, const struct lkst_record *records,
		     unsigned int nr);

/* What is said of a catalogue and its events, and a record of each, whose fields are all @fill. */
void printed_catalog(const struct lkst_catalog *c, u8 fill);

#endif
