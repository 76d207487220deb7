/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as a view prints them, one at a time, in memory. */
#ifndef LKST_PRINT_RECORD_TEXT_H
#define LKST_PRINT_RECORD_TEXT_H

#include "base/cleanup.h"
#include "print/print.h"

struct lkst_record_text;

/* Prints with @view by @config, whose output is not looked at. What comes first is left out. NULL: no memory. */
struct lkst_record_text *lkst_record_text_new(const struct lkst_view *view, const struct lkst_view_config *config);
void lkst_record_text_free(struct lkst_record_text *t);
LKST_GUARD(lkst_record_text_free, struct lkst_record_text)

/* What the view prints of @r, without the end of the line. Valid until the next call; NULL: no memory. */
const char *lkst_record_text_of(struct lkst_record_text *t, const struct lkst_record *r, size_t *ret_length);

#endif
