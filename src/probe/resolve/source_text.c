/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of sources. */
#include "probe/resolve/source_text.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"

enum {
	SOURCE_MAX = 32 << 20, /* bytes */
};

/* Splits @t->bytes into lines. */
static int split(struct lkst_source_text *t)
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

int lkst_source_text_read(struct lkst_err *e, struct lkst_image *image, Dwarf_Die *unit,
			  const char *path, struct lkst_source_text *ret_text)
{
	struct lkst_source_text t = { 0 };
	Dwarf_Attribute attr;
	const char *dir = NULL;
	char full[2 * PATH_MAX];
	size_t length;
	int code;

	if (path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	snprintf(full, sizeof(full), "%s%s%s%s", image->source_dir, dir ? dir : "", dir ? "/" : "",
		 path);
	code = lkst_read_file(NULL, AT_FDCWD, full, SOURCE_MAX, &t.bytes, &length);
	if (code && image->source_dir[0]) {
		/* A tree whose directory is that of the compilation. */
		snprintf(full, sizeof(full), "%s/%s", image->source_dir,
			 dir && !strncmp(path, dir, strlen(dir)) ? path + strlen(dir) : path);
		code = lkst_read_file(NULL, AT_FDCWD, full, SOURCE_MAX, &t.bytes, &length);
	}
	if (code)
		return lkst_err_set(e, -ENOENT,
				    "the source %s cannot be read: name a directory of sources",
				    full);
	t.path = strdup(full);
	code = t.path ? split(&t) : -ENOMEM;
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
