/* SPDX-License-Identifier: GPL-2.0-only */
/* The first tables of the analyses waiting and hung, as text. */
#include "bundle/findings.h"

#include "analyze/analyses/analysis.h"
#include "analyze/waiting/causes.h"
#include "base/cleanup.h"
#include "print/table_text.h"

int lkst_bundle_put_findings(struct lkst_err *e, struct lkst_trace *t, struct lkst_out *out)
{
	static const struct lkst_analysis *const asked[] = { &lkst_analysis_waiting, &lkst_analysis_hung };
	static const char *const headings[] = { LKST_CAUSES_HEADING, "what has not ended" };
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *run = NULL;
	const struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	struct lkst_table_printer p;
	unsigned int i;
	int err = lkst_analysis_run_new(e, t, &options, asked, 2, &run) ?: lkst_analysis_run_pass(e, run);

	for (i = 0; i < 2 && !err; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(run, i);

		lkst_out_printf(out, "## %s\n", headings[i]);
		if (!set->nr)
			continue;
		lkst_table_printer_init(&p, out, LKST_TABLE_TEXT, lkst_trace_catalog(t)->clock_offset_ns);
		p.is_untitled = true;
		lkst_table_print(&p, set->items[0]);
		lkst_table_printer_end(&p);
	}
	return err;
}
