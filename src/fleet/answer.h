/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a ClickHouse server answers to a question, in its format TabSeparatedWithNamesAndTypes
 * (https://clickhouse.com/docs/en/interfaces/formats), as rows of a table. The bytes come in pieces of any size, and
 * nothing in them is trusted.
 */
#ifndef LKST_FLEET_ANSWER_H
#define LKST_FLEET_ANSWER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "result/table.h"

enum { LKST_FLEET_LINE_MAX = 1024 * 1024 }; /* bytes of a row */

struct lkst_fleet_answer;

/* Rows go to @sink with @arg in portions, at the end also if there is none. -ENOMEM. */
int lkst_fleet_answer_new(lkst_table_sink *sink, void *arg, struct lkst_fleet_answer **ret_answer);
void lkst_fleet_answer_free(struct lkst_fleet_answer *a);
LKST_GUARD(lkst_fleet_answer_free, struct lkst_fleet_answer)

/*
 * What the columns are is known (borrowed): the server's types only have to be stored as they are. The table is called
 * @name, and for people @title. Before the first byte.
 */
void lkst_fleet_answer_expect(struct lkst_fleet_answer *a, const char *name, const char *title,
			      const struct lkst_column *columns, unsigned int nr_columns);

/* Takes the next bytes. -EPROTO: they are no such answer; -E2BIG: more columns or longer rows than are taken. */
int lkst_fleet_answer_feed(struct lkst_err *e, struct lkst_fleet_answer *a, const char *bytes,
			   size_t length);

/* After the last byte. -EPROTO: something is missing. Else the table, whose rows all went to the sink. */
int lkst_fleet_answer_end(struct lkst_err *e, struct lkst_fleet_answer *a,
			  const struct lkst_table **ret_table);

#endif
