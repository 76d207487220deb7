/* SPDX-License-Identifier: GPL-2.0-only */
/* TRACE... of the commands that read: one trace, several that are read as one, or those of several hosts. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/cmd.h"
#include "cmd/readers/traces.h"
#include "hosts/recordings.h"
#include "trace/read/reader.h"

struct traces_paths {
	char **list;
	unsigned int nr;
};

static void paths_fini(struct traces_paths *p)
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
static int traces_add(struct traces_paths *p, const char *path)
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

static int traces_gather(struct lkst_err *e, char **args, unsigned int nr_args, struct traces_paths *ret_paths)
{
	unsigned int i;
	int err;

	ret_paths->list = calloc(nr_args, sizeof(char *));
	err = ret_paths->list ? 0 : -ENOMEM;
	for (i = 0; i < nr_args && !err; i++)
		err = traces_add(ret_paths, args[i]);
	return err ? lkst_err_sys(e, err, "opening %s", args[0]) : 0;
}

static int traces_open_one(struct lkst_err *e, const struct traces_paths *p, const char *name,
			   struct lkst_trace **ret_trace)
{
	/* By itself it may be a directory of parts, or a trace in one file. */
	int err = p->nr == 1 ? lkst_trace_open(e, p->list[0], ret_trace)
			     : lkst_trace_open_parts(e, p->list, p->nr, ret_trace);

	if (!err)
		lkst_cmd_tell_ending(*ret_trace, name);
	return err;
}

int lkst_cmd_open_trace(struct lkst_err *e, char **args, unsigned int nr_args,
			struct lkst_trace **ret_trace)
{
	_cleanup_(paths_fini) struct traces_paths p = {};

	return traces_gather(e, args, nr_args, &p) ?: traces_open_one(e, &p, args[0], ret_trace);
}

/* ---- several hosts --------------------------------------------------------------------------- */

/* Whether they may be of several recordings: a trace by itself is of one. */
static bool may_be_several(const struct traces_paths *p)
{
	char metadata[PATH_MAX + 16];
	struct stat st;

	if (p->nr > 1 || stat(p->list[0], &st) || strlen(p->list[0]) >= PATH_MAX)
		return p->nr > 1;
	snprintf(metadata, sizeof(metadata), "%s/metadata", p->list[0]);
	return S_ISDIR(st.st_mode) && access(metadata, F_OK);
}

/* A trace that is named wrongly is not to be left out without a word. */
static int refuse_stray(struct lkst_err *e, const struct lkst_recording_list *r)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	int err = r->stray ? lkst_trace_open(e, r->stray, &t) : 0;

	return err || !r->stray ? err : lkst_err_set(e, -EINVAL, "%s does not say of which recording it is", r->stray);
}

int lkst_cmd_open_reading(struct lkst_err *e, char **args, unsigned int nr_args, struct lkst_reading *ret_reading)
{
	_cleanup_(lkst_recording_list_fini) struct lkst_recording_list r = {};
	_cleanup_(paths_fini) struct traces_paths p = {};
	const char *names[LKST_HOSTS_MAX];
	struct lkst_trace *t;
	unsigned int i;
	int err = traces_gather(e, args, nr_args, &p);

	if (!err && may_be_several(&p))
		err = lkst_recording_list_find(e, p.list, p.nr, &r);
	if (err)
		return err;
	if (r.nr < 2)
		return traces_open_one(e, &p, args[0], &t) ?: lkst_reading_take(e, &t, 1, ret_reading);
	for (i = 0; i < r.nr; i++)
		names[i] = r.list[i].paths[0];
	return refuse_stray(e, &r) ?: lkst_reading_open(e, &r, ret_reading) ?:
	       lkst_cmd_tell_hosts(e, ret_reading, names);
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
