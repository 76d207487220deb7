/* SPDX-License-Identifier: GPL-2.0-only */
/* How the texts of a bundle are written: lines whose parts came from anywhere, escaped. */
#ifndef LKST_BUNDLE_BUNDLE_TEXT_H
#define LKST_BUNDLE_BUNDLE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "bundle/bundle.h"

/* A text while it is written, to `to`. */
struct lkst_bundle_lines {
	FILE *to;
	char *bytes;
	size_t length;
};

/* lkst_bundle_lines_end() ends it, and frees it if @err is not 0. Returns @err, or what failed now. */
int lkst_bundle_lines_begin(struct lkst_err *e, struct lkst_bundle_lines *l);
int lkst_bundle_lines_end(struct lkst_err *e, struct lkst_bundle_lines *l, int err,
			  struct lkst_bundle_text *ret_text);

/* Frees the texts of a bundle. */
void lkst_bundle_texts_fini(struct lkst_bundle_text (*texts)[LKST_BUNDLE_NR_PARTS]);

/*
 * Writes @length bytes at @bytes escaped: a backslash as two, what would end the line, begin a column or command a
 * terminal as \t, \n or \xNN; @is_word: a blank as \x20 as well, so that it is one of words with blanks between.
 */
void lkst_bundle_put(FILE *to, const char *bytes, size_t length, bool is_word);

/* Writes the line "KEY: value", the value escaped; nothing if it is NULL or empty. */
void lkst_bundle_put_value(FILE *to, const char *key, const char *value);

#endif
