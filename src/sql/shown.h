/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as the views print them, in memory. Private to src/sql. */
#ifndef LKST_SQL_SHOWN_H
#define LKST_SQL_SHOWN_H

#include "sql/database.h"
#include "view/address_names.h"
#include "view/view.h"

struct lkst_sql_shown;

/* Prints records with @view, with the names that are known by @names then. NULL: no memory. */
struct lkst_sql_shown *lkst_sql_shown_new(struct lkst_sql *s, const struct lkst_view *view,
					  const struct lkst_address_names *names);
void lkst_sql_shown_free(struct lkst_sql_shown *shown);

/* What the view prints of @r, without the end of the line. Valid until the next call; NULL: no memory. */
const char *lkst_sql_shown_record(struct lkst_sql_shown *shown, const struct lkst_record *r,
				  size_t *ret_length);

#endif
