/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statements to a ClickHouse server by HTTP (https://clickhouse.com/docs/en/interfaces/http). A statement has its time,
 * certificates are always checked, and what the server says is never trusted. For one thread.
 */
#ifndef LKST_FLEET_CLIENT_H
#define LKST_FLEET_CLIENT_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "result/table.h"

enum { LKST_FLEET_SAID_MAX = 200 }; /* bytes of what a server said that an error has */

/* All is borrowed, and copied. */
struct lkst_fleet_where {
	const char *url;	     /* http:// or https://, without a user in it */
	const char *database;	     /* letters, digits and _ */
	const char *user, *password; /* NULL: those of nobody */
	const char *ca;		     /* a file of certificates; NULL: the system's */
	u64 timeout_ns;		     /* for each statement */
};

struct lkst_fleet;

/* Nothing is sent yet. -EINVAL: a name or the URL makes no sense. */
int lkst_fleet_open(struct lkst_err *e, const struct lkst_fleet_where *where,
		    struct lkst_fleet **ret_fleet);
void lkst_fleet_close(struct lkst_fleet *f);
LKST_GUARD(lkst_fleet_close, struct lkst_fleet)

const char *lkst_fleet_database(const struct lkst_fleet *f);

/* Has @statement done, which has no answer. */
int lkst_fleet_do(struct lkst_err *e, struct lkst_fleet *f, const char *statement);

/* Inserts @length bytes, packed by gzip, as @statement ("insert into ... format RowBinary") says. */
int lkst_fleet_insert(struct lkst_err *e, struct lkst_fleet *f, const char *statement,
		      const void *bytes, size_t length);

/*
 * The same, called @id, of letters, digits and '-': the server refuses it while one of that name is still at work. It
 * is sent once: what came of it is not known if there is no answer.
 */
int lkst_fleet_insert_as(struct lkst_err *e, struct lkst_fleet *f, const char *statement,
			 const char *id, const void *bytes, size_t length);

/*
 * Asks @question, which can change nothing. Rows go to @sink with @arg; @end, which may be NULL, is called with the
 * table after the last.
 */
int lkst_fleet_ask(struct lkst_err *e, struct lkst_fleet *f, const char *question,
		   lkst_table_sink *sink, void *arg,
		   void (*end)(void *arg, const struct lkst_table *t));

/*
 * The same for a ready question: the table's columns are the question's. -EPROTO also if the answer has others.
 */
struct lkst_fleet_question;
int lkst_fleet_ask_ready(struct lkst_err *e, struct lkst_fleet *f,
			 const struct lkst_fleet_question *q, lkst_table_sink *sink, void *arg,
			 void (*end)(void *arg, const struct lkst_table *t));

/* Asks for one number. -EPROTO: the answer is another. */
int lkst_fleet_ask_number(struct lkst_err *e, struct lkst_fleet *f, const char *question,
			  u64 *ret_number);

#endif
