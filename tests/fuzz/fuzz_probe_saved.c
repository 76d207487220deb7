/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of files of resolved probes. If the first line begins a part, it says which build is asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/resolve/saved.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

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
		if (!e.text[0] || all.list)
			abort();
		return 0;
	}
	lkst_definitions_fini(&all);
	return 0;
}
