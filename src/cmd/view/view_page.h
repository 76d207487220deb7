/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of lkst view: what is built into the program, and a trace written into it. */
#ifndef LKST_CMD_VIEW_PAGE_H
#define LKST_CMD_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct lkst_reading;

/* Whether there is a page in this program. -ENOTSUP: it was built without one. */
int lkst_view_page_check(struct lkst_err *e);

/*
 * Writes to @fd a page that shows @t, called @name; NULL: an empty one, on which a trace can be dropped. It is whole in
 * itself: the library as a module of WebAssembly, scripts, and the files of the trace or the hosts' traces, compressed.
 */
int lkst_view_page_write(struct lkst_err *e, int fd, const struct lkst_reading *r, const char *name);

/*
 * The same page without the files: it asks for them (cmd/view/view_serve.h), and may ask only whom it came from.
 * @is_live: again and again. The caller frees *@ret_bytes.
 */
int lkst_view_page_served(struct lkst_err *e, const char *name, bool is_live, char **ret_bytes,
			  size_t *ret_length);

#endif
