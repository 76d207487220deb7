/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst fleet: a server that has the records of many machines. */
#include <errno.h>
#include <stdlib.h>

#include "base/out.h"
#include "cmd/answer.h"
#include "cmd/fleet_server.h"
#include "cmd/verbs.h"
#include "fleet/schema.h"

struct options {
	struct lkst_fleet_options server;
	unsigned int format;
};

static const struct options defaults = { .server = LKST_FLEET_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_FLEET_ROWS(struct options, server),
	LKST_OPTION(CHOICE, struct options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text",
		    .help = "with sql:", .choices = lkst_table_format_choices),
	{},
};

#ifdef LKST_NO_FLEET
static int verb_setup(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct options *o = job->options;

	return lkst_fleet_server_open(job->e, &o->server, args[0], NULL);
}

static int verb_sql(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return verb_setup(job, args, nr_args);
}
#else
static int verb_setup(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct options *o = job->options;
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	struct lkst_fleet_schema schema;
	int err = lkst_fleet_server_open(job->e, &o->server, args[0], &f)
			  ?: lkst_fleet_setup(job->e, f, &schema);

	if (err)
		return err;
	lkst_print_message(stdout, "database %s: tables of version %llu%s", o->server.database,
			   (unsigned long long)schema.now,
			   schema.before == schema.now ? ", nothing had to be changed" : "");
	return 0;
}

static void end_table(void *printer, const struct lkst_table *t)
{
	lkst_table_print_end(printer, t);
}

static int verb_sql(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct options *o = job->options;
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	struct lkst_answer_form form = { .format = o->format };
	struct lkst_answer a;
	int err = lkst_fleet_server_open(job->e, &o->server, args[0], &f)
			  ?: lkst_answer_begin(job->e, &form, &a);

	if (err)
		return err;
	err = lkst_fleet_ask(job->e, f, args[1], lkst_table_print_rows, &a.printer, end_table);
	return lkst_answer_end(&a, err);
}
#endif

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "setup", .args = "URL", .min_args = 1, .max_args = 1, .run = verb_setup,
		  .help = "makes the tables, or brings them to this program's version"),
	LKST_VERB(.name = "sql", .args = "URL QUERY", .min_args = 2, .max_args = 2, .run = verb_sql,
		  .help = "answers QUERY, in the SQL of ClickHouse; it can change nothing"),
	{},
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	return lkst_verbs_run(e, verbs, args[0], options, false, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_fleet = {
	.name = "fleet",
	.summary = "a server with the records of many machines: set up, ask",
	.help = "URL is where a ClickHouse server answers to HTTP, http://HOST:8123 or https://HOST:8443.\n"
		"`lkst export --clickhouse URL TRACE` sends records there.",
	.examples =
		"  lkst fleet setup http://localhost:8123\n"
		"  lkst export --clickhouse http://localhost:8123 slow-tx\n"
		"  lkst fleet sql http://localhost:8123 \\\n"
		"      'select host, event, count() n from events group by host, event order by n'\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = 3,
	.run = run,
};
