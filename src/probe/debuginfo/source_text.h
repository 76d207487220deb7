/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of sources, for lazy patterns (probe/text/lazy.h). */
#ifndef LKST_PROBE_DEBUGINFO_SOURCE_TEXT_H
#define LKST_PROBE_DEBUGINFO_SOURCE_TEXT_H

#include "probe/debuginfo/image.h"

struct lkst_source_text {
	char *path; /* where it was read */
	char *bytes;
	char **lines; /* each without its line end, in `bytes`; number 0 is the first */
	u32 nr;
};

/*
 * Reads the source that DWARF names @path in @unit: below the image's directory of sources, then as the path says.
 * -ENOENT: it is not on this machine.
 */
int lkst_source_text_read(struct lkst_err *e, struct lkst_image *image, Dwarf_Die *unit,
			  const char *path, struct lkst_source_text *ret_text);
void lkst_source_text_fini(struct lkst_source_text *t);

#endif
