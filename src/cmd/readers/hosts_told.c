/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that read say of several hosts before anything else. */
#include <errno.h>
#include <stdio.h>

#include "base/out.h"
#include "cmd/readers/traces.h"

/* Who reads the parts of one recording must not be given those of another. */
static int refuse_one_machine(struct lkst_err *e, const struct lkst_reading *h, const char *const *names)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		if (h->list[i].is_same_boot)
			return lkst_err_set(
				e, -EINVAL,
				"%s and %s are of different recordings of one machine: name the parts of one",
				names[h->list[i].same_as], names[i]);
	return 0;
}

int lkst_cmd_tell_hosts(struct lkst_err *e, const struct lkst_reading *h, const char *const *names)
{
	char text[LKST_HOST_CLOCK_TEXT];
	unsigned int i;
	int err = refuse_one_machine(e, h, names);

	if (err)
		return err;
	for (i = 0; i < h->nr; i++) {
		lkst_cmd_tell_ending(h->list[i].trace, h->list[i].name);
		lkst_reading_clock_text(h, i, text);
		lkst_print_message(stderr, "lkst: %s: %s", h->list[i].name, text);
	}
	for (i = 0; i < h->notes.nr; i++)
		lkst_print_message(stderr, "lkst: %s", h->notes.text[i]);
	return 0;
}
