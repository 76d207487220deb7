/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst stop: ends the recording and removes every trace of it. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "live/pins.h"

struct options {
	bool quiet;
};

static const struct lkst_option rows[] = {
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "say nothing but errors" },
	{ 0 },
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	bool existed = lkst_pins_exist();
	int err;

	(void)args, (void)nr_args;
	if (lock < 0)
		return lock;
	err = lkst_pins_remove(e);
	if (!err && !o->quiet)
		printf(existed ? "stopped\n" : "nothing was being recorded\n");
	return err;
}

const struct lkst_cmd lkst_cmd_stop = {
	.name = "stop",
	.summary = "end the recording; its memory is freed and what it held is gone",
	.usage = "stop [--quiet]",
	.help = "Detaches every hook, removes every pin and frees the memory; also what a start that\n"
		"was interrupted has left. Save what is in memory before, with `lkst snapshot`.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
