/* SPDX-License-Identifier: GPL-2.0-only */
/* TRACE... of the commands that read: one trace, or several that are read as one. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "trace/reader.h"

struct paths {
	char **list;
	unsigned int nr;
};

static void paths_fini(struct paths *p)
{
	while (p->nr)
		free(p->list[--p->nr]);
	free(p->list);
}

/* The trace that @path names: itself, or if it is a file with metadata beside it, its directory. */
static char *trace_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX], metadata[PATH_MAX + 16];
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return strdup(path);
	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	snprintf(metadata, sizeof(metadata), "%s/metadata", directory);
	if (stat(path, &st) || S_ISDIR(st.st_mode) || access(metadata, F_OK))
		return strdup(path);
	return strdup(directory);
}

/* Adds the trace of @path, once. */
static int add(struct paths *p, const char *path)
{
	char *trace = trace_of(path);
	unsigned int i;

	if (!trace)
		return -ENOMEM;
	for (i = 0; i < p->nr && strcmp(p->list[i], trace); i++)
		;
	if (i < p->nr)
		free(trace);
	else
		p->list[p->nr++] = trace;
	return 0;
}

int lkst_cmd_open_trace(struct lkst_err *e, char **args, unsigned int nr_args,
			struct lkst_trace **ret_trace)
{
	_cleanup_(paths_fini) struct paths p = { .list = calloc(nr_args, sizeof(char *)) };
	unsigned int i;
	int err = p.list ? 0 : -ENOMEM;

	for (i = 0; i < nr_args && !err; i++)
		err = add(&p, args[i]);
	if (err)
		return lkst_err_sys(e, err, "opening %s", args[0]);
	/* By itself it may be a directory of parts, or a trace in one file. */
	err = p.nr == 1 ? lkst_trace_open(e, p.list[0], ret_trace)
			: lkst_trace_open_parts(e, p.list, p.nr, ret_trace);
	if (!err)
		lkst_cmd_tell_ending(*ret_trace, args[0]);
	return err;
}

/* Whether a path of @length characters ends in dots alone. */
static bool is_nameless(const char *path, size_t length)
{
	while (length && path[length - 1] == '.')
		length--;
	return !length || path[length - 1] == '/';
}

char *lkst_cmd_output_of(const char *trace, const char *extension)
{
	_cleanup_free_ char *path = NULL;
	size_t length = strlen(trace);
	char *name;

	while (length > 1 && trace[length - 1] == '/')
		length--;
	if (is_nameless(trace, length)) {
		path = realpath(trace, NULL);
		if (!path)
			return NULL;
		trace = path;
		length = strlen(path);
	}
	return asprintf(&name, "%.*s.%s", (int)length, trace, extension) < 0 ? NULL : name;
}
