/* SPDX-License-Identifier: GPL-2.0-only */
/* What the verbs of lkst fleet share: their options, and the server that they ask. */
#ifndef LKST_CMD_FLEET_FLEET_H
#define LKST_CMD_FLEET_FLEET_H

#include "cmd/fleet/fleet_server.h"
#include "cmd/recorders/verbs.h"
#include "fleet/question.h"

struct lkst_fleet_command {
	struct lkst_fleet_options server;
	unsigned int format;
	const char *from, *to, *where, *by, *cgroup, *output, *store, *store_credentials;
	struct lkst_list labels;
	s64 max_rows;
};

/*
 * Opens the server at @url for ready questions; lkst_fleet_close() ends it. -ENOENT, -ENOTSUP: as
 * lkst_fleet_check_schema().
 */
int lkst_fleet_command_open(struct lkst_err *e, const struct lkst_fleet_command *o, const char *url,
			    struct lkst_fleet **ret_fleet);

/* Asks @q, and prints the answer as the options say. */
int lkst_fleet_print_answer(struct lkst_err *e, struct lkst_fleet *f,
			    const struct lkst_fleet_command *o,
			    const struct lkst_fleet_question *q);

/* Ends the only table of an answer, for lkst_fleet_ask(); @printer is the answer's. */
void lkst_fleet_end_table(void *printer, const struct lkst_table *t);

/* The verbs: ready questions (cmd/fleet/fleet_ask.c), and those about an incident (cmd/fleet/fleet_incident.c). */
int lkst_fleet_verb_hosts(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_fleet_verb_incidents(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_fleet_verb_top(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_fleet_verb_compare(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_fleet_verb_why(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_fleet_verb_get(struct lkst_job *job, char **args, unsigned int nr_args);

#endif
