/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst snapshot: saves what the recording holds, while it goes on. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/recording.h"
#include "cmd/remote.h"
#include "live/pins.h"
#include "live/snapshot.h"
#include "live/state.h"
#include "trace/pack.h"

struct options {
	const char *output, *file;
	u64 last_ns;
	const char *socket;
	bool symbols, quiet;
};

static const struct lkst_option rows[] = {
	{ "output", 'o', LKST_OPTION_TEXT, "DIR", offsetof(struct options, output), 0, 0,
	  "lkst-DATE-TIME", "the trace directory to make" },
	{ "file", 'f', LKST_OPTION_TEXT, "FILE", offsetof(struct options, file), 0, 0, NULL,
	  "save to one file rather than a directory; all commands that\n"
	  "read a trace take it, and tar(1) takes it apart" },
	{ "last", 0, LKST_OPTION_DURATION, "TIME", offsetof(struct options, last_ns), 0, 0,
	  "all there is", "only the last 5s, 200ms, 2m ..." },
	{ "symbols", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, symbols), 0, 0, NULL,
	  "also the names of functions whose addresses the records have" },
	LKST_OPTION_SOCKET_ROW(struct options, socket),
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "say nothing but errors" },
	{ 0 },
};

/* The recording of this machine, as root. */
static int save_own(struct lkst_err *e, const struct options *o, const char *dir, u64 *ret_bytes)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	const struct lkst_snapshot_options what = { .last_ns = o->last_ns, .symbols = o->symbols };
	struct lkst_writer *w = NULL;
	int err;

	if (lock < 0)
		return lock;
	err = lkst_session_open(e, &s);
	if (!err)
		err = lkst_writer_open(e, dir, lkst_session_catalog(s), &w);
	if (err)
		return err;
	err = lkst_writer_mark_partial(e, w);
	if (!err)
		err = lkst_snapshot_write(e, s, &what, w);
	if (!err)
		err = lkst_state_keep_machine(e, s);
	*ret_bytes = lkst_writer_bytes(w);
	return lkst_writer_close(e, w, err);
}

/* Saves to the new directory @dir; how many bytes that were. */
static int save_dir(struct lkst_err *e, const struct options *o, const char *dir, u64 *ret_bytes)
{
	if (!lkst_remote_is_wanted(o->socket))
		return save_own(e, o, dir, ret_bytes);
	if (o->symbols)
		return lkst_err_set(e, -EINVAL,
				    "--symbols needs root: the service does not know where the "
				    "kernel's functions lie");
	return lkst_remote_snapshot(e, o->socket, o->last_ns, dir, ret_bytes);
}

/* Removes a directory of ours, which holds files only. */
static void remove_dir(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

/* A directory beside the file first, for the length of a stream is known only at its end. */
static int save_file(struct lkst_err *e, const struct options *o, u64 *ret_bytes)
{
	char dir[4096];
	int err;

	if (snprintf(dir, sizeof(dir), "%s.XXXXXX", o->file) >= (int)sizeof(dir))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", o->file);
	if (!mkdtemp(dir))
		return lkst_err_sys(e, -errno, "making a directory beside %s", o->file);
	err = save_dir(e, o, dir, ret_bytes);
	if (!err)
		err = lkst_pack_write(e, dir, o->file);
	remove_dir(dir);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	const char *path = o->file ? o->file : o->output;
	char name[64], size[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err;

	(void)args, (void)nr_args;
	if (o->file && o->output)
		return lkst_err_set(e, -EINVAL, "--output and --file exclude each other");
	if (!path) {
		lkst_recording_default_dir(name, sizeof(name));
		path = name;
	}
	err = o->file ? save_file(e, o, &bytes) : save_dir(e, o, path, &bytes);
	if (err)
		return err;
	lkst_size_format(bytes, size);
	if (!o->quiet)
		printf("%s: %s; `lkst print %s` shows it\n", path, size, path);
	return 0;
}

const struct lkst_cmd lkst_cmd_snapshot = {
	.name = "snapshot",
	.summary = "save what is in memory as a trace, while recording goes on",
	.usage =
		"snapshot [--output DIR | --file FILE] [--last TIME] [--symbols] [--socket PATH] [--quiet]",
	.help = "Copies the buffers of the running recording to a trace directory. The recording goes\n"
		"on and is not disturbed. Without root it asks the service (lkst serve), which answers\n"
		"members of group lkst; what is saved is made with your own rights.",
	.examples = "  lkst snapshot                        to lkst-DATE-TIME\n"
		    "  lkst snapshot -o slow-tx --last 5s   the last five seconds\n"
		    "  lkst snapshot -f slow-tx.lkst        one file, to send it to somebody\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
