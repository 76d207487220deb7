/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: what can be done with an event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "live/pins.h"
#include "live/session.h"
#include "trace/mask.h"

struct options {
	bool json;
};

static const struct lkst_option rows[] = {
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "one JSON object per line, for programs" },
	{ 0 },
};

static const struct {
	u8 number;
	const char *name, *help;
} handlers[] = {
	{ LKST_HANDLER_DEFAULT, "DEFAULT",
	  "records the event in the buffer that the maskset names" },
	{ LKST_HANDLER_NOTHING, "NOTHING", "does nothing" },
};
enum { NR_HANDLERS = sizeof(handlers) / sizeof(handlers[0]) };

/* How many events the maskset in force sends to @handler. */
static unsigned int count_events(const struct lkst_session *s, u8 handler)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += catalog->classes[id] && lkst_mask_decides(catalog->classes[id]) &&
		      (c->route[c->active & (LKST_MASKSETS - 1)][id] & 0xff) == handler;
	return nr;
}

static void list(const struct lkst_session *s, bool json)
{
	unsigned int i;

	if (!json)
		printf("%3s  %-6s  %-16s %8s  %s\n", "ID", "", "NAME", "EVENTS", "WHAT");
	for (i = 0; i < NR_HANDLERS; i++) {
		unsigned int nr = s ? count_events(s, handlers[i].number) : 0;

		if (json)
			printf("{\"id\":%u,\"name\":\"%s\",\"events\":%u,\"help\":\"%s\"}\n",
			       handlers[i].number, handlers[i].name, nr, handlers[i].help);
		else
			printf("%3u  (0x%02x)  %-16s %8u  %s\n", handlers[i].number,
			       handlers[i].number, handlers[i].name, nr, handlers[i].help);
	}
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = -1;
	int err = 0;

	(void)nr_args;
	if (strcmp(args[0], "list"))
		return lkst_err_set(e, -EINVAL, "there is no \"%s\"; see --help", args[0]);
	/* The list needs no recording, but one tells how the handlers are used. */
	if (lkst_pins_exist()) {
		lock = lkst_pins_lock(e);
		err = lock < 0 ? lock : lkst_session_open(e, &s);
	}
	if (!err)
		list(s, o->json);
	return err;
}

const struct lkst_cmd lkst_cmd_handler = {
	.name = "handler",
	.summary = "what can be done with an event",
	.usage = "handler [--json] list",
	.help = "A handler is what a maskset sends an event to. This lists them: number, name, and how many\n"
		"events the maskset in force sends to each.",
	.examples = "  lkst handler list\n"
		    "  lkst maskset config mine kmalloc NOTHING\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};

const struct lkst_cmd lkst_cmd_lksteh = {
	.name = "lksteh",
	.is_link = true,
	.summary = "event handlers, as the original LKST called the command",
	.usage = "lksteh [--json] list",
	.help = "What `lkst handler` does, by the name that the command had with the original LKST of 2002 to\n"
		"2006. How its options were spelled is not known.",
	.examples = "  lksteh list\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
