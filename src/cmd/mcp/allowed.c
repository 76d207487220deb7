/* SPDX-License-Identifier: GPL-2.0-only */
/* Which traces may be asked. */
#include "cmd/mcp/allowed.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"

enum { NAMES_MAX = 64 }; /* of what is in a directory that are said */

static void close_directory(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* A directory without the file that every trace directory has. */
static bool is_collection(const char *path)
{
	_cleanup_free_ char *metadata = NULL;
	_cleanup_(close_directory) DIR *d = opendir(path);

	return d && asprintf(&metadata, "%s/metadata", path) >= 0 && access(metadata, F_OK);
}

int lkst_mcp_allowed_check(struct lkst_err *e, const struct lkst_mcp_allowed *allowed)
{
	unsigned int i;

	for (i = 0; i < allowed->nr; i++)
		if (access(allowed->given[i], R_OK))
			return lkst_err_sys(e, -errno, "%s", allowed->given[i]);
	return 0;
}

/* What @name is below @directory; NULL: it is not. */
static char *find_below(const char *directory, const char *name)
{
	_cleanup_free_ char *root = realpath(directory, NULL), *joined = NULL, *path = NULL;
	const size_t given = strlen(directory);
	size_t length;

	if (!root || !name[0])
		return NULL;
	if (!strncmp(name, directory, given) && (name[given] == '/' || directory[given - 1] == '/'))
		name += given;
	if (asprintf(&joined, "%s/%s", root, name) < 0)
		return NULL;
	path = realpath(joined, NULL);
	length = strlen(root);
	if (!path || strncmp(path, root, length) || path[length] != '/')
		return NULL;
	return lkst_take(path);
}

/* Whether the last part of @path is @name. */
static bool allowed_is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && !strcmp(slash + 1, name);
}

/* The one that was typed so, or the only one whose last part is so. NULL: there is none, or @ret_nr of them. */
static const char *allowed_find_given(const struct lkst_mcp_allowed *allowed, const char *name,
				      unsigned int *ret_nr)
{
	const char *found = NULL;
	unsigned int i;

	*ret_nr = 0;
	for (i = 0; i < allowed->nr; i++) {
		if (!strcmp(allowed->given[i], name))
			return allowed->given[i];
		if (!allowed_is_called(allowed->given[i], name))
			continue;
		found = allowed->given[i];
		++*ret_nr;
	}
	return *ret_nr == 1 ? found : NULL;
}

/* @nr: how many are called so. */
static int allowed_refuse(struct lkst_err *e, const struct lkst_mcp_allowed *allowed, const char *name,
			  unsigned int nr)
{
	char text[LKST_MCP_ALLOWED_TEXT];

	if (!allowed->nr)
		return lkst_err_set(
			e, -ENOENT,
			"no trace was given: the server must be started as lkst mcp TRACE...");
	lkst_mcp_allowed_describe(allowed, text);
	if (!name)
		return lkst_err_set(e, -EINVAL, "which trace? There are %s", text);
	if (nr > 1)
		return lkst_err_set(
			e, -EINVAL,
			"%u traces are called \"%.*s\": give the path of one; there are %s", nr,
			256, name, text);
	return lkst_err_set(e, -ENOENT, "there is no trace \"%.*s\" here; there are %s", 256, name,
			    text);
}

int lkst_mcp_allowed_find(struct lkst_err *e, const struct lkst_mcp_allowed *allowed,
			  const char *name, char **ret_path)
{
	const char *given = !name && allowed->nr == 1 ? allowed->given[0] : NULL;
	unsigned int i, nr = 0;

	if (name)
		given = allowed_find_given(allowed, name, &nr);
	*ret_path = given ? strdup(given) : NULL;
	for (i = 0; name && !nr && i < allowed->nr && !*ret_path; i++)
		if (is_collection(allowed->given[i]))
			*ret_path = find_below(allowed->given[i], name);
	return *ret_path ? 0 : allowed_refuse(e, allowed, name, nr);
}

/* "incidents/1, incidents/2": what is in a directory. */
static void describe_collection(FILE *to, const char *path)
{
	_cleanup_(close_directory) DIR *d = opendir(path);
	unsigned int nr = 0;
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		if (nr < NAMES_MAX)
			fprintf(to, "%s%s", nr ? ", " : " with ", entry->d_name);
		nr++;
	}
	if (nr > NAMES_MAX)
		fprintf(to, " and %u others", nr - NAMES_MAX);
}

void lkst_mcp_allowed_describe(const struct lkst_mcp_allowed *allowed,
			       char text[LKST_MCP_ALLOWED_TEXT])
{
	char raw[LKST_MCP_ALLOWED_TEXT / 4] = "";
	FILE *to = fmemopen(raw, sizeof(raw), "w");
	unsigned int i;

	for (i = 0; to && i < allowed->nr; i++) {
		fprintf(to, "%s%s", i ? "; " : "", allowed->given[i]);
		if (is_collection(allowed->given[i]))
			describe_collection(to, allowed->given[i]);
	}
	if (to)
		fclose(to);
	raw[sizeof(raw) - 1] = 0;
	*lkst_put_escaped(text, raw, strlen(raw), NULL) = 0;
}
