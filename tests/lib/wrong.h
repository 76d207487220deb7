/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that a parser is to refuse, where, and with which words. */
#ifndef LKST_TESTS_WRONG_H
#define LKST_TESTS_WRONG_H

#include <stdbool.h>

#include "base/err.h"

struct wrong {
	const char *text;  /* with "^" before what is wrong in it */
	const char *words; /* of the error */
};

/*
 * Whether @parse(), which sets *@error, refuses the text without its "^" with -EINVAL, marks that place, and says those
 * words. What it says otherwise is printed.
 */
bool wrong_is_refused(const struct wrong *w, int (*parse)(const char *text),
		      const struct lkst_err *error);

#endif
