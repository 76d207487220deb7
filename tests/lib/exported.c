/* SPDX-License-Identifier: GPL-2.0-only */
/* Exports a trace as every format there is. */
#include "lib/exported.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/create.h"
#include "export/export.h"
#include "export/export_format.h"

void export_all(struct lkst_trace *t, const char *path)
{
	static int fd = -1;
	struct lkst_export_request request = { .trace = t, .trace_name = "x" };
	struct lkst_export_result result;
	struct lkst_choice format;
	struct lkst_err e;

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	request.fd = fd;
	for (; lkst_export_choices(request.format, &format); request.format++) {
		bool is_directory = lkst_export_format(request.format)->is_directory;

		request.path = is_directory ? path : NULL;
		/* A format that has only samples says so of a trace without them. */
		int err = lkst_export_run(&e, &request, &result);

		if (err && err != -ENODATA) {
			fprintf(stderr, "export as %s: %s\n", format.name, e.text);
			abort();
		}
		if (is_directory)
			lkst_remove_dirs(AT_FDCWD, path);
	}
}
