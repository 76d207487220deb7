/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers in tables, of whatever is opened: of several hosts as one, the rows of each with its name in front and times
 * that all have in common.
 */
#ifndef LKST_CMD_READ_JOINED_TABLES_H
#define LKST_CMD_READ_JOINED_TABLES_H

#include "cmd/read/tables.h"
#include "hosts/reading.h"
#include "print/table_text.h"

struct lkst_joined_table {
	struct lkst_column *columns;
	struct lkst_table table;
};

/* All zero is empty. */
struct lkst_joined_tables {
	struct lkst_joined_table **items;
	unsigned int nr;
	bool is_text; /* for people: no more rows of each host than are shown, and histograms stay apart */
};

/* Adds what @shown has of @host. Times are then ns since 1970. 0 or -ENOMEM. */
int lkst_joined_tables_add(struct lkst_joined_tables *j, const struct lkst_host *host,
			   const struct lkst_shown_tables *shown);

/* A table of the hosts, and what is known of their clocks. */
int lkst_joined_tables_add_hosts(struct lkst_joined_tables *j, const struct lkst_reading *r);

void lkst_joined_tables_print(struct lkst_joined_tables *j, struct lkst_table_printer *p);
void lkst_joined_tables_fini(struct lkst_joined_tables *j);

/*
 * Answers for each host, and prints them, those of several joined. `answer` is lkst_report_tables() or one like it;
 * `options` are a command's, whose members at `from` and `to` it sets to the range of each of several hosts.
 */
typedef int lkst_joined_answer(struct lkst_err *e, const void *options, struct lkst_trace *t,
			       struct lkst_shown_tables *shown);
struct lkst_joined_question {
	lkst_joined_answer *answer;
	void *options;
	const char **from, **to; /* in `options` */
	enum lkst_table_format format;
	/* For one host. */
	bool is_untitled;
	bool (*is_shown)(const struct lkst_table *t); /* NULL: all are */
};
int lkst_joined_tables_answer(struct lkst_err *e, const struct lkst_joined_question *q,
			      const struct lkst_reading *r, struct lkst_out *out);

#endif
