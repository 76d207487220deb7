/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst fleet: a server that has the records of many machines. */
#include <errno.h>
#include <stdlib.h>

#include "base/out.h"
#include "cmd/fleet/fleet.h"
#include "cmd/frame/answer.h"
#include "fleet/schema.h"

static const struct lkst_fleet_command defaults = { .server = LKST_FLEET_DEFAULTS,
						    .output = ".",
						    .max_rows = 20 };

static const struct lkst_option rows[] = {
	LKST_FLEET_ROWS(struct lkst_fleet_command, server, LKST_FLEET_TIMEOUT),
	LKST_OPTION(TEXT, struct lkst_fleet_command, from, .name = "from", .argument = "T",
		    .standard = "-1h with top and compare, else -24h",
		    .help = "what was from then on: -48h before now, 12:14:05,\n"
			    "'2026-11-21 12:14:05'"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, to, .name = "to", .argument = "T",
		    .standard = "now", .help = "what was before then"),
	LKST_OPTION(LIST, struct lkst_fleet_command, labels, .name = "label", .letter = 'l',
		    .argument = "NAME=VALUE",
		    .help = "only machines with this label; may be given several times"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, where, .name = "where",
		    .argument = "CONDITION",
		    .help = "with incidents: those for which this is true, in SQL, of the\n"
			    "columns of table incidents"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, by, .name = "by", .argument = "WHAT",
		    .standard = "p99; kernel",
		    .help = "with top, sort by it: p99, worst, p50, total or n; with compare,\n"
			    "a row for each: kernel, version (of lkst), or a label's name"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, cgroup, .name = "cgroup", .argument = "PATH",
		    .standard = "the whole machine",
		    .help = "with top and compare: of this cgroup"),
	LKST_OPTION(NUMBER, struct lkst_fleet_command, max_rows, .name = "first", .letter = 'n',
		    .argument = "N", .min = 1, .max = 1000000, .standard = "20",
		    .help = "with top and incidents: at most so many"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = ".",
		    .help = "with get: the directory that the bundles are put in"),
	LKST_OPTION(TEXT, struct lkst_fleet_command, store, .name = "store", .argument = "URL",
		    .help = "with get: the store that bundles are fetched from; standard: only\n"
			    "what is on the server's own machine is fetched"),
	LKST_STORE_CREDENTIALS_ROW(struct lkst_fleet_command, store_credentials),
	LKST_OPTION(CHOICE, struct lkst_fleet_command, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_table_format_choices),
	{},
};

#ifdef LKST_NO_FLEET
static int verb_none(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;

	return lkst_fleet_server_open(job->e, &o->server, args[0], NULL);
}

#define WITH_FLEET(verb) verb_none
#else
#define WITH_FLEET(verb) verb

static int verb_setup(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
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

int lkst_fleet_command_open(struct lkst_err *e, const struct lkst_fleet_command *o, const char *url,
			    struct lkst_fleet **ret_fleet)
{
	return lkst_fleet_server_open(e, &o->server, url, ret_fleet)
		       ?: lkst_fleet_check_schema(e, *ret_fleet);
}

static int verb_sql(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	struct lkst_answer_form form = { .format = o->format };
	struct lkst_answer a;
	int err = lkst_fleet_server_open(job->e, &o->server, args[0], &f)
			  ?: lkst_answer_begin(job->e, &form, &a);

	if (err)
		return err;
	err = lkst_fleet_ask(job->e, f, args[1], lkst_table_print_rows, &a.printer,
			     lkst_fleet_end_table);
	return lkst_answer_end(&a, err);
}
#endif

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "setup", .args = "URL", .min_args = 1, .max_args = 1,
		  .run = WITH_FLEET(verb_setup),
		  .help = "makes the tables, or brings them to this program's version"),
	LKST_VERB(.name = "hosts", .args = "URL", .min_args = 1, .max_args = 1,
		  .run = WITH_FLEET(lkst_fleet_verb_hosts),
		  .help = "lists the machines, and when each was heard of last"),
	LKST_VERB(.name = "incidents", .args = "URL", .min_args = 1, .max_args = 1,
		  .run = WITH_FLEET(lkst_fleet_verb_incidents),
		  .help = "lists incidents, the newest first"),
	LKST_VERB(.name = "top", .args = "URL MEASURE", .min_args = 2, .max_args = 2,
		  .run = WITH_FLEET(lkst_fleet_verb_top),
		  .help = "the machines where MEASURE is worst: runqueue, syscall, disk, irq,\n"
			  "softirq, lock, or a system call: fsync"),
	LKST_VERB(.name = "compare", .args = "URL MEASURE", .min_args = 2, .max_args = 2,
		  .run = WITH_FLEET(lkst_fleet_verb_compare),
		  .help = "MEASURE by kernel, by version, or by a label"),
	LKST_VERB(.name = "why", .args = "URL ID", .min_args = 2, .max_args = 2,
		  .run = WITH_FLEET(lkst_fleet_verb_why),
		  .help = "what is known of an incident: its account, its longest waits"),
	LKST_VERB(.name = "get", .args = "URL ID", .min_args = 2, .max_args = 2,
		  .run = WITH_FLEET(lkst_fleet_verb_get),
		  .help = "fetches the bundle of an incident, or the bundles of a moment of\n"
			  "several machines"),
	LKST_VERB(.name = "sql", .args = "URL QUERY", .min_args = 2, .max_args = 2,
		  .run = WITH_FLEET(verb_sql),
		  .help = "answers QUERY, in the SQL of ClickHouse; it can change nothing"),
	{},
};

static int fleet_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	return lkst_verbs_run(e, verbs, args[0], options, false, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_fleet = {
	.name = "fleet",
	.summary = "set up and query a server of many machines",
	.help = "URL is where a ClickHouse server answers to HTTP, http://HOST:8123 or https://HOST:8443.\n"
		"`lkst export --clickhouse URL TRACE` sends records there.",
	.examples =
		"  lkst fleet setup http://localhost:8123\n"
		"  lkst fleet top http://localhost:8123 runqueue --by worst\n"
		"  lkst fleet incidents --where \"event = 'block_rq_complete'\" http://localhost:8123\n"
		"  lkst fleet get -o moment http://localhost:8123 1a2b3c4d.3\n"
		"  lkst export --clickhouse http://localhost:8123 slow-tx\n"
		"  lkst fleet sql http://localhost:8123 \\\n"
		"      'select host, event, count() n from events group by host, event order by n'\n",
	.options = rows,
	.options_size = sizeof(struct lkst_fleet_command),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = 3,
	.run = fleet_run,
};
