/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cost limit left out of what a query asks for (doc/cost-limit.md). Private to src/sql. */
#ifndef LKST_SQL_KNOWN_KNOWN_LEFT_OUT_H
#define LKST_SQL_KNOWN_KNOWN_LEFT_OUT_H

#include "base/err.h"
#include "result/notes.h"
#include "sql/records/database.h"

/* Adds a note if some of what @s, one trace, was asked for was left out. 0 or a negative errno. */
int lkst_sql_left_out_note(struct lkst_err *e, struct lkst_sql *s, struct lkst_notes *notes);

/* Reads what was left out of @s, one trace, if that was not done. 0 or a negative errno. */
int lkst_sql_left_out_find(struct lkst_err *e, struct lkst_sql *s);

/*
 * Whether some of event @id, an end, was left out between two times, so that what ended then may be another one than
 * what had begun. lkst_sql_left_out_find() was called.
 */
bool lkst_sql_left_out_between(const struct lkst_sql *s, u32 id, u64 from_ns, u64 to_ns);

/* Frees what was read for it. */
void lkst_sql_left_out_free(struct lkst_sql *s);

#endif
