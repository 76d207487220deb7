/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that a parser is to refuse. */
#include "lib/wrong.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool wrong_is_refused(const struct wrong *w, int (*parse)(const char *text),
		      const struct lkst_err *error)
{
	size_t at = strcspn(w->text, "^");
	char text[512];
	int err;

	snprintf(text, sizeof(text), "%.*s%s", (int)at, w->text, w->text + at + 1);
	err = parse(text);
	if (err == -EINVAL && !strcmp(error->line, text) && error->mark == at &&
	    strstr(error->text, w->words))
		return true;
	printf("  %s: %d at %zu: %s\n", text, err, error->mark, error->text);
	return false;
}
