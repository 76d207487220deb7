/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/whole_catalog.h"

struct lkst_catalog *whole_catalog(unsigned int left_out, struct lkst_event_class by_name)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	unsigned int i;
	u16 id = 1;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (i != left_out && lkst_catalog_add_builtin(&e, c, id++, i))
			abort();
	for (i = 0; i < lkst_nr_syscalls; i++, id += 2)
		if (lkst_catalog_add_syscall(&e, c, id, id + 1, i))
			abort();
	by_name.id = id;
	if (lkst_catalog_add(&e, c, &by_name))
		abort();
	return c;
}
