/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstlogd: the original's daemon, which writes all that is recorded to log files. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "cmd/cmd.h"

struct options {
	const char *prefix;
	struct lkst_list events;
};

static const struct options defaults = {
	.prefix = "lkstlogdata-",
};

static const struct lkst_option rows[] = {
	{ "file", 'f', LKST_OPTION_TEXT, "PREFIX", offsetof(struct options, prefix), 0, 0,
	  "lkstlogdata-", "what the log's name begins with; the time follows" },
	{ "event", 'e', LKST_OPTION_LIST, "GLOB", offsetof(struct options, events), 0, 0,
	  "all of the catalogue but locks taken", "record what matches; see `lkst start --help`" },
	{ 0 },
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	const char *words[2 * LKST_LIST_MAX + 4] = { "--quiet", "--output" };
	char name[4096], stamp[32];
	time_t now = time(NULL);
	unsigned int nr = 2, i;
	struct tm tm;

	(void)args, (void)nr_args;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (snprintf(name, sizeof(name), "%s%s", o->prefix, stamp) >= (int)sizeof(name))
		return lkst_err_set(e, -ENAMETOOLONG, "the prefix is too long");
	words[nr++] = name;
	for (i = 0; i < o->events.nr; i++) {
		words[nr++] = "--event";
		words[nr++] = o->events.items[i];
	}
	return lkst_cmd_run(e, &lkst_cmd_record, words);
}

const struct lkst_cmd lkst_cmd_lkstlogd = {
	.name = "lkstlogd",
	.is_link = true,
	.summary = "writes all that is recorded to a log, as the original LKST's daemon did",
	.usage = "lkstlogd [-f PREFIX] [-e GLOB]...",
	.help = "Records to a log, a trace directory called lkstlogdata-DATE-TIME, until SIGINT or SIGTERM:\n"
		"what `lkst record` does, by the name of the original LKST's daemon. It stays in the\n"
		"foreground, as services do today. It is a recording of its own; one begun by `lkst start`,\n"
		"and its masksets, go on beside it.",
	.examples = "  lkstlogd -f /var/log/lkstlogdata- &\n"
		    "  lkst print /var/log/lkstlogdata-20260101-120000\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
};
