/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a command from its words to its exit status. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/cmd.h"

enum { EXIT_USAGE = 2 };

/* Columns that the first @length bytes of @text take when they are printed as a message. */
static int columns_of(const char *text, size_t length)
{
	char shown[4 * LKST_ERR_LINE], *end = lkst_put_escaped(shown, text, length, NULL), *p;
	int columns = 0;

	for (p = shown; p < end; p++)
		columns += (*p & 0xc0) != 0x80;
	return columns;
}

void lkst_cmd_print_error(const struct lkst_cmd *cmd, const struct lkst_err *e, int err)
{
	char called[LKST_CMD_CALLED_MAX];

	lkst_print_message(stderr, "%s: %s", lkst_cmd_called(cmd, called),
			   e->text[0] ? e->text : strerror(-err));
	if (!e->text[0] || !e->line[0])
		return;
	lkst_print_message(stderr, "  %s", e->line);
	lkst_print_message(stderr, "  %*s^", columns_of(e->line, e->mark), "");
}

int lkst_cmd_main(const struct lkst_cmd *cmd, int argc, char **argv,
		  void (*explain)(struct lkst_err *e, int err))
{
	_cleanup_(lkst_options_fini) struct lkst_options options = {};
	char called[LKST_CMD_CALLED_MAX];
	struct lkst_err e = {};
	unsigned int nr_args;
	int first, err;

	first = lkst_options_parse(&e, cmd, argc, argv, &options);
	if (first == LKST_OPTIONS_HELP) {
		lkst_cmd_print_help(cmd);
		return 0;
	}
	if (first < 0) {
		lkst_cmd_print_error(cmd, &e, first);
		return EXIT_USAGE;
	}
	nr_args = argc - first;
	if (nr_args < cmd->min_args || nr_args > cmd->max_args) {
		if (nr_args > cmd->max_args)
			lkst_print_message(stderr, "%s: it does not take the argument \"%s\"",
					   lkst_cmd_called(cmd, called),
					   argv[first + cmd->max_args]);
		else
			lkst_print_message(stderr, "%s: an argument is missing",
					   lkst_cmd_called(cmd, called));
		lkst_cmd_print_usage(stderr, cmd);
		return EXIT_USAGE;
	}
	err = cmd->run(&e, options.values, argv + first, nr_args);
	if (err < 0 && e.text[0] && explain)
		explain(&e, err);
	if (err < 0)
		lkst_cmd_print_error(cmd, &e, err);
	return err < 0 ? EXIT_FAILURE : err;
}
