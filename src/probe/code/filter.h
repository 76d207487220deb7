/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that decide by a probe's condition whether its record is kept. */
#ifndef LKST_PROBE_CODE_FILTER_H
#define LKST_PROBE_CODE_FILTER_H

#include "probe/code/emit.h"
#include "probe/code/layout.h"

/*
 * Compares what the record has by now. Jumps that drop it are added to @drops. What could not be read is unknown, so
 * that no comparison with it holds, != included.
 */
int lkst_filter_emit(struct lkst_err *e, struct lkst_code *c, const struct lkst_layout *l,
		     struct lkst_jumps *drops);

#endif
