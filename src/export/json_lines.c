/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON lines: an object for each record and each gap, as the view json prints them (view/json.c). */
#include <errno.h>

#include "export/export_format.h"
#include "view/view.h"

static int put_record(void *ctx, const struct lkst_record *r)
{
	return lkst_view_json.record(ctx, r);
}

static int put_gap(void *ctx, const struct lkst_gap *gap)
{
	return lkst_view_json.gap(ctx, gap);
}

static int write_json(struct lkst_err *e, struct lkst_export *x)
{
	static const struct lkst_export_calls calls = { .record = put_record, .gap = put_gap };
	const struct lkst_view_config config = { .out = x->out,
						 .catalog = x->catalog,
						 .threads = x->threads,
						 .symbols = x->symbols,
						 .code = &x->code,
						 .begin_ns = x->begin_ns,
						 .has_process = true,
						 .has_cgroups = true };
	void *view = NULL;
	int err, end_err;

	err = lkst_view_json.begin(e, &config, &view);
	if (err)
		return err;
	err = lkst_export_each(e, x, &calls, view);
	end_err = lkst_view_json.end(view);
	return err ? err : end_err;
}

const struct lkst_export_format lkst_export_json = {
	.name = "json",
	.help = "JSON lines: an object for each record",
	.extension = "jsonl",
	.filters = LKST_EXPORT_BY_ALL,
	.write = write_json,
};
