/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstlogd: the original's daemon, which writes all that is recorded to log files. */
#include <errno.h>
#include <string.h>

#include "cmd/frame/access.h"
#include "live/hooks/pins.h"

struct lkstlogd_options {
	const char *prefix, *rotate;
	struct lkst_access_options access;
	bool compress, foreground;
	struct lkst_list events;
};

static const struct lkstlogd_options defaults = {
	.prefix = "lkstlogdata-",
	.rotate = "64M,10",
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct lkstlogd_options, prefix, .name = "file", .letter = 'f',
		    .argument = "PREFIX", .standard = "lkstlogdata-",
		    .help = "what the names of logs begin with; the time follows"),
	LKST_OPTION(TEXT, struct lkstlogd_options, rotate, .name = "rotate", .letter = 'r',
		    .argument = "LIMITS", .standard = "64M,10",
		    .help = "how large a log may be and how many are kept; see\n"
			    "`lkst attach --help`"),
	LKST_OPTION(FLAG, struct lkstlogd_options, compress, .name = "compress", .letter = 'z',
		    .help = "compress finished logs with zstd"),
	LKST_ACCESS_ROWS(struct lkstlogd_options, access),
	LKST_OPTION(FLAG, struct lkstlogd_options, foreground, .name = "foreground", .letter = 'n',
		    .help = "stay in the foreground, as service managers like it"),
	LKST_OPTION(LIST, struct lkstlogd_options, events, .name = "event", .letter = 'e',
		    .argument = "GLOB", .standard = "what `lkst start` does",
		    .help = "if nothing is being recorded: begin to record what matches;\n"
			    "see `lkst start --help`"),
	{},
};

/* The log's name for `lkst attach`: the prefix, of which nothing is a conversion, and the time. */
static int name_logs(struct lkst_err *e, const char *prefix, char *name, size_t size)
{
	static const char time[] = "%Y%m%d-%H%M%S";
	size_t used = 0;

	for (; *prefix && used + 2 + sizeof(time) <= size; prefix++) {
		if (*prefix == '%')
			name[used++] = '%';
		name[used++] = *prefix;
	}
	if (*prefix)
		return lkst_err_set(e, -ENAMETOOLONG, "the prefix is too long");
	memcpy(name + used, time, sizeof(time));
	return 0;
}

/* Begins to record, unless something is being recorded. */
static int lkstlogd_start(struct lkst_err *e, const struct lkst_list *events)
{
	const char *words[2 * LKST_LIST_MAX + 3] = { "--keep", "--quiet" };
	unsigned int nr = 2, i;

	if (events->nr && lkst_pins_exist())
		return lkst_err_set(
			e, -EBUSY,
			"something is being recorded already, and its maskset says "
			"what (`lkstm list`); leave --event away, or `lkst stop` first");
	for (i = 0; i < events->nr; i++) {
		words[nr++] = "--event";
		words[nr++] = events->items[i];
	}
	return lkst_cmd_run(e, &lkst_cmd_start, words);
}

static int lkstlogd_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkstlogd_options *o = options;
	const char *words[12] = { "--quiet", "--output" };
	unsigned int nr = 2;
	char name[4096];
	int err;

	err = name_logs(e, o->prefix, name, sizeof(name)) ?: lkstlogd_start(e, &o->events);
	if (err)
		return err;
	words[nr++] = name;
	words[nr++] = "--rotate";
	words[nr++] = o->rotate;
	if (o->compress)
		words[nr++] = "--compress";
	if (o->access.mode) {
		words[nr++] = "--mode";
		words[nr++] = o->access.mode;
	}
	if (o->access.group) {
		words[nr++] = "--group";
		words[nr++] = o->access.group;
	}
	if (!o->foreground)
		words[nr++] = "--daemon";
	return lkst_cmd_run(e, &lkst_cmd_attach, words);
}

const struct lkst_cmd lkst_cmd_lkstlogd = {
	.name = "lkstlogd",
	.is_link = true,
	.summary = "writes what is recorded to logs, as the original LKST's daemon did",
	.help = "Writes what the recording has in memory, and what comes, to logs: trace directories called\n"
		"lkstlogdata-DATE-TIME, of which each can be read alone, or all as one. What is recorded is\n"
		"what the active maskset says (lkstm). If nothing is being recorded, it begins to, as `lkst\n"
		"start` does.\n"
		"\n"
		"It goes to the background and prints its PID. SIGTERM ends it, and the recording goes on;\n"
		"`lkst stop` ends both. SIGUSR2 begins the next log. Errors go to syslog. It is `lkst attach\n"
		"--daemon --rotate` by the name of the original LKST's daemon.",
	.examples = "  lkstlogd -f /var/log/lkstlogdata-\n"
		    "  lkst print /var/log/lkstlogdata-*\n",
	.options = rows,
	.options_size = sizeof(struct lkstlogd_options),
	.defaults = &defaults,
	.run = lkstlogd_run,
};
