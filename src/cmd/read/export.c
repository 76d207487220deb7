/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst export: a trace as files for other tools, or to a server. */
#include "export/export.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "cmd/fleet/fleet_server.h"
#include "cmd/frame/access.h"
#include "cmd/frame/end_signals.h"
#include "cmd/readers/code_naming.h"
#include "cmd/readers/printing.h"
#include "fleet/send_events.h"

enum { NO_FORMAT = UINT_MAX };

struct export_options {
	unsigned int format;
	const char *output, *clickhouse, *from, *to;
	struct lkst_fleet_options server;
	struct lkst_choosing_options which;
	struct lkst_access_options access;
	bool quiet;
};

static const struct export_options defaults = { .format = NO_FORMAT,
					 .server = LKST_FLEET_DEFAULTS,
					 .which = LKST_CHOOSING_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_OPTION(CHOICE, struct export_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .help = "what to write:", .choices = lkst_export_choices,
		    .advice = lkst_export_advice),
	LKST_OPTION(TEXT, struct export_options, output, .name = "output", .letter = 'o',
		    .argument = "FILE", .standard = "TRACE with the format's ending",
		    .help = "the file, or for some formats the directory, to make; a file that is\n"
			    "there is replaced; - is standard output"),
	LKST_OPTION(TEXT, struct export_options, clickhouse, .name = "clickhouse", .argument = "URL",
		    .help = "instead of a file, to the ClickHouse server there"),
	LKST_FLEET_ROWS(struct export_options, server, LKST_FLEET_TIMEOUT),
	LKST_RANGE_ROWS(struct export_options, "from this time on", "up to this time"),
	LKST_CHOOSING_ROWS(struct export_options, which),
	LKST_ACCESS_ROWS(struct export_options, access),
	LKST_OPTION(FLAG, struct export_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* ---- signals --------------------------------------------------------------------------------- */

/* What is half-written is to be removed before the process ends. */
static void export_take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			lkst_end_flag_by(signals[i], 0);
}

/* Ends as the signal that came, if one has, would have ended it. */
static void obey_signal(void)
{
	const int number = *lkst_end_flag();

	if (!number)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Says which samples are shown without their functions, or not at all. */
static void tell_samples(const struct lkst_export_result *result)
{
	const struct {
		u64 nr;
		const char *what;
	} notes[] = {
		{ result->nr_without_stack, "without a stack" },
		{ result->nr_cut, "whose stack is deeper, and is cut" },
		{ result->nr_short,
		  "whose program's stack has one function only (no frame pointers?)" },
		{ result->nr_samples_left_out,
		  "left out, since there are too many different ones" },
	};
	size_t i;

	for (i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].nr)
			lkst_print_message(stderr, "note: samples %s: %llu of %llu", notes[i].what,
					   (unsigned long long)notes[i].nr,
					   (unsigned long long)result->nr_samples);
}

/* Says what was written, and what could not be: -EBADMSG then. */
static int export_tell(struct lkst_err *e, const struct export_options *o, const char *trace, const char *output,
		       const struct lkst_export_result *result)
{
	char size[LKST_SIZE_TEXT];
	u64 nr_other = result->nr_gaps - result->nr_unreadable;

	lkst_size_format(result->bytes, size);
	if (!o->quiet && output && result->bytes)
		lkst_print_message(stdout, "%s, %s", output, size);
	else if (!o->quiet && output)
		lkst_print_message(stdout, "%s", output);
	if (!o->quiet && nr_other)
		lkst_print_message(
			stderr,
			"note: records are missing in %llu places; `lkst print %s` shows "
			"where.",
			(unsigned long long)nr_other, trace);
	if (!o->quiet && result->limited[0])
		lkst_print_message(stderr,
				   "note: not all was recorded, to keep to the cost limit: %s. Who reads the export "
				   "counts at least so much.",
				   result->limited);
	if (!o->quiet)
		tell_samples(result);
	if (!o->quiet && result->nr_cpus_left_out)
		lkst_print_message(
			stderr,
			"note: the events of %u CPUs are left out: the format takes no CPU "
			"with such a number.",
			result->nr_cpus_left_out);
	if (!o->quiet && result->has_more_waiting)
		lkst_print_message(stderr, "note: there was more waiting than is followed at once: some of it is left "
					   "out, or not known.");
	if (!o->quiet && result->has_events_only)
		lkst_print_message(stderr,
				   "note: this lkst was built without SQLite, and writes events.parquet "
				   "only, not the other tables.");
	if (!result->nr_unreadable)
		return 0;
	return lkst_err_set(
		e, -EBADMSG,
		"%s is damaged: in %llu places it could not be read, and all else is in "
		"what was written; `lkst check %s` has more",
		trace, (unsigned long long)result->nr_unreadable, trace);
}

#ifdef LKST_NO_FLEET
static int export_send(struct lkst_err *e, const struct export_options *o, struct lkst_export_request *request)
{
	return lkst_fleet_server_open(e, &o->server, o->clickhouse, NULL);
}
#else
/* To the server; what was sent before an error or a signal stays there. */
static int export_send(struct lkst_err *e, const struct export_options *o, struct lkst_export_request *request)
{
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	struct lkst_fleet_sent sent = {};
	char size[LKST_SIZE_TEXT];
	int err = lkst_fleet_server_open(e, &o->server, o->clickhouse, &f);

	if (err)
		return err;
	request->stop = lkst_end_flag();
	export_take_signals();
	err = lkst_fleet_send_events(e, f, request, &sent);
	lkst_size_format(sent.bytes, size);
	if (err && sent.rows)
		lkst_err_add(e, "after %llu records, which stay there, so that you can try again",
			     (unsigned long long)sent.rows);
	obey_signal();
	if (!err && !o->quiet)
		lkst_print_message(stdout, "%s: %llu records, sent as %s", o->clickhouse,
				   (unsigned long long)sent.rows, size);
	return err ?: export_tell(e, o, request->trace_name, NULL, &sent.result);
}
#endif

static int export_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct export_options *o = options;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ char *output = NULL;
	struct lkst_export_request request = { .trace_name = args[0], .fd = STDOUT_FILENO };
	struct lkst_export_result result = {};
	struct lkst_access access;
	u64 from_ns = 0, to_ns = UINT64_MAX;
	char formats[LKST_CHOICES_TEXT];
	int err;

	if (o->clickhouse && (o->format != NO_FORMAT || o->output))
		return lkst_err_set(e, -EINVAL,
				    "--clickhouse makes no file: --format and --output do not go "
				    "with it");
	if (o->format == NO_FORMAT && !o->clickhouse) {
		lkst_choices_list(lkst_export_choices, formats);
		return lkst_err_set(e, -EINVAL, "as what? give --format: %s", formats);
	}
	err = lkst_access_parse(e, &o->access, &access) ?: lkst_cmd_open_trace(e, args, nr_args, &t) ?:
	      lkst_cmd_parse_range(e, t, o->from, o->to, &from_ns, &to_ns);
	if (err)
		return err;
	request.trace = t;
	request.format = o->format;
	request.which = lkst_choosing_which(&o->which, from_ns, to_ns);
	if (o->clickhouse)
		return export_send(e, o, &request);
	if (!o->output || strcmp(o->output, "-")) {
		output = o->output ? strdup(o->output)
				   : lkst_cmd_output_of(args[0], lkst_export_extension(o->format));
		if (!output)
			return lkst_err_sys(e, -errno, "naming what is made of %s", args[0]);
		request.path = output;
		request.access = &access;
		request.stop = lkst_end_flag();
		export_take_signals();
	} else {
		/* `lkst export -o - … | head` ends quietly. */
		signal(SIGPIPE, SIG_DFL);
	}
	err = lkst_code_naming_begin(e, t, &request.namer) ?: lkst_export_run(e, &request, &result);
	lkst_code_naming_end(&request.namer);
	obey_signal();
	return err ? err : export_tell(e, o, args[0], output, &result);
}

const struct lkst_cmd lkst_cmd_export = {
	.name = "export",
	.summary = "write a trace in the formats of other tools",
	.args = "TRACE...",
	.help = "Writes TRACE, or a part of it, in a format that other tools read. What is made gets its\n"
		"name when it is whole. It takes little memory, however large TRACE is, needs no root\n"
		"and works on any machine.",
	.examples = "  lkst export --format json slow-tx          slow-tx.jsonl\n"
		    "  lkst export -f folded -o - slow-tx | flamegraph.pl --countname ns > slow-tx.svg\n"
		    "  lkst export -f parquet slow-tx             slow-tx.tables, a directory\n"
		    "  lkst export --clickhouse http://localhost:8123 slow-tx\n"
		    "  lkst export -f json -e 'sched_*' --from -2s -o - slow-tx | jq .event\n",
	.options = rows,
	.options_size = sizeof(struct export_options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = export_run,
};
