/* SPDX-License-Identifier: GPL-2.0-only */
/* What `lkst analyze` and the original's lkstla share. */
#ifndef LKST_CMD_ANALYZE_H
#define LKST_CMD_ANALYZE_H

#include "analyze/analyses/analysis.h"
#include "print/table_text.h"
#include "trace/read/reader.h"

enum { LKST_ANALYZE_SVG = LKST_TABLE_JSON + 1 }; /* a picture along the time */

struct lkst_analyze {
	const char *names; /* of analyses, commas between; "all"; or two events, "EVENT .. EVENT" */
	struct lkst_tally_options which;
	const char *from, *to; /* as lkst_time_parse() reads them, NULL: all */
	u64 from_ns, to_ns;    /* without `from` and `to` */
	bool is_list;
	u64 interval_ns; /* along the time, in stretches of this length; 0: not so */
	unsigned int format;   /* enum lkst_table_format, or LKST_ANALYZE_SVG */
	unsigned int tree_depth; /* of waiting, 0: without a tree */
	u64 rows; /* of a table that text shows, 0: all */
};

/* Opens the trace and prints the analyses. @path may be a file of a trace, too. */
int lkst_analyze_run(struct lkst_err *e, const struct lkst_analyze *a, char **paths,
		     unsigned int nr_paths);

/* Prints the list of analyses, as --help has it. */
void lkst_analyze_print_names(void);

#endif
