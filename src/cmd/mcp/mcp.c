/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst mcp: lets an assistant ask traces, by the Model Context Protocol. */
#include <errno.h>

#include "cmd/frame/cmd.h"
#include "cmd/mcp/loop.h"

struct mcp_options {
	u64 timeout_ns;
};

enum { TIMEOUT_S = 50 };

static const struct mcp_options defaults = { .timeout_ns = TIMEOUT_S * 1000000000ULL };

static const struct lkst_option rows[] = {
	LKST_OPTION(DURATION, struct mcp_options, timeout_ns, .name = "timeout", .argument = "TIME",
		    .min = 1000000, .max = INT64_MAX / 2, .standard = "50s",
		    .help = "end a call that takes longer"),
	{},
};

#if defined(LKST_NO_SQL) || defined(LKST_NO_JSON)
#ifdef LKST_NO_SQL
#define WITHOUT "SQLite"
#else
#define WITHOUT "jansson"
#endif
static int mcp_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	return lkst_err_set(e, -ENOTSUP,
			    "this lkst was built without " WITHOUT ", and serves no assistant; use one "
			    "that was built with SQLite and jansson, on any machine");
}
#else
static int mcp_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkst_mcp_allowed allowed = { args, nr_args };
	const struct mcp_options *o = options;
	int err = lkst_mcp_allowed_check(e, &allowed);

	return err ? err : lkst_mcp_serve(e, &allowed, o->timeout_ns);
}
#endif

const struct lkst_cmd lkst_cmd_mcp = {
	.name = "mcp",
	.summary = "let an AI assistant query traces (MCP)",
	.args = "[TRACE...]",
	.help = "Serves the Model Context Protocol on standard input and output, for a program that starts it:\n"
		"an assistant, which can then ask each TRACE by the tools report, why, analyze, lint, sql and\n"
		"events, and read what events and analyses mean. TRACE is a trace, or a directory that has\n"
		"traces in it; no other file can be asked. Nothing is recorded, started, stopped or written.\n"
		"Each answer is at most 64 KiB of text, and says where it goes on.",
	.examples = "  lkst mcp slow-tx\n"
		    "  lkst mcp before after\n"
		    "  lkst mcp /var/lib/lkst/incidents\n",
	.options = rows,
	.options_size = sizeof(struct mcp_options),
	.defaults = &defaults,
	.min_args = 0,
	.max_args = LKST_ARGS_MAX,
	.run = mcp_run,
};
