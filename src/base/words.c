/* SPDX-License-Identifier: GPL-2.0-only */
/* A choice between words. */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

int lkst_words_find(lkst_words_fn *words, const char *name)
{
	struct lkst_word word;
	unsigned int i;

	for (i = 0; words(i, &word); i++)
		if (!strcmp(word.name, name))
			return (int)i;
	return -1;
}

void lkst_words_list(lkst_words_fn *words, char text[LKST_WORDS_TEXT])
{
	struct lkst_word word, next;
	size_t used = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; words(i, &word) && used < LKST_WORDS_TEXT; i++)
		used += (size_t)snprintf(text + used, LKST_WORDS_TEXT - used, "%s%s",
					 !i		       ? ""
					 : words(i + 1, &next) ? ", "
							       : " or ",
					 word.name);
}
