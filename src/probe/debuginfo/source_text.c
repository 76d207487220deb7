/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of sources. */
#include "probe/debuginfo/source_text.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"

enum {
	SOURCE_MAX = 32 << 20, /* bytes */
};

/* Splits @t->bytes into lines. */
static int source_text_split(struct lkst_source_text *t)
{
	char *rest = t->bytes, *line, **slot;

	while ((line = strsep(&rest, "\n"))) {
		if (!rest && !*line)
			break;
		slot = lkst_vec_add(t->lines, t->nr);
		if (!slot)
			return -ENOMEM;
		*slot = line;
	}
	return 0;
}

/*
 * Reads the source below directory @tree: at its whole path, then without the directories that it begins with, one
 * after the other, as perf probe looks for it (get_real_path() of tools/perf/util/probe-event.c). Writes where into
 * @full.
 */
static int read_below(const char *tree, const char *path, char full[2 * PATH_MAX],
		      struct lkst_source_text *t)
{
	size_t length;
	int code;

	for (;;) {
		snprintf(full, 2 * PATH_MAX, "%s/%s", tree, path + (*path == '/'));
		code = lkst_read_file(NULL, AT_FDCWD, full, SOURCE_MAX, &t->bytes, &length);
		path = strchr(path + 1, '/');
		if (!code || !path)
			return code;
	}
}

int lkst_source_text_read(struct lkst_err *e, struct lkst_image *image, Dwarf_Die *unit,
			  const char *path, struct lkst_source_text *ret_text)
{
	struct lkst_source_text t = { 0 };
	char whole[PATH_MAX], full[2 * PATH_MAX];
	Dwarf_Attribute attr;
	const char *dir = NULL;
	size_t length;
	int code;

	if (path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	snprintf(whole, sizeof(whole), "%s%s%s", dir ? dir : "", dir ? "/" : "", path);
	if (image->source_dir[0]) {
		code = read_below(image->source_dir, whole, full, &t);
	} else {
		snprintf(full, sizeof(full), "%s", whole);
		code = lkst_read_file(NULL, AT_FDCWD, full, SOURCE_MAX, &t.bytes, &length);
	}
	if (code)
		return lkst_err_set(e, -ENOENT,
				    "the source %s cannot be read%s%s: name a directory of sources",
				    whole, image->source_dir[0] ? " below " : "",
				    image->source_dir);
	t.path = strdup(full);
	code = t.path ? source_text_split(&t) : -ENOMEM;
	if (code) {
		lkst_source_text_fini(&t);
		return code;
	}
	*ret_text = t;
	return 0;
}

void lkst_source_text_fini(struct lkst_source_text *t)
{
	free(t->path);
	free(t->bytes);
	free(t->lines);
	*t = (struct lkst_source_text){ 0 };
}
