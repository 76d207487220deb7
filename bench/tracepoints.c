/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the tracepoints that RDEFAULT hooks, one per line, for other tracers to enable. */
#include <stdio.h>
#include <string.h>

#include "masks/mask.h"

int main(void)
{
	static const char *printed[LKST_NR_EVENTS];
	unsigned int nr = 0, i, j;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		const struct lkst_event_desc *d = &lkst_events[i];

		if (!lkst_mask_has_by_default(d) || !d->nr_hooks || d->hooks[0].kind != LKST_HOOK_TP)
			continue;
		for (j = 0; j < nr && strcmp(printed[j], d->hooks[0].target); j++)
			;
		if (j < nr)
			continue;
		printed[nr++] = d->hooks[0].target;
		puts(d->hooks[0].target);
	}
	return 0;
}
