/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst snapshot: saves the records in memory, while recording goes on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/out.h"
#include "base/size.h"
#include "bundle/bundle_save.h"
#include "cmd/frame/access.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/remote.h"
#include "cmd/recorders/turn.h"
#include "live/drain/snapshot.h"
#include "live/state/state_stream.h"
#include "trace/format/pack.h"

struct snapshot_options {
	const char *output, *file;
	u64 last_ns;
	const char *socket;
	struct lkst_access_options access;
	bool symbols, no_symbols, quiet, bundle;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct snapshot_options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = "lkst-DATE-TIME",
		    .help = "the trace directory to make"),
	LKST_OPTION(TEXT, struct snapshot_options, file, .name = "file", .letter = 'f', .argument = "FILE",
		    .help = "save to one file rather than a directory; all commands that\n"
			    "read a trace take it, and tar(1) takes it apart"),
	LKST_OPTION(FLAG, struct snapshot_options, bundle, .name = "bundle", .letter = 'b',
		    .help = "save a bundle: one file that says all of this moment, FILE or\n"
			    "lkst-DATE-TIME.bundle; see lkst-bundle(1)"),
	LKST_OPTION(DURATION, struct snapshot_options, last_ns, .name = "last", .argument = "TIME",
		    .standard = "all there is", .help = "only the last 5s, 200ms, 2m ..."),
	LKST_OPTION(FLAG, struct snapshot_options, symbols, .name = "symbols",
		    .help = "fail if the kernel does not give the names of functions, locks\n"
			    "and slab caches whose addresses the records have; without\n"
			    "this a note says so"),
	LKST_OPTION(FLAG, struct snapshot_options, no_symbols, .name = "no-symbols",
		    .help = "without those names"),
	LKST_OPTION_SOCKET_ROW(struct snapshot_options, socket),
	LKST_ACCESS_ROWS(struct snapshot_options, access),
	LKST_OPTION(FLAG, struct snapshot_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* Updates the notes for readers of a crash dump, unless another command is doing so. */
static void keep_machine(struct lkst_session *s)
{
	struct lkst_err ignored;
	struct lkst_turn turn;

	if (lkst_turn_take(&ignored, LKST_TURN_SOON, &turn))
		return;
	if (lkst_session_is_current(s))
		lkst_state_keep_machine(&ignored, s);
	lkst_turn_give(&turn);
}

/* The recording of this machine, as root. */
static int save_own(struct lkst_err *e, const struct snapshot_options *o, const struct lkst_access *access,
		    const char *dir, u64 *ret_bytes)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_(lkst_readings_fini) struct lkst_readings readings = {};
	const struct lkst_snapshot_options what = { .last_ns = o->last_ns,
						    .symbols = !o->no_symbols,
						    .readings = &readings };
	struct lkst_writer *w = NULL;
	struct lkst_turn turn;
	int err = lkst_turn_take(e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(e, &s);

	lkst_turn_give(&turn);
	if (!err && what.symbols)
		err = lkst_recording_check_symbols(e, s, o->symbols, o->quiet);
	if (!err)
		err = lkst_writer_open_copy(e, access, dir, lkst_session_catalog(s), &w);
	if (err)
		return err;
	lkst_readings_take(s, &readings);
	err = lkst_snapshot_write(e, s, &what, w);
	if (!err)
		keep_machine(s);
	*ret_bytes = lkst_writer_bytes(w);
	return lkst_writer_close(e, w, err);
}

/* Saves to the new directory @dir; how many bytes that were. */
static int save_dir(struct lkst_err *e, const struct snapshot_options *o, const struct lkst_access *access,
		    const char *dir, u64 *ret_bytes)
{
	if (!lkst_remote_is_wanted(o->socket))
		return save_own(e, o, access, dir, ret_bytes);
	if (o->symbols)
		return lkst_err_set(e, -EINVAL,
				    "--symbols needs root: the service does not know where the "
				    "kernel's functions lie");
	return lkst_remote_snapshot(e, o->socket, o->last_ns, access, dir, ret_bytes);
}

/* A directory beside the file first, since the length of a stream is known only at its end. */
static int save_file(struct lkst_err *e, const struct snapshot_options *o, const struct lkst_access *access,
		     const char *file, bool is_private, u64 *ret_bytes)
{
	const struct lkst_bundle_saving what = { .access = access, .is_private = is_private };
	_cleanup_close_ int lock = -1;
	char dir[PATH_MAX];
	int err = lkst_create_dir_beside(e, access, file, dir, &lock);

	if (err)
		return err;
	err = save_dir(e, o, access, dir, ret_bytes);
	if (!err)
		err = o->bundle ? lkst_bundle_save(e, &what, dir, file, ret_bytes)
				: lkst_pack_write(e, access, dir, file);
	lkst_remove_made_dir(lock, AT_FDCWD, dir);
	return err;
}

static int snapshot_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct snapshot_options *o = options;
	const char *path = o->file ? o->file : o->output;
	char name[64], size[LKST_SIZE_TEXT];
	struct lkst_access access;
	bool is_private = false;
	u64 bytes = 0;
	int err;

	if (o->output && (o->file || o->bundle))
		return lkst_err_set(e, -EINVAL, "--output and %s exclude each other",
				    o->bundle ? "--bundle" : "--file");
	if (!path) {
		lkst_recording_default_dir(name, sizeof(name));
		if (o->bundle)
			strcat(name, LKST_BUNDLE_SUFFIX);
		path = name;
	}
	err = o->bundle ? lkst_access_parse_private(e, &o->access, &access, &is_private)
			: lkst_access_parse(e, &o->access, &access);
	if (err)
		return err;
	err = o->file || o->bundle ? save_file(e, o, &access, path, is_private, &bytes)
				   : save_dir(e, o, &access, path, &bytes);
	if (err)
		return err;
	lkst_size_format(bytes, size);
	if (!o->quiet)
		lkst_print_message(stdout, "%s: %s; `lkst %s %s` shows it", path, size,
				   o->bundle ? "bundle show" : "print", path);
	return 0;
}

const struct lkst_cmd lkst_cmd_snapshot = {
	.name = "snapshot",
	.summary = "save what is in memory as a trace",
	.help = "Copies the buffers of the running recording to a trace directory. The recording goes\n"
		"on and is not disturbed. Without root it asks the service (lkst serve), which answers\n"
		"members of group lkst; the files are made with your own rights.",
	.examples =
		"  lkst snapshot                        to lkst-DATE-TIME\n"
		"  lkst snapshot -o slow-tx --last 5s   the last five seconds\n"
		"  lkst snapshot -f slow-tx.lkst        one file, to send it to somebody\n"
		"  lkst snapshot --bundle -f slow-tx.bundle  the same, with all else of this moment\n",
	.options = rows,
	.options_size = sizeof(struct snapshot_options),
	.run = snapshot_run,
};
