/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst lint: looks for sequences of events that must not be. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/cmd.h"
#include "cmd/read/accounts.h"
#include "cmd/readers/traces.h"
#include "print/account_text.h"

struct lint_options {
	struct lkst_list rules;
	bool list;
	unsigned int format, time;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct lint_options, rules, .name = "rule", .letter = 'r', .argument = "GLOB",
		    .standard = "all", .help = "only the rules that match; may be repeated"),
	LKST_OPTION(FLAG, struct lint_options, list, .name = "list", .letter = 'l',
		    .help = "list the rules"),
	LKST_OPTION(CHOICE, struct lint_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_account_format_choices),
	LKST_OPTION(CHOICE, struct lint_options, time, .name = "time", .argument = "FORM",
		    .standard = "day", .help = "", .choices = lkst_view_time_choices),
	{},
};

static void list_rules(void)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_LINT_RULES; i++)
		printf("%-16s%s\n", lkst_lint_rules[i].name, lkst_lint_rules[i].help);
}

int lkst_lint_account(struct lkst_err *e, const void *options, struct lkst_trace *t,
		      struct lkst_shown_account *shown)
{
	const struct lint_options *o = options;
	struct lkst_lint *l = &shown->lint;
	u64 end_ns;
	int err = lkst_lint_run(e, t, o->rules.items, o->rules.nr, NULL, NULL, l);

	if (err)
		return err;
	shown->account = l->account;
	shown->config = (struct lkst_view_config){ .catalog = lkst_trace_catalog(t),
						   .threads = l->threads,
						   .symbols = l->symbols,
						   .time = o->time };
	lkst_trace_range(t, &shown->config.begin_ns, &end_ns);
	return 0;
}

void lkst_lint_account_fini(struct lkst_shown_account *shown)
{
	lkst_lint_fini(&shown->lint);
	*shown = (struct lkst_shown_account){};
}

/* As JSON notes are a part of the account; text leaves stdout to the findings. */
static void lint_print_notes(const struct lkst_lint *l, bool is_json)
{
	unsigned int i;

	for (i = 0; i < l->notes.nr; i++)
		if (is_json)
			lkst_notes_add(&l->account->notes, "%s", l->notes.text[i]);
		else
			lkst_print_message(stderr, "lkst lint: %s", l->notes.text[i]);
}

static int lint_print(struct lkst_err *e, const struct lint_options *o,
		      const struct lkst_shown_account *shown, struct lkst_out *out)
{
	int err = lkst_view_account(&shown->config, shown->account, o->format, true);

	if (o->format == LKST_ACCOUNT_AS_TEXT)
		lkst_out_printf(out, "%llu found\n", (unsigned long long)shown->lint.nr_findings);
	if (!err)
		err = lkst_out_flush(out);
	return err ? lkst_err_sys(e, err, "printing") : 0;
}

/* Prints what is found in @t; @host NULL: there is no other. 1: something is. */
static int lint_trace(struct lkst_err *e, const struct lint_options *o, struct lkst_trace *t, const char *host,
		      struct lkst_out *out)
{
	_cleanup_(lkst_lint_account_fini) struct lkst_shown_account shown = {};
	int err = lkst_lint_account(e, o, t, &shown);

	if (err)
		return err;
	lint_print_notes(&shown.lint, o->format == LKST_ACCOUNT_AS_JSON);
	shown.config.out = out;
	if (host)
		lkst_out_message(out, "%s:", host);
	err = lint_print(e, o, &shown, out);
	return err ? err : shown.lint.nr_findings != 0;
}

/* Each host's by itself, those of several below its name. 1: something is found in one of them. */
static int lint_reading(struct lkst_err *e, const struct lint_options *o, const struct lkst_reading *r,
			struct lkst_out *out)
{
	unsigned int i;
	int err = 0, found = 0;

	if (r->nr > 1 && o->format == LKST_ACCOUNT_AS_JSON)
		return lkst_err_set(e, -EINVAL, "--format json is of one host: name its trace alone");
	for (i = 0; i < r->nr && err >= 0; i++) {
		err = lint_trace(e, o, r->list[i].trace, r->nr > 1 ? r->list[i].name : NULL, out);
		found |= err > 0;
	}
	return err < 0 ? err : found;
}

static int lint_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lint_options *o = options;
	int err;

	if (o->list) {
		list_rules();
		return 0;
	}
	if (!nr_args)
		return lkst_err_set(e, -EINVAL, "which trace? Give its directory");
	if (!out)
		return lkst_err_sys(e, -ENOMEM, "looking through %s", args[0]);
	/* `lkst lint … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	if (err)
		return err;
	lkst_out_init(out, STDOUT_FILENO);
	return lint_reading(e, o, &reading, out);
}

const struct lkst_cmd lkst_cmd_lint = {
	.name = "lint",
	.summary = "find illegal sequences of events, such as use after free",
	.args = "[TRACE...]",
	.help = "Looks for things that the kernel must not do in the order in which it did them. Each finding\n"
		"names the two or three events that it rests on. Where records are missing nothing is found,\n"
		"rather than something wrong. The exit status is 1 if something was found. Traces of several\n"
		"hosts are looked through one after the other.",
	.examples = "  lkst record -o trace -- ./provoke && lkst lint trace\n"
		    "  lkst lint --rule 'lock-*' --format json trace\n",
	.options = rows,
	.options_size = sizeof(struct lint_options),
	.min_args = 0,
	.max_args = LKST_ARGS_MAX,
	.run = lint_run,
};
