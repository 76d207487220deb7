/* SPDX-License-Identifier: GPL-2.0-only */
/* Names similar to the one that was asked for. */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

static unsigned int suggest_least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* How many characters must be changed, added or taken away (Levenshtein). */
static unsigned int suggest_distance(const char *a, const char *b)
{
	unsigned int row[LKST_SUGGEST_NAME], i, j, n = (unsigned int)strlen(b);

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= n; j++) {
			unsigned int above = row[j];

			row[j] = suggest_least(suggest_least(above, row[j - 1]) + 1,
					       diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

void lkst_suggest_offer(struct lkst_suggest *n, const char *name)
{
	size_t length = strlen(n->word);
	unsigned int far, at;

	if (strlen(name) >= LKST_SUGGEST_NAME || length >= LKST_SUGGEST_NAME || !length)
		return;
	/* A part of a name is nearer than it looks. */
	far = !strcmp(name, n->word)			      ? 0
	      : strstr(name, n->word) && length > 2 ? 1
						    : suggest_distance(n->word, name);
	if (far > 1 + length / 3)
		return;
	for (at = 0; at < n->nr; at++)
		if (!strcmp(n->best[at].name, name))
			return;
	for (at = n->nr; at && n->best[at - 1].distance > far; at--)
		if (at < LKST_SUGGEST_MAX)
			n->best[at] = n->best[at - 1];
	if (at == LKST_SUGGEST_MAX)
		return;
	n->best[at].distance = far;
	memcpy(n->best[at].name, name, strlen(name) + 1);
	if (n->nr < LKST_SUGGEST_MAX)
		n->nr++;
}

const char *lkst_suggest_text(const struct lkst_suggest *n, char text[LKST_SUGGEST_TEXT])
{
	size_t used = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < n->nr; i++)
		used += (size_t)snprintf(text + used, LKST_SUGGEST_TEXT - used, "%s%s",
					 !i		 ? "; did you mean "
					 : i + 1 < n->nr ? ", "
							 : " or ",
					 n->best[i].name);
	if (n->nr)
		snprintf(text + used, LKST_SUGGEST_TEXT - used, "?");
	return text;
}
