/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst snapshot: saves what the recording holds, while it goes on. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/recording.h"
#include "live/pins.h"
#include "live/state.h"
#include "live/drain.h"

struct options {
	const char *output;
	u64 last_ns;
	bool quiet;
};

static const struct lkst_option rows[] = {
	{ "output", 'o', LKST_OPTION_TEXT, "DIR", offsetof(struct options, output), 0, 0,
	  "lkst-DATE-TIME", "the trace directory to make" },
	{ "last", 0, LKST_OPTION_DURATION, "TIME", offsetof(struct options, last_ns), 0, 0,
	  "all there is", "only the last 5s, 200ms, 2m ..." },
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "say nothing but errors" },
	{ 0 },
};

static int save(struct lkst_err *e, const struct options *o, const struct lkst_session *s,
		struct lkst_writer *w)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	u64 now = lkst_monotonic_ns();
	u64 since = o->last_ns && o->last_ns < now ? now - o->last_ns : 0;
	int err;

	/* Events first: every moment that passes, the oldest are overwritten. */
	err = lkst_drain_new(e, s, w, since, &drain);
	if (!err)
		err = lkst_drain_finish(e, drain);
	if (!err)
		err = lkst_state_write_machine(e, s, w);
	if (!err)
		err = lkst_state_write_ledger(e, s, w, true);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	char name[64], size[LKST_SIZE_TEXT];
	struct lkst_writer *w = NULL;
	const char *dir = o->output;
	struct lkst_err close_e;
	int err, close_err;
	u64 bytes;

	(void)args, (void)nr_args;
	if (lock < 0)
		return lock;
	if (!dir) {
		lkst_recording_default_dir(name, sizeof(name));
		dir = name;
	}
	err = lkst_session_open(e, &s);
	if (!err)
		err = lkst_writer_open(e, dir, lkst_session_catalog(s), &w);
	if (err)
		return err;
	err = save(e, o, s, w);
	bytes = lkst_writer_bytes(w);
	close_err = lkst_writer_close(err ? &close_e : e, w);
	if (err || close_err)
		return err ? err : close_err;
	lkst_size_format(bytes, size);
	if (!o->quiet)
		printf("%s: %s; `lkst print %s` shows it\n", dir, size, dir);
	return 0;
}

const struct lkst_cmd lkst_cmd_snapshot = {
	.name = "snapshot",
	.summary = "save what is in memory as a trace, while recording goes on",
	.usage = "snapshot [--output DIR] [--last TIME] [--quiet]",
	.help = "Copies the buffers of the running recording to a trace directory. The recording goes\n"
		"on and is not disturbed.",
	.examples = "  lkst snapshot                        to lkst-DATE-TIME\n"
		    "  lkst snapshot -o slow-tx --last 5s   the last five seconds\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
