/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page of lkst view for a browser that asks for it, and the files of what it shows. Below a path that begins with a
 * token, which nobody can guess, there are:
 *
 *	/TOKEN/			the page
 *	/TOKEN/list		what there is, as JSON: {"generation", "error", "files": [{"name", "length"}]}
 *	/TOKEN/file/G/I		file I of generation G
 *
 * A trace is generation 1. Of what is live there is another one from time to time; those that were are gone.
 */
#ifndef LKST_CMD_VIEW_SERVE_H
#define LKST_CMD_VIEW_SERVE_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"
#include "hosts/reading.h"

/*
 * Where the trace, or those of hosts, come from. The server closes them when nobody needs them any more. With @next,
 * each request for the list asks for a newer one: 1 and *@ret_trace; 0: there is none yet; or a negative errno, with
 * which it is over.
 */
struct lkst_view_source {
	const char *name; /* of the trace, in the page */
	struct lkst_reading reading;
	int (*next)(struct lkst_err *e, void *ctx,
		    struct lkst_trace **ret_trace); /* NULL: none is newer */
	void *ctx;
};

/* Serves the page at @address (lkst_http_listen()) and says where, until a signal ends it. */
int lkst_view_serve(struct lkst_err *e, const char *address, const struct lkst_view_source *source);

#endif
