/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of several hosts' traces: names that say whose each is, and nothing of how hosts are called. */
#include "cmd/view/view_files.h"

#include <errno.h>
#include <stdio.h>

struct host_files {
	lkst_trace_file *each;
	void *ctx;
	unsigned int nr; /* of the host, from 1 on */
};

static int rename_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	const struct host_files *h = ctx;
	_cleanup_free_ char *name = NULL;

	if (asprintf(&name, "host%u/%s", h->nr, file->name) < 0)
		return lkst_err_sys(e, -ENOMEM, "%s", file->name);
	return h->each(e, h->ctx, &(struct lkst_memory_file){ name, file->bytes, file->length });
}

int lkst_view_each_file(struct lkst_err *e, const struct lkst_reading *r, lkst_trace_file *each, void *ctx)
{
	struct host_files h = { .each = each, .ctx = ctx };
	int err = 0;

	if (r->nr == 1)
		return lkst_trace_each_file(e, r->list[0].trace, each, ctx);
	while (h.nr < r->nr && !err) {
		const struct lkst_trace *trace = r->list[h.nr++].trace;

		err = lkst_trace_each_file(e, trace, rename_file, &h);
	}
	return err;
}
