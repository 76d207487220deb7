/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst stop: ends the recording and removes every trace of it. */
#include <errno.h>
#include <stdio.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/turn.h"
#include "live/load/pins.h"
#include "live/recording/injections.h"
#include "marks/marks_ask.h"

struct options {
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	struct lkst_turn turn;
	bool existed;
	int err, injections_err;

	/* Removing pins needs no turn: it only lets others end what they are at. */
	err = lkst_turn_take(e, LKST_TURN_URGENT, &turn);
	if (err)
		return err;
	existed = lkst_pins_exist();
	injections_err = lkst_injections_disarm(e, NULL);
	err = lkst_pins_remove(e) ?: injections_err;
	lkst_turn_give(&turn);
	/* Also where there is nothing to stop: a start that failed may have asked them. */
	lkst_marks_ask(lkst_monotonic_ns() + LKST_MARKS_END_NS, true);
	if (!err && !o->quiet)
		printf(existed ? "stopped\n" : "nothing was being recorded\n");
	return err;
}

const struct lkst_cmd lkst_cmd_stop = {
	.name = "stop",
	.summary = "end the recording; its memory is freed and what it held is gone",
	.help = "Detaches every hook, removes every pin and frees the memory; also what a start that\n"
		"was interrupted has left, and disarms what `lkst inject` has armed. Save the records before,\n"
		"with `lkst snapshot`. If another command has its turn, this one waits, but for 5 s at most.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
