/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram (a table of kind LKST_TABLE_HISTOGRAM) drawn in the terminal: a bar for each range,
 * its count and share, and where the median and the far quantiles lie.
 */
#ifndef LKST_PRINT_CHART_H
#define LKST_PRINT_CHART_H

#include <stdbool.h>

#include "base/out.h"
#include "result/table.h"

struct lkst_chart {
	unsigned int width; /* of a line, in columns */
	bool is_utf8;	    /* block characters may be used */
};

/* For what @fd is: a terminal's width, else 80; UTF-8 if the environment's locale says so. */
void lkst_chart_init(struct lkst_chart *chart, int fd);

/* Draws @t at the end of @out, without its title. */
void lkst_chart_print(const struct lkst_chart *chart, struct lkst_out *out,
		      const struct lkst_table *t);

#endif
