/* SPDX-License-Identifier: GPL-2.0-only */
/* What `lkst diff` prints: rows, verdicts, and examples that are explained. */
#ifndef LKST_CMD_DIFF_REPORT_H
#define LKST_CMD_DIFF_REPORT_H

#include "analyze/diff/criterion.h"
#include "analyze/diff/diff.h"
#include "base/out.h"
#include "print/print.h"
#include "print/table_text.h"

enum { LKST_DIFF_WHYS_MAX = 20 };

struct lkst_diff_report {
	const struct lkst_diff *diff;
	const char *names[2]; /* of the traces, or windows, as they were given */
	struct lkst_trace *traces[2];
	const struct lkst_criterion *criteria;
	const struct lkst_verdict *verdicts;
	char *const *criterion_texts;
	unsigned int nr_criteria;
	const char *comm; /* only of threads that are called so, NULL: of all */
	bool has_all; /* rows that are not significant, too */
	u64 max_rows, max_whys;
	enum lkst_table_format format;
};

/* Prints all to @out. 0 or a negative errno; failed writes stick in the output. */
int lkst_diff_report_print(struct lkst_err *e, const struct lkst_diff_report *r,
			   struct lkst_out *out);

#endif
