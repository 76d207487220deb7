/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture for a report, as SVG 1.1: panels one above the other along one axis of time. Its size follows from how many
 * columns it has, not from what happened in them.
 */
#ifndef LKST_PRINT_SVG_CHART_H
#define LKST_PRINT_SVG_CHART_H

#include "base/out.h"
#include "result/notes.h"
#include "result/table.h"

enum {
	LKST_SVG_SERIES_MAX = 12, /* of a panel */
	LKST_SVG_COLUMNS_MAX = 2000,
	LKST_SVG_WHOLE = 1000, /* the height of a panel, in the units of its paths */
};

/* A colour, and what it stands for. */
struct lkst_svg_series {
	const char *name;
	const char *colour;
	const double *values; /* one for each column; negative: there is none */
};

/*
 * In each column the series of a panel of shares are one above the other, 1 being all of it. Of other panels the first
 * series is drawn as bars, the second one as a line, 0 being at the bottom.
 */
struct lkst_svg_panel {
	const char *title;
	bool is_shares;
	enum lkst_column_type type; /* of values that are no shares: DURATION, BYTES or COUNT */
	struct lkst_svg_series series[LKST_SVG_SERIES_MAX];
	unsigned int nr_series;
};

struct lkst_svg_chart {
	const char *title;
	const char *about; /* sentences for those who cannot see it */
	uint64_t first_ns,
		length_ns; /* the axis: from when on after the trace's beginning, and how long */
	unsigned int nr_columns; /* of equal length, 1 to LKST_SVG_COLUMNS_MAX */
	const struct lkst_svg_panel *panels;
	unsigned int nr_panels;
	const struct lkst_notes *notes; /* lines below the picture */
};

/* All is borrowed. Texts may be any. */
void lkst_svg_chart_print(const struct lkst_svg_chart *chart, struct lkst_out *out);

#endif
