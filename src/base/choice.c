/* SPDX-License-Identifier: GPL-2.0-only */
/* A choice between words. */
#include "base/choice.h"

#include <stdio.h>
#include <string.h>

int lkst_choices_find(lkst_choices_fn *choices, const char *name)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; choices(i, &choice); i++)
		if (!strcmp(choice.name, name))
			return (int)i;
	return -1;
}

void lkst_choices_list(lkst_choices_fn *choices, char text[LKST_CHOICES_TEXT])
{
	struct lkst_choice choice, next;
	size_t used = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; choices(i, &choice) && used < LKST_CHOICES_TEXT; i++)
		used += (size_t)snprintf(text + used, LKST_CHOICES_TEXT - used, "%s%s",
					 !i			 ? ""
					 : choices(i + 1, &next) ? ", "
								 : " or ",
					 choice.name);
}
