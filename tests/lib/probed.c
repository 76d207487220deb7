/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of probes: what definitions become in a program. */
#include "lib/probed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/debuginfo/image_open.h"
#include "probe/resolve/resolve.h"
#include "probe/text/definition.h"
#include "probe/text/format.h"
#include "probe/text/perf.h"

static char note[LKST_ERR_MAX];

/* The path of file "NAME.HOW[SUFFIX]" beside the test. */
static const char *path_of(const char *name, const char *how, const char *suffix)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;

	if (length < 0)
		return "";
	path[length] = 0;
	slash = strrchr(path, '/');
	snprintf(slash, 64, "/probed/%s.%s%s", name, how, suffix);
	return path;
}

const char *probed_path(const char *how)
{
	return path_of("program", how, "");
}

const char *probed_library_path(const char *how)
{
	return path_of("named", how, ".so");
}

static void append(char *text, size_t size, const char *line)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s", length ? "\n" : "", line);
}

static const char *resolve(const struct lkst_image_options *o, const char *definition)
{
	static char text[1 << 16];
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_perf_target target = { o->program, o->module };
	struct lkst_definition d = { 0 };
	struct lkst_resolved resolved = { 0 };
	struct lkst_err e = { 0 };
	char line[LKST_PROBE_TEXT];
	int code;
	unsigned int i;

	text[0] = 0;
	code = lkst_image_open(&e, o, &image);
	if (!code)
		code = lkst_definition_is_one(definition)
			       ? lkst_definition_parse(&e, definition, &d)
			       : lkst_perf_parse(&e, definition, &target, &d.probe);
	if (!code)
		code = lkst_probe_resolve(&e, image, &d.probe, &resolved);
	for (i = 0; !code && i < resolved.nr; i++) {
		code = lkst_definition_format(&e, &resolved.probes[i], line);
		append(text, sizeof(text), line);
	}
	if (code)
		snprintf(text, sizeof(text), "%s", e.text);
	snprintf(note, sizeof(note), "%s", resolved.notes.nr ? resolved.notes.text[0] : "");
	lkst_resolved_fini(&resolved);
	lkst_probe_fini(&d.probe);
	return text;
}

const char *probed(const char *how, const char *definition)
{
	const struct lkst_image_options o = { .program = probed_path(how) };

	return resolve(&o, definition);
}

const char *probed_library(const char *how, const char *definition)
{
	const struct lkst_image_options o = { .program = probed_library_path(how) };

	return resolve(&o, definition);
}

const char *probed_note(void)
{
	return note;
}

const char *probed_kernel(const char *definition)
{
	const struct lkst_image_options o = { 0 };

	return resolve(&o, definition);
}

const char *probed_args(const char *lines)
{
	static char args[4096];
	const char *blank = strchr(lines, ' ');

	blank = blank ? strchr(blank + 1, ' ') : NULL;
	if (!blank)
		return lines;
	snprintf(args, sizeof(args), "%s", blank + 1);
	args[strcspn(args, "\n")] = 0;
	return args;
}
