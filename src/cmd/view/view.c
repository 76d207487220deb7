/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst view: a trace as a page for a browser. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/frame/access.h"
#include "cmd/recorders/remote.h"
#include "cmd/readers/traces.h"
#include "cmd/view/view_files.h"
#include "cmd/view/view_live.h"
#include "cmd/view/view_page.h"
#include "cmd/view/view_serve.h"

/*
 * What a page may hold of files, bytes. The module's memory has 4 GiB, and what it works out needs as much again. A
 * page that holds them itself has them once more before that, packed and unpacked.
 */
#define TRACE_MAX (1ULL << 30)
#define SERVED_MAX (2ULL << 30)

enum { NAME_MAX_BYTES = 4096 }; /* of what is shown, as the page says it */

struct view_options {
	const char *output, *listen, *socket;
	u64 last_ns;
	struct lkst_access_options access;
	bool serve, live, quiet;
};

static const struct view_options defaults = { .last_ns = 5 * LKST_NS_PER_S };

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct view_options, output, .name = "output", .letter = 'o',
		    .argument = "FILE", .standard = "TRACE.html, or lkst.html",
		    .help = "the page; one that is there is replaced"),
	LKST_ACCESS_ROWS(struct view_options, access),
	LKST_OPTION(FLAG, struct view_options, serve, .name = "serve",
		    .help = "write no page, but serve it to a browser on this machine, and the\n"
			    "trace with it as it asks for it, until Ctrl-C"),
	LKST_OPTION(FLAG, struct view_options, live, .name = "live",
		    .help = "the same for the running recording: its last seconds, again each\n"
			    "second"),
	LKST_OPTION(DURATION, struct view_options, last_ns, .name = "last", .argument = "TIME",
		    .standard = "5s", .help = "with --live: how much of it"),
	LKST_OPTION(TEXT, struct view_options, listen, .name = "listen", .argument = "ADDRESS:PORT",
		    .standard = "127.0.0.1:0",
		    .help = "where to serve; port 0 is a free one. With an address that is\n"
			    "not of this machine alone others can connect"),
	LKST_OPTION_SOCKET_ROW(struct view_options, socket),
	LKST_OPTION(FLAG, struct view_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static int view_add_length(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	u64 *bytes = ctx;

	*bytes += file->length;
	return 0;
}

static int view_check_size(struct lkst_err *e, const struct lkst_reading *r, const char *name, u64 most)
{
	char has[LKST_SIZE_TEXT], may[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err = lkst_view_each_file(e, r, view_add_length, &bytes);

	if (err || bytes <= most)
		return err;
	lkst_size_format(bytes, has);
	lkst_size_format(most, may);
	return lkst_err_set(
		e, -EFBIG,
		"%s has %s, and %s %s at most; %s`lkst cut` makes a smaller trace of it, by time "
		"or size",
		name, has, most == TRACE_MAX ? "a page holds" : "a browser takes", may,
		most == TRACE_MAX ? "`lkst view --serve` shows twice as much, and " : "");
}

/* What they are called in the page: as they were named, or several by their hosts. */
static void name_traces(const struct lkst_reading *r, const char *named, char name[NAME_MAX_BYTES])
{
	size_t used = 0;
	unsigned int i;

	snprintf(name, NAME_MAX_BYTES, "%s", named);
	for (i = 0; r->nr > 1 && i < r->nr && used < NAME_MAX_BYTES; i++)
		used += (size_t)snprintf(name + used, NAME_MAX_BYTES - used, "%s%s", i ? ", " : "", r->list[i].name);
}

static int view_write_page(struct lkst_err *e, const struct lkst_access *access, const char *output,
			   const struct lkst_reading *r, const char *name, u64 *ret_bytes)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	struct stat st = {};
	int err;

	err = lkst_check_replaceable(e, output)
		      ?: lkst_new_file_open(e, access, AT_FDCWD, output, &file)
		      ?: lkst_view_page_write(e, file.fd, r, name);
	if (err)
		return err;
	fstat(file.fd, &st);
	*ret_bytes = (u64)st.st_size;
	return lkst_new_file_place(e, &file);
}

/* ---- serving ------------------------------------------------------------------------------------ */

static int serve_trace(struct lkst_err *e, const char *address, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading r = {};
	char name[NAME_MAX_BYTES];
	struct lkst_view_source source = { .name = name };
	int err;

	if (!nr_args)
		return lkst_err_set(e, -EINVAL, "--serve needs a trace to serve");
	err = lkst_cmd_open_reading(e, args, nr_args, &r) ?: view_check_size(e, &r, args[0], SERVED_MAX);
	if (err)
		return err;
	name_traces(&r, args[0], name);
	source.reading = r;
	r = (struct lkst_reading){};
	return lkst_view_serve(e, address, &source);
}

static int serve_live(struct lkst_err *e, const char *address, const struct view_options *o,
		      unsigned int nr_args)
{
	_cleanup_(lkst_view_live_freep) struct lkst_view_live *live = NULL;
	struct lkst_view_source source = { .name = "live", .next = lkst_view_live_next };
	struct lkst_trace *t;
	int err;

	if (nr_args)
		return lkst_err_set(e, -EINVAL, "--live shows the running recording, not a trace");
	err = lkst_view_live_new(e, o->socket, o->last_ns, &live, &t) ?: lkst_reading_take(e, &t, 1, &source.reading);
	if (err)
		return err;
	source.ctx = live;
	return lkst_view_serve(e, address, &source);
}

static int view_serve(struct lkst_err *e, const struct view_options *o, char **args, unsigned int nr_args)
{
	const char *address = o->listen ? o->listen : "127.0.0.1:0";

	if (o->output || o->access.mode || o->access.group)
		return lkst_err_set(e, -EINVAL, "no page is written with --serve or --live");
	if (o->serve && o->live)
		return lkst_err_set(e, -EINVAL, "--serve and --live exclude each other");
	return o->live ? serve_live(e, address, o, nr_args)
		       : serve_trace(e, address, args, nr_args);
}

/* ---- the command -------------------------------------------------------------------------------- */

static int make_page(struct lkst_err *e, const struct view_options *o, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading r = {};
	_cleanup_free_ char *output = NULL;
	char size[LKST_SIZE_TEXT], name[NAME_MAX_BYTES] = "";
	struct lkst_access access;
	u64 bytes = 0;
	int err = lkst_access_parse(e, &o->access, &access);

	if (!err && nr_args)
		err = lkst_cmd_open_reading(e, args, nr_args, &r)
			      ?: view_check_size(e, &r, args[0], TRACE_MAX);
	if (err)
		return err;
	output = o->output ? strdup(o->output) : lkst_cmd_output_of(nr_args ? args[0] : "lkst", "html");
	if (!output)
		return lkst_err_sys(e, -ENOMEM, "making the page");
	if (nr_args)
		name_traces(&r, args[0], name);
	err = view_write_page(e, &access, output, nr_args ? &r : NULL, name, &bytes);
	if (err)
		return err;
	lkst_size_format(bytes, size);
	if (!o->quiet)
		lkst_print_message(stdout, "%s, %s: open it in a browser", output, size);
	return 0;
}

static int view_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct view_options *o = options;
	int err = lkst_view_page_check(e);

	if (err)
		return err;
	if (!o->live && (o->last_ns != defaults.last_ns || o->socket))
		return lkst_err_set(e, -EINVAL,
				    "--last and --socket are for --live; `lkst cut` makes a trace "
				    "of the last seconds of one");
	if (o->serve || o->live)
		return view_serve(e, o, args, nr_args);
	if (o->listen)
		return lkst_err_set(e, -EINVAL, "--listen is for --serve and --live");
	return make_page(e, o, args, nr_args);
}

const struct lkst_cmd lkst_cmd_view = {
	.name = "view",
	.summary = "show a trace in a browser",
	.args = "[TRACE...]",
	.help = "Writes one HTML file that shows TRACE: what each CPU and each thread did along the time, and\n"
		"what the commands that read say of it (report, analyze, why, lint, print, check), by the same\n"
		"code as here. The file holds the trace and all else; it opens from anywhere, needs no network\n"
		"and uses none. Without TRACE the page is empty: a trace is dropped on it. Traces of several hosts\n"
		"are on one time line, the lanes of each below its name.\n"
		"\n"
		"With --serve or --live nothing is written: a browser opens the address that is printed, which only\n"
		"whoever knows it can use.",
	.examples =
		"  lkst record -o slow -- ./job && lkst view slow      slow.html\n"
		"  lkst cut --from -2s -o end trace && lkst view end    the last two seconds\n"
		"  lkst view -o lkst.html                               a viewer for a team to share\n"
		"  lkst view -o both.html web1 db1                      two hosts on one time line\n"
		"  lkst view --serve large                              a large trace, opened faster\n"
		"  lkst view --live --last 2s                           what happens now\n",
	.options = rows,
	.options_size = sizeof(struct view_options),
	.defaults = &defaults,
	.min_args = 0,
	.max_args = LKST_ARGS_MAX,
	.run = view_run,
};
