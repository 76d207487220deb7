/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON (RFC 8259) to an output: commas, quotes and escapes by itself. For trees; what is a table is
 * printed by print/table_text.h, and records of a trace by print/json.c, which print millions.
 *
 *	lkst_json_object(&j, NULL);
 *	lkst_json_u64(&j, "records", 3);
 *	lkst_json_array(&j, "names");
 *	lkst_json_str(&j, NULL, "a \"b\"");
 *	lkst_json_end(&j);
 *	lkst_json_end(&j);
 *
 * gives {"records":3,"names":["a \"b\""]} and a line break: a value that is in no other one ends its line, so several
 * are an object per line.
 */
#ifndef LKST_RESULT_JSON_WRITER_H
#define LKST_RESULT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

enum { LKST_JSON_DEPTH_MAX = 256 };

/* Errors stick in the output; deeper than LKST_JSON_DEPTH_MAX is one: -E2BIG. */
struct lkst_json {
	struct lkst_out *out;

	/* Private. */
	unsigned int depth; /* objects and arrays that are not ended */
	bool breaks_line;   /* before the next value */
	struct {
		bool is_array, has_values;
	} open[LKST_JSON_DEPTH_MAX];
};

void lkst_json_init(struct lkst_json *j, struct lkst_out *out);

/*
 * A value each. @name: in an object; NULL: in an array, or in nothing. An object and an array get the values that
 * follow, until lkst_json_end() ends the one that was begun last.
 */
void lkst_json_object(struct lkst_json *j, const char *name);
void lkst_json_array(struct lkst_json *j, const char *name);
void lkst_json_end(struct lkst_json *j);
void lkst_json_u64(struct lkst_json *j, const char *name, uint64_t value);
void lkst_json_s64(struct lkst_json *j, const char *name, int64_t value);
void lkst_json_bool(struct lkst_json *j, const char *name, bool value);
void lkst_json_null(struct lkst_json *j, const char *name);
void lkst_json_str(struct lkst_json *j, const char *name, const char *text);
void lkst_json_text(struct lkst_json *j, const char *name, const char *text, size_t length);

/* With so many @digits after the point; null if it is not finite. */
void lkst_json_decimal(struct lkst_json *j, const char *name, double value, unsigned int digits);

/* As short as it is exact to 15 digits; null if it is not finite. */
void lkst_json_double(struct lkst_json *j, const char *name, double value);

/* The next value begins on a line of its own. */
void lkst_json_break(struct lkst_json *j);

#endif
