/* SPDX-License-Identifier: GPL-2.0-only */
/* A pass of its own, for the page. */
#include "web/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/cmd.h"

static int web_open_trace(struct lkst_err *e, const struct lkst_web_opening *o, struct lkst_out *out)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	char *name = (char *)"the trace";
	struct lkst_json j;
	int err = lkst_cmd_open_trace(e, &name, 1, &t) ?: o->read(e, t, o);

	if (err)
		return err;
	lkst_json_init(&j, out);
	lkst_json_object(&j, NULL);
	o->describe(&j);
	lkst_json_end(&j);
	return lkst_out_flush(out);
}

int lkst_web_open(const struct lkst_web_opening *o)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_err e = {};
	int err = -ENOMEM;

	if (out) {
		lkst_out_init(out, STDOUT_FILENO);
		err = web_open_trace(&e, o, out);
	}
	if (err)
		lkst_print_message(stderr, "%s", e.text[0] ? e.text : "there is not enough memory");
	fflush(stderr);
	return err;
}
