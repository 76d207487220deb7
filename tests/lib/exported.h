/* SPDX-License-Identifier: GPL-2.0-only */
/* For fuzz targets: exports a trace as every format there is. */
#ifndef LKST_TESTS_EXPORTED_H
#define LKST_TESTS_EXPORTED_H

#include "trace/read/reader.h"

/* What is written is thrown away; a directory is made at @path, and removed. A failure ends the program. */
void export_all(struct lkst_trace *t, const char *path);

#endif
