/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page asks that takes a pass of its own: the trace is read, and what was found is described as JSON. */
#ifndef LKST_WEB_OPEN_H
#define LKST_WEB_OPEN_H

#include "abi/types.h"
#include "result/json_writer.h"
#include "trace/read/reader.h"

struct lkst_web_opening {
	int (*read)(struct lkst_err *e, struct lkst_trace *t, const struct lkst_web_opening *o);
	void (*describe)(struct lkst_json *j); /* within an object */
	double from_ns, to_ns;
	u32 columns, rows;
};

/* Reads, and prints. 0, or a negative errno and a sentence on standard error. */
int lkst_web_open(const struct lkst_web_opening *o);

#endif
