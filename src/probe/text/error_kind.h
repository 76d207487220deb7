/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a function of the kernel may return to say that it has failed, as the kernel lists it (lib/error-inject.c, in
 * debugfs error_injection/list).
 */
#ifndef LKST_PROBE_TEXT_ERROR_KIND_H
#define LKST_PROBE_TEXT_ERROR_KIND_H

#include "probe/text/injection.h"

enum lkst_error_kind {
	LKST_ERROR_NONE,       /* nobody may make it fail */
	LKST_ERROR_ERRNO,      /* an error number below 0 */
	LKST_ERROR_ERRNO_NULL, /* the same as a pointer, or NULL */
	LKST_ERROR_NULL,
	LKST_ERROR_TRUE,
	LKST_ERROR_SECURITY, /* a hook of security modules, which returns an error number; not on the list */
	LKST_ERROR_MODULE, /* the function is in a module */
};

/* What @line of the list says of @function: "NAME+0x0/0x123[ [MODULE]]<tab>KIND". NONE: it is another's. */
enum lkst_error_kind lkst_error_list_read(const char *line, const char *function);

/*
 * Whether a function of that kind may return the injection's value. -ERANGE: it may not; -ENOTSUP: no program can make
 * it do so, since one that returns 0 lets the function run.
 */
int lkst_error_kind_check(struct lkst_err *e, const struct lkst_injection *injection,
			  enum lkst_error_kind kind);

#endif
