/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ready questions to the tables of LKST on a server (fleet/schema.h): their SQL, and what the columns of the answers
 * mean. What an agent sent twice counts once, whether or not the server has noticed. Nothing is asked here; text of the
 * user's is quoted, except for a condition, which is SQL.
 */
#ifndef LKST_FLEET_QUESTION_H
#define LKST_FLEET_QUESTION_H

#include "abi/types.h"
#include "analyze/waiting/causes.h"
#include "base/choice.h"
#include "base/err.h"
#include "result/table.h"

/* What a question is about. */
struct lkst_fleet_scope {
	u64 from_ns, to_ns; /* time of day; rows are of whole seconds, those of durations of whole minutes */
	char *const *labels; /* NAME=VALUE: only hosts that have all of them */
	unsigned int nr_labels;
	const char *where;   /* of incidents: a condition in SQL; NULL: all */
	const char *measure; /* of durations, in the table `seconds`; or the name of a system call */
	const char *cgroup;  /* ""; the whole machine */
	u64 max_rows;
};

struct lkst_fleet_question {
	const char *name, *title; /* of the answer, as a table */
	char *text;		  /* SQL, without a format */
	const struct lkst_column *columns;
	unsigned int nr_columns;
};

void lkst_fleet_question_fini(struct lkst_fleet_question *q);

/* By which number hosts are compared; the names are the choices. */
#define LKST_FLEET_RANKS(R)                                                                        \
	R(P99, "p99", "the time that one of a hundred takes at least; the default")                \
	R(WORST, "worst", "the longest")                                                           \
	R(P50, "p50", "the time that half of them take at least")                                  \
	R(TOTAL, "total", "the sum")                                                               \
	R(N, "n", "how many there were")

enum lkst_fleet_rank {
#define R(id, name, help) LKST_FLEET_RANK_##id,
	LKST_FLEET_RANKS(R)
#undef R
};
bool lkst_fleet_rank_choices(unsigned int i, struct lkst_choice *ret_choice);

/*
 * The machines that were ever seen, and what happened to each in the scope's time. All of these: 0; -ENOMEM; -EINVAL:
 * the scope makes no sense.
 */
int lkst_fleet_question_hosts(struct lkst_err *e, const struct lkst_fleet_scope *scope,
			      struct lkst_fleet_question *ret_question);

/* Incidents, the newest first: without LKST_FLEET_INCIDENT_ACCOUNT. */
int lkst_fleet_question_incidents(struct lkst_err *e, const struct lkst_fleet_scope *scope,
				  struct lkst_fleet_question *ret_question);

/* The hosts where a measure is worst. */
int lkst_fleet_question_top(struct lkst_err *e, const struct lkst_fleet_scope *scope,
			    enum lkst_fleet_rank rank, struct lkst_fleet_question *ret_question);

/* A measure by what hosts have in common: @by is "kernel", "version", or a label's name. */
int lkst_fleet_question_compare(struct lkst_err *e, const struct lkst_fleet_scope *scope,
				const char *by, struct lkst_fleet_question *ret_question);

/*
 * The incidents that @id names: "1a2b3c4d.3" as the list of incidents has it, or the name of a moment of several
 * machines.
 */
int lkst_fleet_question_incident(struct lkst_err *e, const char *id,
				 struct lkst_fleet_question *ret_question);

/*
 * Where the first finding is in the account of an incident, as a regular expression of ClickHouse's and of POSIX, whose
 * first part it is; a line after the first begins with four blanks.
 */
#define LKST_FLEET_FINDING_PATTERN "^## " LKST_CAUSES_HEADING "\n#1  ([^\n]*(\n    [^\n]*)*)"

/* Columns of incidents, in their order. */
enum lkst_fleet_of_incident {
	LKST_FLEET_INCIDENT_TIME,
	LKST_FLEET_INCIDENT_HOST,
	LKST_FLEET_INCIDENT_ID,
	LKST_FLEET_INCIDENT_REASON,
	LKST_FLEET_INCIDENT_EVENT,
	LKST_FLEET_INCIDENT_COMM,
	LKST_FLEET_INCIDENT_TID,
	LKST_FLEET_INCIDENT_VALUE,
	LKST_FLEET_INCIDENT_KERNEL,
	LKST_FLEET_INCIDENT_MOMENT,
	LKST_FLEET_INCIDENT_BYTES,
	LKST_FLEET_INCIDENT_BUNDLE,
	LKST_FLEET_INCIDENT_NOTE,
	LKST_FLEET_INCIDENT_FINDING,
	LKST_FLEET_INCIDENT_ACCOUNT,
};

/* The longest waits of an incident. */
int lkst_fleet_question_waits(struct lkst_err *e, const char *id,
			      struct lkst_fleet_question *ret_question);

#endif
