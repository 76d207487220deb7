/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences for the user that are not errors. */
#include "result/notes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void lkst_notes_add(struct lkst_notes *n, const char *format, ...)
{
	unsigned int i;
	size_t length;
	va_list args;
	char *text;

	va_start(args, format);
	text = lkst_text_vformat(format, args, &length);
	va_end(args);
	if (!text)
		return;
	for (i = 0; i < n->nr && strcmp(n->text[i], text); i++)
		;
	if (i == n->nr && n->nr < LKST_NOTES_MAX)
		n->text[n->nr++] = text;
	else
		free(text);
}

void lkst_notes_fini(struct lkst_notes *n)
{
	while (n->nr)
		free(n->text[--n->nr]);
}
