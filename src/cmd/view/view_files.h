/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that the page of lkst view is given: those of a trace, or of several hosts' traces. */
#ifndef LKST_CMD_VIEW_FILES_H
#define LKST_CMD_VIEW_FILES_H

#include "hosts/reading.h"

/*
 * Calls @each for every file, as lkst_trace_each_file(). Those of several hosts are in directories "host1", "host2" ...
 */
int lkst_view_each_file(struct lkst_err *e, const struct lkst_reading *r, lkst_trace_file *each, void *ctx);

#endif
