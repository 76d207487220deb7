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
#include "cmd/access.h"
#include "cmd/view_page.h"
#include "trace/reader.h"

/* What a page may hold of files, bytes: the module's memory has 4 GiB, and what it works out needs as much again. */
#define TRACE_MAX (1ULL << 30)

struct options {
	const char *output;
	struct lkst_access_options access;
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct options, output, .name = "output", .letter = 'o',
		    .argument = "FILE", .standard = "TRACE.html, or lkst.html",
		    .help = "the page; one that is there is replaced"),
	LKST_ACCESS_ROWS(struct options, access),
	LKST_OPTION(FLAG, struct options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static int add_length(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	u64 *bytes = ctx;

	*bytes += file->length;
	return 0;
}

static int check_size(struct lkst_err *e, const struct lkst_trace *t, const char *name)
{
	char has[LKST_SIZE_TEXT], may[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err = lkst_trace_each_file(e, t, add_length, &bytes);

	if (err || bytes <= TRACE_MAX)
		return err;
	lkst_size_format(bytes, has);
	lkst_size_format(TRACE_MAX, may);
	return lkst_err_set(
		e, -EFBIG,
		"%s has %s, and a page holds %s at most; `lkst cut` makes a smaller trace of "
		"it, by time or size",
		name, has, may);
}

/* The name of the page, for the caller to free(): TRACE.html, without slashes at the trace's end. */
static char *default_output(const char *trace)
{
	size_t length = trace ? strlen(trace) : 0;
	char *name;

	if (!trace)
		return strdup("lkst.html");
	while (length > 1 && trace[length - 1] == '/')
		length--;
	return asprintf(&name, "%.*s.html", (int)length, trace) < 0 ? NULL : name;
}

static int write_page(struct lkst_err *e, const char *output, const struct lkst_trace *t,
		      const char *name, u64 *ret_bytes)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	struct stat st = {};
	int err;

	err = lkst_new_file_open(e, AT_FDCWD, output, &file)
		      ?: lkst_view_page_write(e, file.fd, t, name);
	if (err)
		return err;
	fstat(file.fd, &st);
	*ret_bytes = (u64)st.st_size;
	return lkst_new_file_place(e, &file);
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ char *output = NULL;
	const struct options *o = options;
	const char *name = nr_args ? args[0] : NULL;
	char size[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err = lkst_access_apply(e, &o->access);

	if (!err && nr_args)
		err = lkst_cmd_open_trace(e, args, nr_args, &t) ?: check_size(e, t, name);
	if (err)
		return err;
	output = o->output ? strdup(o->output) : default_output(name);
	if (!output)
		return lkst_err_sys(e, -ENOMEM, "making the page");
	err = write_page(e, output, t, name, &bytes);
	if (err)
		return err;
	lkst_size_format(bytes, size);
	if (!o->quiet)
		lkst_print_message(stdout, "%s, %s: open it in a browser", output, size);
	return 0;
}

const struct lkst_cmd lkst_cmd_view = {
	.name = "view",
	.summary = "make a page for a browser that shows a trace",
	.args = "[TRACE...]",
	.help = "Writes one HTML file that shows TRACE: what each CPU and each thread did along the time, and\n"
		"what the commands that read say of it (report, analyze, why, lint, print, check), by the same\n"
		"code as here. The file holds the trace and all else; it opens from anywhere, needs no network\n"
		"and uses none. Without TRACE the page is empty: a trace is dropped on it. Times of day are UTC.",
	.examples =
		"  lkst record -o slow -- ./job && lkst view slow      slow.html\n"
		"  lkst cut --from -2s -o end trace && lkst view end    the last two seconds\n"
		"  lkst view -o lkst.html                               a viewer for a team to share\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 0,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
