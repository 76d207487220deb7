/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of definitions in kprobe_events' language: whatever is taken is the same again after it was written.
 *
 * prints: text csv json
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "lib/same_probe.h"
#include "probe/text/definition.h"
#include "probe/text/format.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check(const struct lkst_probe *p)
{
	struct lkst_definition again;
	char text[LKST_PROBE_TEXT];
	struct lkst_err e;
	int err = lkst_definition_format(&e, p, text);

	if (err == -E2BIG)
		return;
	if (err || lkst_definition_parse(&e, text, &again) || again.is_removal ||
	    !is_same_probe(p, &again.probe))
		abort();
	printed_name(text, strlen(text));
	lkst_probe_fini(&again.probe);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct lkst_definitions all;
	struct lkst_err e;
	u32 i;

	if (lkst_definitions_parse(&e, (const char *)data, size, &all)) {
		if (all.list)
			abort();
		printed_error(&e);
		return 0;
	}
	for (i = 0; i < all.nr; i++)
		if (!all.list[i].is_removal)
			check(&all.list[i].probe);
	lkst_definitions_fini(&all);
	return 0;
}
