/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst stop: ends the recording and removes every trace of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cmd/frame/cmd.h"
#include "cmd/recorders/turn.h"
#include "live/hooks/pins.h"
#include "live/inject/injections.h"
#include "live/session/label.h"
#include "marks/marks_ask.h"

struct stop_options {
	const char *label;
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct stop_options, label, .name = "label", .argument = "TEXT",
		    .help = "end only a recording with this label; another one goes on, and that is\n"
			    "an error"),
	LKST_OPTION(FLAG, struct stop_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* Whether the recording, if there is one, is what is to be stopped. */
static int stop_check_label(struct lkst_err *e, const char *wanted)
{
	char label[LKST_LABEL_MAX];
	int err = lkst_label_read(e, label);

	if (err || !strcmp(label, wanted))
		return err;
	if (*label)
		return lkst_err_set(e, -EPERM, "the recording has the label \"%s\", and goes on", label);
	return lkst_err_set(e, -EPERM, "the recording has no label, and goes on");
}

static int stop_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct stop_options *o = options;
	struct lkst_turn turn;
	bool existed;
	int err, injections_err;

	/* Removing pins needs no turn: it only lets others end what they are at. */
	err = lkst_turn_take(e, LKST_TURN_URGENT, &turn);
	if (err)
		return err;
	existed = lkst_pins_exist();
	err = existed && o->label ? stop_check_label(e, o->label) : 0;
	if (err) {
		lkst_turn_give(&turn);
		return err;
	}
	injections_err = lkst_injections_disarm(e, NULL);
	err = lkst_session_remove(e) ?: injections_err;
	lkst_turn_give(&turn);
	/* Also where there is nothing to stop: a start that failed may have asked them. */
	lkst_marks_ask(lkst_monotonic_ns() + LKST_MARKS_END_NS, true);
	if (!err && !o->quiet)
		printf(existed ? "stopped\n" : "nothing was being recorded\n");
	return err;
}

const struct lkst_cmd lkst_cmd_stop = {
	.name = "stop",
	.summary = "stop recording and free its memory",
	.help = "Detaches every hook, removes every pin and frees the memory; also what a start that\n"
		"was interrupted has left, and disarms what `lkst inject` has armed. Save the records before,\n"
		"with `lkst snapshot`. If another command has its turn, this one waits, but for 5 s at most.",
	.options = rows,
	.options_size = sizeof(struct stop_options),
	.run = stop_run,
};
