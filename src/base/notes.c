/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences for the user that are no errors. */
#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void lkst_notes_add(struct lkst_notes *n, const char *format, ...)
{
	va_list args;
	char *text;

	if (n->nr == LKST_NOTES_MAX)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		n->text[n->nr++] = text;
	va_end(args);
}

void lkst_notes_fini(struct lkst_notes *n)
{
	while (n->nr)
		free(n->text[--n->nr]);
}
