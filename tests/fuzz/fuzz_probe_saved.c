/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of files of resolved probes. If the first line begins a part, it says which build is asked for.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "probe/resolve/saved.h"
#include "probe/text/format.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* As they are listed. */
static void print(const struct lkst_definitions *all)
{
	char line[LKST_PROBE_TEXT], on[LKST_PROBE_TEXT];
	u32 i;

	for (i = 0; i < all->nr; i++) {
		const struct lkst_probe *p = &all->list[i].probe;

		lkst_probe_place_format(&p->place, on);
		lkst_probe_list_format(p, on, line);
		printed_names((const char *const[]){ line, on, p->group, p->event }, 4);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char head[] = "build-id: ";
	struct lkst_definitions all = {};
	struct lkst_err e = {};
	char id[64] = "0123";
	size_t i;

	for (i = sizeof(head) - 1; i < size && i < sizeof(head) + 60 && data[i] > ' '; i++) {
		id[i - sizeof(head) + 1] = (char)data[i];
		id[i - sizeof(head) + 2] = 0;
	}
	if (lkst_saved_parse(&e, "f", (const char *)data, size, id, "/bin/x", &all)) {
		if (all.list)
			abort();
		printed_error(&e);
		return 0;
	}
	print(&all);
	lkst_definitions_fini(&all);
	return 0;
}
