/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON lines: an object for each record and each gap, as the view json prints them (print/json.c). */
#include <errno.h>
#include <string.h>

#include "export/export_format.h"
#include "print/print.h"

static int json_lines_put_record(void *ctx, const struct lkst_record *r)
{
	return lkst_view_json.record(ctx, r);
}

static int json_lines_put_gap(void *ctx, const struct lkst_gap *gap)
{
	return lkst_view_json.gap(ctx, gap);
}

/* {"left_out":{"kind":"syscall:*","from_ns":1,"to_ns":2}} before all; "to_ns" null: it was not over. */
static int json_lines_put_left_out(void *ctx, const struct lkst_limited_time *time)
{
	struct lkst_export *x = ctx;
	char *p = lkst_put_str(lkst_out_room(x->out), "{\"left_out\":{\"kind\":");

	p = lkst_out_json(x->out, p, time->kind, strlen(time->kind));
	p = lkst_put_u64(lkst_put_str(p, ",\"from_ns\":"), time->from_ns);
	p = lkst_put_str(p, ",\"to_ns\":");
	p = time->to_ns == UINT64_MAX ? lkst_put_str(p, "null") : lkst_put_u64(p, time->to_ns);
	lkst_out_advance(x->out, lkst_put_str(p, ",\"why\":\"the cost limit\"}}\n"));
	return x->out->error;
}

static int json_lines_write_json(struct lkst_err *e, struct lkst_export *x)
{
	static const struct lkst_export_calls calls = { .record = json_lines_put_record, .gap = json_lines_put_gap };
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
	err = lkst_limited_each(x->limited, x->begin_ns, x->end_ns, json_lines_put_left_out, x) ?:
	      lkst_export_each(e, x, &calls, view);
	end_err = lkst_view_json.end(view);
	return err ? err : end_err;
}

const struct lkst_export_format lkst_export_json = {
	.name = "json",
	.help = "JSON lines: an object for each record",
	.extension = "jsonl",
	.filters = LKST_EXPORT_BY_ALL,
	.write = json_lines_write_json,
};
